"""Decide: the owner's word on one memory, written into its file as one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import AmbiguousId, Conflict, HeldFile, NotEditable, UnknownId
from personakit.model.note import Kind
from personakit.model.states import State
from personakit.services.look import remember
from personakit.vault.journal import Change
from personakit.vault.lines import set_key

if TYPE_CHECKING:
    from personakit.model.note import Note
    from personakit.services.library import Library
    from personakit.services.opened import OpenVault

SHOWN_CHOICES = 5
# What the owner's word for each state is.
VERBS = {
    State.APPROVED: "approve",
    State.RESTRICTED: "restrict",
    State.REJECTED: "reject",
    State.UNCONFIRMED: "reopen",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision came to. `now` is the state that counts: a copy beside the file may say a more cautious one."""

    note: Note
    before: State | None
    wanted: State
    now: State | None


def resolve(library: Library, given: str) -> Note:
    """Find a note by its id or an unambiguous start of it.

    Raises:
        UnknownId, AmbiguousId
        HeldFile: the id belongs to a file that cannot be read.
    """
    exact = library.note(given)
    if exact is not None:
        return exact
    found = [note for note in library.notes() if note.id.startswith(given)] if given else []
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousId(given, [note.id for note in found[:SHOWN_CHOICES]])
    if library.is_held(given):
        raise HeldFile(f"The memory {given}")
    raise UnknownId(given)


def decide(vault: OpenVault, given: str, state: State) -> Decision:
    """Write a state into a note's file; every other line stays as it is.

    Raises:
        UnknownId, AmbiguousId, HeldFile, NotEditable, Busy, DiskError, ReadOnlyVault
        Conflict: the file changed twice while it was being edited.
    """
    library = vault.library
    with library.store.writing() as pen:
        vault.freshness.before_write()
        note = resolve(library, given)
        if note.kind is Kind.PASSAGE:
            raise NotEditable(note.id, "it is one passage, and a state counts for its whole document")
        before = note.state
        for last in (False, True):
            version = library.files[note.path].reading.digest
            try:
                now = pen.edit(note.path, version, lambda raw: set_key(raw, "state", state.value), called=note.id)
                if now != version:
                    vault.recorder.written(Change(note.path, now, version, VERBS[state], ids=(note.id,)))
                break
            except Conflict:
                if last:
                    raise
                library.apply([note.path])
                note = resolve(library, note.id)
        library.apply([note.path])
        remember(vault, note.id)
    after = library.note(note.id)
    return Decision(note, before, state, None if after is None else after.state)
