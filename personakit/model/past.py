"""A memory's past as values: the commits that changed its file, and what it said after each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from personakit.model.memory import Memory


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as far as a history needs it.

    Attributes:
        id: its full name.
        parents: the commits before it; two or more for a merge.
        at: when it was committed here, in seconds since 1970.
        written: when its change was first made, in seconds since 1970.
        author: the name it carries, as its author typed it.
        tool: the `PersonaKit-Tool` trailer, "" for a change made by none of our tools.
        assistant: the `PersonaKit-Assistant` trailer, "" for the owner's own change.
        ids: the `PersonaKit-Id` trailers.
        undoes: the `PersonaKit-Undoes` trailer, the name of the commit that this one takes back; "" for none.
    """

    id: str
    parents: tuple[str, ...]
    at: int
    written: int
    author: str
    tool: str = ""
    assistant: str = ""
    ids: tuple[str, ...] = ()
    undoes: str = ""

    @property
    def short(self) -> str:
        """The start of its name, as people write it."""
        return self.id[:SHORT]


SHORT = 10


class Standing(Enum):
    """What a memory's file was after a commit."""

    READ = "read"
    HELD = "held"  # there, but it could not be read with certainty
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Version:
    """A memory as one commit, or the disk, has it.

    Attributes:
        standing: whether it could be read.
        memory: what it said, or what it last said when it cannot be read or is gone; None when it never said anything.
        path: its file, relative to the vault.
        digest: its `version_of`, which line ends alone do not change; "" when it cannot be had.
    """

    standing: Standing
    memory: Memory | None
    path: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a memory's file.

    Attributes:
        commit: None for what is on disk and not committed yet.
        before: the version in each parent; empty for the first that is known.
        after: the version it made.
        is_cut: the repository does not hold what came before (a shallow clone).
    """

    commit: Commit | None
    before: tuple[Version, ...]
    after: Version
    is_cut: bool = False


def utc(seconds: int) -> str:
    """Give seconds since 1970 as PersonaKit writes times; "" for one that no calendar holds."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return ""
