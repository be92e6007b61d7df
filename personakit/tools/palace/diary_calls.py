"""What the diary tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.services.diary import entries, write_entry
from personakit.tools.palace.diary import EntryRow, ReadResult, WriteResult

if TYPE_CHECKING:
    from personakit.model.diary import DiaryEntry
    from personakit.services.desk import Desk
    from personakit.tools.palace.diary import ReadRequest, WriteRequest


def write(desk: Desk, request: WriteRequest) -> WriteResult:
    """Run mempalace_diary_write."""
    note = desk.write(lambda asking: write_entry(asking, request.agent_name, request.entry, request.topic))
    return WriteResult(
        success=True, entry_id=note.id, agent=request.agent_name, topic=note.topic, timestamp=note.timestamp
    )


def read(desk: Desk, request: ReadRequest) -> ReadResult:
    """Run mempalace_diary_read."""
    found: list[DiaryEntry] = desk.look(lambda asking: entries(asking.vault, asking.viewer, request.agent_name), [])
    if not found:
        return ReadResult(agent=request.agent_name, entries=[], message="No diary entries yet.")
    rows = [
        EntryRow(date=note.timestamp[:10], timestamp=note.timestamp, topic=note.topic, content=note.text)
        for note in found[: request.last_n]
    ]
    return ReadResult(agent=request.agent_name, entries=rows, total=len(found), showing=len(rows))
