"""The ledger: what this machine's journal tells the owner of sessions and servings, and how they make it forget."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from personakit.errors import DiskError, HeldFile, UnknownId
from personakit.model.conversation import IDLE_SECONDS
from personakit.model.note import moment
from personakit.model.session import Transcript
from personakit.vault.journal import ENDED, SERVED, SETTLED, WAITS, Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from personakit.services.opened import OpenVault

FORGET = "forget"


@dataclass(slots=True)
class Held:
    """A session as the owner sees it.

    `ended` holds after a day of silence too; `transcript` is the file of its words, None where none were kept.
    """

    id: str
    agent: str = ""
    project: str = ""
    parent: str = ""
    started: str = ""
    last: str = ""
    ended: bool = False
    calls: int = 0
    memories: set[str] = field(default_factory=set)
    transcript: Transcript | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """One call that let something out."""

    at: str
    to: str
    tool: str
    session: str
    ids: tuple[str, ...]
    others: int


def sessions(vault: OpenVault) -> list[Held]:
    """Give every session that the journal or a transcript tells of, oldest first."""
    found: dict[str, Held] = {}
    for row in vault.recorder.journal.rows(SERVED, ENDED):
        id_ = row.get("session")
        if not isinstance(id_, str):
            continue
        held = found.setdefault(id_, Held(id_))
        if row["kind"] == ENDED:
            held.ended = True
            continue
        at = str(row.get("at"))
        held.started = held.started or at
        held.last, held.agent = at, str(row.get("to"))
        held.project = held.project or str(row.get("project", ""))
        held.parent = held.parent or str(row.get("parent", ""))
        held.calls += 1
        held.memories.update(_ids(row))
    for note in vault.library.notes():
        if isinstance(note, Transcript):
            held = found.setdefault(note.id, Held(note.id, note.agent, note.project, note.parent, note.started))
            held.transcript, held.ended = note, held.ended or bool(note.ended)
    now = vault.clock.now().timestamp()
    for held in found.values():
        held.ended = held.ended or now - (moment(held.last or held.started) or now) > IDLE_SECONDS
    return sorted(found.values(), key=lambda held: (held.started, held.id))


def session(vault: OpenVault, id_: str) -> Held:
    """Give one session.

    Raises:
        UnknownId
    """
    held = next((one for one in sessions(vault) if one.id == id_), None)
    if held is None:
        raise UnknownId(id_)
    return held


def served(vault: OpenVault, to: str = "", since: str = "") -> Iterator[Served]:
    """Give what was served, oldest first: to one assistant, and from a day (YYYY-MM-DD) on, where these are named."""
    for row in vault.recorder.journal.rows(SERVED):
        at, who, ids = str(row.get("at")), str(row.get("to")), _ids(row)
        if ids and to in ("", who) and at[:10] >= since:
            others = row.get("others")
            number = others if isinstance(others, int) else 0
            yield Served(at, who, str(row.get("tool")), str(row.get("session", "")), tuple(ids), number)


def forget_session(vault: OpenVault, id_: str) -> int:
    """Take a session's rows out of this machine's journal, and its transcript for good; give how many rows went.

    Raises:
        UnknownId, Busy, Conflict, NotEditable, DiskError, ReadOnlyVault
        HeldFile: a file of it cannot be read, and nothing was taken out.
    """
    held = session(vault, id_)
    library = vault.library
    own = "" if held.transcript is None else held.transcript.path
    if any(id_ in path and path != own for path in library.files if path.startswith("sessions/")):
        raise HeldFile(f"The session {id_}")  # a broken one, or a copy: its words would stay
    if own:
        version = library.files[own].reading.digest
        with library.store.writing() as pen:
            pen.remove(own, version, called=f"The session {id_}", kept=True)
            vault.recorder.written(Change(own, "", version, FORGET, ids=(id_,)))
            library.apply([own])
        vault.drop_cache()
        vault.recorder.flush()
    calls, said = f'"session":"{id_}"'.encode(), id_.encode()
    return _dropped(vault, lambda line, writes: calls in line or (writes and said in line))


def forget_journal(vault: OpenVault) -> int:
    """Empty this machine's journal, but for writes that still wait to be committed; give how many rows went.

    Raises:
        Busy, DiskError, ReadOnlyVault
    """
    vault.recorder.flush()
    return _dropped(vault, lambda _line, _writes: True)


def _dropped(vault: OpenVault, goes: Callable[[bytes, bool], bool]) -> int:
    """Take lines out, but for all that is said of a file of which a write still waits.

    `goes` is given a line, and whether it tells of the write of a file.
    """
    starts = tuple(f'{{"kind":"{kind}"'.encode() for kind in (WAITS, SETTLED))
    try:
        with vault.library.store.writing():
            journal = vault.recorder.journal
            waiting = [f'"path":{json.dumps(path)}'.encode() for path in journal.waiting()]

            def is_done(line: bytes) -> bool:
                writes = line.startswith(starts)
                return goes(line, writes) and not (writes and any(path in line for path in waiting))

            return journal.drop(is_done)
    except OSError as error:
        raise DiskError(error.strerror or "the journal could not be written") from error


def _ids(row: dict[str, Any]) -> list[str]:
    listed = row.get("ids")
    return [
        one[0]
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, list) and one and isinstance(one[0], str)
    ]
