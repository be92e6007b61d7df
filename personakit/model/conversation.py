"""A session as the server remembers it: what was told in it, so that nothing is told twice and no rule is missed.

Values and transitions only. The journal's rows are the transitions, so a session can be made again from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

REPEAT_SECONDS = 600.0
IDLE_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Told:
    """One memory as it was told: by which revision, and under which label."""

    id: str
    revision: str
    label: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer in a session.

    Attributes:
        at: when, in seconds since 1970.
        told: what it told, rules first.
        rules: how many of these were told as rules.
        withdrawn: the rules that it said are rules no more, with the labels it named.
        prompt: the id that it gave to a prompt or reply, "" for none.
        query: the keyed hash of what was asked, "" where asking again is another question.
        repeats: whether it gave an earlier answer once more.
        short: whether memories were left out for want of room.
    """

    at: float
    told: tuple[Told, ...] = ()
    rules: int = 0
    withdrawn: tuple[tuple[str, str], ...] = ()
    prompt: str = ""
    query: str = ""
    repeats: bool = False
    short: bool = False


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session. `agent` is who opened it; a child begins with nothing told, for it is another context.

    Attributes:
        id: as the server issued it.
        agent: the assistant's launch name.
        project: the project it asks for, as typed, "" for none.
        parent: the session it was opened from, "" for none.
        started, last: its first and its latest call, in seconds since 1970.
        ended: whether it was closed.
        delivered: id -> the revision that was told last.
        rules: the rules that hold as far as the session was told: id -> label.
        prompts: the ids of its prompts and replies.
        answers: keyed hash of a question -> the first answer to it.
    """

    id: str
    agent: str
    project: str
    parent: str
    started: float
    last: float
    ended: bool = False
    delivered: Mapping[str, str] = field(default_factory=_nothing)
    rules: Mapping[str, str] = field(default_factory=_nothing)
    prompts: frozenset[str] = frozenset()
    answers: Mapping[str, Turn] = field(default_factory=dict)

    def is_closed(self, now: float) -> bool:
        """Say whether it was ended, or nobody spoke in it for a day."""
        return self.ended or now - self.last > IDLE_SECONDS

    def answered(self, query: str, now: float) -> Turn | None:
        """Give the answer that a question got less than ten minutes ago; the window is not moved by asking again."""
        turn = self.answers.get(query)
        return turn if turn is not None and 0 <= now - turn.at < REPEAT_SECONDS else None

    def new_rules(self, rules: Sequence[Told]) -> list[Told]:
        """Give the rules of now that the session was not told as they are."""
        return [one for one in rules if one.id not in self.rules or self.delivered.get(one.id) != one.revision]

    def withdrawn(self, rules: Iterable[Told]) -> list[tuple[str, str]]:
        """Give the rules that the session was told and that are none any more, with the labels it knows."""
        now = {one.id for one in rules}
        return [(id_, label) for id_, label in self.rules.items() if id_ not in now]

    def knows(self, id_: str, revision: str) -> bool:
        """Say whether the session was told a memory as it is now."""
        return self.delivered.get(id_) == revision


def after(session: Conversation, turn: Turn) -> Conversation:
    """Give the session after one more answer."""
    delivered = {**session.delivered, **{one.id: one.revision for one in turn.told}}
    gone = {id_ for id_, _ in turn.withdrawn}
    rules = {id_: label for id_, label in session.rules.items() if id_ not in gone}
    rules |= {one.id: one.label for one in turn.told[: turn.rules]}
    answers = session.answers
    if turn.query and not turn.repeats:
        kept = {query: one for query, one in answers.items() if turn.at - one.at < REPEAT_SECONDS}
        answers = {**kept, turn.query: turn}
    return replace(
        session,
        last=max(session.last, turn.at),
        delivered=delivered,
        rules=rules,
        prompts=session.prompts | {turn.prompt} if turn.prompt else session.prompts,
        answers=answers,
    )


def end(session: Conversation) -> Conversation:
    """Give the session closed."""
    return replace(session, ended=True)
