"""A snapshot: the documents as they were at the end of a day, in a word table of their own, under the gate of now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.index.entry import entry_for
from personakit.index.table import Table
from personakit.model.note import label_key
from personakit.model.states import State
from personakit.services.knowledge.changes import seen_then
from personakit.services.recount import end_of_day
from personakit.vault.history.documents import NOW, ON_DISK

if TYPE_CHECKING:
    from personakit.index.entry import Entry
    from personakit.model.document import Passage
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.library import Library
    from personakit.vault.history.documents import Edition

KEPT = 3
_NOBODY = ("",)
_CLOSED = (State.RESTRICTED, State.REJECTED)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The documents of one moment.

    Attributes:
        table: their passages.
        origins: the path and version of a document then -> its life, and the number of the edition that counted.
    """

    table: Table
    origins: dict[tuple[str, str], tuple[Life, int]]


def snapshot_of(reading: Reading, inquiry: Inquiry, day: str) -> Snapshot:
    """Give the snapshot of the end of a day, YYYY-MM-DD.

    Raises:
        NoHistory
    """
    chronicle = reading.chronicle
    lives = chronicle.lives(reading)
    key = (*chronicle.key, day, inquiry.viewer.repositories)
    found = chronicle.snapshots.get(key)
    if found is None:
        found = chronicle.snapshots[key] = _made(reading, inquiry, lives, end_of_day(day))
        while len(chronicle.snapshots) > KEPT:
            chronicle.snapshots.popitem(last=False)
    return found


def is_known(reading: Reading, inquiry: Inquiry, day: str) -> bool:
    """Say whether anything that the viewer may see was committed by the end of a day."""
    end = end_of_day(day)
    return any(
        _is_by(edition, end) and bool(seen_then(inquiry, reading, edition))
        for life in reading.chronicle.lives(reading)
        if life.is_seen(inquiry.viewer)
        for edition in life.editions
    )


def _made(reading: Reading, inquiry: Inquiry, lives: list[Life], end: int) -> Snapshot:
    table = Table()
    origins: dict[tuple[str, str], tuple[Life, int]] = {}
    opened = inquiry.viewer.repositories
    numbers = [(life, number) for life in lives if (number := _in_force(life, end, opened)) is not None]
    reading.learn(life.editions[number] for life, number in numbers)
    entries: list[Entry] = []
    for life, number in numbers:
        edition = life.editions[number]
        origins[edition.path, edition.blob] = (life, number)
        repository = inquiry.settings.repository_of(edition.path)
        passages = _gated(life, reading.passages(edition), repository) if repository in opened else []
        entries += [_entry(inquiry.vault.library, passage) for passage in passages]
    table.add(entries)
    return Snapshot(table, origins)


def _in_force(life: Life, end: int, opened: frozenset[str]) -> int | None:
    """Give the number of the edition that counted at a time; None for none, or none that anybody may see now.

    Each document by its own commits: what others tell of the order of time may be hidden.
    """
    if life.fate is None or life.fate.state in _CLOSED or life.repository not in opened:
        return None
    editions = life.editions
    number = next((n for n in range(len(editions) - 1, -1, -1) if _is_by(editions[n], end)), None)
    return None if number is None or not editions[number].blob else number


def _is_by(edition: Edition, end: int) -> bool:
    """Say whether an edition was committed by a time."""
    return edition.blob != ON_DISK and edition.at != NOW and edition.at <= end


def _gated(life: Life, passages: tuple[Passage, ...], repository: str) -> list[Passage]:
    """Give what an edition said, for those alone who might see it then and may see the document now."""
    if not passages or life.fate is None or passages[0].state in _CLOSED:
        return []
    first, fate = passages[0], life.fate
    assistants, projects = _common(first.assistants, fate.assistants), _common(first.projects, fate.projects)
    if first.assistants == assistants and first.projects == projects and first.state is fate.state:
        return [replace(one, repository=repository) for one in passages]
    return [
        replace(one, state=fate.state, assistants=assistants, projects=projects, repository=repository)
        for one in passages
    ]


def _common(then: tuple[str, ...], now: tuple[str, ...]) -> tuple[str, ...]:
    if not then or not now:
        return then or now
    keys = {label_key(name) for name in then}
    return tuple(name for name in now if label_key(name) in keys) or _NOBODY


def _entry(library: Library, passage: Passage) -> Entry:
    """Give a passage's entry; the words of one that still stands are known."""
    known = library.table.get(passage.id)
    if known is not None and known.note.text == passage.text and known.note.aliases == passage.aliases:
        return known._replace(note=passage)
    return entry_for(passage, library.tokeniser)
