"""Walks through the palace: its graph as one assistant sees it, made anew only when something has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.index.graph import MOST_ROWS, MOST_TUNNELS, Graph
from personakit.model.drawer import Drawer
from personakit.model.note import Kind

if TYPE_CHECKING:
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault

__all__ = ["MOST_ROWS", "MOST_TUNNELS", "Graph", "graph"]


def graph(vault: OpenVault, viewer: Viewer) -> Graph:
    """Give the graph of the drawers a viewer may see. The vault is looked at first."""
    vault.freshness.before_call()
    library = vault.library
    with library.lock:
        table = library.table
        made = vault.graphs.get(viewer)
        if made is None or made[0] != (id(table), table.changes):
            slots = (slot for shelf in table.shelves(Kind.DRAWER, viewer).served for slot in shelf.slots)
            notes = (table.entry(slot).note for slot in slots)
            found = Graph(note for note in notes if isinstance(note, Drawer))
            vault.graphs.clear()  # one assistant asks; a second one's is made when it does
            made = vault.graphs[viewer] = ((id(table), table.changes), found)
        return made[1]
