"""Cursors: where the next page begins, checked when it comes back. They hold no word and no secret."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json

from personakit.errors import ArgumentError


def written_cursor(given: object, position: object) -> str:
    """Give a cursor for a call with these arguments."""
    text = json.dumps([_hash(given), position], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str, given: object) -> object:
    """Give the position that a cursor holds.

    Raises:
        ArgumentError: nobody gave it, or it was given to a call with other arguments.
    """
    try:
        raw = base64.b64decode(cursor.strip() + "=" * (-len(cursor.strip()) % 4), altchars=b"-_", validate=True)
        said = json.loads(raw)
    except (ValueError, binascii.Error, RecursionError) as error:
        raise ArgumentError("cursor", "is none that this tool gave") from error
    if not isinstance(said, list) or len(said) != 2:
        raise ArgumentError("cursor", "is none that this tool gave")
    if said[0] != _hash(given):
        raise ArgumentError("cursor", "belongs to a call with other arguments; repeat those, or leave it out")
    return said[1]


def _hash(given: object) -> str:
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()[:12]
