"""What in a body holds its file, and which memories a file that is held may be."""

from __future__ import annotations

import contextlib
import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from itertools import islice
from typing import TYPE_CHECKING

from personakit.model.document import fence_after
from personakit.model.drawer import ID_SHAPE
from personakit.model.memory import memory_id, statement_of
from personakit.model.note import Kind
from personakit.vault.conflict import marker_line, sides
from personakit.vault.frontmatter import MAX_BLOCK, BlockError, TextHandler, read_block

if TYPE_CHECKING:
    from collections.abc import Iterator

# In these the body is anything at all, so only the front matter can hold the file.
VERBATIM = frozenset({Kind.DRAWER, Kind.DIARY, Kind.SESSION})

_HANDLER = TextHandler()
# What an editor does not show, or shows as a blank: with it before or behind, a fence still looks like one.
_UNSEEN = " \t\r\n\v\f\x85\u2028\u2029\u00a0\u3000\u200b\u200c\u200d\u2060\ufeff"
_OUR_KEY = re.compile(
    r"[\s\"'\u200b-\u200d\u2060\ufeff]*"
    r"(?:(?:state|assistants|projects|evidence)[ \t\"']*:|id[ \t\"']*:[ \t\"']*m_|type[ \t\"']*:[ \t\"']*memory)",
    re.IGNORECASE,
)
_ID_LINE = re.compile(r"^[ \t]*[\"']?id[\"']?[ \t]*:[ \t]*[\"']?(m_[0-9a-f]{12})\b", re.MULTILINE | re.IGNORECASE)
_DRAWER_LINE = re.compile(r"^[ \t]*[\"']?id[\"']?[ \t]*:[ \t]*(\".*\"|.*?)[ \t\r]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"\s*(?:[\w\"'.-]+[ \t]*:|-[ \t]|-$|#|$)")
_KEY_LINES = re.compile(r"(?:[ \t]*(?:[\w\"'-]+[ \t]*:.*|-[ \t].*|-|#.*|)\r?\n)+")
_FENCE_LINE = re.compile(r"^---[ \t]*\r?\n", re.MULTILINE)
# A statement that can be proposed is shorter than this by far, and so is what stands before one.
_READ = 4_000
_MOST_FENCES = 8


def check_body(kind: Kind, body: str, first_line: int, *, has_block: bool) -> None:
    """Look for what makes a file's meaning uncertain; `first_line` is where its body starts.

    Raises:
        BlockError: `merge_conflict`, `two_blocks`, `late_block` or `bad_line_ends`.
    """
    if kind in VERBATIM:
        return
    if "\r" in body and "\n" not in body and body.rstrip("\r").count("\r"):
        raise BlockError("bad_line_ends", first_line, "its lines end in a lone CR")
    unfenced = _without_code(body)
    line = marker_line(unfenced if kind is Kind.PASSAGE else body)
    if line:
        raise BlockError("merge_conflict", first_line + line - 1, "a merge left its conflict markers in it")
    line = _block_at_start(body) or _line_of_our_keys(unfenced, whole=not has_block)
    if line and has_block:
        raise BlockError("two_blocks", first_line + line - 1, "it has two blocks of front matter")
    if line:
        raise BlockError("late_block", first_line + line - 1, "its front matter does not start on the first line")


def _block_at_start(body: str) -> int:
    """Give the line of a block with keys, of whatever names, that a body starts with; 0 for none."""
    start = body.lstrip(_UNSEEN)
    if not start.startswith("---"):
        return 0
    try:
        block = _HANDLER.page(start).block
        values = read_block(block).values if block else {}
    except BlockError:
        return 0
    return 1 + body.count("\n", 0, len(body) - len(start)) if values else 0


def _line_of_our_keys(text: str, *, whole: bool) -> int:
    """Give the line of a fence that a key of the format's own follows, readable as a block or not; 0 for none.

    What stands between the two are keys as well. Behind a fence at the very start of a `whole` file it may be anything:
    its owner meant a block there, however broken.
    """
    if "---" not in text:
        return 0
    lines = text.split("\n")
    found = 0
    # From the end: whether the lines below, as far as they look like keys, and up to the next fence, hold one of ours.
    keys = block = False
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        if line.strip(_UNSEEN) == "---":
            first = whole and block and not "".join(lines[: number - 1]).strip(_UNSEEN)
            found = number if keys or first else found
            keys = block = False
        elif _OUR_KEY.match(line):
            keys = block = True
        elif not _KEY_LINE.match(line):
            keys = False
    return found


def _without_code(body: str) -> str:
    if "```" not in body and "~~~" not in body:
        return body
    fence = ""
    kept = []
    for line in body.split("\n"):
        fence = fence_after(fence, line)
        kept.append("" if fence else line)
    return "\n".join(kept)


def possible_ids(kind: Kind, raw: bytes) -> frozenset[str]:
    """Give the ids that a file which cannot be read with certainty may have.

    A memory's are told by its `id` lines and its words, a drawer's by the `id` line of its front matter; the words of
    other kinds are never asked for.
    """
    if kind is Kind.DRAWER:
        return frozenset(id_ for text in _readings(raw[:MAX_BLOCK]) for id_ in _drawer_ids(text))
    if kind is not Kind.MEMORY:
        return frozenset()
    return frozenset[str]().union(*(_ids_in(text.replace("\r\n", "\n").replace("\r", "\n")) for text in _readings(raw)))


def _drawer_ids(text: str) -> Iterator[str]:
    # A drawer's text may hold such lines too, and those say nothing of the drawer.
    start = _FENCE_LINE.search(text)
    end = _FENCE_LINE.search(text, start.end()) if start is not None else None
    for match in _DRAWER_LINE.finditer(text, 0, len(text) if end is None else end.start()):
        with contextlib.suppress(ValueError):
            id_ = json.loads(match[1]) if match[1].startswith('"') else match[1].strip("'")
            if ID_SHAPE.fullmatch(id_):
                yield id_


def _readings(raw: bytes) -> list[str]:
    """Give what bytes may say: in UTF-8, and where they are none, in what editors write otherwise."""
    try:
        return [raw.decode("utf-8")]
    except UnicodeDecodeError:
        other = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "cp1252"
        return [raw.decode(encoding, "replace") for encoding in ("utf-8", other)]


def _ids_in(text: str) -> set[str]:
    ids = {match[1].lower() for match in _ID_LINE.finditer(text)}
    for version in (text, *(sides(text) or ())):
        starts = [0, *(match.end() for match in islice(_FENCE_LINE.finditer(version), _MOST_FENCES))]
        for start in starts:
            rest = version[start : start + _READ]
            keys = _KEY_LINES.match(rest)
            for words in (rest, rest[keys.end() :] if keys else ""):
                statement = statement_of(words)
                if statement:
                    ids.add(memory_id(statement))
    return ids
