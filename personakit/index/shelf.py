"""A shelf: the notes of one kind that the gate answers alike for, and which words they hold."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from personakit.index.bits import Bits
from personakit.model.drawer import Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from personakit.index.entry import Entry
    from personakit.model.note import Kind
    from personakit.model.states import State

    # Kind, state, assistants, projects, wing, repository.
    ShelfKey: TypeAlias = tuple[Kind, State | None, tuple[str, ...], tuple[str, ...], str, str]
    Slots: TypeAlias = tuple[int, ...] | list[int] | Bits
    # Not a rule, minus the time it was made (infinite when unknown), id, slot: sorts as the fill goes.
    FillKey: TypeAlias = tuple[bool, float, str, int]

# Most words of a vault stand in few notes: up to so many a tuple is smallest, then a list, and from so many on bits.
_FEW = 4
_MANY = 256


class Shelf:
    """Notes that agree in kind, state, audience, wing and repository, by slot.

    Attributes:
        kind, state, assistants, projects, wing, repository: what they agree in; the gate is asked with the shelf.
        slots: the slots of its notes.
        postings: word -> slots of the notes that hold it.
        length: the number of words in all its notes, with repeats.
        rooms: how many of its notes, which are drawers then, each room has.
    """

    __slots__ = (
        *("_newest", "assistants", "kind", "length", "postings", "projects", "repository", "rooms", "slots", "state"),
        "wing",
    )

    def __init__(self, key: ShelfKey) -> None:
        self.kind, self.state, self.assistants, self.projects, self.wing, self.repository = key
        self.slots: set[int] = set()
        self.postings: dict[str, Slots] = {}
        self.length = 0
        self.rooms: Counter[str] = Counter()
        self._newest: list[FillKey] | None = None

    def add(self, notes: Sequence[tuple[int, Entry, FillKey]]) -> None:
        """Put notes on the shelf."""
        gathered: defaultdict[str, list[int]] = defaultdict(list)
        for slot, entry, key in notes:
            self.slots.add(slot)
            self.length += entry.length
            if isinstance(entry.note, Drawer):
                self.rooms[entry.note.room] += 1
            for word in entry.words:
                gathered[word].append(slot)
            if self._newest is not None:
                insort(self._newest, key)
        postings = self.postings
        for word, slots in gathered.items():
            held = postings.get(word)
            postings[word] = _laid_out(slots) if held is None else _joined(held, slots)

    def remove(self, slot: int, entry: Entry, key: FillKey) -> None:
        """Take a note off the shelf."""
        self.slots.remove(slot)
        self.length -= entry.length
        if isinstance(entry.note, Drawer):
            self.rooms[entry.note.room] -= 1
            if not self.rooms[entry.note.room]:
                del self.rooms[entry.note.room]
        for word in entry.words:
            held = self.postings[word]
            if isinstance(held, tuple):
                self._keep(word, tuple(other for other in held if other != slot))
                continue
            held.remove(slot)
            if len(held) <= _FEW // 2:
                self._keep(word, tuple(held))
            elif isinstance(held, Bits) and len(held) <= _MANY // 2:
                self._keep(word, list(held))
        if self._newest is not None:
            del self._newest[bisect_left(self._newest, key)]

    def _keep(self, word: str, slots: Slots) -> None:
        if slots:
            self.postings[word] = slots
        else:
            del self.postings[word]

    def newest(self, key_of: Callable[[int], FillKey]) -> Sequence[FillKey]:
        """Give its notes as the fill goes: rules first, then the newest. Sorted once, then kept in order."""
        if self._newest is None:
            self._newest = sorted(map(key_of, self.slots))
        return self._newest


def _laid_out(slots: list[int]) -> Slots:
    """Give slots in the shape that takes the least room for so many."""
    if len(slots) <= _FEW:
        return tuple(slots)
    return slots if len(slots) <= _MANY else Bits(slots)


def _joined(held: Slots, more: list[int]) -> Slots:
    """Give slots with more of them; bits and lists grow where they are."""
    if isinstance(held, Bits):
        for slot in more:
            held.add(slot)
        return held
    if isinstance(held, tuple) or len(held) + len(more) > _MANY:
        return _laid_out([*held, *more])
    held += more
    return held


def holding(shelves: Iterable[Shelf], word: str) -> list[Slots]:
    """Give, for each of the shelves that holds a word, the slots of the notes that hold it."""
    return [slots for shelf in shelves if (slots := shelf.postings.get(word)) is not None]
