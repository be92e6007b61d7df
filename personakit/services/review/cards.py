"""Cards: one waiting memory with all that helps to judge it, and the exact bytes that were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError
from personakit.index.bm25 import rank
from personakit.model.days import checked_day
from personakit.model.likeness import difference, grams, likeness
from personakit.model.memory import CATEGORIES, Memory, category_of
from personakit.model.note import Kind, label_key
from personakit.model.states import State
from personakit.services.browse import memories
from personakit.vault.frontmatter import TextHandler, decode
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from personakit.services.opened import OpenVault

MOST_NEAR = 4
ALIKE = 0.45
_CANDIDATES = 30
_HANDLER = TextHandler()


@dataclass(frozen=True, slots=True)
class Near:
    """A memory like the one that is judged: how like, 0 to 1, and what makes it say something else, "" for nothing."""

    memory: Memory
    alike: float
    differs_in: str


@dataclass(frozen=True, slots=True)
class Card:
    """One memory as it is put before its owner.

    Attributes:
        memory: the memory.
        version: of the file's bytes that it was read from; a decision counts for these alone.
        raw: these bytes.
        body: all that stands below the front matter: the statement, and notes about it.
        near: those most like it, whatever their state.
    """

    memory: Memory
    version: str
    raw: bytes
    body: str
    near: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the waiting memories are asked for; "" for all: made on a day or later, of a category, proposed by."""

    since: str = ""
    category: str = ""
    proposer: str = ""

    def checked(self) -> Wanted:
        """Give the same with the words that the format knows.

        Raises:
            ArgumentError: the day or the category is none.
        """
        category = self.category and category_of(self.category)
        if self.category and category == "other" and label_key(self.category) != "other":
            raise ArgumentError("category", f"is none; give one of {', '.join(CATEGORIES)}")
        return Wanted(checked_day("since", self.since, whole=True) if self.since else "", category, self.proposer)

    def holds(self, memory: Memory) -> bool:
        """Say whether a memory is asked for."""
        return (
            (not self.since or memory.created[:10] >= self.since)
            and self.category in ("", memory.category)
            and (not self.proposer or label_key(memory.proposed_by) == label_key(self.proposer))
        )


def waiting(vault: OpenVault, wanted: Wanted) -> list[str]:
    """Give the ids of the memories that wait for a decision, oldest first."""
    return [one.id for one in memories(vault.library, State.UNCONFIRMED) if wanted.holds(one)]


def card_of(vault: OpenVault, id_: str) -> Card | None:
    """Give the card of a memory as its file is at this moment; None when it is no memory any more."""
    library = vault.library
    note = library.note(id_)
    if isinstance(note, Memory):
        library.apply([note.path])
        note = library.note(id_)
    if not isinstance(note, Memory):
        return None
    raw = library.store.raw(note.path)
    version = version_of(raw, note.kind)
    if version != library.files[note.path].reading.digest:
        return None  # it is being saved
    return Card(note, version, raw, _HANDLER.page(decode(raw)).body.strip(), near_to(vault, note))


def near_to(vault: OpenVault, memory: Memory) -> tuple[Near, ...]:
    """Give the memories most like one, whatever their state, those alike enough to be told, most alike first."""
    library = vault.library
    words = library.tokeniser.words(memory.text)
    with library.lock:
        shelves = [shelf for shelf in library.table.every_shelf(Kind.MEMORY) if shelf.slots]
        found = rank(library.table, shelves, words, limit=_CANDIDATES) if shelves else []
    runs = grams(memory.text)
    near = [
        Near(one.note, round(alike, 3), difference(memory.text, one.note.text))
        for one in found
        if isinstance(one.note, Memory)
        and one.note.id != memory.id
        and (alike := likeness(runs, grams(one.note.text))) >= ALIKE
    ]
    return tuple(sorted(near, key=lambda one: (-one.alike, one.memory.id))[:MOST_NEAR])
