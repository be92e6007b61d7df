"""A correction: a proposed change to one passage of a document, waiting for a person."""

from __future__ import annotations

from dataclasses import dataclass

from personakit.model.note import Note

WAITING, ACCEPTED, DECLINED = "waiting", "accepted", "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(Note):
    """A file of proposals/. `status` is waiting, accepted or declined; `base` is the blob it was made against."""

    passage: str = ""
    document: str = ""
    base: str = ""
    agent: str = ""
    session: str = ""
    request_id: str = ""
    status: str = WAITING
    redacted: bool = False
