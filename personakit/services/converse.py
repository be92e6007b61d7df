"""Converse: memory in the course of a session. Rules first, nothing twice, and each decision of the owner's at once."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError
from personakit.model.block import tame
from personakit.model.conversation import Turn, after, end
from personakit.model.memory import normalised
from personakit.model.note import label_key
from personakit.services.clock import stamp, today
from personakit.services.sessions import ids_of, new_id, row_of
from personakit.services.talk import viewer_in
from personakit.services.telling import NOTHING_NEW, chosen, lines_of, rules_of, still_so, within_room
from personakit.services.transcripts import keep_end, keep_turn
from personakit.vault.journal import ENDED

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.config import Consent
    from personakit.index.table import Table
    from personakit.model.conversation import Conversation
    from personakit.services.talk import Talk
    from personakit.services.telling import Named

RANKED_CHARACTERS = 8_000
KEPT_CHARACTERS = 20_000
WATCH_LOST = "File events do not arrive here, so what was saved in the last two seconds may be missing."
SHORT = "Some memories were left out for want of room; ask a narrower question."


@dataclass(frozen=True, slots=True)
class Said:
    """One answer in a session, in the form in which every vocabulary can word it.

    Attributes:
        consent: what the owner lets assistants do here.
        session, prompt: ids that were issued or given, "" for none.
        text: the lines, "" where consent allows none.
        reasons: why it was made with less than the whole vault; empty when it was not.
    """

    consent: Consent
    session: str = ""
    prompt: str = ""
    text: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What a session asks: words, words that weigh half, whether all rules are told again, and the repeat's key."""

    words: str
    aside: str = ""
    whole: bool = False
    query: str = ""


@dataclass(frozen=True, slots=True)
class _Picked:
    """What one look at the table finds: the rules that hold, what answers, and an earlier answer that still stands."""

    rules: list[Named]
    found: list[Named]
    short: bool
    again: list[Named] | None
    projects: list[str]

    @property
    def notes(self) -> list[Named]:
        return [*self.rules, *self.found, *(self.again or ())]


def start(talk: Talk, prompt: str, project: str, parent: str, session_id: str) -> Said:
    """Open a session, or go on in one with a further request: the whole rules block, then memories not told yet.

    Raises:
        ArgumentError, UnknownSession, SessionEnded
    """
    _check("prompt", prompt)
    talk.asking.call.question = ("prompt", prompt)
    with talk.sessions.lock:
        if session_id:
            talk.enter(session_id)
            _check_same(talk.session, project)
        opened = "" if session_id else talk.open(project, parent)
        said = _tell(talk, Question(prompt[:RANKED_CHARACTERS], whole=True), new_id("p"), opened=bool(opened))
    keep_turn(talk, "person", prompt, prompt=said.prompt, most=KEPT_CHARACTERS)
    return replace(said, session=session_id or opened)


def recall(talk: Talk, query: str, step: str, session_id: str) -> Said:
    """Answer a short question before a step; asked again within ten minutes it gets the same answer.

    Raises:
        ArgumentError, UnknownSession, SessionEnded
    """
    _check("query", query)
    with talk.sessions.lock:
        talk.enter(session_id)
        key = ("recall", normalised(query), normalised(step))
        talk.asking.call.question = key
        hidden = talk.asking.vault.recorder.hasher(*key)
        return _tell(talk, Question(query, step, query=hidden), "")


def prompted(talk: Talk, speaker: str, text: str, session_id: str) -> Said:
    """Take a request and give its id, with undelivered rules and memories for it.

    Raises:
        ArgumentError, UnknownSession, SessionEnded
    """
    _check("text", text)
    talk.asking.call.question = ("prompt", text)
    with talk.sessions.lock:
        talk.enter(session_id)
        said = _tell(talk, Question(text[:RANKED_CHARACTERS]), new_id("p"))
    keep_turn(talk, speaker, text, prompt=said.prompt)
    return said


def replied(talk: Talk, speaker: str, text: str, reply_to: str, session_id: str) -> Said:
    """Take a reply to a prompt of the session.

    Raises:
        ArgumentError, UnknownSession, SessionEnded
    """
    _check("text", text)
    if not reply_to:
        raise ArgumentError("reply_to", "is required for a reply; give the id of the prompt it answers")
    with talk.sessions.lock:
        talk.enter(session_id)
        if talk.session is None:
            return Said(talk.consent)
        if reply_to not in talk.session.prompts:
            raise ArgumentError("reply_to", "is no prompt of this session; give the id that memory_start or this gave")
        _note(talk, Turn(talk.now))
    keep_turn(talk, speaker, text, to=reply_to)
    return Said(talk.consent)


def close(talk: Talk, session_id: str) -> Said:
    """Close a session; one that is closed stays so.

    Raises:
        ArgumentError, UnknownSession
    """
    with talk.sessions.lock:
        talk.enter(session_id, closed=True)
        talk.asking.call.kept = False
        if talk.session is not None and not talk.session.ended:
            vault = talk.asking.vault
            if not talk.asking.settings.read_only:
                vault.recorder.journal.add(ENDED, [{"at": stamp(vault.clock), "session": session_id}])
            talk.sessions.put(end(talk.session))
            keep_end(talk)
    return Said(talk.consent)


