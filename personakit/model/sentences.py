"""Sentences: the smallest stretches of a passage that can answer by themselves, word for word as they stand there."""

from __future__ import annotations

import re

# A full stop ends a sentence only before a blank; those of East Asian scripts end it anywhere.
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”’）]*|\n(?=\s*(?:[-*+>|#]|\d+[.)])\s?)|\n\s*\n")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|approx|cf|Inc|Ltd|Jr|Sr|Nr|bzw|z\.B)\.$"
)
_NUMBER = re.compile(r"\s*\d{1,3}\.")
_MOST = 2_000


def sentences(text: str) -> list[str]:
    """Give the sentences of a text in its order, without the blanks around them; list items count as sentences."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.end()]
        if end[0] == "." and (_SHORT.search(piece[-12:]) or _NUMBER.fullmatch(piece)):
            continue
        _keep(found, piece)
        start = end.end()
        if len(found) == _MOST - 1:
            break
    _keep(found, text[start:])
    return found


def _keep(found: list[str], piece: str) -> None:
    plain = piece.strip()
    if any(letter.isalnum() for letter in plain):
        found.append(plain)
