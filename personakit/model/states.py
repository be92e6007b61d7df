"""The four states an owner can give, and which of several counts."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class State(StrEnum):
    """What the owner has decided about one object."""

    UNCONFIRMED = "unconfirmed"
    APPROVED = "approved"
    RESTRICTED = "restricted"
    REJECTED = "rejected"


# docs/FORMAT.md, "state": the first of these that can be read is the one that counts.
CAUTION = (State.RESTRICTED, State.REJECTED, State.UNCONFIRMED, State.APPROVED)


def read_state(text: str) -> State | None:
    """Give the state a written word means; case and surrounding blanks do not matter. None: an unknown word."""
    try:
        return State(text.strip().casefold())
    except ValueError:
        return None


def most_cautious(states: Iterable[State]) -> State:
    """Give the most cautious of one or more states.

    Raises:
        ValueError: there is no state to choose from.
    """
    return min(states, key=CAUTION.index)
