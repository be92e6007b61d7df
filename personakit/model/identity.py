"""Which file keeps an id when several claim it, and which copies are never served.

Source: docs/FORMAT.md, "Two files with one id".
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.model.states import State

_SYNC_COPY = re.compile(
    r"(?P<stem>.+?)(?:\.sync-conflict-[^/]*| \([^/()]*conflicted copy[^/()]*\))(?P<end>\.md)", re.IGNORECASE
)
_PLAIN_COPY = re.compile(r"(?P<stem>.+?)(?: \d{1,3}| \(\d{1,3}\))(?P<end>\.md)", re.IGNORECASE)


class Claim(NamedTuple):
    """What one file says about its id.

    Attributes:
        path: relative to the vault.
        declared: the id its front matter gives, "" when that is none of its kind.
        own: the id its content gives, "" when the kind has no such rule.
        words: a key that is equal for equal words; "" for a file that says nothing that can be served.
        state: the state its front matter gives.
        created: seconds since 1970, infinity when missing.
        is_hidden: it is a document that not everybody may see, which takes no id from one that everybody may.
    """

    path: str
    declared: str
    own: str
    words: str
    state: State | None
    created: float = float("inf")
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comes of a claim.

    Attributes:
        id: the id the file is served under; "" when it is not served.
        behind: the path of the file that is served in its place, "" when it is served itself.
        states: the states of files with the same words that are not served themselves: the most cautious counts.
        why: "" | "duplicate_id" | "conflict_copy".
    """

    id: str
    behind: str = ""
    states: frozenset[State] = field(default_factory=frozenset)
    why: str = ""


def original_of(path: str) -> str | None:
    """Give the path of the file that a sync tool's copy was made from. None: the name is not such a copy's."""
    match = _SYNC_COPY.fullmatch(path)
    return match["stem"] + match["end"] if match else None


def possible_original(path: str) -> str | None:
    """Give the path this may be a copy of, by a sync tool or a file manager (`x 1.md`, `x (1).md`)."""
    if " " not in path and ".sync-" not in path.lower():
        return None  # no copy's name is without either, and nearly every name is
    match = _SYNC_COPY.fullmatch(path) or _PLAIN_COPY.fullmatch(path)
    return match["stem"] + match["end"] if match else None


def settle(claims: Iterable[Claim]) -> dict[str, Verdict]:
    """Decide all claims that can touch each other; the answer does not depend on their order."""
    by_path = {claim.path: claim for claim in sorted(claims, key=lambda claim: claim.path)}
    behind: dict[str, str] = {}
    why: dict[str, str] = {}
    for claim in by_path.values():
        original = _copied_from(claim, by_path)
        if original is not None:
            behind[claim.path] = original.path
            why[claim.path] = "conflict_copy"
    holders = _holders([claim for path, claim in by_path.items() if path not in behind], behind, why)
    return _verdicts(by_path, holders, behind, why)


def _copied_from(claim: Claim, by_path: dict[str, Claim]) -> Claim | None:
    """Give the original beside a copy: a sync tool's whatever it says, a file manager's when the words are equal."""
    original = by_path.get(possible_original(claim.path) or "")
    if original is None or original.path == claim.path:
        return None
    return original if original_of(claim.path) or original.words == claim.words != "" else None


def _holders(claims: list[Claim], behind: dict[str, str], why: dict[str, str]) -> dict[str, str]:
    """Give path -> id for the files that keep or get an id; the losers of equal words go into `behind`."""
    rivals: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.declared or claim.own:
            rivals[claim.declared or claim.own].append(claim)
    winners: dict[str, Claim] = {}
    losers: list[Claim] = []
    for id_, group in rivals.items():
        group.sort(key=lambda claim: _rank(claim, id_))
        winners[id_] = group[0]
        losers += group[1:]
    # A loser counts as having no id, so it asks for the one its content gives; whoever holds that one by
    # declaration alone gives way and asks in turn. Each file gives way at most once, so this ends.
    while losers:
        claim = losers.pop()
        why[claim.path] = "duplicate_id"
        holder = winners.get(claim.own) if claim.own else None
        if not claim.own:
            behind[claim.path] = winners[claim.declared].path
        elif holder is None:
            winners[claim.own] = claim
        elif _rank(claim, claim.own) < _rank(holder, claim.own):
            winners[claim.own] = claim
            losers.append(holder)
        else:
            behind[claim.path] = holder.path
    return {claim.path: id_ for id_, claim in winners.items()}


def _rank(claim: Claim, id_: str) -> tuple[bool, bool, bool, float, str]:
    is_copy = possible_original(claim.path) is not None
    return (claim.own != id_, is_copy, claim.is_hidden, claim.created, claim.path)


def _verdicts(
    by_path: dict[str, Claim], holders: dict[str, str], behind: dict[str, str], why: dict[str, str]
) -> dict[str, Verdict]:
    states: defaultdict[str, set[State]] = defaultdict(set)
    for path in behind:
        served = behind[path]
        while served in behind:
            served = behind[served]
        behind[path] = served
        state = by_path[path].state
        if state is not None and by_path[path].words == by_path[served].words:
            states[served].add(state)
    return {
        path: Verdict(holders.get(path, ""), behind.get(path, ""), frozenset(states[path]), why.get(path, ""))
        for path in by_path
    }
