"""Likeness of words by the runs of four letters they share: inflections and compounds that no stem joins."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from personakit.index.scripts import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

SIZE = 4
MIN_LETTERS = 5
LEAST_DICE = 0.5
# A word has so many runs fewer than letters: the mark before it makes one more letter.
_UNRUN = SIZE - 2


def grams(word: str) -> frozenset[str]:
    """Give the runs of four letters of a word's form without diacritics; none for a short word.

    A mark before the first letter makes the beginning count, which inflections share.
    """
    plain = fold(word)
    if len(plain) < MIN_LETTERS:
        return frozenset()
    marked = "^" + plain
    return frozenset(marked[at : at + SIZE] for at in range(len(marked) - SIZE + 1))


def dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Give twice the shared part of two sets over the sum of both, 0 to 1."""
    together = len(one) + len(other)
    return 2 * len(one & other) / together if together else 0.0


class Grams:
    """Which words hold a run of letters, in a fixed number of buckets.

    Runs that share a bucket only cost a comparison: likeness is always worked out on the words themselves. Buckets
    instead of one entry per run keep 20,000 words near three megabytes.
    """

    __slots__ = ("_buckets", "_mask", "_uneven", "size")

    def __init__(self, words: Iterable[str], *, expected: int) -> None:
        self._mask = (1 << max(10, expected.bit_length())) - 1
        self._buckets: list[tuple[str, ...] | None] = [None] * (self._mask + 1)
        # Words with fewer runs than their length says, because one comes twice or the plain form has another length.
        self._uneven: set[str] = set()
        self.size = 0
        filling: defaultdict[int, list[str]] = defaultdict(list)
        for word in words:
            for at in self._places_of(word):
                filling[at].append(word)
        for at, held in filling.items():
            self._buckets[at] = tuple(held)

    @property
    def crowded(self) -> bool:
        """Whether so many words have come that more buckets would pay."""
        return self.size > 4 * len(self._buckets)

    def add(self, word: str) -> None:
        """Lay down a word that is not there yet."""
        for at in self._places_of(word):
            self._buckets[at] = (*(self._buckets[at] or ()), word)

    def remove(self, word: str) -> None:
        """Take out a word that is there."""
        self.size -= 1
        self._uneven.discard(word)
        for at in self._places(grams(word)):
            self._buckets[at] = tuple(other for other in self._buckets[at] or () if other != word) or None

    def similar(self, word: str) -> list[tuple[str, float]]:
        """Give the other words with a Dice of 0.5 or more, most alike first, then by spelling."""
        own = grams(word)
        buckets = sorted((self._buckets[at] or () for at in self._places(own)), key=len)
        # A Dice of 0.5 takes a quarter of both words' runs together, and a third of this one's. So the fullest buckets
        # need no look: who is only there shares too little. Runs that fell into one bucket count once.
        unseen = max(0, min((len(own) - 1) // 3, (len(own) - 4) // 2))
        shared = Counter(chain.from_iterable(buckets[: len(buckets) - unseen]))
        lost = unseen + len(own) - len(buckets)
        least = len(own) - _UNRUN - 4 * lost
        near = (other for other, count in shared.items() if 4 * count >= least + len(other) or other in self._uneven)
        likened = ((other, dice(own, grams(other))) for other in near if other != word)
        found = [pair for pair in likened if pair[1] >= LEAST_DICE]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _places_of(self, word: str) -> set[int]:
        """Count a word in and give the buckets it belongs to."""
        self.size += 1
        runs = grams(word)
        if runs and len(runs) != len(word) - _UNRUN:
            self._uneven.add(word)
        return self._places(runs)

    def _places(self, runs: frozenset[str]) -> set[int]:
        return {hash(run) & self._mask for run in runs}
