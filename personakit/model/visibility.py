"""The gate: what one viewer may see of one note. There is no second predicate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from personakit.model.note import label_key
from personakit.model.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable


class Sight(Enum):
    """What the gate says."""

    SERVED = "served"
    WITHHELD = "withheld"
    HIDDEN = "hidden"


class Gated(Protocol):
    """What the gate looks at; a note has it, and so does a shelf of notes that agree in it."""

    @property
    def state(self) -> State | None:
        """The owner's decision."""

    @property
    def assistants(self) -> tuple[str, ...]:
        """Launch names that may see it; empty: all."""

    @property
    def projects(self) -> tuple[str, ...]:
        """Projects it belongs to; empty: everywhere."""

    @property
    def wing(self) -> str:
        """The wing of a drawer, "" for what is none."""

    @property
    def repository(self) -> str:
        """The id of a passage's repository, "" for what is none."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, and within which project.

    Attributes:
        name: the launch name (`--as`), as label_key gives it; None: unnamed, which no list names.
        project: the project asked for, as label_key gives it; None: none.
        ceiling: the only project it may ask for (`--project`), as label_key gives it; None: any. Drawers of other
            wings are unknown under it.
        repositories: the ids of the repositories that are open today; passages of others are unknown.
        every_list: answer as an assistant that every `assistants` list names (the owner's `read`).
    """

    name: str | None = None
    project: str | None = None
    ceiling: str | None = None
    every_list: bool = False
    repositories: frozenset[str] = frozenset()


def viewer(
    name: str | None = None,
    project: str | None = None,
    *,
    ceiling: str | None = None,
    every_list: bool = False,
    repositories: frozenset[str] = frozenset(),
) -> Viewer:
    """Make a viewer from names as they were typed."""
    return Viewer(
        name=label_key(name or "") or None,
        project=label_key(project or "") or None,
        ceiling=label_key(ceiling or "") or None,
        every_list=every_list,
        repositories=repositories,
    )


def visible(note: Gated, viewer: Viewer) -> Sight:
    """Say what the viewer may see of a note: all of it, that something is withheld, or nothing.

    Audience first, then state (docs/FORMAT.md, "Who sees what").
    """
    if note.assistants and not viewer.every_list and not _holds(note.assistants, viewer.name):
        return Sight.HIDDEN
    if note.projects and not _holds(note.projects, viewer.project):
        return Sight.HIDDEN
    if note.wing and viewer.ceiling is not None and label_key(note.wing) != viewer.ceiling:
        return Sight.HIDDEN
    if note.repository and note.repository not in viewer.repositories:
        return Sight.HIDDEN
    if note.state is State.RESTRICTED:
        return Sight.WITHHELD
    return Sight.HIDDEN if note.state is State.REJECTED else Sight.SERVED


def _holds(names: Iterable[str], key: str | None) -> bool:
    return key is not None and any(label_key(name) == key for name in names)