def _check(field: str, text: str) -> None:
    if not text.strip():
        raise ArgumentError(field, "is empty; give the words")


def _check_same(session: Conversation | None, project: str) -> None:
    known = label_key(session.project) if session is not None else ""
    if known and project and label_key(project) != known:
        raise ArgumentError("project", "is another than the session's; open a new session for it")


def _tell(talk: Talk, question: Question, prompt: str, *, opened: bool = False) -> Said:
    """Give what a session is to be told now, and remember that it was."""
    session = talk.session
    if session is None:
        talk.asking.call.kept = False
        return Said(talk.consent, prompt=prompt)
    vault = talk.asking.vault
    vault.freshness.before_call()
    earlier = session.answered(question.query, talk.now) if question.query else None
    picked = vault.answer(_picker(talk, session, question, earlier), lambda one: [named.note for named in one.notes])
    rules = [one.told for one in picked.rules]
    new = set(rules) if question.whole else set(session.new_rules(rules))
    first = [one for one in picked.rules if one.told in new]
    withdrawn = tuple(session.withdrawn(rules))
    repeated = earlier if picked.again is not None else None
    body = picked.found if repeated is None else [one for one in picked.again or () if one.told not in new]
    inner = 0 if repeated is None else sum(one.told not in new for one in (picked.again or ())[: repeated.rules])
    turn = Turn(
        talk.now,
        tuple(one.told for one in (*first, *body)),
        len(first) + inner,
        withdrawn,
        prompt,
        question.query,
        repeats=repeated is not None,
        short=picked.short if repeated is None else repeated.short,
    )
    lines = lines_of([*first, *body] if repeated is None else first, len(first), withdrawn)
    if repeated is not None:
        lines += lines_of(picked.again or (), repeated.rules, repeated.withdrawn)
    is_known = _is_known(talk, picked.projects)
    _note(talk, turn, opened=opened, named=is_known)
    unknown = [] if is_known or not opened else [_unknown_project(talk.asked_project, picked.projects)]
    text = "\n".join([*unknown, *(lines or [NOTHING_NEW])])
    return Said(talk.consent, prompt=prompt, text=text, reasons=_reasons(talk, turn))


def _picker(talk: Talk, session: Conversation, question: Question, earlier: Turn | None) -> Callable[[Table], _Picked]:
    vault = talk.asking.vault
    viewer = viewer_in(talk)
    tokeniser, day = vault.library.tokeniser, today(vault.clock)
    words, aside = tokeniser.words(question.words), tokeniser.words(question.aside)

    def pick(table: Table) -> _Picked:
        rules = [talk.labels.named(table, viewer, note) for note in rules_of(table, viewer, day)]
        ids = {one.note.id for one in rules}
        again = still_so(table, viewer, earlier, ids) if earlier is not None else None
        found: list[Named] = []
        short = False
        if again is None:
            notes = chosen(table, viewer, words, aside, talk.labels.known(table, session) | ids)
            found, short = within_room(talk.labels.named(table, viewer, note) for note in notes)
        return _Picked(rules, found, short, again, table.projects(viewer) if talk.asked_project else [])

    return pick


def _note(talk: Talk, turn: Turn, *, opened: bool = False, named: bool = True) -> None:
    """Let the session remember an answer, and the journal tell it; a project is named there if the vault knows it."""
    session = talk.session
    if session is None:
        return
    call = talk.asking.call
    call.session, call.ids, call.kept = session.id, ids_of(turn), True
    call.more = row_of(turn)
    if opened:
        known = {"project": session.project if named else "", "parent": session.parent}
        call.more |= {"opened": True, **{key: value for key, value in known.items() if value}}
    talk.session = after(session, turn)
    talk.sessions.put(talk.session)


def _reasons(talk: Talk, turn: Turn) -> tuple[str, ...]:
    lost = talk.asking.vault.freshness.watch.sight().how == "sweeps"
    return (*([WATCH_LOST] if lost else ()), *([SHORT] if turn.short else ()))


def _is_known(talk: Talk, projects: list[str]) -> bool:
    """Say whether the project asked for is one: the settings name it, the launch does, or something belongs to it."""
    asked = label_key(talk.asked_project)
    ceiling = label_key(talk.asking.launch.project)
    named = [ceiling] if ceiling else [label_key(name) for name, _ in talk.asking.settings.projects]
    return not asked or asked in named or asked in projects


def _unknown_project(asked: str, known: list[str]) -> str:
    """Say that nothing belongs to a project, with the names that come nearest."""
    near = difflib.get_close_matches(label_key(asked), known, n=3, cutoff=0.0)
    names = f"; the nearest are: {', '.join(map(tame, near))}" if near else ""
    return f"No memory belongs to the project {tame(asked)[:60]}{names}."
