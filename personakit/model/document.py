"""Documents of the owner and the passages they are cut into at their headings."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from personakit.model.memory import normalised
from personakit.model.note import Note

_HEADING = re.compile(r"(#{1,6})[ \t](.*)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Note):
    """One section of a document: `text` is what stands under the headings `section`, outermost first."""

    document: str = ""
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Where a section stands and what it says."""

    headings: tuple[str, ...]
    text: str


def passage_id(document: str, headings: tuple[str, ...], text: str) -> str:
    """Give a passage's id: `k_` and 12 hex digits over its document, headings and normalised text."""
    parts = "\0".join((document, *headings, normalised(text)))
    return "k_" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def sections(body: str) -> list[Section]:
    """Cut a Markdown body at its headings. Headings inside fenced code are text. Empty sections are left out."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""

    def close() -> None:
        text = "\n".join(lines).strip()
        if text:
            found.append(Section(tuple(title for _, title in path), text))
        lines.clear()

    for line in body.replace("\r\n", "\n").split("\n"):
        fence = fence_after(fence, line)
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        close()
        level = len(heading[1])
        path[:] = [*(step for step in path if step[0] < level), (level, _title(heading[2]))]
    close()
    return found


def _title(written: str) -> str:
    # A closing row of # counts only after a blank: the title of "# C#" is C#.
    title = written.strip(" \t")
    bare = title.rstrip("#")
    return title if bare and bare[-1] not in " \t" else bare.rstrip(" \t")


def fence_after(fence: str, line: str) -> str:
    """Give the code fence that is open after a line, "" for none; `fence` is the one open before it."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and not line[mark.end() :].strip() else fence
