"""Where a new file of a name goes: one folder for each wing, room and agent, found again by what its files say."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from personakit.vault.layout import folder_name

if TYPE_CHECKING:
    from personakit.services.library import Library


def folder_of(library: Library, parent: str, name: str) -> str:
    """Give the folder below `parent` that belongs to a name: its slug, or `slug-2` where that is another name's."""
    slug = folder_name(name)
    for number in count(1):
        folder = f"{parent}/{slug}" if number == 1 else f"{parent}/{slug}-{number}"
        if library.owners.owner(folder) in ("", name):
            return folder
    raise AssertionError  # counting never ends
