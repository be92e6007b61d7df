"""The owner's own questions: `questions.txt` in the vault, one a line; `#` begins a comment."""

from __future__ import annotations

import os

from personakit.vault.regular import bytes_of

NAME = "questions.txt"
MOST = 200
_LONGEST = 4_000
_LARGEST = 256 * 1024


def questions_of(root: str) -> tuple[str, ...]:
    """Give the questions of a vault, each once, in their order; none where there is no such file of at most 256 KiB."""
    full = os.path.join(root, NAME)
    try:
        raw = bytes_of(full)[0] if os.lstat(full).st_size <= _LARGEST else b""
    except OSError:
        return ()
    lines = raw.decode("utf-8-sig", "replace").splitlines()
    asked = (line.strip()[:_LONGEST] for line in lines)
    return tuple(dict.fromkeys(line for line in asked if line and not line.startswith("#")))[:MOST]
