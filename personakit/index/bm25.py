"""Ranking of long texts: BM25 on the words of the table, whole words before words that only stand near.

Source: docs/ARCHITECTURE.md, "Ranking of long texts" (k1 1.2, b 0.75). How many notes hold a word, and how long notes
are, is counted on the shelves that are handed in, so that what a viewer may not see leaves no trace in a score.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from math import log
from typing import TYPE_CHECKING

from personakit.index.bits import Bits
from personakit.index.columns import How, asked_words
from personakit.index.shelf import holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from personakit.index.columns import Column
    from personakit.index.shelf import Shelf
    from personakit.index.table import Table
    from personakit.model.note import Note

K1 = 1.2
B = 0.75
DIGITS = 9
# What is nearer than this may come out equal once rounded.
_MARGIN = 10**-8


@dataclass(frozen=True, slots=True)
class Ranked:
    """A note that was found.

    Attributes:
        note: the note.
        score: its BM25, rounded to 9 decimals.
        share: the part of the question's weight that the note holds, 0 to 1.
    """

    note: Note
    score: float
    share: float


def rank(
    table: Table,
    shelves: Sequence[Shelf],
    words: Iterable[str],
    *,
    limit: int,
    wanted: Callable[[Note], bool] | None = None,
    among: Sequence[Shelf] | None = None,
) -> list[Ranked]:
    """Give the notes that match some words best, at most `limit` of those that are `wanted` (None: all).

    Words are weighed on all `shelves`; notes are looked for `among` some of them (None: all). A note that holds a
    whole word comes before every one that only holds words near those asked, and its score is of whole words alone.
    Then score, then id.
    """
    distinct = frozenset(words)
    asked = asked_words(shelves, table.vocabulary, distinct, additions=False)
    if not asked:
        return []
    notes = sum(len(shelf.slots) for shelf in shelves)
    average = sum(shelf.length for shelf in shelves) / notes
    where = shelves if among is None else among
    whole = [each for each in asked if each.columns[0].how is How.EXACT]
    race = _Race(table, average, wanted)
    # The rarest first: who holds them is found early, and common words then need fewer notes looked at.
    whole.sort(key=lambda each: (each.size, each.word))
    for at, each in enumerate(whole):
        most = sum(later.most for later in whole[at:]) * (K1 + 1)
        race.run(each.columns[:1], where, add=race.is_open(most, limit))
    found = race.best(limit)
    if len(found) < limit:
        # Words that only stand near those asked: what is a whole word's note already has its place.
        others = _Race(table, average, wanted, without=race.scores.keys())
        for each in asked:
            others.run(each.columns[1:] if each in whole else each.columns, where, add=True)
        race.take(others)
        found += others.best(limit - len(found))
    # A word that no note holds weighs most of all.
    unknown = log(1 + (notes + 0.5) / 0.5)
    total = sum(each.most for each in whole) + unknown * (len(distinct) - len(whole))
    return [
        Ranked(table.entry(slot).note, round(race.scores[slot], DIGITS), min(1.0, race.held[slot] / total))
        for slot in found
    ]


def weights(shelves: Sequence[Shelf], words: Iterable[str]) -> dict[str, float]:
    """Give what each word weighs on these shelves; one that none of them holds weighs most of all."""
    notes = sum(len(shelf.slots) for shelf in shelves)
    sizes = ((word, sum(map(len, holding(shelves, word)))) for word in set(words))
    return {word: log(1 + (notes - size + 0.5) / (size + 0.5)) for word, size in sizes}


class _Race:
    """The scores of one question's notes, word by word. Notes in `without` take no part."""

    def __init__(
        self,
        table: Table,
        average: float,
        wanted: Callable[[Note], bool] | None,
        without: Set[int] = frozenset(),
    ) -> None:
        self.scores: dict[int, float] = {}
        self.held: dict[int, float] = {}
        self._table = table
        self._norm = (K1 * (1 - B), K1 * B / (average or 1.0))
        self._wanted = wanted
        self._without = without

    def is_open(self, most: float, limit: int) -> bool:
        """Say whether a note that holds none of the words so far, and can gain so much, may be among the best."""
        return len(self.scores) < limit or most > self._worst(limit) - _MARGIN

    def best(self, limit: int) -> list[int]:
        """Give the best notes in order: by score, then by id."""
        slots: Iterable[int] = self.scores
        if len(self.scores) > limit:
            least = self._worst(limit) - _MARGIN
            slots = [slot for slot, score in self.scores.items() if score >= least]
        return nsmallest(limit, slots, key=self._order)

    def take(self, other: _Race) -> None:
        """Take in the scores of another race, in which none of these notes took part."""
        self.scores |= other.scores
        self.held |= other.held

    def run(self, columns: Sequence[Column], shelves: Sequence[Shelf], *, add: bool) -> None:
        """Give each note what it gains by one asked word, through the heaviest of these columns that it holds."""
        done: set[int] = set()
        for column in columns:
            for slots in holding(shelves, column.word):
                some: Iterable[int] = slots
                if not add:
                    here = isinstance(slots, Bits)
                    some = [slot for slot in self.scores if slot in slots] if here else self.scores.keys() & slots
                if len(columns) > 1 or self._without:
                    some = [slot for slot in some if slot not in done and slot not in self._without]
                    done.update(some)
                self._count(some, column)

    def _worst(self, limit: int) -> float:
        return nlargest(limit, self.scores.values())[-1]

    def _count(self, slots: Iterable[int], column: Column) -> None:
        """Add what a column gives. This is most of a search's time: plain names, and no call that can be spared."""
        scores, held, entries, wanted = self.scores, self.held, self._table.entries, self._wanted
        word, weight, gain, (least, each) = column.word, column.weight, column.weight * (K1 + 1), self._norm
        for slot in slots:
            entry = entries[slot]
            score = scores.get(slot)
            if score is None:
                if entry is None or (wanted is not None and not wanted(entry.note)):
                    continue
                score, held[slot] = 0.0, 0.0
            often = entry.counts[bisect_left(entry.words, word)] if entry.counts else 1  # type: ignore[union-attr]
            scores[slot] = score + gain * often / (often + least + each * entry.length)  # type: ignore[union-attr]
            held[slot] += weight

    def _order(self, slot: int) -> tuple[float, str]:
        return -round(self.scores[slot], DIGITS), self._table.entry(slot).note.id
