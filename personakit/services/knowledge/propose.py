"""Propose: the right words for one passage, stored beside the documents until a person decides. No document changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, HeldFile, NoHistory, ReadOnlyVault, RefusedCorrection
from personakit.model.correction import DECLINED, MOST_OPEN, Correction, Flaw, checked_words, correction_id, written
from personakit.model.document import Passage, Place
from personakit.model.note import Kind
from personakit.model.visibility import Sight, visible
from personakit.services.clock import stamp
from personakit.services.knowledge.chronicle import look_back
from personakit.services.knowledge.inquiry import nothing_under
from personakit.services.knowledge.later import Became, became, find
from personakit.vault.body import check_body
from personakit.vault.frontmatter import BlockError
from personakit.vault.journal import Change
from personakit.vault.layout import file_name
from personakit.vault.lines import quoted
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from personakit.index.table import Table
    from personakit.model.correction import Words
    from personakit.services.knowledge.chronicle import Life, Reading
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.opened import OpenVault
    from personakit.services.talk import Talk

TOOL = "knowledge_propose"
LONGEST_REQUEST = 64


@dataclass(frozen=True, slots=True)
class Proposed:
    """A correction that is on disk; `redacted` says that something was taken out of its words first."""

    id: str
    redacted: bool


@dataclass(frozen=True, slots=True)
class Call:
    """What a call proposes: for which passage, in what words, why, and the proposer's own name for the call."""

    passage: str
    text: str
    reason: str
    request_id: str = ""


def propose(talk: Talk, inquiry: Inquiry, call: Call) -> Proposed:
    """Store a correction that waits for a person. The same call again gives the same correction.

    Raises:
        ArgumentError: the passage is none to the caller or holds no longer, or the words are none that can stand there.
        RefusedCorrection: with `no_change`, `declined`, `request_id_reused` or `too_many_open`.
        ReadOnlyVault, HeldFile, Busy, DiskError
    """
    if talk.asking.launch.read_only:
        raise ReadOnlyVault("the server was started with --read-only")
    vault = inquiry.vault
    library = vault.library
    if _held_now(inquiry, call.passage) is None:
        raise ArgumentError("passage", _what_became(inquiry, call.passage))
    with library.store.writing() as pen:
        vault.freshness.before_write()
        passage = _passage(inquiry, call.passage)
        words, redacted = _words(passage, call)
        known = _earlier(inquiry, call, words)
        if known is not None:
            inquiry.ends([passage], proposal=known.id)
            return Proposed(known.id, known.redacted)
        _check_room(inquiry, passage)
        id_, request = correction_id(inquiry.by, passage.id, words, call.request_id), call.request_id
        while library.claiming(id_) or library.is_held(id_):
            request += "+"  # it was accepted once, and the old words are back
            id_ = correction_id(inquiry.by, passage.id, words, request)
        raw = _file(id_, inquiry, passage, words, call.request_id, redacted=redacted, now=stamp(library.clock))
        path = pen.create("proposals", file_name(passage.about.title or call.reason, id_), raw)
        vault.recorder.written(Change(path, version_of(raw, Kind.PROPOSAL), "", TOOL, inquiry.by, (id_,)))
    library.apply([path])
    inquiry.ends([passage], proposal=id_)
    return Proposed(id_, redacted)


def _held_now(inquiry: Inquiry, given: str) -> Passage | None:
    """Give the passage that the disk has under an id, None for none to the caller."""

    def pick(table: Table) -> Passage | None:
        entry = table.get(given)
        note = None if entry is None else entry.note
        seen = isinstance(note, Passage) and visible(note, inquiry.viewer) is Sight.SERVED
        return note if seen and isinstance(note, Passage) else None

    return inquiry.vault.answer(pick, lambda note: [] if note is None else [note])


def _what_became(inquiry: Inquiry, given: str) -> str:
    """Say why nothing can be proposed for an id that the disk has not: what stands there now, where history tells."""

    def look(reading: Reading) -> tuple[Became, list[Life]]:
        found = find(inquiry, reading, given)
        return (Became(None), []) if found is None else (became(inquiry, reading, found), [found.life])

    try:
        since = look_back(inquiry, look)
    except NoHistory:
        since = Became(None)
    if since.replaced_by is not None:
        return "was replaced by {} at {}; if that is wrong too, correct that one".format(*since.replaced_by)
    if since.removed_at:
        return f"was removed at {since.removed_at}; only what holds can be corrected"
    return f"is none that holds. {nothing_under(given)}"


