"""Find: the memories for a question, ranked, filled up and masked, and why each of them is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.index.ranking import search
from personakit.model.memory import Memory
from personakit.model.privacy import quote_to_serve
from personakit.services.answers import ReadAnswer, ServedMemory
from personakit.services.clock import today

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
