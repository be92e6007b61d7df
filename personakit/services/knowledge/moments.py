"""A moment: the documents as they are, or as they were at the end of a day, and what their passages are then."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from personakit.model.correction import WAITING, Correction
from personakit.model.note import Kind
from personakit.model.past import utc
from personakit.services.knowledge.quote import Quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from personakit.index.table import Table
    from personakit.model.document import Passage
    from personakit.model.note import Note
    from personakit.services.knowledge.inquiry import Inquiry

T = TypeVar("T")


class Moment:
    """The documents as they are on the disk. `day` is the one that effective dates are held against.

    Attributes:
        reasons: why an answer is made with less than there is.
        notes: what is to be said of the moment in an answer.
    """

    def __init__(self, inquiry: Inquiry, day: str) -> None:
        self.inquiry = inquiry
        self.day = day
        self.reasons: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._waiting: dict[str, str] | None = None

    def answer(self, pick: Callable[[Table], T], leaving: Callable[[T], Iterable[Note]]) -> T:
        """Pick what leaves, judged at this moment."""
        return self.inquiry.vault.answer(pick, leaving)

    def quote(self, passage: Passage, highlights: tuple[str, ...] = ()) -> Quote:
        """Give a passage as it leaves."""
        return Quote(
            passage,
            passage.about.place_on(self.day),
            self.changed(passage.path),
            highlights,
            waiting_since=self.waiting_since(passage.id),
        )

    def changed(self, path: str) -> str:
        """Give when a document on the disk last changed, UTC."""
        record = self.inquiry.vault.library.files.get(path)
        return "" if record is None else utc(record.stamp.mtime_ns // 10**9)

    def waiting_since(self, passage: str) -> str:
        """Give since when a correction of a passage waits for a person; "" when none does."""
        if self._waiting is None:
            self._waiting = {}
            for one in corrections(self.inquiry):
                if one.status == WAITING:
                    known = self._waiting.get(one.passage, one.created)
                    self._waiting[one.passage] = min(known, one.created)
        return self._waiting.get(passage, "")


def corrections(inquiry: Inquiry) -> list[Correction]:
    """Give the corrections that the viewer may see."""
    library = inquiry.vault.library
    with library.lock:
        slots = (slot for shelf in library.table.shelves(Kind.PROPOSAL, inquiry.viewer).served for slot in shelf.slots)
        notes = [library.table.entry(slot).note for slot in slots]
    return [note for note in notes if isinstance(note, Correction)]


def moment_of(inquiry: Inquiry, as_of: str) -> Moment:
    """Give the moment a call is about: now for "" and for today, else the end of a day that has passed."""
    return Moment(inquiry, as_of or inquiry.day)
