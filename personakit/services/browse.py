"""Browse: what the vault holds, counted and listed for its owner."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from personakit.model.memory import CATEGORIES, Memory
from personakit.model.note import Kind, moment
from personakit.model.states import State
from personakit.services.clock import today

if TYPE_CHECKING:
    from personakit.model.note import Note
    from personakit.services.library import Library
    from personakit.services.opened import OpenVault
    from personakit.vault.frontmatter import Value
    from personakit.vault.watch import Sight

# What a note says of itself that is no key of its file.
_NO_KEYS = frozenset({"kind", "path", "text", "own_id"})


@dataclass(frozen=True, slots=True)
class Status:
    """The vault in figures.

    Attributes:
        states: state -> number of memories; every state is there.
        categories: category -> state -> number; every category is there.
        kinds: kind -> number of objects.
        held: number of files that cannot be read with certainty.
        waiting_since: `created` of the oldest unconfirmed memory that has one, "" for none.
        stale: ids of memories whose last day has passed.
        sight: how changes are seen.
    """

    states: dict[State, int]
    categories: dict[str, dict[State, int]]
    kinds: dict[Kind, int]
    held: int
    waiting_since: str
    stale: tuple[str, ...]
    sight: Sight

    @property
    def waiting(self) -> int:
        """How many memories wait for the owner's decision."""
        return self.states[State.UNCONFIRMED]


def memories(library: Library, state: State | None = None) -> list[Memory]:
    """Give the memories, of one state or all, oldest first, those without a time last, then by id."""
    found = [note for note in library.notes() if isinstance(note, Memory) and state in (None, note.state)]
    return sorted(found, key=_age)


def _age(memory: Memory) -> tuple[float, str]:
    made = moment(memory.created)
    return (float("inf") if made is None else made, memory.id)


def own_keys(library: Library, note: Note) -> dict[str, Value]:
    """Give the keys in a note's front matter that are none of its kind's: what its owner, or another program, keeps."""
    return own_among(library.store.keys(note.path), note)


def own_among(keys: dict[str, Value], note: Note) -> dict[str, Value]:
    """Give those of a front matter's keys that are none of the note's kind's."""
    known = {field.name for field in fields(note)} - _NO_KEYS | {"type"}
    return {key: value for key, value in keys.items() if key not in known}


def status(vault: OpenVault) -> Status:
    """Count everything."""
    library = vault.library
    found = memories(library)
    states = Counter(memory.state for memory in found)
    pairs = Counter((memory.category, memory.state) for memory in found)
    waiting = [memory for memory in found if memory.state is State.UNCONFIRMED]
    day = today(library.clock)
    records = list(library.files.values())
    return Status(
        states={state: states[state] for state in State},
        categories={name: {state: pairs[name, state] for state in State} for name in CATEGORIES},
        kinds=dict(sorted(Counter(note.kind for note in library.notes()).items())),
        held=sum(any(problem.holds for problem in record.reading.problems) for record in records),
        waiting_since=next((m.created for m in waiting if moment(m.created) is not None), ""),
        stale=tuple(memory.id for memory in found if memory.is_stale(day)),
        sight=vault.freshness.watch.sight(),
    )
