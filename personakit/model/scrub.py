"""Scrubbing: what is kept of a session holds no credential; where one stood, it says what was taken out."""

from __future__ import annotations

import re

from personakit.model.credentials import credential_kind

_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Za-z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [^\n]{0,60}-----|\Z)", re.DOTALL
)


def scrub(text: str) -> str:
    """Give a text with `[removed: kind]` in the place of each credential: of its word, else its line, else all of it.

    Rather too much is taken out than too little.
    """
    if credential_kind(text) is None:
        return text
    lines = _KEY_BLOCK.sub("[removed: private_key]", text).split("\n")
    lines = [_scrubbed_line(line) for line in lines]
    for number in range(len(lines) - 1):
        # A value may stand on the line after its name.
        kind = credential_kind("\n".join(lines[number : number + 2]))
        if kind is not None:
            lines[number], lines[number + 1] = f"[removed: {kind}]", f"[removed: {kind}]"
    found = "\n".join(lines)
    kind = credential_kind(found)
    return found if kind is None else f"[removed: {kind}]"


def _scrubbed_line(line: str) -> str:
    if credential_kind(line) is None:
        return line
    words = re.split(r"(\s+)", line)
    for number, word in enumerate(words):
        kind = credential_kind(word)
        if kind is not None:
            words[number] = f"[removed: {kind}]"
    kind = credential_kind("".join(words))
    return "".join(words) if kind is None else f"[removed: {kind}]"
