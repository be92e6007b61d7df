"""Changes: what the owner does to the memory before them, bound to the bytes that they saw, and taken back again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, NotEditable, UnknownId
from personakit.model.memory import CATEGORIES, category_of
from personakit.model.note import label_key
from personakit.services.decide import VERBS
from personakit.services.look import remember
from personakit.vault.journal import Change
from personakit.vault.lines import add_item, set_key, set_list
from personakit.vault.reading import Condition, keys_of, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from personakit.model.states import State
    from personakit.services.opened import OpenVault
    from personakit.services.review.cards import Card


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: to which memory, in a word, in which file, its bytes before and its version since."""

    id: str
    what: str
    path: str
    before: bytes
    version: str


def decide_shown(vault: OpenVault, card: Card, state: State) -> Done:
    """Write a state into the file of a card.

    Raises:
        Conflict: the file is no longer what the card shows.
        UnknownId, HeldFile, NotEditable, Busy, DiskError, ReadOnlyVault
    """
    return _write(vault, card, VERBS[state], lambda raw: set_key(raw, "state", state.value))


def set_category(vault: OpenVault, card: Card, category: str) -> Done:
    """Write a category into the file of a card.

    Raises:
        ArgumentError: it is none. Else as for `decide_shown`.
    """
    name = category_of(category)
    if name == "other" and label_key(category) != "other":
        raise ArgumentError("category", f"is none; give one of {', '.join(CATEGORIES)}")
    return _write(vault, card, "category", lambda raw: set_key(raw, "category", name))


def set_assistants(vault: OpenVault, card: Card, names: Sequence[str]) -> Done:
    """Write into the file of a card who alone may see it; without names everybody may.

    Raises:
        As for `decide_shown`.
    """
    return _write(vault, card, "audience", lambda raw: set_list(raw, "assistants", names))


def supersede(vault: OpenVault, card: Card, old: str) -> Done:
    """Write into the file of a card that it replaces another memory.

    Raises:
        As for `decide_shown`.
    """
    return _write(vault, card, "supersede", lambda raw: add_item(raw, "supersedes", old))


def rewrite(vault: OpenVault, card: Card, new: bytes) -> Done:
    """Put the bytes that an editor left in the place of those of a card.

    Raises:
        NotEditable: they are no memory of the same id that could be read with certainty.
        Else as for `decide_shown`.
    """
    memory = card.memory
    reading = read_file(memory.path, memory.kind, new)
    if reading.condition is not Condition.READ or not reading.notes:
        problem = next((one.message for one in reading.problems if one.holds), "it says nothing")
        raise NotEditable(memory.id, f"what the editor left could not be read: {problem}")
    was, now = keys_of(card.raw).get("id"), keys_of(new).get("id")
    if was != now:
        raise NotEditable(
            memory.id, f"the editor left {now or 'no id'} for {was or 'none'}; an id names a memory for good"
        )
    return _write(vault, card, "edit", lambda _: new)


def take_back(vault: OpenVault, done: Done) -> None:
    """Give a file the bytes that it had before.

    Raises:
        Conflict: it has been changed since. Else as for `decide_shown`.
    """
    library = vault.library
    with library.store.writing() as pen:
        vault.freshness.before_write()
        now = pen.edit(done.path, done.version, lambda _: done.before, called=done.id)
        vault.recorder.written(Change(done.path, now, done.version, "undo", ids=(done.id,)))
        library.apply([done.path])
        remember(vault, done.id)


def _write(vault: OpenVault, card: Card, what: str, change: Callable[[bytes], bytes]) -> Done:
    library, memory = vault.library, card.memory
    with library.store.writing() as pen:
        vault.freshness.before_write()
        if library.note(memory.id) is None:
            raise UnknownId(memory.id)
        now = pen.edit(memory.path, card.version, change, called=memory.id)
        if now == card.version:
            return Done(memory.id, what, memory.path, card.raw, now)
        vault.recorder.written(Change(memory.path, now, card.version, what, ids=(memory.id,)))
        library.apply([memory.path])
        remember(vault, memory.id)
    return Done(memory.id, what, memory.path, card.raw, now)
