"""A diary entry: what an agent wrote down at one moment."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from personakit.model.note import Note

# The agent of an entry that lies in nobody's folder.
UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiaryEntry(Note):
    """One entry, verbatim. `timestamp` is UTC with microseconds, as written.

    As a file is read, an agent that it does not give is ""; as it is served, it is the one who owns its folder.
    """

    agent: str = ""
    topic: str = ""
    timestamp: str = ""


def diary_id(agent: str, timestamp: str, entry: str) -> str:
    """Give an entry's id: `e_` and 12 hex digits over agent, timestamp and text."""
    parts = "\0".join((agent, timestamp, entry))
    return "e_" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]
