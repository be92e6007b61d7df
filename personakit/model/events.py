"""What happened to a memory, in fixed words: the difference between consecutive versions of its file.

The words serve the owner's commands and an assistant's trace alike. What only other sources know (served to whom,
proposed again, replaced by another memory) is added by whoever reads those.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from personakit.model.memory import ID_SHAPE
from personakit.model.past import Standing
from personakit.model.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from personakit.model.memory import Memory
    from personakit.model.past import Commit, Step, Version

OWNER = "the owner"


class Happening(StrEnum):
    """Everything that can happen to a memory. The list is closed; programs may rely on its words."""

    PROPOSED = "proposed"
    WRITTEN = "written"
    IMPORTED = "imported"
    EARLIER = "earlier"
    APPROVED = "approved"
    RESTRICTED = "restricted"
    LIFTED = "lifted"
    REJECTED = "rejected"
    REOPENED = "reopened"
    WORDS_EDITED = "words_edited"
    QUOTE_ADDED = "quote_added"
    QUOTE_REMOVED = "quote_removed"
    CATEGORY_CHANGED = "category_changed"
    AUDIENCE_CHANGED = "audience_changed"
    BECAME_RULE = "became_rule"
    NO_RULE = "no_rule"
    REPLACED = "replaced"
    EDITED = "edited"
    MOVED = "moved"
    DELETED = "deleted"
    RETURNED = "returned"
    HELD = "held"
    MENDED = "mended"


# `{who}` is the owner, or the assistant named by the commit; `{now}` what the event is about.
_WORDS = {
    Happening.PROPOSED: "proposed by {who}",
    Happening.WRITTEN: "written by {who}",
    Happening.IMPORTED: "imported",
    Happening.EARLIER: "earlier history is not here",
    Happening.APPROVED: "approved by {who}",
    Happening.RESTRICTED: "restricted by {who}",
    Happening.LIFTED: "lifted by {who}",
    Happening.REJECTED: "rejected by {who}",
    Happening.REOPENED: "reopened by {who}",
    Happening.WORDS_EDITED: "words edited",
    Happening.QUOTE_ADDED: "quote added",
    Happening.QUOTE_REMOVED: "quote taken away",
    Happening.CATEGORY_CHANGED: "category changed",
    Happening.AUDIENCE_CHANGED: "audience changed",
    Happening.BECAME_RULE: "became a rule",
    Happening.NO_RULE: "stopped being a rule",
    Happening.REPLACED: "replaced {now}",
    Happening.EDITED: "other lines edited",
    Happening.MOVED: "file moved",
    Happening.DELETED: "file deleted",
    Happening.RETURNED: "file came back",
    Happening.HELD: "could not be read",
    Happening.MENDED: "could be read again",
}
_DECIDED = {
    State.APPROVED: Happening.APPROVED,
    State.RESTRICTED: Happening.RESTRICTED,
    State.REJECTED: Happening.REJECTED,
    State.UNCONFIRMED: Happening.REOPENED,
}
DECISIONS = frozenset({*_DECIDED.values(), Happening.LIFTED})


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two versions.

    Attributes:
        kind: what it is.
        was: what stood there before, "" for nothing. Stored words: for the owner, or behind the gate.
        now: what stands there since.
    """

    kind: Happening
    was: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a memory's history.

    Attributes:
        change: what happened.
        who: the assistant that did it (that proposed it, for a proposal), or "the owner".
        commit: where it stands; None: on disk, and not committed yet.
    """

    change: Change
    who: str
    commit: Commit | None

    @property
    def kind(self) -> Happening:
        """What happened, as a fixed word."""
        return self.change.kind

    @property
    def words(self) -> str:
        """What happened, for a person to read."""
        return _WORDS[self.kind].format(who=self.who, now=self.change.now)


def events(steps: Iterable[Step]) -> list[Event]:
    """Give what happened, in the order of the steps (oldest first).

    A merge counts only for what it has from none of its parents.
    """
    return [_event(change, step) for step in steps for change in step_changes(step)]


def step_changes(step: Step) -> list[Change]:
    """Give the changes that one step made."""
    if step.is_cut:
        return [Change(Happening.EARLIER)]
    if not step.before:
        return list(_birth(step.after))
    first, *others = [list(changes(before, step.after)) for before in step.before]
    return [change for change in first if all(any(change.kind is one.kind for one in other) for other in others)]


def _event(change: Change, step: Step) -> Event:
    who = step.commit.assistant if step.commit is not None else ""
    if change.kind is Happening.PROPOSED:
        # Whoever committed the file: a proposal may wait on disk until its owner commits it.
        who = change.now
    return Event(change, who or OWNER, step.commit)


def _birth(after: Version) -> Iterator[Change]:
    """Give how a memory came to be. One that came decided, by another's word, was decided before it was committed."""
    memory = after.memory
    if after.standing is Standing.HELD:
        yield Change(Happening.HELD)
    if memory is None:
        return
    if memory.proposed_by:
        yield Change(Happening.PROPOSED, now=memory.proposed_by)
    elif memory.source:
        yield Change(Happening.IMPORTED, now=memory.source)
    else:
        yield Change(Happening.WRITTEN)
    plain = (State.UNCONFIRMED,) if memory.proposed_by or memory.source else (State.UNCONFIRMED, State.APPROVED)
    if memory.state is not None and memory.state not in plain:
        yield Change(_DECIDED[memory.state], now=memory.state.value)