def _passage(inquiry: Inquiry, given: str) -> Passage:
    """Give the passage that a correction is about, which must hold now or later."""
    found = _held_now(inquiry, given)
    if found is None:  # it went this very moment
        raise ArgumentError("passage", f"is none that holds. {nothing_under(given)}")
    place = found.about.place_on(inquiry.day)
    if place not in (Place.LIVE, Place.NOT_YET):
        raise ArgumentError("passage", f"stands in a document that is {place.value}; only what holds can be corrected")
    return found


def _words(passage: Passage, call: Call) -> tuple[Words, bool]:
    found = checked_words(passage.text, call.text, call.reason)
    if isinstance(found, Flaw):
        raise RefusedCorrection(found.code, found.field, found.why)
    try:
        check_body(Kind.PASSAGE, found[0].right, 1, has_block=True)
    except BlockError as error:
        raise ArgumentError("text", f"could not stand in a document: {error.why}") from error
    return found


def _earlier(inquiry: Inquiry, call: Call, words: Words) -> Correction | None:
    """Give the caller's correction that this call repeats, None for none.

    Raises:
        RefusedCorrection: the owner has declined it, or its name was given to another call.
        HeldFile: its file cannot be read; the owner may be deciding in it.
    """
    id_ = correction_id(inquiry.by, call.passage, words, call.request_id)
    if inquiry.vault.library.is_held(id_):
        raise HeldFile("The correction with these words")
    for one in _own(inquiry.vault, inquiry.by):
        if one.id == id_ and (one.status == DECLINED or visible(one, inquiry.viewer) is not Sight.SERVED):
            raise RefusedCorrection("declined", "text", "was declined by the owner for this passage")
        if one.id == id_ and one.is_open:
            return one
        if call.request_id and one.request_id == call.request_id and one.id != id_:
            raise RefusedCorrection("request_id_reused", "request_id", "names another call of yours; give a new one")
    return None


def _own(vault: OpenVault, agent: str) -> list[Correction]:
    with vault.library.lock:
        notes = [entry.note for entry in vault.library.table.of_kind(Kind.PROPOSAL)]
    return [note for note in notes if isinstance(note, Correction) and note.agent == agent]


def _check_room(inquiry: Inquiry, passage: Passage) -> None:
    waiting = [one for one in _own(inquiry.vault, inquiry.by) if one.is_open]
    if len(waiting) < MOST_OPEN:
        return
    library = inquiry.vault.library
    with library.lock:
        # What the caller may not see is in no repository to it.
        seen = [shelf for shelf in inquiry.shelves(library.table)[0] if shelf.repository == passage.repository]
        notes = [library.table.entry(slot).note for shelf in seen for slot in shelf.slots]
    here = {note.about.id for note in notes if isinstance(note, Passage)}
    if sum(one.document in here for one in waiting) >= MOST_OPEN:
        raise RefusedCorrection(
            "too_many_open",
            "passage",
            f"is in a repository where {MOST_OPEN} corrections of yours wait already; a person has to decide first",
        )


def _file(  # noqa: PLR0913 - each is a line of it
    id_: str, inquiry: Inquiry, passage: Passage, words: Words, request: str, *, redacted: bool, now: str
) -> bytes:
    lines = [
        "---",
        "type: proposal",
        f"id: {id_}",
        f"created: {now}",
        f"passage: {passage.id}",
        f"document: {quoted(passage.about.id)}",
        f"base: {passage.about.version}",
        f"agent: {quoted(inquiry.by)}",
        *([f"session: {inquiry.session}"] if inquiry.session else []),
        *([f"request_id: {quoted(request)}"] if request else []),
        "status: waiting",
        *(["redacted: true"] if redacted else []),
        "---",
        "",
        written(words),
    ]
    return "\n".join(lines).encode()
