"""A front matter block as the lines of its keys and what stands between them, so that keys can change places whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.vault.conflict import sides
from personakit.vault.frontmatter import BlockError, Value, read_block
from personakit.vault.lines import NoSafeEdit, add_item, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

ONE, OTHER = "one side", "other side"


@dataclass(frozen=True, slots=True)
class Lines:
    """A block cut at its keys.

    Attributes:
        gaps: what stands before each key, and after the last: comments and empty lines. One more than there are keys.
        keys: key -> its own lines, in the block's order.
    """

    gaps: tuple[str, ...]
    keys: dict[str, str]

    def with_keys(self, wanted: Mapping[str, str], order: list[str]) -> str:
        """Give the block with the lines of exactly these keys; one that it lacks stands behind its neighbour."""
        places = list(self.keys)
        gaps = dict(zip(places, self.gaps, strict=False))
        for at, key in enumerate(order):
            if key not in gaps:
                before = next((one for one in reversed(order[:at]) if one in places), None)
                places.insert(0 if before is None else places.index(before) + 1, key)
                gaps[key] = ""
        return "".join(gaps[key] + wanted.get(key, "") for key in places) + self.gaps[-1]


def cut(block: str) -> Lines:
    """Cut a block (with LF line ends) at its keys.

    Raises:
        BlockError: it cannot be read.
        NoSafeEdit: its keys do not stand on lines of their own, or one stands there twice.
    """
    found = read_block(block, 1)
    if found.repeats:
        raise NoSafeEdit("a key stands in its front matter twice")
    lines = [line + "\n" for line in block.split("\n")]
    lines[-1] = lines[-1][:-1]
    starts = [found.lines[key] - 1 for key in found.values]
    # Other line ends than LF are counted by a YAML reader in its own way.
    if starts != sorted(set(starts)) or (starts and starts[-1] >= len(lines)):
        raise NoSafeEdit("its keys do not stand on lines of their own")
    gaps, keys, at = [], dict[str, str](), 0
    for number, (key, start) in enumerate(zip(found.values, starts, strict=True)):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        while end > start + 1 and _is_between(lines[end - 1]):
            end -= 1
        gaps.append("".join(lines[at:start]))
        keys[key] = _closed("".join(lines[start:end]))
        at = end
    gaps.append("".join(lines[at:]))
    return Lines(tuple(gaps), keys)


def _is_between(line: str) -> bool:
    return not line.strip() or line.lstrip(" \t").startswith("#")


def _closed(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def written(key: str, value: Value, near: Mapping[str, Value], lines: Mapping[str, str]) -> str:
    """Give the lines of a key with a value that no side has as it is, near one that has the key.

    Raises:
        NoSafeEdit: the value is nested, which no side of a merge makes anew.
    """
    name = key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else quoted(key)
    if isinstance(value, str):
        return f"{name}: {value if value.isalpha() and value.isascii() else quoted(value)}\n"
    items = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    if len(items) != len(value):
        raise NoSafeEdit("its front matter is nested")
    old = near.get(key)
    kept = old if isinstance(old, list) else []
    if kept and items[: len(kept)] == kept and key in lines:
        try:
            return _with_items(key, lines[key], items[len(kept) :])
        except NoSafeEdit:
            pass
    return f"{name}:\n" + "".join(f"  - {quoted(item)}\n" for item in items)


def _with_items(key: str, lines: str, items: list[str]) -> str:
    page = f"---\n{lines}---\n".encode()
    for item in items:
        page = add_item(page, key, item)
    return page.decode()[len("---\n") : -len("---\n")]


def clashing(one: str, other: str) -> str:
    """Give two versions of some lines between a merge's markers."""
    return f"<<<<<<< {ONE}\n{_ended(one)}=======\n{_ended(other)}>>>>>>> {OTHER}\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def says(block: str, wanted: Mapping[str, Value], clashes: Mapping[str, tuple[Value, Value]]) -> bool:
    """Say whether a block gives exactly these keys, and those that clash one way on each side."""
    both = sides(block) if clashes else (block, block)
    if both is None:
        return False
    try:
        for number, text in enumerate(both):
            found = read_block(text)
            expected = {**wanted, **{key: values[number] for key, values in clashes.items()}}
            if found.repeats or found.values != expected:
                return False
    except BlockError:
        return False
    return True
