"""Through which words of the table an asked word counts, and for how much.

Source: docs/ARCHITECTURE.md, "Ranking of memories". Everything here is judged on the shelves that are handed in, so
that words on other shelves change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import log
from typing import TYPE_CHECKING

from personakit.index.spelling import SLIP
from personakit.index.stopwords import is_function_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from personakit.index.shelf import Shelf
    from personakit.index.vocabulary import Vocabulary

FOLDED = 0.9
SIMILAR = 0.5

# To a word that so large a share of the notes hold, likeness adds next to nothing, and it is half of a search's time.
_COMMON = 0.02
_FEW = 50

# Of each kind of nearness so many words count for one asked word.
_MOST = 4


class How(StrEnum):
    """How an asked word and a word of the table belong together."""

    EXACT = "exact"
    FOLDED = "folded"
    SPELLING = "spelling"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True)
class Column:
    """One word of the table that counts for an asked word.

    Attributes:
        word: the word as notes hold it.
        weight: what a note gains that holds it.
        how: why it counts.
        size: the number of notes that hold it.
        matches: whether holding it is enough to match; else it only adds to a note that matches otherwise.
    """

    word: str
    weight: float
    how: How
    size: int
    matches: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One asked word with its columns, heaviest first; a note counts through the first that it holds."""

    word: str
    columns: tuple[Column, ...]

    @property
    def most(self) -> float:
        """What one note can gain by it at most."""
        return self.columns[0].weight

    @property
    def most_added(self) -> float:
        """What a note can gain by it that does not match by it."""
        return next((column.weight for column in self.columns if not column.matches), 0.0)

    @property
    def size(self) -> int:
        """How many times its matching words are held."""
        return sum(column.size for column in self.columns if column.matches)


def asked_words(
    shelves: Sequence[Shelf], vocabulary: Vocabulary, words: Iterable[str], *, additions: bool = True
) -> list[Asked]:
    """Give the distinct asked words that count on these shelves, sorted.

    Without `additions` only the columns through which a note matches are given, which is all that counting takes.
    """
    view = _View(shelves, vocabulary, additions=additions)
    plans = ((word, view.columns(word)) for word in sorted(set(words)))
    return [Asked(word, columns) for word, columns in plans if columns]


class _View:
    """The vocabulary as far as some shelves hold it."""

    __slots__ = ("_additions", "_postings", "_total", "_vocabulary")

    def __init__(self, shelves: Sequence[Shelf], vocabulary: Vocabulary, *, additions: bool) -> None:
        self._additions = additions
        self._postings = [shelf.postings for shelf in shelves]
        self._total = sum(len(shelf.slots) for shelf in shelves)
        self._vocabulary = vocabulary

    def columns(self, asked: str) -> tuple[Column, ...]:
        size = self._size(asked)
        near = [] if is_function_word(asked) else self._near(asked, size)
        if not size:
            found = [self._column(word, share, how, matches=True) for word, share, how in near]
        else:
            rarity = self._rarity(size)
            found = [Column(asked, rarity, How.EXACT, size, matches=True)]
            if not near:
                return tuple(found)
            found += [
                self._column(word, share, how, most=rarity, matches=how is How.FOLDED) for word, share, how in near
            ]
        return tuple(sorted(found, key=lambda column: (-column.weight, column.word)))

    def _near(self, asked: str, size: int) -> list[tuple[str, float, How]]:
        """Give the words near an asked one with their shares, each word once at its best."""
        words = self._vocabulary
        found = self._cut((word, FOLDED, How.FOLDED) for word in words.variants(asked))
        if not size:
            slips = ((word, 1 - SLIP * distance, How.SPELLING) for word, distance in words.neighbours(asked))
            found += self._cut(slips)
        if not size or (self._additions and size <= max(_FEW, self._total * _COMMON)):
            found += self._cut((word, SIMILAR * dice, How.SIMILAR) for word, dice in words.similar(asked))
        if len(found) < 2:
            return found
        best: dict[str, tuple[str, float, How]] = {}
        for near in sorted(found, key=lambda near: -near[1]):
            best.setdefault(near[0], near)
        return list(best.values())

    def _cut(self, near: Iterable[tuple[str, float, How]]) -> list[tuple[str, float, How]]:
        return [each for each in near if self._size(each[0])][:_MOST]

    def _column(self, word: str, share: float, how: How, *, matches: bool, most: float | None = None) -> Column:
        # A frequent word asked for stays a small gain, however rare the word is that stands near it.
        size = self._size(word)
        rarity = self._rarity(size)
        return Column(word, share * (rarity if most is None else min(rarity, most)), how, size, matches)

    def _size(self, word: str) -> int:
        size = 0
        for postings in self._postings:
            held = postings.get(word)
            if held is not None:
                size += len(held)
        return size

    def _rarity(self, size: int) -> float:
        return log(1 + (self._total - size + 0.5) / (size + 0.5))
