"""The palace as one assistant sees it: how many drawers its wings and rooms hold, and which match a question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.index.bm25 import rank
from personakit.model.drawer import Drawer
from personakit.model.note import Kind

if TYPE_CHECKING:
    from personakit.index.bm25 import Ranked
    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault

USED_CHARACTERS = 4_000

# Wing -> room -> number of drawers, both sorted by name.
Taxonomy = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class FoundDrawer:
    """A drawer that was found, and which part of the question's weight it holds, 0 to 1."""

    drawer: Drawer
    similarity: float


def taxonomy(vault: OpenVault, viewer: Viewer) -> Taxonomy:
    """Count the drawers that a viewer may see. The vault is looked at first."""
    vault.freshness.before_call()
    with vault.library.lock:
        counts: dict[str, Counter[str]] = {}
        for shelf in vault.library.table.shelves(Kind.DRAWER, viewer).served:
            counts.setdefault(shelf.wing, Counter()).update(shelf.rooms)
    return {wing: dict(sorted(counts[wing].items())) for wing in sorted(counts)}


def find_drawers(
    vault: OpenVault, viewer: Viewer, question: str, *, limit: int, wing: str = "", room: str = ""
) -> tuple[FoundDrawer, ...]:
    """Find the drawers for a question, best first. `wing` and `room` are exact names, "" for any."""
    vault.freshness.before_call()
    words = vault.library.tokeniser.words(question[:USED_CHARACTERS])

    def pick(table: Table) -> list[Ranked]:
        shelves = table.shelves(Kind.DRAWER, viewer).served
        among = [shelf for shelf in shelves if wing in ("", shelf.wing) and (not room or room in shelf.rooms)]

        def wanted(note: Note) -> bool:
            return isinstance(note, Drawer) and note.room == room

        return rank(table, shelves, words, limit=limit, wanted=wanted if room else None, among=among)

    found = vault.answer(pick, lambda ranked: [one.note for one in ranked])
    return tuple(FoundDrawer(one.note, round(one.share, 3)) for one in found if isinstance(one.note, Drawer))
