"""An agent's diary: one file for each entry, kept word for word, the newest read first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, Conflict
from personakit.model.credentials import credential_kind
from personakit.model.diary import DiaryEntry, diary_id
from personakit.model.names import checked_name
from personakit.model.note import Kind, moment
from personakit.services.folders import folder_of
from personakit.vault.journal import Change
from personakit.vault.layout import file_name
from personakit.vault.lines import quoted
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from personakit.index.table import Table
    from personakit.model.visibility import Viewer
    from personakit.services.desk import Asking
    from personakit.services.opened import OpenVault

MAX_ENTRY = 100_000
WRITE = "diary_write"


def write_entry(asking: Asking, agent: str, entry: str, topic: str) -> DiaryEntry:
    """Store an entry. Two equal ones are two entries: each has a moment of its own.

    Raises:
        ArgumentError: a name that is none; no entry, too long a one, or a password or key in it.
        Conflict, Busy, DiskError, ReadOnlyVault
    """
    agent, topic = checked_name("agent_name", agent), checked_name("topic", topic)
    _check(entry)
    vault, library = asking.vault, asking.vault.library
    with library.store.writing() as pen:
        vault.freshness.before_write()
        agent = _spelling(library.table, agent)
        when = vault.library.clock.now().astimezone(UTC)
        while library.claiming(id_ := diary_id(agent, _stamp(when), entry)):
            when += timedelta(microseconds=1)
        raw = _written(id_, agent, topic, _stamp(when), entry)
        folder = f"{folder_of(library, 'diary', agent)}/{_stamp(when)[:7]}"
        path = pen.create(folder, file_name(topic, id_), raw)
        vault.recorder.written(Change(path, version_of(raw, Kind.DIARY), "", WRITE, asking.by, (id_,)))
    library.apply([path])
    note = library.note(id_)
    if not isinstance(note, DiaryEntry):
        raise Conflict(id_, "gone")
    return note


def entries(vault: OpenVault, viewer: Viewer, agent: str) -> list[DiaryEntry]:
    """Give an agent's entries that a viewer may see, newest first; the agent's case does not matter.

    Raises:
        ArgumentError: a name that is none.
    """
    key = checked_name("agent_name", agent).casefold()
    vault.freshness.before_call()

    def pick(table: Table) -> list[DiaryEntry]:
        slots = (slot for shelf in table.shelves(Kind.DIARY, viewer).served for slot in shelf.slots)
        notes = (table.entry(slot).note for slot in slots)
        found = [note for note in notes if isinstance(note, DiaryEntry) and note.agent.casefold() == key]
        return sorted(found, key=_newest)

    return vault.answer(pick, lambda found: found)


def _newest(entry: DiaryEntry) -> tuple[float, str, str]:
    made = moment(entry.timestamp)
    return (0.0 if made is None else -made), entry.timestamp, entry.id


def _spelling(table: Table, agent: str) -> str:
    """Give an agent's name as its oldest entry has it: one agent, one folder."""
    found = (entry.note for entry in table.of_kind(Kind.DIARY))
    same = [note for note in found if isinstance(note, DiaryEntry) and note.agent.casefold() == agent.casefold()]
    return max(same, key=_newest).agent if same else agent


def _check(entry: str) -> None:
    if not entry.strip():
        raise ArgumentError("entry", "is empty; write something")
    if len(entry) > MAX_ENTRY:
        raise ArgumentError("entry", f"is longer than {MAX_ENTRY:,} characters; write it in parts")
    kind = credential_kind(entry, entropy=False)
    if kind is not None:
        raise ArgumentError("entry", f"looks like it holds a password or key ({kind}); leave it out")


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _written(id_: str, agent: str, topic: str, when: str, entry: str) -> bytes:
    lines = [
        "---",
        "type: diary",
        f"id: {id_}",
        f"created: {when}",
        f"agent: {quoted(agent)}",
        f"topic: {quoted(topic)}",
        f"timestamp: {when}",
        "---",
        entry,
    ]
    return "\n".join(lines).encode()
