"""A snapshot: the documents as they were at the end of a day, in a word table of their own, under the gate of now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.index.entry import entry_for
from personakit.index.table import Table
from personakit.model.note import label_key
from personakit.model.states import State
from personakit.services.recount import end_of_day

if TYPE_CHECKING:
    from personakit.index.entry import Entry
    from personakit.model.document import Passage
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.library import Library
    from personakit.vault.history.documents import Edition

KEPT = 3
_NOBODY = ("",)
_CLOSED = (State.RESTRICTED, State.REJECTED)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The documents of one commit.

    Attributes:
        table: their passages.
        origins: the path of a document then -> its life, and the number of the edition that counted.
        is_empty: nothing was committed by then.
    """

    table: Table
    origins: dict[str, tuple[Life, int]]
    is_empty: bool = False


def snapshot_of(reading: Reading, library: Library, day: str) -> Snapshot:
    """Give the snapshot of the end of a day, YYYY-MM-DD.

    Raises:
        NoHistory
    """
    chronicle = reading.chronicle
    lives = chronicle.lives(reading)
    key = (*chronicle.key, day)
    found = chronicle.snapshots.get(key)
    if found is None:
        found = chronicle.snapshots[key] = _made(reading, library, lives, _order_at(reading, day))
        while len(chronicle.snapshots) > KEPT:
            chronicle.snapshots.popitem(last=False)
    return found


def _order_at(reading: Reading, day: str) -> int | None:
    """Give the place of the last commit of documents by the end of a day; None when nothing was committed by then."""
    past, strands = reading.past, reading.chronicle.strands
    commit = past.commit_at(end_of_day(day))
    if commit is None:
        return None
    last = next(strands.log(past, start=commit.id), None)
    return -1 if last is None else strands.order.get(last.commit.id, -1)


def _made(reading: Reading, library: Library, lives: list[Life], order: int | None) -> Snapshot:
    table = Table()
    origins: dict[str, tuple[Life, int]] = {}
    if order is None:
        return Snapshot(table, origins, is_empty=True)
    numbers = [(life, number) for life in lives if (number := _in_force(life, order)) is not None]
    reading.learn(life.editions[number] for life, number in numbers)
    entries: list[Entry] = []
    for life, number in numbers:
        edition = life.editions[number]
        origins[edition.path] = (life, number)
        entries += [_entry(library, passage) for passage in _gated(life, edition, reading)]
    table.add(entries)
    return Snapshot(table, origins)


def _in_force(life: Life, order: int) -> int | None:
    if life.fate is None or life.fate.state in _CLOSED:
        return None
    number = next((n for n in range(len(life.editions) - 1, -1, -1) if life.editions[n].order <= order), None)
    return None if number is None or not life.editions[number].blob else number


def _gated(life: Life, edition: Edition, reading: Reading) -> list[Passage]:
    """Give what an edition said, for those alone who might see it then and may see the document now."""
    passages = reading.passages(edition)
    if not passages or life.fate is None or passages[0].state in _CLOSED:
        return []
    first, fate = passages[0], life.fate
    assistants, projects = _common(first.assistants, fate.assistants), _common(first.projects, fate.projects)
    if first.assistants == assistants and first.projects == projects and first.state is fate.state:
        return [replace(one, repository=life.repository) for one in passages]
    return [
        replace(one, state=fate.state, assistants=assistants, projects=projects, repository=life.repository)
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
