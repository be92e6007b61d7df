"""Masks: which columns a note counts through, as the bits of one number.

A column is a pair of an asked word and a word of the table, and has one bit. Notes with one mask have one score, worked
out once. Bits go by the asked word, and for one asked word from the heaviest column up, so that the lowest of its bits
is the one that counts and the terms of a score are always added in the same order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from personakit.index.columns import Asked, Column

# Scores are rounded to so many digits before they are compared.
DIGITS = 9


class Masks:
    """The bits of one search."""

    __slots__ = ("_beyond", "_columns", "_groups", "_scores", "_weights", "_words")

    def __init__(self, asked: Iterable[Asked]) -> None:
        self._columns: dict[int, tuple[Asked, Column]] = {}
        self._weights: dict[int, float] = {}
        # Bit -> what is left of a mask once its asked word is counted.
        self._beyond: dict[int, int] = {}
        # One word of the table may count for two asked ones.
        self._words: defaultdict[str, int] = defaultdict(int)
        self._groups: list[int] = []
        self._scores: dict[int, tuple[float, int]] = {}
        bit = 1
        for each in asked:
            first = bit
            for column in each.columns:
                self._columns[bit] = each, column
                self._weights[bit] = column.weight
                self._words[column.word] |= bit
                bit <<= 1
            self._groups.append(bit - first)
            self._beyond.update(dict.fromkeys((first << at for at in range(len(each.columns))), -bit))

    def __iter__(self) -> Iterator[tuple[int, Asked, Column]]:
        """Give each bit with what it stands for, from the lowest up."""
        return ((bit, each, column) for bit, (each, column) in self._columns.items())

    def weight(self, bit: int) -> float:
        """Give what the column of a bit adds."""
        return self._weights[bit]

    def matching(self) -> int:
        """Give the bits of the columns of which one makes a note match."""
        return sum(bit for bit, (_, column) in self._columns.items() if column.matches)

    def of(self, words: Iterable[str]) -> int:
        """Give the mask of a note that holds these words."""
        mask = 0
        for word in self._words.keys() & words:
            mask |= self._words[word]
        return mask

    def parts(self, mask: int) -> list[tuple[Asked, Column]]:
        """Give the column that counts, for each asked word in a mask."""
        found = (mask & group for group in self._groups)
        return [self._columns[part & -part] for part in found if part]

    def score(self, mask: int) -> float:
        """Give the score of a mask, not rounded."""
        return self._counted(mask)[0]

    def rank(self, mask: int) -> tuple[float, int]:
        """Give what masks are ordered by, the best first: the rounded score, then the number of asked words."""
        score, matched = self._counted(mask)
        return -round(score, DIGITS), -matched

    def _counted(self, mask: int) -> tuple[float, int]:
        known = self._scores.get(mask)
        if known is None:
            score, matched, rest = 0.0, 0, mask
            while rest:
                counts = rest & -rest
                score += self._weights[counts]
                matched += 1
                rest &= self._beyond[counts]
            known = self._scores[mask] = score, matched
        return known
