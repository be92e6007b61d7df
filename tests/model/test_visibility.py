"""The gate: audience first, then state, over every combination."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.note import Kind, Note
from personakit.model.states import State
from personakit.model.visibility import Sight, Viewer, viewer, visible

STATES = {
    None: Sight.SERVED,
    State.UNCONFIRMED: Sight.SERVED,
    State.APPROVED: Sight.SERVED,
    State.RESTRICTED: Sight.WITHHELD,
    State.REJECTED: Sight.HIDDEN,
}
# The note's list, who asks, whether the list names them.
ASSISTANTS = (
    ((), viewer(), True),
    ((), viewer("claude"), True),
    (("claude",), viewer("claude"), True),
    (("Claude Code",), viewer("claude_code"), True),
    (("codex", "claude"), viewer("claude"), True),
    (("codex",), viewer("claude"), False),
    (("claude",), viewer(), False),
    (("",), viewer(), False),
    (("claude",), viewer(every_list=True), True),
    (("claude-code",), viewer("claude"), False),
)
# The note's list, the project asked for, whether the list holds it.
PROJECTS = (
    ((), None, True),
    ((), "garden", True),
    (("garden",), "garden", True),
    (("The Garden",), "the_garden", True),
    (("kitchen", "garden"), "garden", True),
    (("kitchen",), "garden", False),
    (("garden",), None, False),
)


def note(state: State | None, assistants: tuple[str, ...] = (), projects: tuple[str, ...] = ()) -> Note:
    """Make a note."""
    return Note(kind=Kind.MEMORY, id="m_0", path="m.md", state=state, assistants=assistants, projects=projects)


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(("state", "sight"), list(STATES.items()))
def test_the_state_decides_for_every_kind(kind: Kind, state: State | None, sight: Sight) -> None:
    """Without lists: restricted is withheld, rejected hidden, all else served."""
    assert visible(Note(kind=kind, id="x", path="x.md", state=state), viewer("claude")) is sight


@pytest.mark.parametrize(("by_name", "by_project"), list(product(ASSISTANTS, PROJECTS)))
@pytest.mark.parametrize("state", list(STATES))
def test_every_audience_and_state(
    by_name: tuple[tuple[str, ...], Viewer, bool],
    by_project: tuple[tuple[str, ...], str | None, bool],
    state: State | None,
) -> None:
    """Who is not named, or asks for another project, sees nothing, not even that something is withheld."""
    assistants, who, named = by_name
    projects, project, held = by_project
    asking = Viewer(name=who.name, project=project and viewer(project=project).project, every_list=who.every_list)
    expected = STATES[state] if named and held else Sight.HIDDEN
    assert visible(note(state, assistants, projects), asking) is expected


def test_every_list_names_the_owner_but_not_every_project() -> None:
    """The owner's reading passes the lists of assistants, not those of projects."""
    assert visible(note(None, ("x",), ("garden",)), viewer(every_list=True)) is Sight.HIDDEN


@given(st.text(), st.text())
def test_names_as_typed_compare_by_their_key(name: str, project: str) -> None:
    """A viewer is the same whatever the case it was typed in."""
    assert viewer(name.casefold(), project.casefold()) == viewer(name, project)


@pytest.mark.parametrize("state", list(STATES))
def test_passages_of_a_closed_repository_are_unknown(state: State | None) -> None:
    """A passage is seen only through a repository that is open; what belongs to none is not concerned."""
    passage = Note(kind=Kind.PASSAGE, id="x", path="x.md", state=state, repository="r_a")
    assert visible(passage, Viewer()) is visible(passage, Viewer(repositories=frozenset({"r_b"}))) is Sight.HIDDEN
    assert visible(passage, Viewer(repositories=frozenset({"r_a"}))) is STATES[state]


def test_no_name_is_nobody() -> None:
    """An empty name is no name."""
    assert viewer("", "") == Viewer(name=None, project=None)
