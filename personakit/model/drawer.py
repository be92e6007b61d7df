"""A drawer: verbatim text that belongs to a room of a wing."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from personakit.model.note import Note

# The wing, or the room, of what lies in none.
GENERAL = "general"
ID_SHAPE = re.compile(r"drawer_.+_[0-9a-f]{24}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawer(Note):
    """Verbatim text. `text` is the whole body; `wing` and `room` are exact names in any script.

    As a file is read, a name that it does not give is ""; as it is served, it is the name that owns its folder.
    """

    room: str = ""
    hall: str = ""
    source_file: str = ""
    added_by: str = ""
    filed_at: str = ""


def drawer_id(wing: str, room: str, content: str) -> str:
    """Give a drawer's id: 24 hex digits of sha256 over the length-prefixed UTF-8 of wing, room and content."""
    digest = hashlib.sha256()
    for part in (wing, room, content):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return f"drawer_{wing}_{room}_{digest.hexdigest()[:24]}"
