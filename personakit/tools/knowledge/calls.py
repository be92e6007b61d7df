"""What the knowledge tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from personakit.errors import ArgumentError
from personakit.model.block import tame, tokens
from personakit.services.knowledge import ask as asking
from personakit.services.knowledge import changes as changing
from personakit.services.knowledge import opening
from personakit.services.knowledge import search as searching
from personakit.services.knowledge.inquiry import inquire, nothing_under
from personakit.services.knowledge.quote import AROUND, MOST_TOKENS, lines_of, place_of
from personakit.tools.knowledge.items import change_item, change_lines, document_item, passage_item
from personakit.tools.knowledge.shapes import (
    Answered,
    AskResult,
    ChangesResult,
    OpenResult,
    ProposeResult,
    Reading,
    RepositoryItem,
    ScopeResult,
    SearchResult,
    TraceLine,
    TraceResult,
    around,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from personakit.services.desk import Desk
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.knowledge.opening import Opened
    from personakit.services.knowledge.quote import Quote
    from personakit.services.talk import Talk
    from personakit.tools.knowledge.shapes import (
        AskRequest,
        ChangesRequest,
        OpenRequest,
        ProposeRequest,
        ScopeRequest,
        SearchRequest,
        TraceRequest,
    )

R = TypeVar("R", bound=Answered)

WAITS = "waiting for a person"
SHORT = "Some words are left out here for want of room; knowledge_open gives them by their ids."


def _run(desk: Desk, session_id: str, repositories: Sequence[str], verb: Callable[[Inquiry], R]) -> R:
    def run(talk: Talk) -> R:
        inquiry = inquire(talk, session_id.strip(), repositories)
        result = verb(inquiry)
        result.said_in(inquiry.session)
        return result

    return desk.talk(run)


def scope(desk: Desk, request: ScopeRequest) -> ScopeResult:
    """Run knowledge_scope."""

    def verb(inquiry: Inquiry) -> ScopeResult:
        inquiry.vault.freshness.before_call()
        inquiry.ends((), repositories=len(inquiry.open))
        owner = inquiry.settings.owner or "no one"
        lines = [f"Acting for {tame(owner)}, as {tame(inquiry.by)}. Repositories:"]
        for one in inquiry.open:
            until = f", until {one.until}" if one.until else ""
            lines.append(f"- {one.id}: {tame(one.name)} (via {one.via}{until})")
        return ScopeResult(
            **around(inquiry.id, inquiry.consent.value, lines, ()),
            acting_for=owner,
            agent=inquiry.by,
            repositories=[
                RepositoryItem(id=one.id, name=one.name, via=one.via, until=one.until or None) for one in inquiry.open
            ],
        )

    return _run(desk, request.session_id, (), verb)


def search(desk: Desk, request: SearchRequest) -> SearchResult:
    """Run knowledge_search."""

    def verb(inquiry: Inquiry) -> SearchResult:
        found = searching.search(inquiry, request.query, request.as_of.strip(), request.limit)
        quotes = _quoted(found.quotes)
        lines = [*_unknown(inquiry), f"Search: {searching.KEYWORDS}. Passages: {len(found.quotes)}.", *quotes]
        return SearchResult(
            **around(inquiry.id, inquiry.consent.value, lines, found.reasons),
            search=searching.KEYWORDS,
            passages=[passage_item(one) for one in found.quotes],
        )

    return _run(desk, request.session_id, request.repositories, verb)


def ask(desk: Desk, request: AskRequest) -> AskResult:
    """Run knowledge_ask."""

    def verb(inquiry: Inquiry) -> AskResult:
        answer = asking.ask(inquiry, request.question, request.as_of.strip())
        room = MOST_TOKENS - AROUND
        evidence, room, short = lines_of(answer.evidence, room)
        related, _, more = lines_of(answer.related, room, start=len(answer.evidence) + 1)
        recent = [line for one in answer.changes for line in list(change_lines(one, served=False))[:1]]
        lines = [*_unknown(inquiry), f"Outcome: {answer.outcome.value}. Search: {searching.KEYWORDS}."]
        lines += [*(["Evidence:", *evidence] if evidence else []), *(["Related:", *related] if related else [])]
        lines += ["Lately:", *recent] if recent else []
        lines += [f"Note: {note}" for note in (*answer.notes, *([SHORT] if short + more else []))]
        return AskResult(
            **around(inquiry.id, inquiry.consent.value, lines, answer.reasons),
            outcome=answer.outcome.value,
            evidence=[passage_item(one) for one in answer.evidence],
            notes=list(answer.notes),
            related=[passage_item(one) for one in answer.related],
            documents=[document_item(about, quote) for about, quote in answer.documents],
            changes=[change_item(one) for one in answer.changes],
            search=searching.KEYWORDS,
        )

    return _run(desk, request.session_id, request.repositories, verb)


def open_(desk: Desk, request: OpenRequest) -> OpenResult:
    """Run knowledge_open.

    Raises:
        ArgumentError: neither a passage nor a document is named, or both, or a section of no document.
    """
    passage, document = request.passage.strip(), request.document.strip()
    if bool(passage) == bool(document):
        raise ArgumentError("passage", "give a passage's id, or a document's, and not both")
    if request.section and not document:
        raise ArgumentError("section", "names a part of a document; give its id as `document`")

    def verb(inquiry: Inquiry) -> OpenResult:
        if passage:
            found = opening.open_passage(inquiry, passage)
        else:
            found = opening.open_document(inquiry, document, request.section, request.limit, request.cursor)
        lines = [nothing_under(passage or document)] if found.about is None else _read(found)
        return OpenResult(
            **around(inquiry.id, inquiry.consent.value, lines, found.reasons),
            passages=[passage_item(one) for one in found.quotes],
            reading=_reading(found),
            cursor=found.cursor or None,
        )

    return _run(desk, request.session_id, (), verb)


def propose(desk: Desk, request: ProposeRequest) -> ProposeResult:
    """Run knowledge_propose."""
    # Imported here: reading owes nothing for writing.
    from personakit.services.knowledge.propose import Call  # noqa: PLC0415
    from personakit.services.knowledge.propose import propose as proposing  # noqa: PLC0415

    call = Call(request.passage.strip(), request.text, request.reason, request.request_id.strip())

    def run(talk: Talk) -> ProposeResult:
        inquiry = inquire(talk, request.session_id.strip())
        done = proposing(talk, inquiry, call)
        lines = [f"Received {done.id}: {WAITS}. Nothing has changed."]
        if done.redacted:
            lines.append("Something that looked like a password, a key or an address was taken out first.")
        result = ProposeResult(
            **around(inquiry.id, inquiry.consent.value, lines, ()),
            received=True,
            proposal=done.id,
            status=WAITS,
            redacted=done.redacted,
        )
        result.said_in(inquiry.session)
        return result

    return desk.talk(run)


def trace(desk: Desk, request: TraceRequest) -> TraceResult:
    """Run knowledge_trace."""
    # Imported here: reading documents owes nothing for it.
    from personakit.services.knowledge.trace import trace as tracing  # noqa: PLC0415

    answer = request.answer.strip()

    def verb(inquiry: Inquiry) -> TraceResult:
        page = tracing(inquiry, answer, request.start)
        text = f"PersonaKit has no trace of {tame(answer)[:60]} for you." if page is None else page.text
        lines = () if page is None else page.lines
        return TraceResult(
            **around("" if page is None else answer, inquiry.consent.value, text.split("\n"), ()),
            lines=[
                TraceLine(n=one.n, at=one.at, kind=one.kind, words=one.words, details=dict(one.details))
                for one in lines
            ],
            more=None if page is None else page.more,
        )

    return _run(desk, request.session_id, (), verb)


def _read(found: Opened) -> list[str]:
    lines = _quoted(found.quotes)
    if found.about is not None and found.of:
        place = place_of(found.about, found.section)
        lines.insert(0, f"Reading {place}: passages {found.first} to {found.last} of {found.of}.")
    return [*lines, *(["More: call knowledge_open with the cursor."] if found.cursor else [])]


def _reading(found: Opened) -> Reading | None:
    about = found.about
    if about is None:
        return None
    return Reading(
        document=about.id,
        title=about.title or None,
        version=about.version,
        changed=next((one.changed for one in found.quotes if one.changed), None),
        section=list(found.section),
        first=found.first,
        to=found.last,
        of=found.of,
    )


def changes(desk: Desk, request: ChangesRequest) -> ChangesResult:
    """Run knowledge_changes."""

    def verb(inquiry: Inquiry) -> ChangesResult:
        found = changing.changes(inquiry, request.since.strip(), request.limit, request.cursor)
        lines = [*_unknown(inquiry), f"Changes: {len(found.rows)}. Until {found.until}."]
        room, short = MOST_TOKENS - AROUND, False
        for one in found.rows:
            told = list(change_lines(one, served=one.key in found.served))
            fits = tokens("\n".join(told)) + 1 <= room
            told, short = (told, short) if fits else (told[:1], True)
            room -= tokens("\n".join(told)) + 1
            lines += told
        lines += [f"Note: {SHORT}"] if short else []
        lines += ["More: call knowledge_changes with the cursor."] if found.cursor else []
        return ChangesResult(
            **around(inquiry.id, inquiry.consent.value, lines, found.reasons),
            changes=[change_item(one, served=one.key in found.served) for one in found.rows],
            until=found.until,
            cursor=found.cursor or None,
        )

    return _run(desk, request.session_id, request.repositories, verb)


def _unknown(inquiry: Inquiry) -> list[str]:
    return [nothing_under(one) for one in inquiry.unknown]


def _quoted(quotes: Iterable[Quote]) -> list[str]:
    lines, _, short = lines_of(quotes, MOST_TOKENS - AROUND)
    return [*lines, *([f"Note: {SHORT}"] if short else [])]
