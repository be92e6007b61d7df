"""A revision: which wording of a note left, in which state, so that the same is not told twice."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from personakit.model.memory import Memory

if TYPE_CHECKING:
    from personakit.model.note import Note

LENGTH = 12


def revision(note: Note) -> str:
    """Give a short hash of what counts for who was told a note: its words, its state, whether it is a rule."""
    rule = "rule" if isinstance(note, Memory) and note.is_rule else ""
    said = "\n".join((note.state or "", rule, note.text))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
