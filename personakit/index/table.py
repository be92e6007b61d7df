"""The word table: every note that is served, withheld or kept for its owner, laid out so that one viewer can ask.

The table is derived from notes alone: after any changes it answers like one built anew from what it now holds.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from heapq import merge
from math import inf
from typing import TYPE_CHECKING

from personakit.index.entry import Entry
from personakit.index.shelf import Shelf
from personakit.index.supersession import replaced
from personakit.index.vocabulary import Vocabulary
from personakit.model.memory import Memory
from personakit.model.note import Kind, label_key, moment
from personakit.model.states import State
from personakit.model.visibility import Sight, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from personakit.index.shelf import FillKey, ShelfKey
    from personakit.model.note import Note
    from personakit.model.visibility import Viewer

    # Unconfirmed, the time it was made (infinite when unknown), id: sorts as equal scores do.
    Order: TypeAlias = tuple[bool, float, str]

# A call may ask for any project, and each makes another viewer.
_TRAIL = 20_000
_VIEWERS_KEPT = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """The shelves of one kind that one viewer may be served from, and those that are withheld from them."""

    served: tuple[Shelf, ...]
    withheld: tuple[Shelf, ...]


class Table:
    """Notes by id, and by word on shelves.

    A slot is a small number that stands for a note while it is in the table; it is given again once the note is gone.

    Attributes:
        vocabulary: the words of all its notes.
        changes: another number after every change, for whoever keeps what they worked out from it.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.changes = 0
        self._slots: dict[str, int] = {}
        self._entries: list[Entry | None] = []
        self._orders: list[Order] = []
        self._free: list[int] = []
        self._shelves: dict[ShelfKey, Shelf] = {}
        self._seen: dict[tuple[Kind, Viewer], Seen] = {}
        self._superseding: dict[str, Memory] = {}
        # The slots that were filled or emptied, in their order, from the `_forgotten`th on.
        self._trail: list[int] = []
        self._forgotten = 0
        self._superseded: dict[Viewer, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, note_id: str) -> bool:
        return note_id in self._slots

    def __iter__(self) -> Iterator[Entry]:
        """Give every entry, whatever its state, sorted by id."""
        return (self.entry(self._slots[note_id]) for note_id in sorted(self._slots))

    def get(self, note_id: str) -> Entry | None:
        """Give the entry of an id, whatever its state, or None. It has not passed the gate."""
        slot = self._slots.get(note_id)
        return None if slot is None else self._entries[slot]

    def slots_of(self, ids: Iterable[str]) -> frozenset[int]:
        """Give the slots of the notes that have these ids; one that none has is passed over."""
        return frozenset(slot for id_ in ids if (slot := self._slots.get(id_)) is not None)

    def entry(self, slot: int) -> Entry:
        """Give the entry in a slot.

        Raises:
            KeyError: the slot is empty.
        """
        entry = self._entries[slot]
        if entry is None:
            raise KeyError(slot)
        return entry

    @property
    def entries(self) -> Sequence[Entry | None]:
        """Every slot's entry, None where it is empty; for loops that cannot afford a call for each."""
        return self._entries

    def order(self, slot: int) -> Order:
        """Give what decides between equal scores: approved first, then the oldest, then the id."""
        return self._orders[slot]

    def add(self, entries: Sequence[Entry]) -> None:
        """Put notes in; what has the id of one leaves, and of several with one id the last stays."""
        self.changes += 1
        shelves: defaultdict[ShelfKey, list[tuple[int, Entry, FillKey]]] = defaultdict(list)
        old = []
        for entry, words in zip(entries, self.vocabulary.add([entry.words for entry in entries]), strict=True):
            note = entry.note
            own = entry._replace(words=words)
            slot = self._place(own)
            if note.id in self._slots:
                old.append(self._slots[note.id])
            self._slots[note.id] = slot
            shelves[_shelf_key(note)].append((slot, own, self._fill_key(slot)))
            if isinstance(note, Memory) and note.supersedes:
                self._superseding[note.id] = note
        for key, notes in shelves.items():
            self._shelf(key).add(notes)
        # The old ones leave last, so that words which both hold are never forgotten in between.
        for slot in old:
            self._take(slot)
        self._superseded.clear()

    def remove(self, note_id: str) -> Entry | None:
        """Take a note out and give its entry; None when there is none."""
        slot = self._slots.pop(note_id, None)
        if slot is None:
            return None
        self._superseded.clear()
        return self._take(slot)

    def keeps(self, note: Note) -> bool:
        """Say whether a passage of another version of its file has the words, shelf and order of the one in here."""
        slot = self._slots.get(note.id)
        if slot is None or note.kind is not Kind.PASSAGE:
            return False
        old = self.entry(slot).note
        words = old.text == note.text and old.aliases == note.aliases
        return words and old.path == note.path and old.created == note.created and _shelf_key(old) == _shelf_key(note)

    def renew(self, note: Note) -> None:
        """Put a note that the table `keeps` in the place of the one with its id; no word is looked at."""
        self.changes += 1
        slot = self._slots[note.id]
        self._entries[slot] = self.entry(slot)._replace(note=note)
        self._mark(slot)

    def of_kind(self, kind: Kind) -> Iterator[Entry]:
        """Give every entry of a kind, whatever its state, in no order. They have not passed the gate."""
        return (self.entry(slot) for shelf in self.every_shelf(kind) for slot in shelf.slots)

    def shelves(self, kind: Kind, viewer: Viewer) -> Seen:
        """Give the shelves of a kind that the gate opens to a viewer. All reading by word begins here."""
        seen = self._seen.get((kind, viewer))
        if seen is None:
            sights = [(shelf, visible(shelf, viewer)) for shelf in self._shelves.values() if shelf.kind is kind]
            seen = Seen(
                served=tuple(shelf for shelf, sight in sights if sight is Sight.SERVED),
                withheld=tuple(shelf for shelf, sight in sights if sight is Sight.WITHHELD),
            )
            if len(self._seen) >= _VIEWERS_KEPT:
                self._seen.clear()
            self._seen[kind, viewer] = seen
        return seen

    def every_shelf(self, kind: Kind) -> list[Shelf]:
        """Give all shelves of a kind, whatever the state of what they hold: for the owner, who has no gate."""
        return [shelf for shelf in self._shelves.values() if shelf.kind is kind]

    def projects(self, viewer: Viewer) -> list[str]:
        """Give the projects, as label_key gives them, that a viewer could ask for and be served a memory by it."""
        served = (
            project
            for shelf in self._shelves.values()
            for project in shelf.projects
            if shelf.kind is Kind.MEMORY
            and viewer.ceiling in (None, project)
            and visible(shelf, replace(viewer, project=project)) is Sight.SERVED
        )
        return sorted(set(served))

    def superseded(self, viewer: Viewer) -> frozenset[int]:
        """Give the slots of the memories that an approved memory which the viewer may see replaces."""
        if not self._superseding:
            return frozenset()
        found = self._superseded.get(viewer)
        if found is None:
            if len(self._superseded) >= _VIEWERS_KEPT:
                self._superseded.clear()
            found = self._superseded[viewer] = self._find_superseded(viewer)
        return found

    @property
    def superseding(self) -> list[Memory]:
        """The memories that say they replace others, whatever their state. They have not passed the gate."""
        return list(self._superseding.values())

    def fill(self, viewer: Viewer, today: str) -> Iterator[Memory]:
        """Give the approved memories a viewer may see: rules first, then the newest `created`, then by id.

        Stale (`today` is YYYY-MM-DD) and superseded ones are left out. It is drawn from as far as needed, before the
        table changes.
        """
        gone = self.superseded(viewer)
        shelves = self.shelves(Kind.MEMORY, viewer).served
        for *_, slot in merge(*(s.newest(self._fill_key) for s in shelves if s.state is State.APPROVED)):
            note = self.entry(slot).note
            if isinstance(note, Memory) and slot not in gone and not note.is_stale(today):
                yield note

    def _place(self, entry: Entry) -> int:
        note = entry.note
        made = moment(note.created)
        order = (note.state is State.UNCONFIRMED, inf if made is None else made, note.id)
        if self._free:
            slot = self._free.pop()
            self._entries[slot], self._orders[slot] = entry, order
        else:
            slot = len(self._entries)
            self._entries.append(entry)
            self._orders.append(order)
        self._mark(slot)
        return slot

    def _take(self, slot: int) -> Entry:
        self.changes += 1
        entry = self.entry(slot)
        key = _shelf_key(entry.note)
        shelf = self._shelves[key]
        shelf.remove(slot, entry, self._fill_key(slot))
        if not shelf.slots:
            del self._shelves[key]
            self._seen.clear()
        self.vocabulary.remove(entry.words)
        if self._superseding.get(entry.note.id) is entry.note:
            del self._superseding[entry.note.id]
        self._entries[slot] = None
        self._free.append(slot)
        self._mark(slot)
        return entry

    def _mark(self, slot: int) -> None:
        self._trail.append(slot)
        if len(self._trail) > 2 * _TRAIL:
            self._forgotten += _TRAIL
            del self._trail[:_TRAIL]

    @property
    def mark(self) -> int:
        """What `changed_since` takes to mean now."""
        return self._forgotten + len(self._trail)

    def changed_since(self, mark: int) -> frozenset[int] | None:
        """Give the slots that were filled or emptied since a mark; None: too long ago to tell.

        What is kept beside the table follows it by this; the mark of a table that nobody has looked at is 0.
        """
        return None if mark < self._forgotten else frozenset(self._trail[mark - self._forgotten :])

    def _shelf(self, key: ShelfKey) -> Shelf:
        shelf = self._shelves.get(key)
        if shelf is None:
            shelf = self._shelves[key] = Shelf(key)
            self._seen.clear()
        return shelf

    def _fill_key(self, slot: int) -> FillKey:
        _, made, note_id = self._orders[slot]
        note = self.entry(slot).note
        rule = isinstance(note, Memory) and note.is_rule
        return not rule, inf if made == inf else -made, note_id, slot

    def _find_superseded(self, viewer: Viewer) -> frozenset[int]:
        served = frozenset(self.shelves(Kind.MEMORY, viewer).served)
        named = {
            newer: note.supersedes
            for newer, note in self._superseding.items()
            if note.confirmed and self._shelves[_shelf_key(note)] in served
        }
        slots = (self._slots.get(old) for old in replaced(named))
        return frozenset(s for s in slots if s is not None and self.entry(s).note.kind is Kind.MEMORY)


def _shelf_key(note: Note) -> ShelfKey:
    return note.kind, note.state, _keys(note.assistants), _keys(note.projects), note.wing, note.repository


def _keys(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({label_key(name) for name in names})) if names else ()
