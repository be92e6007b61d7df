"""One thing in the vault, whatever its kind: what the gate, the table and the ranking need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from personakit.model.states import State


class Kind(StrEnum):
    """The kinds of object a vault holds."""

    MEMORY = "memory"
    DRAWER = "drawer"
    FACT = "fact"
    DIARY = "diary"
    PASSAGE = "passage"
    PROPOSAL = "proposal"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One entry of the table.

    Attributes:
        kind: what it is.
        id: its name for every tool; unique among the served notes of a vault.
        path: its file, relative to the vault, with `/`. For the owner alone: no tool shows it.
        state: the owner's decision; None for a kind that needs none and has none written.
        created: the time as the file writes it, "" when it does not.
        assistants: launch names that may see it; empty: every assistant.
        projects: projects it belongs to; empty: everywhere.
        wing: the wing of a drawer, which a launch for one project counts as its project; "" for every other kind.
        repository: the id of the repository of a passage; "" for every other kind.
        text: the words that are searched and served.
        aliases: further words that are searched, never served as text.
    """

    kind: Kind
    id: str
    path: str
    state: State | None = None
    created: str = ""
    assistants: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    wing: str = ""
    repository: str = ""
    text: str = ""
    aliases: tuple[str, ...] = ()


def moment(written: str) -> float | None:
    """Read an ISO 8601 date or time as seconds since 1970 (UTC where no zone is given). None: not a time."""
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    try:
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None


def label_key(name: str) -> str:
    """Give the form in which categories, assistants and projects compare: case, blanks and `_` do not matter."""
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())
