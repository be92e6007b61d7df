"""Preview: what each known assistant would be told for the owner's questions before and after a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import NotEditable
from personakit.model.memory import Memory
from personakit.model.note import label_key
from personakit.model.visibility import viewer
from personakit.services.decide import resolve
from personakit.services.find import find, served
from personakit.vault.lines import NoSafeEdit, set_key
from personakit.vault.questions import questions_of

if TYPE_CHECKING:
    from personakit.model.states import State
    from personakit.services.answers import ReadAnswer
    from personakit.services.opened import OpenVault

LIMIT = 7


@dataclass(frozen=True, slots=True)
class Effect:
    """One answer that a decision changes; `assistant` is "" for any that no list names."""

    assistant: str
    question: str
    before: ReadAnswer
    after: ReadAnswer


@dataclass(frozen=True, slots=True)
class Preview:
    """What a decision changes among so many answers."""

    memory: Memory
    state: State
    effects: tuple[Effect, ...]
    questions: int
    assistants: tuple[str, ...]


def preview(vault: OpenVault, given: str, state: State) -> Preview:
    """Ask the owner's questions as each known assistant, as things are and as if a memory had a state.

    The memory's own statement is asked as well, since it is what finds it.

    Raises:
        UnknownId, AmbiguousId, HeldFile
        NotEditable: its file is none that a decision could be written into.
    """
    note = resolve(vault.library, given)
    if not isinstance(note, Memory):
        raise NotEditable(note.id, "it is no memory, and only what assistants are told of memories is previewed")
    try:
        raw = set_key(vault.library.store.raw(note.path), "state", state.value)
    except NoSafeEdit as error:
        raise NotEditable(note.id, str(error)) from error
    asked = (note.text, *questions_of(vault.root))
    names = known_assistants(vault)
    before = _answers(vault, names, asked)
    with vault.library.supposing(note.path, raw):
        after = _answers(vault, names, asked)
    effects = tuple(Effect(*key, before[key], after[key]) for key in before if before[key] != after[key])
    return Preview(note, state, effects, len(asked), names)


def known_assistants(vault: OpenVault) -> tuple[str, ...]:
    """Give the assistants that the vault names, and "" for every other."""
    names: dict[str, str] = {}
    for note in vault.library.notes():
        if isinstance(note, Memory):
            for name in (*note.assistants, *([note.proposed_by] if note.proposed_by else [])):
                names.setdefault(label_key(name), name)
    return ("", *sorted(names.values(), key=str.casefold))


def answer_to(vault: OpenVault, name: str, question: str) -> ReadAnswer:
    """Give what an assistant would be told for a question."""
    return served(find(vault, question, LIMIT, viewer(name or None)))


def _answers(vault: OpenVault, names: tuple[str, ...], asked: tuple[str, ...]) -> dict[tuple[str, str], ReadAnswer]:
    return {(name, question): answer_to(vault, name, question) for name in names for question in asked}
