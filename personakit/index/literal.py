"""The literal index: which notes hold which words as they are spelt, kept beside the table for whoever asks that way.

It is made when somebody first asks, and follows the table by what changed in it. Nothing in it is judged: each doc
belongs to a group of notes that the gate answers alike for, and whoever reads it asks the gate with the group.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from personakit.index.words import literals
from personakit.model.node import SEARCHED, body_of, may_age, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.index.table import Table
    from personakit.model.note import Kind, Note
    from personakit.model.states import State

NAME_WEIGHT = 2
# A posting is one number: the doc, and below it how often the word stands there, a name's words counted double.
_TIMES = 8
MOST_TIMES = (1 << _TIMES) - 1
_REBUILD_SHARE = 0.5
_NEW_WORDS = 2_000


class Group(NamedTuple):
    """What a gate looks at, for all docs that agree in it."""

    kind: Kind
    state: State | None
    assistants: tuple[str, ...]
    projects: tuple[str, ...]
    wing: str
    repository: str


class LiteralIndex:
    """Words of notes by doc, a number that no other note ever gets while the index lives.

    Attributes:
        groups: the groups there are; a doc names its own by number.
        sizes, lengths: how many docs each group has, and how many words these have.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.notes: list[Note | None] = []
        self.length: array[int] = array("L")
        self.group: array[int] = array("L")
        self.groups: list[Group] = []
        self.sizes: list[int] = []
        self.lengths: list[int] = []
        self._numbers: dict[Group, int] = {}
        self._postings: dict[str, array[int]] = {}
        self._sorted: list[str] = []
        self._new: set[str] = set()
        self._doc_in: dict[int, int] = {}
        # Those on whose currentness the day may decide.
        self.aging: set[int] = set()
        self._doc_of: dict[str, int] = {}
        self._dead = 0
        self._mark = 0

    def follow(self, table: Table) -> None:
        """Take in what changed in the table since the last time. The caller holds the library's lock."""
        mark, slots = table.changed_since(self._mark)
        if slots is None or self._dead > _REBUILD_SHARE * len(self.notes) + _NEW_WORDS:
            self._clear()
            slots = frozenset(range(len(table.entries)))
        self._mark = mark
        for slot in sorted(slots):
            self._drop(slot)
            entry = table.entries[slot]
            if entry is not None and entry.note.kind in SEARCHED:
                self._add(slot, entry.note)

    def _add(self, slot: int, note: Note) -> None:
        doc = self._doc_in[slot] = len(self.notes)
        found = Counter(literals(body_of(note)))
        for word in literals(name_of(note)):
            found[word] += NAME_WEIGHT
        for word, times in found.items():
            held = self._postings.get(word)
            if held is None:
                held = self._postings[word] = array("L")
                self._new.add(word)
            held.append(doc << _TIMES | min(times, MOST_TIMES))
        length = found.total()
        number = self._number(note)
        self._doc_of[note.id] = doc
        if may_age(note):
            self.aging.add(doc)
        self.notes.append(note)
        self.length.append(length)
        self.group.append(number)
        self.sizes[number] += 1
        self.lengths[number] += length

    def _drop(self, slot: int) -> None:
        doc = self._doc_in.pop(slot, None)
        if doc is None:
            return
        note = self.notes[doc]
        if note is not None and self._doc_of.get(note.id) == doc:
            del self._doc_of[note.id]
        self.aging.discard(doc)
        self.notes[doc] = None
        self._dead += 1
        self.sizes[self.group[doc]] -= 1
        self.lengths[self.group[doc]] -= self.length[doc]

    def _number(self, note: Note) -> int:
        key = Group(note.kind, note.state, note.assistants, note.projects, note.wing, note.repository)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.groups)
            self.groups.append(key)
            self.sizes.append(0)
            self.lengths.append(0)
        return number

    def holding(self, word: str, groups: frozenset[int]) -> dict[int, int]:
        """Give the docs of some groups that hold a word, and how often it stands there, at most `MOST_TIMES`."""
        of, notes = self.group, self.notes
        return {
            doc: one & MOST_TIMES
            for one in self._postings.get(word, ())
            if of[doc := one >> _TIMES] in groups and notes[doc] is not None
        }

    def doc_of(self, id_: str) -> int | None:
        """Give the doc of a note by its id."""
        return self._doc_of.get(id_)

    def in_groups(self, groups: frozenset[int]) -> Iterator[int]:
        """Give the docs of some groups."""
        return (doc for doc, note in enumerate(self.notes) if note is not None and self.group[doc] in groups)

    def beginning(self, start: str) -> list[str]:
        """Give the words that begin so, sorted; some of them may be held by no note any more."""
        if len(self._new) > _NEW_WORDS:
            self._sorted = sorted(self._postings)
            self._new.clear()
        at = bisect_left(self._sorted, start)
        old = takewhile(lambda word: word.startswith(start), self._sorted[at:])
        return sorted({*old, *(word for word in self._new if word.startswith(start))})
