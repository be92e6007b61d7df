"""The trailers of a commit's message, read here: git reads them as the repository's own settings tell it to.

`trailer.separators`, `trailer.<name>.key` and `core.commentChar` would hide whose change a commit is.
Source: git-interpret-trailers(1).
"""

from __future__ import annotations

import re

_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:(.*)", re.DOTALL)
# What `git cherry-pick -x` adds to them.
_PICKED = "(cherry picked from commit "


def trailers_of(message: str) -> dict[str, list[str]]:
    """Give the trailers of a message: casefolded name to its values, in their order.

    They are its last paragraph, where that is not the first and nothing else stands in it. A line that begins with a
    blank goes on with the one before.
    """
    lines = message.rstrip().split("\n")
    start = next((number for number in range(len(lines), 0, -1) if not lines[number - 1].strip()), 0)
    if not start:
        return {}
    unfolded: list[str] = []
    for line in lines[start:]:
        if line[0] in " \t" and unfolded:
            unfolded[-1] += " " + line.strip()
        else:
            unfolded.append(line)
    found: dict[str, list[str]] = {}
    for line in unfolded:
        trailer = _TRAILER.fullmatch(line)
        if trailer is not None:
            found.setdefault(trailer[1].casefold(), []).append(trailer[2].strip())
        elif not line.startswith(_PICKED):
            return {}
    return found
