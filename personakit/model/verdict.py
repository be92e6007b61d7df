"""The outcome of a question: how much of it the best passage holds, and whether few sentences of it hold enough.

Words are weighed by their rarity; nothing here reads a meaning, so that
"answered" never says more than that the words stand together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

ANSWERED, TOGETHER, PARTLY, POSSIBLE = 0.7, 0.6, 0.5, 0.25
# So much of the question one sentence must hold for the names in it to count.
NAMED = 0.5
# At most so many sentences in a row make a window.
WINDOW = 3
_SLACK = 1e-9
_WORD = re.compile(r"\w+(?:[-'\u2019.]\w+)*")
# What only asks, and no passage would say: "how many", and the modals of a question. May with a capital is a month.
_ASKING = re.compile(r"\b(?:[Hh]ow\s+(?:many|much|often|long|far|old|big|late|early)|may|might|shall)\b")
_OPENERS = frozenset({"i", "i'm", "i've", "i'd", "i'll"})


class Outcome(StrEnum):
    """What a question came to."""

    ANSWERED = "answered"
    PARTLY = "partly answered"
    POSSIBLE = "possible"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Window:
    """The sentences of a passage, in a row, that hold most of a question.

    Attributes:
        share: the part of the question's weight that they hold, 0 to 1.
        first, last: their numbers, from 0, both included; -1 for a passage without any.
        named: whether one sentence that holds half of the question by itself holds all of its names too.
    """

    share: float = 0.0
    first: int = -1
    last: int = -1
    named: bool = False


def names_in(question: str) -> list[str]:
    """Give the capitalised words of a question but its first: they must be met, not only other words around them."""
    found = _WORD.findall(question)
    return [word for word in found[1:] if word[0].isupper() and word.casefold().replace("\u2019", "'") not in _OPENERS]


def without_asking(question: str) -> str:
    """Give a question without the words that only ask."""
    return _ASKING.sub(" ", question)


def best_window(
    held: Sequence[Set[str]], weights: Mapping[str, float], names: Sequence[Set[str]], around: Set[str]
) -> Window:
    """Find the best window of a passage.

    Args:
        held: the words of each sentence.
        weights: what each word of the question weighs.
        names: the words of each name in the question.
        around: the words of the headings over the passage; a name may stand there.
    """
    total = sum(weights.values())
    if not total or not held:
        return Window()
    asked = [words & weights.keys() for words in held]
    best = Window()
    for first in range(len(asked)):
        together: set[str] = set()
        for last in range(first, min(first + WINDOW, len(asked))):
            together |= asked[last]
            share = sum(weights[word] for word in together) / total
            same, shorter = abs(share - best.share) <= _SLACK, last - first < best.last - best.first
            if share > best.share + _SLACK or (same and share and shorter):
                best = Window(share, first, last)
    named = any(
        sum(weights[word] for word in mine) / total >= NAMED - _SLACK and all(name <= words | around for name in names)
        for mine, words in zip(asked, held, strict=True)
    )
    return Window(best.share, best.first, best.last, named)


def outcome_of(coverage: float, window: Window) -> Outcome:
    """Give what one passage makes of a question; `coverage` is the part of its weight that the passage holds."""
    if coverage >= ANSWERED and window.share >= TOGETHER and window.named:
        return Outcome.ANSWERED
    if coverage >= PARTLY:
        return Outcome.PARTLY
    return Outcome.POSSIBLE if coverage >= POSSIBLE else Outcome.NOT_FOUND
