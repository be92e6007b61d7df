"""What the verbs give back: frozen values that every vocabulary words in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from personakit.model.states import State

UNCONFIRMED_NOTE = "Unconfirmed: extracted from the owner's conversations but not yet reviewed by them."

Reason = Literal["empty_text", "too_long", "credential_shape", "empty_quote"]


@dataclass(frozen=True, slots=True)
class ServedMemory:
    """A memory as it leaves: quotes masked and shortened, at most two of them."""

    id: str
    text: str
    category: str
    confirmed: bool
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The memories for a question, best first, and how many matching ones are kept back."""

    memories: tuple[ServedMemory, ...]
    withheld: int

    @property
    def note(self) -> str | None:
        """Give the reminder that goes with memories the owner has not reviewed; None when there are none."""
        return None if all(memory.confirmed for memory in self.memories) else UNCONFIRMED_NOTE


@dataclass(frozen=True, slots=True)
class Stored:
    """A proposal that is on disk. `new` is False when the same memory was there; `state` is the state as it is."""

    id: str
    new: bool
    state: State


@dataclass(frozen=True, slots=True)
class Refusal:
    """A proposal that was not stored."""

    reason: Reason
