"""A session's transcript, kept only where the owner's consent is full. No tool serves it."""

from __future__ import annotations

from dataclasses import dataclass

from personakit.model.note import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript(Note):
    """A file of sessions/. Times are as written."""

    agent: str = ""
    project: str = ""
    parent: str = ""
    started: str = ""
    ended: str = ""
