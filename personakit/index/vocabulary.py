"""The distinct words of a table: how often each is held, and which of them stand near a word that was asked.

It knows the words of every note, whoever may see it. Whoever uses it takes out the words that a viewer may not see
before counting, cutting or serving anything.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from operator import is_
from typing import TYPE_CHECKING, TypeVar

from personakit.index.grams import Grams
from personakit.index.scripts import UNSEGMENTED, fold
from personakit.index.spelling import Spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# Numbers and names with signs are right or wrong, never nearly right; pairs of characters have no letters to compare.
_is_exact = re.compile(rf"[\d_.+#{UNSEGMENTED}]").search

T = TypeVar("T")

# Answers kept for words that are asked again before the vocabulary changes.
_MEMO_SIZE = 2_000


def has_neighbours(word: str) -> bool:
    """Whether a word can be nearly another one: letters only, of a script that writes words apart."""
    return _is_exact(word) is None


class Vocabulary:
    """Distinct words with the number of notes that hold each."""

    __slots__ = ("_counts", "_folded", "_grams", "_neighbours", "_own", "_similar", "_spellings")

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._own: dict[str, str] = {}
        self._folded: dict[str, tuple[str, ...]] = {}
        # Made when first asked for: a start that is followed by no question needs none of them.
        self._spellings: Spellings | None = None
        self._grams: Grams | None = None
        self._neighbours: dict[str, list[tuple[str, int]]] = {}
        self._similar: dict[str, list[tuple[str, float]]] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def __contains__(self, word: str) -> bool:
        return word in self._counts

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def count(self, word: str) -> int:
        """Give the number of notes that hold a word."""
        return self._counts[word]

    def add(self, notes: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Count the distinct words of some notes; gives them in their order, in the one copy that all notes share."""
        own = self._own
        new = set(chain.from_iterable(notes)).difference(own)
        # Sorted, so that what is laid out by word comes out alike in every process.
        for word in sorted(new):
            own[word] = word
            self._note(word)
        self._counts.update(chain.from_iterable(notes))
        return [_same(words, tuple(map(own.__getitem__, words))) for words in notes]

    def remove(self, words: Iterable[str]) -> None:
        """Count some words once less; a word that no note holds is forgotten.

        Raises:
            KeyError: no note holds one of them.
        """
        for word in words:
            if self._counts[word] > 1:
                self._counts[word] -= 1
            else:
                del self._own[word]
                del self._counts[word]
                self._forget(word)

    def variants(self, word: str) -> list[str]:
        """Give the other known words that differ from it in diacritics only, sorted."""
        plain = fold(word)
        marked = self._folded.get(plain)
        if marked is None:
            return [plain] if plain != word and plain in self._counts else []
        return sorted({*marked, *(self._counts.keys() & {plain})} - {word})

    def neighbours(self, word: str) -> list[tuple[str, int]]:
        """Give the known words it may be a misspelling of, with the number of slips; nearest first."""
        if not has_neighbours(word):
            return []
        if self._spellings is None:
            self._spellings = Spellings()
            for known in filter(has_neighbours, self._counts):
                self._spellings.add(known)
        return _remembered(self._neighbours, word, self._spellings.neighbours)

    def similar(self, word: str) -> list[tuple[str, float]]:
        """Give the known words that share half of their four-letter runs with it, with their Dice; most alike first."""
        if not has_neighbours(word):
            return []
        if self._grams is None or self._grams.crowded:
            self._grams = Grams(filter(has_neighbours, self._counts), expected=len(self._counts))
        return _remembered(self._similar, word, self._grams.similar)

    def _note(self, word: str) -> None:
        plain = fold(word)
        if plain != word:
            self._folded[plain] = (*self._folded.get(plain, ()), word)
        if has_neighbours(word):
            if self._spellings is not None:
                self._spellings.add(word)
            if self._grams is not None:
                self._grams.add(word)
            self._change()

    def _forget(self, word: str) -> None:
        plain = fold(word)
        if plain != word:
            rest = tuple(other for other in self._folded.pop(plain) if other != word)
            if rest:
                self._folded[plain] = rest
        if has_neighbours(word):
            if self._spellings is not None:
                self._spellings.remove(word)
            if self._grams is not None:
                self._grams.remove(word)
            self._change()

    def _change(self) -> None:
        if self._neighbours:
            self._neighbours.clear()
        if self._similar:
            self._similar.clear()


def _same(words: tuple[str, ...], shared: tuple[str, ...]) -> tuple[str, ...]:
    """Give the first of two equal tuples where its words are the shared copies already, so that it need not be kept."""
    return words if all(map(is_, words, shared)) else shared


def _remembered(memo: dict[str, list[T]], word: str, ask: Callable[[str], list[T]]) -> list[T]:
    found = memo.get(word)
    if found is None:
        if len(memo) >= _MEMO_SIZE:
            memo.clear()
        found = memo[word] = ask(word)
    return found
