"""Later: what became of a passage after one edition of its document, and where a passage of the past stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from personakit.model.document import Place
from personakit.model.pairing import pair
from personakit.services.knowledge.changes import seen_then
from personakit.services.knowledge.chronicle import told_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.model.document import Passage
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.vault.history.documents import Edition

_AT_ONCE = 200


class Found(NamedTuple):
    """A passage of the past: its document's life, the number of the edition that said it last, and the passage."""

    life: Life
    number: int
    passage: Passage

    @property
    def edition(self) -> Edition:
        """The edition that said it last."""
        return self.life.editions[self.number]


class Became(NamedTuple):
    """What became of a passage: what the next version has instead, and when; or when it was removed; "" for none."""

    place: Place | None
    replaced_by: tuple[str, str] | None = None
    removed_at: str = ""


def became(inquiry: Inquiry, reading: Reading, found: Found) -> Became:
    """Say what became of a passage as far as the viewer might see it; `place` None: it still stands."""
    id_, before = found.passage.id, reading.passages(found.edition)
    if any(note.id == id_ for note in found.life.notes):
        return Became(None)
    reading.learn(found.life.editions[found.number + 1 :])
    for edition in found.life.editions[found.number + 1 :]:
        said = seen_then(inquiry, reading, edition)
        if not said and edition.blob:
            continue  # a version that was hidden or could not be read says nothing of its passages
        if not said:
            return Became(Place.REMOVED, removed_at=told_time(inquiry, edition))
        if any(one.id == id_ for one in said):
            before = said
            continue
        moved = before[0].about.id != said[0].about.id
        pairs = pair(before, said, inquiry.vault.library.tokeniser.words, moved=moved)
        new = next((each.new for each in pairs if each.old is not None and each.old.id == id_), None)
        if new is None:
            return Became(Place.REMOVED, removed_at=told_time(inquiry, edition))
        return Became(Place.REPLACED, (new.id, told_time(inquiry, edition)))
    return Became(None)


def find(inquiry: Inquiry, reading: Reading, id_: str) -> Found | None:
    """Find a passage that only history knows, in the latest edition that said it; None for none the viewer may see."""
    every = _editions(inquiry, reading)
    for start in range(0, len(every), _AT_ONCE):
        some = every[start : start + _AT_ONCE]
        for place in reading.holding([life.editions[number] for life, number in some], id_):
            life, number = some[place]
            said = seen_then(inquiry, reading, life.editions[number])
            passage = next((one for one in said if one.id == id_), None)
            if passage is not None:
                return Found(life, number, passage)
    return None


def find_document(inquiry: Inquiry, reading: Reading, id_: str) -> tuple[Life, int] | None:
    """Find a document that is no longer there by its id: its life and the last edition that said something."""
    for life in _seen(inquiry, reading):
        if life.notes:
            continue
        for number in range(len(life.editions) - 1, -1, -1):
            said = seen_then(inquiry, reading, life.editions[number])
            if said:
                if said[0].about.id == id_:
                    return life, number
                break
    return None


def _editions(inquiry: Inquiry, reading: Reading) -> list[tuple[Life, int]]:
    """Give every edition of every document that the viewer may see, the latest first."""
    every = [(life, number) for life in _seen(inquiry, reading) for number in range(len(life.editions))]
    return sorted(every, key=lambda one: -one[0].editions[one[1]].order)


def _seen(inquiry: Inquiry, reading: Reading) -> Iterator[Life]:
    for life in reading.chronicle.lives(reading):
        if life.is_seen(inquiry.viewer):
            yield life
