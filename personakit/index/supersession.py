"""Which memories others have replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def replaced(supersedes: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Give the ids that are replaced, some perhaps twice, where each id in `supersedes` replaces those it names.

    Memories that replace each other, directly or in a ring, all stay: none of them is the last word.
    """
    for newer, olds in supersedes.items():
        for old in olds:
            if old != newer and not _leads(old, newer, supersedes):
                yield old


def _leads(start: str, goal: str, supersedes: Mapping[str, tuple[str, ...]]) -> bool:
    seen = {start}
    waiting = [start]
    while waiting:
        for following in supersedes.get(waiting.pop(), ()):
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False