def changes(before: Version, after: Version) -> Iterator[Change]:
    """Give what differs between two versions of one memory, in a fixed order."""
    if after.standing is Standing.GONE:
        yield from [Change(Happening.DELETED, was=before.path)] if before.standing is not Standing.GONE else []
        return
    if before.standing is Standing.GONE:
        yield Change(Happening.RETURNED, now=after.path)
    if before.path != after.path:
        yield Change(Happening.MOVED, before.path, after.path)
    if after.standing is not before.standing and Standing.HELD in (before.standing, after.standing):
        yield Change(Happening.HELD if after.standing is Standing.HELD else Happening.MENDED)
    if after.standing is Standing.READ and before.digest != after.digest:
        yield from _said_anew(before, after)


def _said_anew(before: Version, after: Version) -> Iterator[Change]:
    if before.memory is None or after.memory is None:
        yield from _birth(after)
        return
    found = [*_decided(before.memory, after.memory), *_edited(before.memory, after.memory)]
    if not found and before.standing is Standing.READ:
        # What has no word of its own: the owner's keys and notes. A mended file is said to be edited already.
        found = [Change(Happening.EDITED)]
    yield from found


def _decided(before: Memory, after: Memory) -> Iterator[Change]:
    if before.state is after.state or after.state is None:
        return
    kind = _DECIDED[after.state]
    if before.state is State.RESTRICTED and after.state is not State.REJECTED:
        kind = Happening.LIFTED
    yield Change(kind, (before.state or State.UNCONFIRMED).value, after.state.value)


def _edited(before: Memory, after: Memory) -> Iterator[Change]:
    if before.text != after.text:
        yield Change(Happening.WORDS_EDITED, before.text, after.text)
    had, has = Counter(before.evidence), Counter(after.evidence)
    yield from (Change(Happening.QUOTE_ADDED, now=quote) for quote in (has - had).elements())
    yield from (Change(Happening.QUOTE_REMOVED, was=quote) for quote in (had - has).elements())
    if before.category != after.category:
        yield Change(Happening.CATEGORY_CHANGED, before.category, after.category)
    if (before.assistants, before.projects) != (after.assistants, after.projects):
        yield Change(Happening.AUDIENCE_CHANGED, _audience(before), _audience(after))
    # A constraint is a rule as soon as it is approved: then the decision says it all.
    if _says_rule(before) != _says_rule(after):
        yield Change(Happening.BECAME_RULE if _says_rule(after) else Happening.NO_RULE)
    for id_ in after.supersedes:
        if id_ not in before.supersedes and ID_SHAPE.fullmatch(id_):
            yield Change(Happening.REPLACED, now=id_)


def _says_rule(memory: Memory) -> bool:
    return memory.rule is True or (memory.rule is None and memory.category == "constraints")


def _audience(memory: Memory) -> str:
    return ", ".join([*memory.assistants, *(f"project {name}" for name in memory.projects)])
