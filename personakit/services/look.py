"""Look: what was decided, or reworded after a decision, by no command of PersonaKit since the owner last looked.

Any program with access to the folder can edit a state; the owner should see it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import ReadOnlyVault, WriteError
from personakit.model.memory import Memory
from personakit.model.states import State
from personakit.vault.seen import Glimpse, SeenFile

if TYPE_CHECKING:
    from personakit.services.opened import OpenVault


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One memory that differs from what the owner last saw. `before` is None for one they have never seen."""

    note: Memory
    before: State | None

    @property
    def what(self) -> str:
        """Say what is different, in a few words."""
        if self.before is None:
            return f"new, and {self.note.state} from the start"
        if self.before is not self.note.state:
            return f"{self.before}, now {self.note.state}"
        return f"reworded while {self.note.state}"


def decided_elsewhere(vault: OpenVault) -> list[Elsewhere]:
    """Give what differs from the last look, by id; empty before the first look.

    A new memory that waits for its decision is no news, and so is one whose words changed while it waits.
    """
    seen = SeenFile(vault.root).read()
    if seen is None:
        return []
    found = []
    for note, glimpse in _glimpses(vault):
        before = seen.get(note.id)
        waits = glimpse.state is State.UNCONFIRMED
        if before is None:
            if not waits:
                found.append(Elsewhere(note, None))
        elif before.state is not glimpse.state or (before.words != glimpse.words and not waits):
            found.append(Elsewhere(note, before.state))
    return found


def look(vault: OpenVault) -> None:
    """Remember everything as it is now: the owner has just been shown what differs."""
    with contextlib.suppress(WriteError, ReadOnlyVault), vault.library.store.writing():
        SeenFile(vault.root).write({note.id: glimpse for note, glimpse in _glimpses(vault)})


def remember(vault: OpenVault, id_: str) -> None:
    """Remember one memory as it is now: a command of the owner's made it so. The caller holds the lock."""
    note = vault.library.note(id_)
    if isinstance(note, Memory) and note.state is not None:
        SeenFile(vault.root).add(id_, Glimpse(note.state, note.own_id))


def _glimpses(vault: OpenVault) -> list[tuple[Memory, Glimpse]]:
    return [
        (note, Glimpse(note.state, note.own_id))
        for note in vault.library.notes()
        if isinstance(note, Memory) and note.state is not None
    ]
