"""Scopes: which of the asked initiatives there are for a viewer, and which groups of notes are seen in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from personakit.model.node import PERSONAL
from personakit.model.note import label_key
from personakit.model.visibility import Sight, visible
from personakit.services.seek.asked import UNKNOWN_INITIATIVE, Issue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.index.literal import Group, LiteralIndex
    from personakit.model.visibility import Viewer

EVERY = "*"
_NEAR = 3
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Scopes:
    """What is searched.

    Attributes:
        names: the scopes that were asked for and are there, as they were asked for.
        issues: one for each that is not.
        served: the groups that are seen in them: number -> the names of those it is in.
        withheld: the groups of which only the number that match may be told.
    """

    names: tuple[str, ...]
    issues: tuple[Issue, ...]
    served: dict[int, tuple[str, ...]]
    withheld: frozenset[int]


def scopes_for(index: LiteralIndex, viewer: Viewer, asked: Iterable[str]) -> Scopes:
    """Find the asked scopes among those in which a viewer is served anything; the personal one is always there."""
    seen: dict[int, dict[str, str]] = {}
    withheld: dict[int, set[str]] = {}
    known: dict[str, str] = {PERSONAL: PERSONAL}
    for number, group in enumerate(index.groups):
        if not index.sizes[number]:
            continue
        for key, name in _places(group, viewer):
            sight = visible(group, replace(viewer, project=None if key == PERSONAL else key))
            if sight is Sight.SERVED:
                seen.setdefault(number, {})[key] = name
                known.setdefault(key, name)
            elif sight is Sight.WITHHELD:
                withheld.setdefault(number, set()).add(key)
    wanted = list(dict.fromkeys(asked))
    there = {name: key for name in wanted if (key := label_key(name) or name) in known or name == EVERY}
    missing = [name for name in wanted if name not in there]
    issues = tuple(_unknown(name, known) for name in missing)
    keys = set(there.values())
    every = EVERY in there
    served = {
        number: tuple(names.values()) if every else tuple(name for name, key in there.items() if key in names)
        for number, names in seen.items()
        if every or keys & names.keys()
    }
    hidden = frozenset(number for number, names in withheld.items() if number not in served and (every or keys & names))
    return Scopes(tuple(there), issues, served, hidden)


def _places(group: Group, viewer: Viewer) -> list[tuple[str, str]]:
    """Give the scopes a group is in, those alone that a launch for one project may ask for."""
    names = [*group.projects, *([group.wing] if group.wing else [])]
    places = list({label_key(name): name for name in reversed(names)}.items()) or [(PERSONAL, PERSONAL)]
    return [one for one in places if viewer.ceiling is None or one[0] in (viewer.ceiling, PERSONAL)]


def _unknown(name: str, known: dict[str, str]) -> Issue:
    near = [known[key] for key in get_close_matches(label_key(name), known, _NEAR, 0.6)]
    shown = " ".join(name.split())[:_SHOWN]
    said = f"There is no initiative {shown}" + (f"; near it are {', '.join(near)}" if near else "") + "."
    return Issue(UNKNOWN_INITIATIVE, said, "initiatives")
