"""What a merge left in a file: where its markers stand, and the two sides they keep apart."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MARKERS = re.compile(r"^(?:<<<<<<<|>>>>>>>|=======(?=\r?$))(?=[ \r\n]|\Z)", re.MULTILINE)
# The line that opens each part of a conflict, and the sides its lines belong to: 0 ours, 1 theirs. Git's diff3 style
# shows the common ancestor too, which is neither.
_PARTS: dict[str, tuple[int, ...]] = {"<<<<<<<": (0,), "|||||||": (), "=======": (1,), ">>>>>>>": (0, 1)}
# And the lines after which it may stand.
_BEFORE = {
    "<<<<<<<": (">>>>>>>",),
    "|||||||": ("<<<<<<<",),
    "=======": ("<<<<<<<", "|||||||"),
    ">>>>>>>": ("=======",),
}


def marker_line(text: str) -> int:
    """Give the line (from 1) of the first merge-conflict marker in a text, 0 for none.

    A line of seven `=` is a heading's underline as well, so it counts only beside one of the others.
    """
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return 0
    first = next((match for match in _MARKERS.finditer(text) if not match[0].startswith("=")), None)
    return 0 if first is None else text.count("\n", 0, first.start()) + 1


def sides(text: str) -> tuple[str, str] | None:
    """Give a text as each side of its merge conflicts had it. None: its markers are not those of whole conflicts."""
    kept: tuple[list[str], list[str]] = ([], [])
    mark, belongs = ">>>>>>>", _PARTS[">>>>>>>"]
    for line in _LINE.findall(text):
        found = line[:7] if line[7:8] in ("", " ", "\r", "\n") else ""
        if found not in _PARTS:
            for side in belongs:
                kept[side].append(line)
            continue
        if mark not in _BEFORE[found]:
            return None
        mark, belongs = found, _PARTS[found]
    return ("".join(kept[0]), "".join(kept[1])) if mark == ">>>>>>>" else None
