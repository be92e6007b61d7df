"""Open: one passage by its id, also one that only history knows, or the passages of a section of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, NoHistory
from personakit.model.document import Document, Passage, Place, below
from personakit.model.visibility import Sight, visible
from personakit.services.knowledge.chronicle import NO_HISTORY, look_back, told_time
from personakit.services.knowledge.cursor import read_cursor, written_cursor
from personakit.services.knowledge.later import Found, became, find, find_document
from personakit.services.knowledge.moments import Moment
from personakit.services.knowledge.quote import Quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from personakit.index.table import Table
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.knowledge.inquiry import Inquiry


@dataclass(frozen=True, slots=True)
class Opened:
    """What was opened: passages `first` to `last` of `of`; `about` None when there is nothing under what was named."""

    quotes: tuple[Quote, ...] = ()
    about: Document | None = None
    section: tuple[str, ...] = ()
    first: int = 0
    of: int = 0
    cursor: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last passage that is given."""
        return self.first + len(self.quotes) - 1


def open_passage(inquiry: Inquiry, id_: str) -> Opened:
    """Open one passage, live or of the past."""
    inquiry.vault.freshness.before_call()

    def pick(table: Table) -> Passage | None:
        entry = table.get(id_)
        note = None if entry is None else entry.note
        return note if isinstance(note, Passage) and visible(note, inquiry.viewer) is Sight.SERVED else None

    live = inquiry.vault.answer(pick, lambda found: [] if found is None else [found])
    if live is not None:
        return _told(inquiry, [Moment(inquiry, inquiry.day).quote(live)])
    try:
        quote = look_back(inquiry, lambda reading: _of_the_past(inquiry, reading, id_))
    except NoHistory:
        inquiry.ends(())
        return Opened(reasons=(NO_HISTORY,))
    return _told(inquiry, [] if quote is None else [quote])


def _told(inquiry: Inquiry, quotes: list[Quote]) -> Opened:
    inquiry.ends([one.passage for one in quotes], served=len(quotes))
    if not quotes:
        return Opened()
    passage = quotes[0].passage
    return Opened(tuple(quotes), passage.about, passage.section, passage.at, passage.about.parts)


def _of_the_past(inquiry: Inquiry, reading: Reading, id_: str) -> tuple[Quote | None, list[Life]]:
    found = find(inquiry, reading, id_)
    if found is None:
        return None, []
    return _old_quote(inquiry, reading, found), [found.life]


def _old_quote(inquiry: Inquiry, reading: Reading, found: Found) -> Quote:
    since = became(inquiry, reading, found)
    return Quote(
        found.passage,
        since.place or Place.REMOVED,
        told_time(inquiry, found.edition),
        replaced_by=since.replaced_by,
        removed_at=since.removed_at,
        waiting_since=Moment(inquiry, inquiry.day).waiting_since(found.passage.id),
    )


def open_document(inquiry: Inquiry, id_: str, section: Sequence[str], limit: int, cursor: str) -> Opened:
    """Open the passages of a document, or of one section of it, a page of them.

    Raises:
        ArgumentError: the cursor is none of this call's, or the document has changed since it was given.
    """
    inquiry.vault.freshness.before_call()
    given: list[object] = ["open", id_, list(section)]
    version, start = _position(read_cursor(cursor, given)) if cursor else ("", 0)

    def pick(table: Table) -> list[Passage]:
        notes = (table.entry(slot).note for shelf in inquiry.shelves(table)[1] for slot in shelf.slots)
        mine = [note for note in notes if isinstance(note, Passage) and note.about.id == id_]
        return sorted(mine, key=lambda one: one.at)

    live = inquiry.vault.answer(pick, list)
    moment = Moment(inquiry, inquiry.day)
    quotes = [moment.quote(one) for one in live if below(one.section, section)][: start + limit + 1]
    if live:
        return _page(inquiry, live, section, quotes, _Page(given, version, start, limit))
    try:
        old = look_back(inquiry, lambda reading: _gone(inquiry, reading, id_, section))
    except NoHistory:
        inquiry.ends(())
        return Opened(reasons=(NO_HISTORY,))
    return _page(inquiry, [one.passage for one in old], section, old, _Page(given, version, start, limit))


@dataclass(frozen=True, slots=True)
class _Page:
    """Which page of a document is asked for."""

    given: list[object]
    version: str
    start: int
    limit: int


def _position(said: object) -> tuple[str, int]:
    match said:
        case [str(version), int(start)] if start >= 0:
            return version, start
    raise ArgumentError("cursor", "is none that this tool gave")


def _page(
    inquiry: Inquiry, every: Sequence[Passage], section: Sequence[str], quotes: list[Quote], page: _Page
) -> Opened:
    if page.version and (not every or every[0].about.version != page.version):
        raise ArgumentError("cursor", "is of an earlier version of the document; open it again from its beginning")
    inside = [one for one in every if below(one.section, section)]
    shown = quotes[page.start : page.start + page.limit]
    inquiry.ends([one.passage for one in shown], served=len(shown))
    if not inside:
        return Opened()
    after = page.start + len(shown)
    about = inside[0].about
    cursor = written_cursor(page.given, [about.version, after]) if after < len(inside) else ""
    return Opened(tuple(shown), about, tuple(section), page.start + 1, len(inside), cursor)


def _gone(inquiry: Inquiry, reading: Reading, id_: str, section: Sequence[str]) -> tuple[list[Quote], list[Life]]:
    found = find_document(inquiry, reading, id_)
    if found is None:
        return [], []
    life, number = found
    said = reading.passages(life.editions[number])
    quotes = [_old_quote(inquiry, reading, Found(life, number, one)) for one in said if below(one.section, section)]
    return quotes, [life]
