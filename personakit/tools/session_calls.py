"""What the session tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from personakit.model.block import NOTICE
from personakit.services import converse
from personakit.tools.session import EndResult, LineResult, RecallResult, SaveTurnResult, StartResult, TraceResult

if TYPE_CHECKING:
    from personakit.services.converse import Said
    from personakit.services.desk import Desk
    from personakit.tools.session import EndRequest, RecallRequest, SaveTurnRequest, StartRequest, TraceRequest

_USED = 500


def start(desk: Desk, request: StartRequest) -> StartResult:
    """Run memory_start."""
    said = desk.talk(
        lambda talk: converse.start(
            talk, request.prompt, request.project.strip(), request.parent.strip(), request.session_id.strip()
        )
    )
    return StartResult(session_id=said.session, prompt_id=said.prompt, **_context(said))


def recall(desk: Desk, request: RecallRequest) -> RecallResult:
    """Run memory_recall."""
    query, step = request.query[:_USED], request.step[:_USED]
    said = desk.talk(lambda talk: converse.recall(talk, query, step, request.session_id.strip()))
    return RecallResult(**_context(said))


def save_turn(desk: Desk, request: SaveTurnRequest) -> SaveTurnResult:
    """Run memory_save_turn."""
    session_id, reply_to = request.session_id.strip(), request.reply_to.strip()
    if request.kind == "reply":
        said = desk.talk(lambda talk: converse.replied(talk, request.speaker, request.text, reply_to, session_id))
        return SaveTurnResult(consent=said.consent.value, ok=True)
    said = desk.talk(lambda talk: converse.prompted(talk, request.speaker, request.text, session_id))
    return SaveTurnResult(id=said.prompt, **_context(said))


def end(desk: Desk, request: EndRequest) -> EndResult:
    """Run memory_end."""
    said = desk.talk(lambda talk: converse.close(talk, request.session_id.strip()))
    return EndResult(consent=said.consent.value, ok=True)


def trace(desk: Desk, request: TraceRequest) -> TraceResult:
    """Run memory_trace."""
    # Imported here: only who traces owes the time to load what reads history.
    from personakit.services.trace import trace as traced  # noqa: PLC0415

    session_id = request.session_id.strip()
    found = desk.talk(lambda talk: traced(talk, request.memory, request.start, session_id))
    lines = () if found.page is None else found.page.lines
    return TraceResult(
        consent=found.consent.value,
        records_notice=NOTICE,
        id=found.id or None,
        text=found.text,
        lines=[
            LineResult(n=one.n, at=one.at, kind=one.kind, words=one.words, details=dict(one.details)) for one in lines
        ],
        more=None if found.page is None else found.page.more,
        degraded=bool(found.reasons),
        reason=" ".join(found.reasons) or None,
    )


def _context(said: Said) -> dict[str, Any]:
    reason = " ".join(said.reasons) or None
    return {
        "consent": said.consent.value,
        "records_notice": NOTICE,
        "text": said.text,
        "degraded": bool(said.reasons),
        "reason": reason,
    }
