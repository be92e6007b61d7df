"""Front matter of the plainest kind, read without a YAML parser: what most files are, at a tenth of the cost.

It takes only lines that every YAML reader takes alike: `key: word`, `key: "text"` without escapes, and lists of the
same, one item a line. Anything else is left to the strict reader, whose answer is the same by test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from personakit.vault.frontmatter import Value

_PLAIN = r"[A-Za-z0-9](?:[A-Za-z0-9_./+-]|:(?=[A-Za-z0-9])| (?=[A-Za-z0-9]))*"
_QUOTED = r'"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)"'
_line = re.compile(rf"(?:([A-Za-z_][A-Za-z0-9_-]{{0,60}}):|  -)(?: (?:({_PLAIN})|{_QUOTED}))?\n").match


def read_plain(block: str) -> tuple[dict[str, Value], list[int]] | None:
    """Give a block's keys (casefolded) with their values, and each key's line counted from 0; None: not that plain."""
    values: dict[str, Value] = {}
    lines: list[int] = []
    items: list[Value] | None = None
    last = ""
    at = number = 0
    end = len(block)
    while at < end:
        found = _line(block, at)
        if found is None:
            return None
        key, plain, quoted = found.groups()
        text = plain if plain is not None else quoted
        if key is None:
            if items is None or text is None:
                return None
            items.append(text)
            values[last] = items
        else:
            last = key.casefold()
            if last in values:
                return None
            items = [] if text is None else None
            values[last] = text or ""
            lines.append(number)
        at = found.end()
        number += 1
    return values, lines
