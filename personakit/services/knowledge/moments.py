"""A moment: the documents as they are, or as they were at the end of a day, and what their passages are then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from personakit.errors import NoHistory
from personakit.model.correction import WAITING, Correction
from personakit.model.document import Passage
from personakit.model.note import Kind
from personakit.model.past import utc
from personakit.services.knowledge.chronicle import NO_HISTORY, chronicle_of, look_back, told_time
from personakit.services.knowledge.later import Found, became
from personakit.services.knowledge.quote import Quote
from personakit.services.knowledge.snapshot import is_known, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.knowledge.inquiry import Inquiry

T = TypeVar("T")

BEFORE = "No document was committed here by the end of {day}, so nothing is known of that time."


class Moment:
    """The documents as they are on the disk. `day` is the one that effective dates are held against.

    Attributes:
        reasons: why an answer is made with less than there is.
        notes: what is to be said of the moment in an answer.
        is_unknown: nothing is known of that time.
    """

    def __init__(self, inquiry: Inquiry, day: str, reasons: tuple[str, ...] = ()) -> None:
        self.inquiry = inquiry
        self.day = day
        self.reasons = reasons
        self.notes: tuple[str, ...] = ()
        self.is_unknown = False
        self._waiting: dict[str, str] | None = None
        self._times: dict[str, str] = {}

    def answer(self, pick: Callable[[Table], T], leaving: Callable[[T], Iterable[Note]]) -> T:
        """Pick what leaves, judged at this moment."""
        return self.inquiry.vault.answer(pick, leaving)

    def quote(self, passage: Passage, highlights: tuple[str, ...] = ()) -> Quote:
        """Give a passage as it leaves."""
        return Quote(
            passage,
            passage.about.place_on(self.inquiry.day),
            self._changed(passage),
            highlights,
            waiting_since=self.waiting_since(passage.id),
        )

    def _changed(self, passage: Passage) -> str:
        if passage.path not in self._times:
            self._times[passage.path] = changed(self.inquiry, passage)
        return self._times[passage.path]

    def waiting_since(self, passage: str) -> str:
        """Give since when a correction of a passage waits for a person; "" when none does."""
        if self._waiting is None:
            self._waiting = {}
            for one in corrections(self.inquiry):
                if one.status == WAITING:
                    known = self._waiting.get(one.passage, one.created)
                    self._waiting[one.passage] = min(known, one.created)
        return self._waiting.get(passage, "")


class PastMoment(Moment):
    """The documents as they were at the end of a day that has passed."""

    def __init__(self, inquiry: Inquiry, day: str) -> None:
        super().__init__(inquiry, day)
        self._origins: dict[tuple[str, str], tuple[Life, int]] = {}

    def answer(self, pick: Callable[[Table], T], leaving: Callable[[T], Iterable[Note]]) -> T:
        """Pick from the documents of then; the documents as they are now are judged at this moment."""

        def look(reading: Reading) -> tuple[T, list[Life]]:
            snapshot = snapshot_of(reading, self.inquiry, self.day)
            self._origins = snapshot.origins
            picked = pick(snapshot.table)
            return picked, [self._origin(note)[0] for note in leaving(picked) if isinstance(note, Passage)]

        return look_back(self.inquiry, look)

    def quote(self, passage: Passage, highlights: tuple[str, ...] = ()) -> Quote:
        """Give a passage as it leaves, with what became of it since."""
        life, number = self._origin(passage)
        with chronicle_of(self.inquiry.vault).at_hand() as reading:
            since = became(self.inquiry, reading, Found(life, number, passage))
        plain = super().quote(passage, highlights)
        return replace(
            plain,
            place=since.place or plain.place,
            changed=told_time(self.inquiry, life.editions[number]),
            replaced_by=since.replaced_by,
            removed_at=since.removed_at,
        )

    def _origin(self, passage: Passage) -> tuple[Life, int]:
        return self._origins[passage.path, passage.about.version]


def changed(inquiry: Inquiry, passage: Passage) -> str:
    """Give when the document on the disk last changed, UTC: with the commit that has it as it is, else when saved."""
    vault = inquiry.vault
    try:
        with chronicle_of(vault).at_hand() as reading:
            at = reading.chronicle.last_commit(passage.path, passage.about.version)
    except NoHistory:
        at = None
    record = vault.library.files.get(passage.path)
    if at is None and record is not None:
        at = record.stamp.mtime_ns // 10**9
    return "" if at is None else utc(at)


def corrections(inquiry: Inquiry) -> list[Correction]:
    """Give the corrections that the viewer may see."""
    library = inquiry.vault.library
    with library.lock:
        slots = (slot for shelf in library.table.shelves(Kind.PROPOSAL, inquiry.viewer).served for slot in shelf.slots)
        notes = [library.table.entry(slot).note for slot in slots]
    return [note for note in notes if isinstance(note, Correction)]


def moment_of(inquiry: Inquiry, as_of: str) -> Moment:
    """Give the moment a call is about: now for "" and for today, else the end of a day that has passed."""
    if not as_of or as_of == inquiry.day:
        return Moment(inquiry, inquiry.day)
    vault = inquiry.vault
    try:
        with chronicle_of(vault).at_hand() as reading:
            known = is_known(reading, inquiry, as_of)
    except NoHistory:
        return Moment(inquiry, as_of, (NO_HISTORY,))
    moment = PastMoment(inquiry, as_of)
    if not known:
        moment.is_unknown = True
        moment.notes = (BEFORE.format(day=as_of),)
    return moment
