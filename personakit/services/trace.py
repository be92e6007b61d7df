"""Trace: what happened to a memory and whom it was served to, for the session that may see it and for its owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import NoHistory, UnknownId
from personakit.model.block import tame
from personakit.model.label import asked_code, meant_by, start_of_code
from personakit.model.memory import ID_SHAPE, Memory
from personakit.model.note import moment
from personakit.model.trace import Line, Page, Serving, page_of, trace_of
from personakit.model.visibility import Sight, visible
from personakit.services.talk import viewer_in
from personakit.vault.journal import SERVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from personakit.config import Consent
    from personakit.index.table import Table
    from personakit.services.opened import OpenVault
    from personakit.services.talk import Talk

TOOL = "memory_trace"
NO_HISTORY = "There is no git history here; the lines are from the file and the journal alone."
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Traced:
    """A page of a memory's trace. `id` is "" where there is nothing to show, and then `text` says so."""

    consent: Consent
    text: str
    id: str = ""
    page: Page | None = None
    reasons: tuple[str, ...] = ()


def trace(talk: Talk, memory: str, start: int, session_id: str) -> Traced:
    """Trace a memory that the session may see; everything else gets one sentence. Tracing is not serving.

    Raises:
        ArgumentError, UnknownSession
    """
    with talk.sessions.lock:
        talk.enter(session_id, closed=True)
    talk.asking.call.kept = False
    note = _meant(talk, memory)
    if note is None:
        return Traced(talk.consent, f"PersonaKit has no trace of {tame(memory)[:_SHOWN]} for this session.")
    viewer = viewer_in(talk)
    table = talk.asking.vault.library.table

    def name(id_: str) -> str:
        entry = table.get(id_)
        if entry is None or not isinstance(entry.note, Memory) or visible(entry.note, viewer) is not Sight.SERVED:
            return ""
        return f"#{talk.labels.named(table, viewer, entry.note).told.label}"

    try:
        lines, reasons = lines_of(talk.asking.vault, note.id, name)
    except UnknownId:  # it went while it was looked at
        return Traced(talk.consent, f"PersonaKit has no trace of {tame(memory)[:_SHOWN]} for this session.")
    page = page_of(lines, start, TOOL)
    return Traced(talk.consent, page.text, note.id, page, reasons)


def lines_of(vault: OpenVault, id_: str, name: Callable[[str], str]) -> tuple[list[Line], tuple[str, ...]]:
    """Give all lines of a memory, for whoever may see it, and why some may be missing.

    Raises:
        UnknownId, AmbiguousId
    """
    # Imported here: what starts processes is owed by those who trace alone.
    from personakit.services.recount import Recounter, without_history  # noqa: PLC0415

    reasons: tuple[str, ...] = ()
    try:
        with Recounter(vault) as past:
            account = past.account(id_)
    except NoHistory:
        account, reasons = without_history(vault, id_), (NO_HISTORY,)
    memory = account.note or account.now.memory
    created = "" if memory is None else memory.created
    return trace_of(account.events, servings(vault, account.id), created, name), reasons


def servings(vault: OpenVault, id_: str) -> Iterator[Serving]:
    """Give each time that the journal of this machine says a memory was served."""
    if not ID_SHAPE.fullmatch(id_):
        return
    now = vault.clock.now().timestamp()
    for row in vault.recorder.journal.rows_with(f'"{id_}"', SERVED):
        at, listed = str(row.get("at")), row.get("ids")
        when = moment(at)
        named = isinstance(listed, list) and any(isinstance(one, list) and one[:1] == [id_] for one in listed)
        if named and when is not None and when <= now + 1:
            yield Serving(at, str(row.get("to")))


def _meant(talk: Talk, memory: str) -> Memory | None:
    """Give the memory that a label or id means to the session; None for none, whatever the reason."""
    code = asked_code(memory)
    if code is None or talk.session is None:
        return None
    vault = talk.asking.vault
    viewer = viewer_in(talk)
    vault.freshness.before_call()

    def pick(table: Table) -> Memory | None:
        alike = talk.labels.alike(table, viewer, start_of_code(code))
        id_ = meant_by(code, [note.id for note in alike])
        return next((note for note in alike if note.id == id_), None)

    return vault.answer(pick, lambda found: [] if found is None else [found])
