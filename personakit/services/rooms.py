"""What the owner sees of drawers, facts and diaries: everything, whatever its state and whomever it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.model.diary import DiaryEntry
from personakit.model.drawer import Drawer
from personakit.model.fact import Fact, entity_key, is_current
from personakit.model.note import Kind

if TYPE_CHECKING:
    from personakit.services.library import Library


def drawers(library: Library) -> list[Drawer]:
    """Give every drawer, by wing, room, the time it was filed, and id."""
    with library.lock:
        found = [entry.note for entry in library.table.of_kind(Kind.DRAWER)]
    notes = [note for note in found if isinstance(note, Drawer)]
    return sorted(notes, key=lambda note: (note.wing, note.room, note.filed_at, note.id))


def facts(library: Library, entity: str, as_of: str = "") -> list[Fact]:
    """Give every fact of an entity, on either side, oldest start first; `as_of`, YYYY-MM-DD, takes those of a day."""
    key = entity_key(entity)
    with library.lock:
        found = [entry.note for entry in library.table.of_kind(Kind.FACT)]
    notes = [note for note in found if isinstance(note, Fact) and key in map(entity_key, (note.subject, note.object))]
    kept = [note for note in notes if not as_of or is_current(note, as_of)]
    return sorted(kept, key=lambda note: (not note.valid_from, note.valid_from, note.id))


def diary(library: Library, agent: str) -> list[DiaryEntry]:
    """Give every entry of an agent, whose case does not matter, newest first."""
    with library.lock:
        found = [entry.note for entry in library.table.of_kind(Kind.DIARY)]
    notes = [note for note in found if isinstance(note, DiaryEntry) and note.agent.casefold() == agent.casefold()]
    return sorted(notes, key=lambda note: (note.timestamp, note.id), reverse=True)
