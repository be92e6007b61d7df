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
    from personakit.model.node import Facets
    from personakit.model.note import Kind, Note
    from personakit.model.states import State

NAME_WEIGHT = 2
# More of a word in one text says no more.
MOST_TIMES = 255
_NEW_WORDS = 2_000


class Group(NamedTuple):
    """What a gate looks at, for all docs that agree in it."""

    kind: Kind
    state: State | None
    assistants: tuple[str, ...]
    projects: tuple[str, ...]
    wing: str
    repository: str


class Segment(NamedTuple):
    """The docs of one group that hold a word, ascending, and how often it stands there; in a name it counts double."""

    docs: array[int]
    times: array[int]


class LiteralIndex:
    """Words of notes by doc, a number that no other note ever gets while the index lives.

    Attributes:
        notes: doc -> note; one that has left stays, so that what was found can be told from what is found now.
        life: how often the index was begun anew; docs of another life are none.
        groups: the groups there are; a doc names its own by number.
        sizes, lengths: how many docs each group has, and how many words these have.
    """

    def __init__(self) -> None:
        self.life = 0
        self._clear()

    def _clear(self) -> None:
        self.life += 1
        self.notes: list[Note] = []
        self._dead = 0
        self.length: array[int] = array("L")
        self.group: array[int] = array("L")
        self.groups: list[Group] = []
        self.sizes: list[int] = []
        self.lengths: list[int] = []
        self._numbers: dict[Group, int] = {}
        self._postings: dict[str, dict[int, Segment]] = {}
        self._sorted: list[str] = []
        self._new: set[str] = set()
        self._doc_in: dict[int, int] = {}
        # Those on whose currentness the day may decide.
        self.aging: set[int] = set()
        # What filters look at, and on which day and whether replaced; filled by whoever first needs it.
        self.facets: dict[int, tuple[str, bool, Facets]] = {}
        # By the groups that are seen: which memories replace which note. Made anew when anything has changed.
        self.successors: dict[frozenset[int], dict[str, tuple[str, ...]]] = {}
        self._doc_of: dict[str, int] = {}
        self._mark = 0

    def follow(self, table: Table) -> None:
        """Take in what changed in the table since the last time. The caller holds the library's lock."""
        slots = table.changed_since(self._mark)
        if slots is None or self._dead > len(self._doc_in) + _NEW_WORDS:
            self._clear()
            slots = frozenset(range(len(table.entries)))
        if slots:
            self.successors.clear()
        self._mark = table.mark
        for slot in sorted(slots):
            self._drop(slot)
            entry = table.entries[slot]
            if entry is not None and entry.note.kind in SEARCHED:
                self._add(slot, entry.note)

    def _add(self, slot: int, note: Note) -> None:
        doc = self._doc_in[slot] = len(self.notes)
        number, found = self._number(note), _words_of(note)
        for word, times in found.items():
            held = self._postings.get(word)
            if held is None:
                held = self._postings[word] = {}
                self._new.add(word)
            segment = held.get(number)
            if segment is None:
                segment = held[number] = Segment(array("L"), array("B"))
            segment.docs.append(doc)
            segment.times.append(min(times, MOST_TIMES))
        length = found.total()
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
        number = self.group[doc]
        for word in _words_of(note):
            segment = self._postings[word][number]
            at = bisect_left(segment.docs, doc)
            del segment.docs[at], segment.times[at]
            if not segment.docs:
                del self._postings[word][number]
                if not self._postings[word]:
                    del self._postings[word]
                    self._new.discard(word)
        if self._doc_of.get(note.id) == doc:
            del self._doc_of[note.id]
        self.aging.discard(doc)
        self.facets.pop(doc, None)
        self._dead += 1
        self.sizes[number] -= 1
        self.lengths[number] -= self.length[doc]

    def _number(self, note: Note) -> int:
        key = Group(note.kind, note.state, note.assistants, note.projects, note.wing, note.repository)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.groups)
            self.groups.append(key)
            self.sizes.append(0)
            self.lengths.append(0)
        return number

    def holding(self, word: str, groups: frozenset[int]) -> list[Segment]:
        """Give what some groups have of a word."""
        held = self._postings.get(word)
        return [] if held is None else [segment for number, segment in held.items() if number in groups]

    def times_in(self, word: str, doc: int) -> int:
        """Say how often a doc holds a word, at most `MOST_TIMES`."""
        segment = self._postings.get(word, {}).get(self.group[doc])
        if segment is None:
            return 0
        at = bisect_left(segment.docs, doc)
        return segment.times[at] if at < len(segment.docs) and segment.docs[at] == doc else 0

    def doc_of(self, id_: str) -> int | None:
        """Give the doc of a note by its id."""
        return self._doc_of.get(id_)

    def in_groups(self, groups: frozenset[int]) -> Iterator[int]:
        """Give the docs of some groups."""
        return (doc for doc in self._doc_in.values() if self.group[doc] in groups)

    def beginning(self, start: str) -> list[str]:
        """Give the words that begin so, sorted."""
        if len(self._new) > _NEW_WORDS:
            self._sorted = sorted(self._postings)
            self._new.clear()
        at = bisect_left(self._sorted, start)
        old = takewhile(lambda word: word.startswith(start), self._sorted[at:])
        found = {*old, *(word for word in self._new if word.startswith(start))}
        return sorted(word for word in found if word in self._postings)


def _words_of(note: Note) -> Counter[str]:
    found = Counter(literals(body_of(note)))
    for word in literals(name_of(note)):
        found[word] += NAME_WEIGHT
    return found
