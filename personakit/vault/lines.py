"""Line edits: bytes of a file to bytes that differ in one key's own lines, proved before they are used."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.vault.frontmatter import BOM, Block, BlockError, Page, TextHandler, Value, decode, listed, read_block

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_HANDLER = TextHandler()
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_COMMENT = re.compile(r"[ \t]*#")
_NOT_BY_LINE = "its front matter is written in a way that cannot be edited line by line"
# Characters that a YAML reader folds, refuses or drops when they stand bare between double quotes.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class NoSafeEdit(ValueError):
    """No edit of this file is sure to change the key and nothing else; the text says why."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a key stands: its first line and the line after its last, and the line's parts."""

    start: int
    end: int


def quoted(text: str) -> str:
    """Write free text as a JSON-style double-quoted string on one line."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def set_key(raw: bytes, key: str, value: str) -> bytes:
    """Give a file's bytes with one key set to a plain word.

    Raises:
        NoSafeEdit: the file cannot be edited so that only this key changes.
    """
    return _edited(raw, key, lambda lines, eol: _with_word(lines, key, value, eol), value)


def set_text(raw: bytes, key: str, text: str) -> bytes:
    """Give a file's bytes with one key set to any text, in quotes.

    Raises:
        NoSafeEdit: the file cannot be edited so that only this key changes.
    """
    return _edited(raw, key, lambda lines, eol: _with_word(lines, key, quoted(text), eol), text)


def add_item(raw: bytes, key: str, item: str) -> bytes:
    """Give a file's bytes with one string added at the end of a list.

    Raises:
        NoSafeEdit: the file cannot be edited so that only this key changes.
    """
    old = _parsed(_split(raw)).values.get(key)
    if isinstance(old, dict):
        raise NoSafeEdit(f"its `{key}` is no list")
    items = old if isinstance(old, list) else listed(old)
    return _edited(raw, key, lambda lines, eol: _with_item(lines, key, item, eol), [*items, item])


def set_list(raw: bytes, key: str, items: Sequence[str]) -> bytes:
    """Give a file's bytes with one key set to a list on one line, whatever it was; without items its lines go.

    Raises:
        NoSafeEdit: the file cannot be edited so that only this key changes.
    """
    value = f"[{', '.join(map(quoted, items))}]"
    if items:
        return _edited(raw, key, lambda lines, eol: _with_word(lines, key, value, eol), list(items))
    return _edited(raw, key, lambda lines, _: _without(lines, key), None)


def _edited(raw: bytes, key: str, change: Callable[[list[str], str], list[str]], wanted: Value | None) -> bytes:
    page = _split(raw)
    before = _parsed(page)
    if before.repeats:
        raise NoSafeEdit("a key stands in its front matter twice")
    text = decode(raw)
    if page.block is None:
        eol = "\r\n" if "\r\n" in text else "\n"
        bom = BOM if text.startswith(BOM) else ""
        after = bom + f"---{eol}" + "".join(change([], eol)) + f"---{eol}" + page.body
    else:
        eol = "\r\n" if page.head.endswith("\r\n") else "\n"
        rest = text[len(page.head) + len(page.block) :]
        after = page.head + "".join(change(_LINE.findall(page.block), eol)) + rest
    result = after.encode()
    _prove(before, page, result, key, wanted)
    return result


def _split(raw: bytes) -> Page:
    try:
        return _HANDLER.page(decode(raw))
    except BlockError as error:
        raise NoSafeEdit(error.why) from error


def _parsed(page: Page) -> Block:
    try:
        return Block() if page.block is None else read_block(page.block)
    except BlockError as error:
        raise NoSafeEdit(error.why) from error


def _prove(before: Block, page: Page, result: bytes, key: str, wanted: Value | None) -> None:
    """Read the result anew and require that it is the old file but for the one key."""
    try:
        after_page = _HANDLER.page(decode(result))
        after = read_block(after_page.block or "")
    except BlockError as error:
        # What is wrong with the result is not wrong with the file: only its size says something to the owner.
        raise NoSafeEdit(error.why if error.code == "block_too_large" else _NOT_BY_LINE) from error
    same_key = after.values.get(key) == wanted
    others = {name: value for name, value in before.values.items() if name != key}
    others_after = {name: value for name, value in after.values.items() if name != key}
    if not same_key or others != others_after or after.repeats or after_page.body != page.body:
        raise NoSafeEdit(_NOT_BY_LINE)


def _find(lines: list[str], key: str) -> _Place | None:
    """Find a key's own lines: the one it stands on and those that belong to its value."""
    start = re.compile(
        rf"(?:{re.escape(key)}|'{re.escape(key)}'|\"{re.escape(key)}\")[ \t]*:(?=[ \t\r\n]|\Z)", re.IGNORECASE
    )
    for number, line in enumerate(lines):
        if start.match(line):
            end = number + 1
            while end < len(lines) and _continues(lines[end]):
                end += 1
            while end > number + 1 and not lines[end - 1].strip():
                end -= 1
            return _Place(number, end)
    return None


