"""Find: the memories for a question, ranked, filled up and masked, and why each of them is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.index.ranking import best, search
from personakit.model.memory import Memory
from personakit.model.privacy import quote_to_serve
from personakit.model.states import State
from personakit.model.visibility import Sight, visible
from personakit.services.answers import ReadAnswer, ServedMemory
from personakit.services.clock import today
from personakit.services.decide import resolve

if TYPE_CHECKING:
    from personakit.index.ranking import Hit
    from personakit.index.table import Table
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault

USED_CHARACTERS = 4_000
FILL_TO = 3
QUOTES = 2


@dataclass(frozen=True, slots=True)
class Found:
    """What a question finds: hits best first, approved memories that fill up, and how many are kept back."""

    hits: tuple[Hit, ...]
    fill: tuple[Memory, ...]
    withheld: int

    @property
    def memories(self) -> list[Memory]:
        """What would leave, in order."""
        matching = [hit.note for hit in self.hits]
        return [note for note in matching if isinstance(note, Memory)] + list(self.fill)


def find(vault: OpenVault, question: str, limit: int, viewer: Viewer) -> Found:
    """Find the memories a viewer may see for a question; `limit` is at least 1. The vault is looked at first."""
    library = vault.library
    vault.freshness.before_call()
    words = library.tokeniser.words(question[:USED_CHARACTERS])
    day = today(library.clock)

    def pick(table: Table) -> Found:
        ranked = search(table, words, viewer=viewer, limit=limit)
        matching = {hit.note.id for hit in ranked.hits}
        wanted = min(FILL_TO, limit) - len(ranked.hits)
        fill: list[Memory] = []
        if wanted > 0:
            for note in table.fill(viewer, day):
                if note.id not in matching:
                    fill.append(note)
                if len(fill) == wanted:
                    break
        return Found(ranked.hits, tuple(fill), ranked.withheld)

    return vault.answer(pick, lambda found: found.memories)


def why_not(vault: OpenVault, question: str, id_: str, limit: int, viewer: Viewer) -> str:
    """Say why a memory is not among what a viewer is told for a question, for its owner alone; "" when it is.

    Raises:
        UnknownId, AmbiguousId, HeldFile
    """
    library = vault.library
    found = find(vault, question, limit, viewer)
    note = resolve(library, id_)
    if any(one.id == note.id for one in found.memories):
        return ""
    if not isinstance(note, Memory):
        return f"it is a {note.kind}, and this question is about memories alone"
    if visible(note, viewer) is not Sight.SERVED:
        return _why_unseen(note, viewer)
    words = library.tokeniser.words(question[:USED_CHARACTERS])
    with library.lock:
        table = library.table
        gone = table.slots_of([note.id]) & table.superseded(viewer)
        every = best(table, words, viewer, limit=len(table))
        by = [each.note for each in table if note.id in getattr(each.note, "supersedes", ())]
    if gone:
        return f"it is superseded by {', '.join(one.id for one in by if visible(one, viewer) is Sight.SERVED)}"
    place = next((number for number, hit in enumerate(every, 1) if hit.note.id == note.id), 0)
    if place:
        return f"it comes as number {place} of {len(every)} that match, and {limit} are told"
    what = "shares no word with the question"
    return what if note.confirmed else f"{what}; only approved memories fill free places"


def _why_unseen(note: Memory, viewer: Viewer) -> str:
    if note.state in (State.RESTRICTED, State.REJECTED):
        return f"it is {note.state}"
    if note.assistants and visible(replace(note, projects=()), viewer) is not Sight.SERVED:
        return f"it is only for {' / '.join(note.assistants)}"
    return f"it belongs to the project {' / '.join(note.projects)}, which was not asked for"


def served(found: Found) -> ReadAnswer:
    """Bring what was found to the form in which it leaves: at most two quotes, masked, then shortened."""
    return ReadAnswer(
        tuple(
            ServedMemory(
                id=note.id,
                text=note.text,
                category=note.category,
                confirmed=note.confirmed,
                evidence=tuple(quote_to_serve(quote) for quote in note.evidence[:QUOTES]),
            )
            for note in found.memories
        ),
        found.withheld,
    )
