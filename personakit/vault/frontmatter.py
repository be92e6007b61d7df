"""Bytes to metadata and body: front matter is read as text, strictly, and the body byte for byte.

Source: docs/FORMAT.md, "One shape". YAML scalars are strings as the owner sees them; anchors, aliases,
tags, merge keys and deep nesting are refused, so that no file costs more than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from frontmatter.default_handlers import BaseHandler

from personakit.vault.conflict import marker_line
from personakit.vault.plainblock import read_plain

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BLOCK = 32 * 1024
MAX_DEPTH = 4
BOM = "\ufeff"

Value = str | list["Value"] | dict[str, "Value"]

_OPENING = re.compile(r"---[ \t]*(\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)

#: Whether the C parser is there; without it reading is several times slower (`doctor` says so).
FAST: bool = yaml.__with_libyaml__
# CBaseLoader is the C parser; its constructor is not used, since every scalar is text here.
_PARSER: Any = yaml.CBaseLoader if FAST else yaml.BaseLoader
# Asked for at each of a block's events.
_Scalar, _SequenceEnd = yaml.ScalarEvent, yaml.SequenceEndEvent


class BlockError(ValueError):
    """The front matter cannot be read with certainty. `code` is one of problem.HOLDING; `line` counts from 1."""

    def __init__(self, code: str, line: int, why: str) -> None:
        self.code = code
        self.line = line
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Block:
    """What a front matter says.

    Attributes:
        values: key (stripped, casefolded) to its first value.
        repeats: key to all its (value, line) pairs, for keys that occur more than once.
        lines: key to the line it first stands on, from 1.
    """

    values: dict[str, Value] = field(default_factory=dict)
    repeats: dict[str, list[tuple[Value, int]]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Give a scalar as the owner wrote it, without outer blanks; "" when missing or not a scalar."""
        value = self.values.get(key)
        return value.strip() if isinstance(value, str) else ""

    def strings(self, key: str) -> tuple[str, ...]:
        """Give a flat list of strings: a list's scalars, or a scalar alone; empty, `null` and `~` give none."""
        return listed(self.values.get(key))


@dataclass(frozen=True, slots=True)
class Page:
    """A file split in two.

    Attributes:
        head: what stands before the block's first line (a BOM and the fence), "" without a block.
        block: the text between the fences; None without a block.
        body: all after the closing fence's line, exactly.
    """

    head: str
    block: str | None
    body: str


def listed(value: Value | None) -> tuple[str, ...]:
    """Read a value as a flat list of strings."""
    if isinstance(value, str):
        return () if value.strip() in ("", "null", "~") else (value,)
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str) and item)
    return ()


class TextHandler(BaseHandler):
    """A python-frontmatter handler that takes only `---` fences on lines of their own and reads YAML as text."""

    FM_BOUNDARY = _CLOSING
    START_DELIMITER = END_DELIMITER = "---"

    def detect(self, text: str) -> bool:
        """Say whether a text starts with a fence, after an optional BOM."""
        return _OPENING.match(text, len(BOM) if text.startswith(BOM) else 0) is not None

    def split(self, text: str) -> tuple[str, str]:
        """Give the block and the body of a text that `detect` accepts.

        Raises:
            BlockError: `unclosed_block`.
        """
        page = self.page(text)
        return page.block or "", page.body

    def page(self, text: str) -> Page:
        """Split a text in head, block and body, so that head + block + closing line + body is the text.

        Raises:
            BlockError: `unclosed_block` or `bad_line_ends`.
        """
        start = len(BOM) if text.startswith(BOM) else 0
        opening = _OPENING.match(text, start)
        if opening is None:
            if re.match(r"---[ \t]*\r", text[start : start + 80]):
                raise BlockError("bad_line_ends", 1, "its lines end in a lone CR")
            return Page("", None, text[start:])
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            raise BlockError("unclosed_block", 1, "its front matter has no closing ---")
        return Page(text[: opening.end()], text[opening.end() : closing.start()], text[closing.end() :])

    def load(self, fm: str) -> dict[str, Any]:
        """Read a block's keys and first values.

        Raises:
            BlockError: it cannot be read with certainty.
        """
        return dict(read_block(fm).values)

    def export(self, metadata: dict[str, object], **kwargs: object) -> str:
        """Refuse: PersonaKit edits lines and never writes a block anew."""
        raise NotImplementedError("front matter is edited line by line")


