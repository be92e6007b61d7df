"""What a session is told: which rules hold, which memories are chosen, under which labels, and in which lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from personakit.index.ranking import best
from personakit.model.block import tame, tokens
from personakit.model.conversation import Told, Turn
from personakit.model.label import label_among, start_of
from personakit.model.memory import Memory
from personakit.model.note import Kind, moment
from personakit.model.revision import revision
from personakit.model.visibility import Sight, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from personakit.index.table import Table
    from personakit.model.conversation import Conversation
    from personakit.model.visibility import Viewer

MOST_CHOSEN = 7
MOST_TOKENS = 600
NOTHING_NEW = "Nothing new in memory for this."


@dataclass(frozen=True, slots=True)
class Named:
    """A memory with the revision and label under which it is told."""

    note: Memory
    told: Told

    @property
    def line(self) -> str:
        """What is told of it, on one line."""
        mark = "" if self.note.confirmed else " (unconfirmed)"
        return f"- {tame(self.note.text)}{mark} #{self.told.label}"


class Labels:
    """Which ids begin alike, worked out anew when the table has changed, and the revisions that were asked for."""

    def __init__(self) -> None:
        self._revisions: dict[str, tuple[Memory, str]] = {}
        self._of: tuple[int, int] = (0, -1)
        self._starts: dict[int, list[str]] = {}

    def alike(self, table: Table, viewer: Viewer, start: int) -> list[Memory]:
        """Give the memories a viewer may see whose labels begin alike, oldest first."""
        entries = (table.get(id_) for id_ in self._group(table, start))
        notes = [entry.note for entry in entries if entry is not None]
        seen = [note for note in notes if isinstance(note, Memory) and visible(note, viewer) is Sight.SERVED]
        return sorted(seen, key=age)

    def _group(self, table: Table, start: int) -> list[str]:
        if self._of != (id(table), table.changes):
            starts: dict[int, list[str]] = {}
            for entry in table.of_kind(Kind.MEMORY):
                starts.setdefault(start_of(entry.note.id), []).append(entry.note.id)
            self._of, self._starts = (id(table), table.changes), starts
        return self._starts.get(start, [])

    def revision(self, note: Memory) -> str:
        """Give a memory's revision; made once for each reading of its file."""
        kept = self._revisions.get(note.id)
        if kept is None or kept[0] is not note:
            kept = self._revisions[note.id] = (note, revision(note))
        return kept[1]

    def known(self, table: Table, session: Conversation) -> set[str]:
        """Give the ids of the memories that a session was told as they are now."""
        entries = (table.get(id_) for id_ in session.delivered)
        notes = (entry.note for entry in entries if entry is not None)
        return {note.id for note in notes if isinstance(note, Memory) and session.knows(note.id, self.revision(note))}

    def named(self, table: Table, viewer: Viewer, note: Memory) -> Named:
        """Give a memory with its label."""
        older: list[str] = []
        if len(self._group(table, start_of(note.id))) > 1:
            alike = [one.id for one in self.alike(table, viewer, start_of(note.id))]
            older = alike[: alike.index(note.id)] if note.id in alike else []
        return Named(note, Told(note.id, self.revision(note), label_among(note.id, older)))


def age(note: Memory) -> tuple[float, str]:
    """Sort memories oldest first; one without a time is the youngest."""
    made = moment(note.created)
    return (float("inf") if made is None else made), note.id


def rules_of(table: Table, viewer: Viewer, day: str) -> list[Memory]:
    """Give the rules that hold for a viewer on a day, oldest first."""
    return sorted(takewhile(lambda note: note.is_rule, table.fill(viewer, day)), key=age)


def chosen(table: Table, viewer: Viewer, words: Iterable[str], aside: Iterable[str], without: set[str]) -> list[Memory]:
    """Give the memories for a question but for some, which the session knows, best first; more than fit."""
    hits = best(table, words, viewer, limit=2 * MOST_CHOSEN, aside=aside, without=without)
    return [hit.note for hit in hits if isinstance(hit.note, Memory)]


def within_room(found: Iterable[Named]) -> tuple[list[Named], bool]:
    """Give the first that fit into what a session is told at a time, and whether any was left out for want of room."""
    kept: list[Named] = []
    room, short = MOST_TOKENS, False
    for one in found:
        size = tokens(one.line + "\n")
        if size > room:
            short = True
            continue
        room -= size
        kept.append(one)
        if len(kept) == MOST_CHOSEN:
            break
    return kept, short


def still_so(table: Table, viewer: Viewer, turn: Turn, rules: set[str]) -> list[Named] | None:
    """Give the memories of an earlier answer, each as it was; None when anything in it was decided otherwise since."""
    found: list[Named] = []
    replaced = {table.entry(slot).note.id for slot in table.superseded(viewer)}
    for number, told in enumerate(turn.told):
        entry = table.get(told.id)
        note = None if entry is None else entry.note
        if not isinstance(note, Memory) or visible(note, viewer) is not Sight.SERVED or note.id in replaced:
            return None
        if revision(note) != told.revision or (number < turn.rules and note.id not in rules):
            return None
        found.append(Named(note, told))
    return None if any(id_ in rules for id_, _ in turn.withdrawn) else found


def lines_of(named: Sequence[Named], rules: int, withdrawn: Sequence[tuple[str, str]]) -> list[str]:
    """Give the lines of one answer: rules first and whole, what is a rule no more, then memories."""
    lines = ["Rules:", *(one.line for one in named[:rules])] if rules else []
    lines += [f"No longer a rule: #{label}" for _, label in withdrawn]
    if named[rules:]:
        lines += ["Memories:", *(one.line for one in named[rules:])]
    return lines
