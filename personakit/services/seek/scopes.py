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


class Sights:
    """What one viewer sees of each group, and where; worked out once for each group of an index."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self._known: list[tuple[dict[str, str], frozenset[str]]] = []

    def of(self, index: LiteralIndex) -> list[tuple[dict[str, str], frozenset[str]]]:
        """Give, by group, the scopes in which it is served, key to name, and the keys of those where it is withheld."""
        for group in index.groups[len(self._known) :]:
            self._known.append(self._look(group))
        return self._known

    def _look(self, group: Group) -> tuple[dict[str, str], frozenset[str]]:
        served: dict[str, str] = {}
        withheld: set[str] = set()
        for key, name in _places(group, self.viewer):
            sight = visible(group, replace(self.viewer, project=None if key == PERSONAL else key))
            if sight is Sight.SERVED:
                served[key] = name
            elif sight is Sight.WITHHELD:
                withheld.add(key)
        return served, frozenset(withheld)


def scopes_for(sights: Sights, index: LiteralIndex, asked: Iterable[str]) -> Scopes:
    """Find the asked scopes among those in which a viewer is served anything; the personal one is always there."""
    groups = [(number, *one) for number, one in enumerate(sights.of(index)) if index.sizes[number]]
    known: dict[str, str] = {PERSONAL: PERSONAL}
    for _, names, _ in groups:
        for key, name in names.items():
            known.setdefault(key, name)
    wanted = list(dict.fromkeys(asked))
    there = {name: key for name in wanted if (key := label_key(name) or name) in known or name == EVERY}
    issues = tuple(_unknown(name, known) for name in wanted if name not in there)
    keys = set(there.values())
    every = EVERY in there
    served = {
        number: tuple(names.values()) if every else tuple(name for name, key in there.items() if key in names)
        for number, names, _ in groups
        if names and (every or keys & names.keys())
    }
    hidden = (number for number, _, held in groups if number not in served and held and (every or keys & held))
    return Scopes(tuple(there), issues, served, frozenset(hidden))


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
