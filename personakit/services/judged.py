"""Judged: a note as it is served once the claims to its id are decided, and what of it the gate looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from personakit.model.document import Passage, passage_id
from personakit.model.states import State, most_cautious
from personakit.model.visibility import Sight, Viewer, visible

if TYPE_CHECKING:
    from personakit.model.identity import Verdict
    from personakit.model.note import Note


class Audience(NamedTuple):
    """What the gate looks at, for all the notes that agree in it."""

    state: State | None
    assistants: tuple[str, ...]
    projects: tuple[str, ...]
    wing: str = ""
    repository: str = ""


def is_open(note: Note) -> bool:
    """Say whether everybody may see a note; whose wing it is in does not count."""
    return visible(Audience(note.state, note.assistants, note.projects), Viewer()) is Sight.SERVED


def judged(note: Note, verdict: Verdict) -> Note:
    """Give a note with the id it is served under and the most cautious of all states that count for it."""
    state = note.state
    if verdict.states:
        state = most_cautious([*verdict.states, *([] if state is None else [state])])
    if isinstance(note, Passage):
        if note.about.id == verdict.id:
            return note if note.state is state else replace(note, state=state)
        about = note.about._replace(id=verdict.id)
        return replace(note, id=passage_id(about.id, note.section, note.text), state=state, about=about)
    if note.id == verdict.id and note.state is state:
        return note
    return replace(note, id=verdict.id, state=state)
