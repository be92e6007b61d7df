"""Transcripts: where the owner's consent is full, the words of a session in a file that they can read and delete."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from personakit.config import Consent
from personakit.errors import ReadOnlyVault, WriteError
from personakit.model.characters import clean
from personakit.model.note import Kind
from personakit.model.scrub import scrub
from personakit.model.session import Spoken, Transcript, says, turns_of, written
from personakit.services.clock import stamp
from personakit.services.sessions import new_id
from personakit.vault.journal import Change
from personakit.vault.lines import quoted, set_key
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.model.conversation import Conversation
    from personakit.model.memory import Memory
    from personakit.services.opened import OpenVault
    from personakit.services.talk import Talk
    from personakit.vault.store import Pen

TURN, END = "save_turn", "end_session"
# How much is searched for a quote: the sessions of some days, in a tenth of a second.
SEARCHED_CHARACTERS = 2_000_000


def keep_turn(talk: Talk, speaker: str, words: str, *, prompt: str = "", to: str = "", most: int | None = None) -> None:
    """Keep one turn, where consent and the settings let it be kept. A file that cannot be written keeps nobody waiting.

    `prompt` is the id that was given to a request; without it the turn is a reply `to` one. `most` cuts
    the words, after credentials were taken out: half of a key would not be known for one.
    """
    if talk.session is None or talk.consent is not Consent.FULL or talk.asking.settings.capture != "tool":
        return
    vault, session = talk.asking.vault, talk.session
    at = stamp(vault.clock).replace("T", " ").removesuffix("Z")
    turn = Spoken(at, speaker, "prompt" if prompt else "reply", prompt or new_id("p"), to, scrub(clean(words))[:most])
    head = _head(session, stamp(vault.clock)).encode()
    more = ("\n" + written(turn)).encode()
    _write(vault, session, TURN, lambda raw: (head if raw is None else raw) + more)


def keep_end(talk: Talk) -> None:
    """Say in a session's transcript, if it has one, when it was closed."""
    if talk.session is not None and talk.consent is Consent.FULL:
        now = stamp(talk.asking.vault.clock)
        _write(talk.asking.vault, talk.session, END, lambda raw: None if raw is None else set_key(raw, "ended", now))


def source_of(vault: OpenVault, agent: str, quote: str) -> str:
    """Give where a person said a quote to an assistant, `session#turn`; the latest session first, "" for nowhere."""
    kept = [note for note in vault.library.notes() if isinstance(note, Transcript) and note.agent == agent]
    room = SEARCHED_CHARACTERS
    for note in sorted(kept, key=lambda one: (one.started, one.id), reverse=True):
        room -= len(note.text)
        if room < 0:
            break
        for turn in turns_of(note.text):
            if turn.speaker == "person" and says(turn.words, quote):
                return f"{note.id}#{turn.id}"
    return ""


def where_said(vault: OpenVault, memory: Memory) -> str:
    """Say where the owner said a proposed memory's quote, as far as sessions were kept; "" where that says nothing."""
    if not memory.proposed_by:
        return ""
    with vault.library.lock:
        notes = [entry.note for entry in vault.library.table.of_kind(Kind.SESSION)]
    kept = {note.id: note for note in notes if isinstance(note, Transcript)}
    session, _, turn = memory.source.partition("#")
    if not kept and not turn:
        return ""
    turns = turns_of(kept[session].text) if session in kept else ()
    found = [one for one in turns if one.id == turn and any(says(one.words, quote) for quote in memory.evidence)]
    return f"said on {found[0].at[:10]} in session {session}" if found else "not found in what was kept"


def _write(vault: OpenVault, session: Conversation, tool: str, change: Callable[[bytes | None], bytes | None]) -> None:
    library = vault.library
    with contextlib.suppress(WriteError, ReadOnlyVault):
        with library.store.writing() as pen:
            vault.freshness.before_write()
            path = _written(vault, pen, session, tool, change)
        if path:
            library.apply([path])


def _written(
    vault: OpenVault,
    pen: Pen,
    session: Conversation,
    tool: str,
    change: Callable[[bytes | None], bytes | None],
) -> str:
    """Write under the lock and give the path; "" when there was nothing to write, or no file that may be written."""
    library = vault.library
    note = library.note(session.id)
    if note is not None:
        version = library.files[note.path].reading.digest
        now = pen.edit(note.path, version, lambda raw: change(raw) or raw, called=f"The session {session.id}")
        path, before = note.path, version
    elif library.is_held(session.id) or (raw := change(None)) is None:
        return ""
    else:
        path = pen.create(f"sessions/{stamp(vault.clock)[:7]}", f"{session.id}.md", raw)
        now, before = version_of(raw, Kind.SESSION), ""
    vault.recorder.written(Change(path, now, before, tool, session.agent, (session.id,)))
    return path


def _head(session: Conversation, now: str) -> str:
    lines = [
        "---",
        "type: session",
        f"id: {session.id}",
        f"created: {now}",
        f"agent: {quoted(session.agent)}",
        *([f"project: {quoted(session.project)}"] if session.project else []),
        *([f"parent: {session.parent}"] if session.parent else []),
        f"started: {now}",
        "---",
    ]
    return "\n".join(lines) + "\n"
