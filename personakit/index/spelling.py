"""Spelling neighbours: the known words that one or two slips of the keyboard turn into another."""

from __future__ import annotations

from array import array
from collections import defaultdict

# Shorter words have too many neighbours that mean something else.
MIN_LETTERS = 4
# From this many letters on two slips are forgiven.
LONG_WORD = 8

# The penalty for one slip; see docs/ARCHITECTURE.md, "Ranking of memories".
SLIP = 0.3


def slips_allowed(word: str) -> int:
    """Give the edit distance at which another word still counts as this one, misspelt."""
    if len(word) < MIN_LETTERS:
        return 0
    return 2 if len(word) >= LONG_WORD else 1


def signature(word: str) -> int:
    """Give 64 bits that differ in at most two places for each slip between two words.

    The low half says which letters occur, the high half which occur more than once; letters share places.
    """
    once = more = 0
    for letter in word:
        bit = 1 << (ord(letter) & 31)
        more |= once & bit
        once |= bit
    return more << 32 | once


class Pattern:
    """One word, made ready to be compared with many.

    Distances are optimal string alignment (insert, drop, replace, swap two neighbours), by the bit-parallel method of
    Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003.
    """

    __slots__ = ("_length", "_places")

    def __init__(self, word: str) -> None:
        self._length = len(word)
        self._places: dict[str, int] = {}
        for at, letter in enumerate(word):
            self._places[letter] = self._places.get(letter, 0) | 1 << at

    def distance(self, other: str) -> int:
        """Give the number of slips between the word and another."""
        if not self._length:
            return len(other)
        full = (1 << self._length) - 1
        last = 1 << (self._length - 1)
        rises, falls, diagonal, before, result = full, 0, 0, 0, self._length
        for letter in other:
            here = self._places.get(letter, 0)
            swap = ((~diagonal & here) << 1) & before
            diagonal = ((((here & rises) + rises) ^ rises) | here | falls | swap) & full
            up = falls | (full & ~(diagonal | rises))
            down = diagonal & rises
            result += bool(up & last) - bool(down & last)
            up = (up << 1) | 1
            rises = ((down << 1) | ~(diagonal | up)) & full
            falls = up & diagonal
            before = here
        return result


class _Drawer:
    """Words of one first letter and one length, beside their signatures."""

    __slots__ = ("signatures", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.signatures = array("Q")

    def drop(self, word: str) -> None:
        at = self.words.index(word)
        last_word, last_signature = self.words.pop(), self.signatures.pop()
        if at < len(self.words):
            self.words[at], self.signatures[at] = last_word, last_signature


class Spellings:
    """The words of a vocabulary, laid out by first letter and length."""

    __slots__ = ("_drawers",)

    def __init__(self) -> None:
        self._drawers: defaultdict[tuple[str, int], _Drawer] = defaultdict(_Drawer)

    def add(self, word: str) -> None:
        """Lay down a word that is not there yet."""
        drawer = self._drawers[word[0], len(word)]
        drawer.words.append(word)
        drawer.signatures.append(signature(word))

    def remove(self, word: str) -> None:
        """Take out a word that is there."""
        key = word[0], len(word)
        drawer = self._drawers[key]
        drawer.drop(word)
        if not drawer.words:
            del self._drawers[key]

    def neighbours(self, word: str) -> list[tuple[str, int]]:
        """Give the other words with the same first letter within the allowed slips, nearest first, then by spelling."""
        allowed = slips_allowed(word)
        if not allowed:
            return []
        pattern = Pattern(word)
        near = ((other, pattern.distance(other)) for other in self._candidates(word, allowed) if other != word)
        return sorted((pair for pair in near if pair[1] <= allowed), key=lambda pair: (pair[1], pair[0]))

    def _candidates(self, word: str, allowed: int) -> list[str]:
        wanted, budget = signature(word), 2 * allowed
        found: list[str] = []
        for length in range(len(word) - allowed, len(word) + allowed + 1):
            drawer = self._drawers.get((word[0], length))
            if drawer is not None:
                pairs = zip(drawer.words, drawer.signatures, strict=True)
                found += [other for other, bits in pairs if (bits ^ wanted).bit_count() <= budget]
        return found
