"""Search: the passages that share words with a query, in the order of their BM25, with no judging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.index.bm25 import rank
from personakit.model.document import Passage, Place
from personakit.services.knowledge.inquiry import checked_as_of, checked_question
from personakit.services.knowledge.moments import moment_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.index.bm25 import Ranked
    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.knowledge.quote import Quote

KEYWORDS = "keywords only"


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to. `reasons`: why it was made with less than there is."""

    quotes: tuple[Quote, ...]
    reasons: tuple[str, ...] = ()


def search(inquiry: Inquiry, query: str, as_of: str, limit: int) -> Found:
    """Find passages: of now, and not yet in effect; of a day those that were in effect on it.

    Raises:
        ArgumentError
    """
    asked = checked_question("query", query)
    day = checked_as_of(as_of, inquiry.day)
    inquiry.vault.freshness.before_call()
    words = inquiry.vault.library.tokeniser.words(asked)
    moment = moment_of(inquiry, day)
    places = (Place.LIVE,) if day else (Place.LIVE, Place.NOT_YET)

    def pick(table: Table) -> list[Ranked]:
        shelves, among = inquiry.shelves(table)
        return rank(table, shelves, words, limit=limit, wanted=within(moment.day, places), among=among)

    found = [one.note for one in moment.answer(pick, lambda ranked: [one.note for one in ranked])]
    quotes = tuple(moment.quote(note) for note in found if isinstance(note, Passage))
    inquiry.ends(
        [one.passage for one in quotes],
        as_of=day or None,
        repositories=len(inquiry.wanted),
        terms=len(set(words)),
        served=len(quotes),
    )
    return Found(quotes, moment.reasons)


def within(day: str, places: tuple[Place, ...]) -> Callable[[Note], bool]:
    """Give what tells the passages that stand in one of these places on a day."""

    def wanted(note: Note) -> bool:
        about = note.about  # type: ignore[attr-defined]  # only passages stand on these shelves
        plain = not (about.effective_from or about.effective_until) and about.status != "withdrawn"
        return plain or about.place_on(day) in places

    return wanted
