"""Ranking of long texts: BM25 on the words of the table, whole words before words that only stand near.

Source: docs/ARCHITECTURE.md, "Ranking of long texts" (k1 1.2, b 0.75). How many notes hold a word, and how long notes
are, is counted on the shelves that are handed in, so that what a viewer may not see leaves no trace in a score.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from heapq import nsmallest
from math import log
from typing import TYPE_CHECKING

from personakit.index.columns import How, asked_words
from personakit.index.shelf import holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from personakit.index.columns import Asked, Column
    from personakit.index.entry import Entry
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
    wanted: Callable[[Note], bool] = lambda _note: True,
    among: Sequence[Shelf] | None = None,
) -> list[Ranked]:
    """Give the notes that match some words best, at most `limit` of those that are `wanted`.

    Words are weighed on all `shelves`; notes are looked for `among` some of them (None: all). A note that holds a
    whole word comes before every one that only holds words near those asked. Then score, then id.
    """
    distinct = frozenset(words)
    asked = asked_words(shelves, table.vocabulary, distinct, additions=False)
    if not asked:
        return []
    notes = sum(len(shelf.slots) for shelf in shelves)
    race = _Race(table, sum(shelf.length for shelf in shelves) / notes, wanted)
    # The rarest first: who holds them is found early, and common words then need fewer notes looked at.
    order = sorted(asked, key=lambda each: (each.size, each.word))
    for at, each in enumerate(order):
        most = sum(later.most for later in order[at:]) * (K1 + 1)
        race.run(each, shelves if among is None else among, add=race.is_open(most, limit))
    # A word that no note holds weighs most of all.
    unknown = log(1 + (notes + 0.5) / 0.5)
    whole = sum(next((c.weight for c in each.columns if c.how is How.EXACT), unknown) for each in asked)
    whole += unknown * (len(distinct) - len(asked))
    return [
        Ranked(table.entry(slot).note, round(race.scores[slot], DIGITS), min(1.0, race.held[slot] / whole))
        for slot in nsmallest(limit, race.scores, key=race.order)
    ]


class _Race:
    """The scores of one question's notes, word by word."""

    def __init__(self, table: Table, average: float, wanted: Callable[[Note], bool]) -> None:
        self.scores: dict[int, float] = {}
        self.held: dict[int, float] = {}
        self._exact: set[int] = set()
        self._table = table
        self._average = average or 1.0
        self._wanted = wanted
        self._refused: set[int] = set()

    def is_open(self, most: float, limit: int) -> bool:
        """Say whether a note that holds none of the words so far, and can gain so much, may be among the best."""
        if len(self._exact) < limit:
            return True
        worst = -nsmallest(limit, (-self.scores[slot] for slot in self._exact))[-1]
        return most > worst - _MARGIN

    def run(self, asked: Asked, shelves: Sequence[Shelf], *, add: bool) -> None:
        """Give each note what it gains by one asked word, through the heaviest of its columns that the note holds."""
        done: set[int] = set()
        for column in asked.columns:
            for slots in holding(shelves, column.word):
                for slot in slots if add else self.scores.keys() & set(slots):
                    if slot not in done:
                        done.add(slot)
                        self._count(slot, column)

    def _count(self, slot: int, column: Column) -> None:
        entry = self._table.entry(slot)
        if slot not in self.scores:
            if slot in self._refused:
                return
            if not self._wanted(entry.note):
                self._refused.add(slot)
                return
            self.scores[slot] = self.held[slot] = 0.0
        often = _times(entry, column.word)
        self.scores[slot] += (
            column.weight * often * (K1 + 1) / (often + K1 * (1 - B + B * entry.length / self._average))
        )
        self.held[slot] += column.weight
        if column.how is How.EXACT:
            self._exact.add(slot)

    def order(self, slot: int) -> tuple[bool, float, str]:
        """Give what sorts notes: those with a whole word first, then by score, then by id."""
        return slot not in self._exact, -round(self.scores[slot], DIGITS), self._table.entry(slot).note.id


def _times(entry: Entry, word: str) -> int:
    return entry.counts[bisect_left(entry.words, word)] if entry.counts else 1