def decode(raw: bytes) -> str:
    """Decode a file.

    Raises:
        BlockError: `not_utf8`.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BlockError("not_utf8", line, "it is not UTF-8 text") from error


def read_block(block: str, first_line: int = 2) -> Block:
    """Read a front matter block; `first_line` is where it starts in its file.

    Raises:
        BlockError: with the code and line of what is wrong.
    """
    if len(block) * 4 > MAX_BLOCK and len(block.encode()) > MAX_BLOCK:
        raise BlockError("block_too_large", first_line, "its front matter is larger than 32 KiB")
    plain = read_plain(block)
    if plain is not None:
        values, numbers = plain
        return Block(values, {}, dict(zip(values, (first_line + number for number in numbers), strict=True)))
    line = marker_line(block)
    if line:
        raise BlockError("merge_conflict", first_line + line - 1, "a merge left its conflict markers in it")
    return _Reader(block, first_line).read()


class _Reader:
    """Builds a Block from a parser's events, which come one by one: what is refused costs no more than its start."""

    def __init__(self, block: str, first_line: int) -> None:
        self._first_line = first_line
        try:
            self._next: Callable[[], Any] = _PARSER(block).get_event
        except yaml.YAMLError as error:
            self._fail(error)

    def read(self) -> Block:
        try:
            return self._document()
        except yaml.YAMLError as error:
            self._fail(error)

    def _document(self) -> Block:
        self._next()  # the stream's start
        event = self._next()
        if type(event) is yaml.StreamEndEvent:
            return Block()
        root = self._next()
        if type(root) is yaml.ScalarEvent and root.value == "":
            return Block()
        if type(root) is not yaml.MappingStartEvent:
            self._refuse("not_a_mapping", root, "its front matter is not a list of keys and values")
        self._guard(root, 1)
        found = self._mapping(1)
        self._next()  # the document's end
        after = self._next()
        if type(after) is not yaml.StreamEndEvent:
            self._refuse("bad_yaml", after, "its front matter holds a second YAML document")
        return found

    def _fail(self, error: yaml.YAMLError) -> NoReturn:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = self._first_line + (mark.line if mark is not None else 0)
        raise BlockError("bad_yaml", line, "its front matter is not valid YAML") from error

    def _refuse(self, code: str, event: Any, why: str) -> NoReturn:
        raise BlockError(code, self._first_line + event.start_mark.line, why)

    def _guard(self, event: Any, depth: int) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse("forbidden_yaml", event, "its front matter uses YAML anchors or tags")
        if depth > MAX_DEPTH:
            self._refuse("too_deep", event, f"its front matter is nested more than {MAX_DEPTH} deep")

    def _mapping(self, depth: int) -> Block:
        found = Block()
        while True:
            event = self._next()
            kind = type(event)
            if kind is yaml.MappingEndEvent:
                return found
            if kind is not yaml.ScalarEvent:
                self._refuse("bad_yaml", event, "its front matter has a key that is not plain text")
            self._guard(event, 0)
            if event.value == "<<" and event.implicit[0]:
                self._refuse("forbidden_yaml", event, "its front matter uses a YAML merge key")
            line = self._first_line + event.start_mark.line
            _keep(found, event.value.strip().casefold(), self._value(self._next(), depth), line)

    def _value(self, event: Any, depth: int) -> Value:
        kind = type(event)
        if kind is _Scalar:
            self._guard(event, 0)
            text: str = event.value
            return text
        if kind is yaml.AliasEvent:
            self._refuse("forbidden_yaml", event, "its front matter uses YAML aliases")
        self._guard(event, depth + 1)
        if kind is yaml.MappingStartEvent:
            return self._mapping(depth + 1).values
        items: list[Value] = []
        following = self._next
        while type(event := following()) is not _SequenceEnd:
            items.append(self._value(event, depth + 1))
        return items


def _keep(found: Block, key: str, value: Value, line: int) -> None:
    if key not in found.values:
        found.values[key] = value
        found.lines[key] = line
        return
    found.repeats.setdefault(key, [(found.values[key], found.lines[key])]).append((value, line))
