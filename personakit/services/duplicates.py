"""Duplicates: which drawers already say what somebody is about to file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.index.bm25 import rank
from personakit.model.drawer import Drawer
from personakit.model.likeness import difference, grams, likeness
from personakit.model.note import Kind

if TYPE_CHECKING:
    from personakit.index.bm25 import Ranked
    from personakit.index.table import Table
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault

MOST = 5
_CANDIDATES = 20
# So many characters and words are compared; what is alike in them is alike.
_COMPARED = 8_000
_ASKED_WORDS = 60


@dataclass(frozen=True, slots=True)
class Match:
    """A drawer like a text: how like, and what makes it say something else; "" for nothing."""

    drawer: Drawer
    similarity: float
    reason: str


def duplicates(vault: OpenVault, viewer: Viewer, content: str, threshold: float) -> tuple[Match, ...]:
    """Give the drawers a viewer may see whose likeness to a text is the threshold or more, most alike first."""
    vault.freshness.before_call()
    compared = content[:_COMPARED]
    words = list(dict.fromkeys(vault.library.tokeniser.words(compared)))[:_ASKED_WORDS]

    def pick(table: Table) -> list[Ranked]:
        return rank(table, table.shelves(Kind.DRAWER, viewer).served, words, limit=_CANDIDATES)

    found = vault.answer(pick, lambda ranked: [one.note for one in ranked])
    runs = grams(compared)
    matches = [
        Match(one.note, round(alike, 3), difference(compared, one.note.text[:_COMPARED]))
        for one in found
        if isinstance(one.note, Drawer) and (alike := likeness(runs, grams(one.note.text[:_COMPARED]))) >= threshold
    ]
    return tuple(sorted(matches, key=lambda match: (-match.similarity, match.drawer.id))[:MOST])
