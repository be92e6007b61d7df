"""Ranking of memories by word overlap, rarer words weighing more.

Source: docs/ARCHITECTURE.md, "Ranking of memories". A score is the sum, over the asked words, of the heaviest of the
columns (`personakit.index.columns`) through which the memory holds each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.index.columns import asked_words
from personakit.index.contest import Contest
from personakit.index.shelf import holding
from personakit.model.note import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.index.columns import Asked, How
    from personakit.index.shelf import Shelf
    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.model.visibility import Viewer

# What a word weighs that only says what for something is asked.
ASIDE = 0.5


@dataclass(frozen=True, slots=True)
class Shared:
    """One asked word that a note holds.

    Attributes:
        asked: the word as it was asked.
        word: the word as the note holds it.
        weight: what it adds to the score.
        how: exact, folded, spelling or similar.
    """

    asked: str
    word: str
    weight: float
    how: How


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that was found, its score (rounded to 9 decimals) and the words that make it, in their order."""

    note: Note
    score: float
    shared: tuple[Shared, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gives: the best notes in order, and how many matching ones are withheld."""

    hits: tuple[Hit, ...]
    withheld: int


def search(table: Table, words: Iterable[str], viewer: Viewer, *, limit: int, kind: Kind = Kind.MEMORY) -> Found:
    """Give the notes of a kind that match some words best, at most `limit`, as one viewer may see them.

    Order: score, number of asked words matched, approved before unconfirmed, oldest `created` first and missing last,
    id. Superseded memories are left out; restricted ones that match are only counted.
    """
    distinct = frozenset(words)
    hits = best(table, distinct, viewer, limit=limit, kind=kind)
    return Found(hits=hits, withheld=_withheld(table, distinct, table.shelves(kind, viewer).withheld))


def best(  # noqa: PLR0913 - each says another thing of the one search
    table: Table,
    words: Iterable[str],
    viewer: Viewer,
    *,
    limit: int,
    kind: Kind = Kind.MEMORY,
    aside: Iterable[str] = (),
    without: Iterable[str] = (),
) -> tuple[Hit, ...]:
    """Give what `search` finds, without counting; words `aside` weigh half, the ids in `without` are left out."""
    if limit <= 0:
        return ()
    distinct, served = frozenset(words), table.shelves(kind, viewer).served
    asked = asked_words(served, table.vocabulary, distinct)
    lighter = frozenset(aside) - distinct
    if lighter:
        asked += map(_lighter, asked_words(served, table.vocabulary, lighter))
        asked.sort(key=lambda one: one.word)
    contest = Contest(asked, served, table, limit=limit)
    gone = table.superseded(viewer) | table.slots_of(without)
    return tuple(_hit(contest, table, slot) for slot in contest.best(gone))


def _lighter(asked: Asked) -> Asked:
    return replace(asked, columns=tuple(replace(column, weight=column.weight * ASIDE) for column in asked.columns))


def _hit(contest: Contest, table: Table, slot: int) -> Hit:
    parts = contest.parts(slot)
    shared = tuple(Shared(asked.word, column.word, column.weight, column.how) for asked, column in parts)
    return Hit(note=table.entry(slot).note, score=contest.score(slot), shared=shared)


def _withheld(table: Table, words: frozenset[str], shelves: tuple[Shelf, ...]) -> int:
    """Count the notes that would match if these shelves were the table."""
    if not shelves:
        return 0
    asked = asked_words(shelves, table.vocabulary, words, additions=False)
    columns = (column for each in asked for column in each.columns)
    held = (slots for column in columns if column.matches for slots in holding(shelves, column.word))
    return len(set[int]().union(*held))