def _continues(line: str) -> bool:
    return not line.strip() or line[0] in " \t" or line.startswith(("- ", "-\n", "-\r")) or line == "-"


def _with_word(lines: list[str], key: str, value: str, eol: str) -> list[str]:
    place = _find(lines, key)
    if place is None:
        return _inserted(lines, [f"{key}: {value}{eol}"])
    name, blanks, rest, end = _parts(lines[place.start])
    comment = _comment(rest)
    others = lines[place.start + 1 : place.end]
    if rest and rest[0] not in "|>" and all(line.lstrip(" \t")[:1] in ("#", "\r", "\n") for line in others):
        others = []  # comments below a value that is whole on its own line are not its own
    if others and (("#" in rest and not comment) or any("#" in line for line in others)):
        raise NoSafeEdit(f"its `{key}` goes over several lines with a comment among them")
    changed = f"{name}{blanks or ' '}{value}{comment}{end}"
    end_of_value = place.end if others else place.start + 1
    return [*lines[: place.start], changed, *lines[end_of_value:]]


def _without(lines: list[str], key: str) -> list[str]:
    place = _find(lines, key)
    if place is None:
        return lines
    own = lines[place.start : place.end]
    if any("#" in line for line in own):
        raise NoSafeEdit(f"its `{key}` stands beside a comment, which would go with it")
    return [*lines[: place.start], *lines[place.end :]]


def _parts(line: str) -> tuple[str, str, str, str]:
    """Split a key's line into the key with its colon, the blanks after it, the value with its comment, the line end."""
    match = re.fullmatch(r"(.*?:)([ \t]*)([^\r\n]*)(\r?\n?)", line, re.DOTALL)
    if match is None:
        raise NoSafeEdit(_NOT_BY_LINE)
    return match[1], match[2], match[3], match[4]


def _comment(rest: str) -> str:
    """Give a value's trailing comment with the blanks before it: the first `#` that leaves the value as it is."""
    if rest.startswith("#"):
        return " " + rest
    value = _value(rest)
    for match in _COMMENT.finditer(rest):
        if value is not None and _value(rest[: match.start()]) == value:
            comment = rest[match.start() :]
            return comment if comment[0] in " \t" else " " + comment  # a plain word needs the blank before it
    return ""


def _value(rest: str) -> Value | None:
    try:
        return read_block(f"k: {rest}\n").values.get("k")
    except BlockError:
        return None


def _inserted(lines: list[str], new: list[str]) -> list[str]:
    """Put new lines after the id's, else first."""
    place = _find(lines, "id")
    at = place.end if place is not None else 0
    return [*lines[:at], *new, *lines[at:]]


def _with_item(lines: list[str], key: str, item: str, eol: str) -> list[str]:
    place = _find(lines, key)
    if place is None:
        return _inserted(lines, [f"{key}:{eol}", f"  - {quoted(item)}{eol}"])
    first = lines[place.start]
    name, blanks, rest, end = _parts(first)
    last = [number for number in range(place.start + 1, place.end) if lines[number].lstrip(" ").startswith("-")]
    if last:
        indent = lines[last[0]][: len(lines[last[0]]) - len(lines[last[0]].lstrip(" "))]
        at = place.end
        tail = lines[at - 1]
        closed = tail if tail.endswith("\n") else tail + eol
        return [*lines[: at - 1], closed, f"{indent}- {quoted(item)}{eol}", *lines[at:]]
    if place.end > place.start + 1:
        raise NoSafeEdit(f"its `{key}` is written in a way that cannot be edited line by line")
    comment = _comment(rest)
    value = "" if rest.startswith("#") else rest[: len(rest) - len(comment)].rstrip()
    if value.startswith("[") and value.endswith("]"):
        joint = ", " if value[1:-1].strip() else ""
        changed = [f"{name}{blanks}{value[:-1].rstrip()}{joint}{quoted(item)}]{comment}{end or eol}"]
    else:
        kept = [f"  - {value}{end or eol}"] if listed(_value(value)) else []
        changed = [f"{name}{comment}{end or eol}", *kept, f"  - {quoted(item)}{end or eol}"]
    return [*lines[: place.start], *changed, *lines[place.end :]]
