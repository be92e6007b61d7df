"""Three versions of a file to one: parsed, merged key by key, and written back as lines of the versions themselves.

The two sides are put in one fixed order first, so that both machines come to the same bytes, markers included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from personakit.model.memory import statement_of
from personakit.model.merging import Clash, Version, may_leave, merge_keys
from personakit.model.note import Kind
from personakit.vault.blocks import Lines, clashing, cut, says, written
from personakit.vault.body import VERBATIM
from personakit.vault.frontmatter import BOM, BlockError, Page, TextHandler, Value, read_block
from personakit.vault.lines import NoSafeEdit
from personakit.vault.reading import Condition, read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_HANDLER = TextHandler()
_RULED = frozenset({Kind.MEMORY, Kind.FACT, Kind.PROPOSAL})
_NO_FILE = b""


class TextMerge(Protocol):
    """Merges lines: one side, the base, the other side; None where such bytes have no lines."""

    def __call__(self, one: bytes, base: bytes, other: bytes) -> tuple[bytes, bool] | None:
        """Give the merged bytes, and whether they hold a conflict."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge came to; `clashes`: both sides stand in it and the owner chooses."""

    data: bytes
    clashes: bool = False


@dataclass(frozen=True, slots=True)
class _Parts:
    """One version of a file that was read with certainty, its line ends made LF."""

    version: Version
    page: Page
    closing: str
    lines: Lines
    crlf: bool

    @property
    def block(self) -> str:
        return self.page.block or ""


def merge_file(kind: Kind | None, base: bytes | None, ours: bytes, theirs: bytes, text: TextMerge) -> Merged:
    """Merge two versions of a file whose common base is given, None where both added it. `kind` None: no vault file."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    one, other = sorted((ours, theirs))
    if kind in VERBATIM:
        return Merged(both_versions(one, other), clashes=True)
    if kind in _RULED:
        merged = _by_rule(kind, base, one, other, text)
        if merged is not None:
            return merged
    return _by_text(kind, base, one, other, text)


def both_versions(one: bytes, other: bytes) -> bytes:
    """Give a file that holds both versions and is held, whatever its kind: markers stand in its front matter too."""
    parts = [_split(data.decode("utf-8", "surrogateescape")) for data in (one, other)]
    blocks, bodies = [page.block or "" for page in parts], [page.body for page in parts]
    body = bodies[0] if bodies[0] == bodies[1] else clashing(*bodies)
    return f"---\n{clashing(*blocks)}---\n{body}".encode("utf-8", "surrogateescape")


def _split(text: str) -> Page:
    try:
        return _HANDLER.page(text)
    except BlockError:
        return Page("", None, text)


def _by_text(kind: Kind | None, base: bytes | None, one: bytes, other: bytes, text: TextMerge) -> Merged:
    done = text(one, base or _NO_FILE, other)
    if kind is None:
        return Merged(one, clashes=True) if done is None else Merged(*done)
    if done is None or not _may_be_served(kind, done[0], one, other):
        return Merged(both_versions(one, other), clashes=True)
    return Merged(*done)


def _may_be_served(kind: Kind, data: bytes, one: bytes, other: bytes) -> bool:
    """Say whether nothing is served of a text merge that a side keeps back: it is held, or no wider than either."""
    result = _version(kind, data)
    if result is None:
        return True
    both = [_version(kind, side) for side in (one, other)]
    return None not in both and may_leave(result.note, result.words, *[side for side in both if side is not None])


def _version(kind: Kind, data: bytes) -> Version | None:
    """Read a version. None: nothing of it is served."""
    reading = read_file("", kind, data)
    if reading.condition is not Condition.READ:
        return None
    page = _HANDLER.page(data.decode("utf-8"))
    keys = {} if page.block is None else read_block(page.block).values
    return Version(keys, reading.notes[0], _words(kind, page.body))


def _words(kind: Kind, body: str) -> str:
    return statement_of(body) if kind is Kind.MEMORY else body.replace("\r\n", "\n").strip()


def _by_rule(kind: Kind, base: bytes | None, one: bytes, other: bytes, text: TextMerge) -> Merged | None:
    """Merge key by key. None: a version cannot be read with certainty or edited by line."""
    try:
        before, *both = [_parts(kind, data) for data in (base or _NO_FILE, one, other)]
    except (BlockError, NoSafeEdit):
        return None
    first, second = both
    if first is None or second is None or (base and before is None):
        return None
    return _Ruled(kind, before, first, second, text).merged()


def _parts(kind: Kind, data: bytes) -> _Parts | None:
    """Take a version apart; None where nothing of it is served.

    Raises:
        BlockError, NoSafeEdit
    """
    crlf = b"\r\n" in data and data.count(b"\r\n") == data.count(b"\n")
    data = data.replace(b"\r\n", b"\n") if crlf else data
    version = _version(kind, data)
    if version is None:
        return None
    content = data.decode("utf-8")
    page = _HANDLER.page(content)
    start = len(page.head) + len(page.block or "")
    closing = "" if page.block is None else content[start : len(content) - len(page.body)]
    return _Parts(version, page, closing, cut(page.block or ""), crlf)


class _Ruled:
    """A merge of three versions that were all read."""

    def __init__(self, kind: Kind, base: _Parts | None, one: _Parts, other: _Parts, text: TextMerge) -> None:
        self._kind = kind
        self._base, self._one, self._other = base, one, other
        self._text = text

    def merged(self) -> Merged | None:
        done = self._lines(*(part.page.body if part else "" for part in (self._one, self._base, self._other)))
        if done is None:
            return None
        body, torn = done
        base = None if self._base is None else self._base.version
        words = "" if torn and self._is_torn(body) else _words(self._kind, body)
        keys = merge_keys(base, self._one.version, self._other.version, words)
        try:
            block = self._block(keys)
        except NoSafeEdit:
            return None
        if block is None:
            return None
        clashes = torn or any(isinstance(value, Clash) for value in keys.values())
        data = self._file(block, body)
        if not self._holds(data, clashes=clashes):
            return None
        return Merged(data, clashes)

    def _is_torn(self, body: str) -> bool:
        """Say whether the sides conflict in the words themselves, and not in the owner's notes below a statement."""
        return self._kind is not Kind.MEMORY or "<<<<<<<" in statement_of(body) or "=======" in statement_of(body)

    def _holds(self, data: bytes, *, clashes: bool) -> bool:
        """Prove that a result with a conflict is held."""
        return _version(self._kind, data) is None or not clashes

    def _lines(self, one: str, base: str, other: str) -> tuple[str, bool] | None:
        done = self._text(one.encode(), base.encode(), other.encode())
        return None if done is None else (done[0].decode("utf-8"), done[1])

    def _block(self, keys: Mapping[str, Value | Clash]) -> str | None:
        """Write the keys with the lines of the versions that have them. None: no lines are sure to say just this."""
        order = list(dict.fromkeys([*self._one.lines.keys, *self._other.lines.keys, *keys]))
        wanted = {key: self._key_lines(key, value) for key, value in keys.items()}
        both = [part.lines.with_keys(wanted, order) for part in (self._one, self._other)]
        before = self._base.lines.with_keys(wanted, order) if self._base else Lines(("",), {}).with_keys(wanted, order)
        plain = {key: value for key, value in keys.items() if not isinstance(value, Clash)}
        clashes = {key: (value.one, value.other) for key, value in keys.items() if isinstance(value, Clash)}
        done = self._lines(both[0], before, both[1])
        # Keys that stand in another order on each side, or comments that were changed on both: one side's order.
        plainer = both[0] + _comments_beside(both[1], both[0], before)
        candidates = ([done[0]] if done and not done[1] else []) + [plainer]
        return next((block for block in candidates if says(block, plain, clashes)), None)

    def _key_lines(self, key: str, value: Value | Clash) -> str:
        """Give a key's lines: those of the side that has this value, and rather of one that changed them."""
        if isinstance(value, Clash):
            return clashing(self._one.lines.keys[key], self._other.lines.keys[key])
        before = None if self._base is None else self._base.lines.keys.get(key)
        found = [part.lines.keys[key] for part in (self._one, self._other) if part.version.keys.get(key) == value]
        if found:
            return next((lines for lines in found if lines != before), found[0])
        first, second = self._one, self._other
        holder = first if key in first.lines.keys else second
        return written(key, value, holder.version.keys, holder.lines.keys)

    def _file(self, block: str, body: str) -> bytes:
        head = self._chosen("head")
        if block or head.strip(BOM):
            bom = BOM if head.startswith(BOM) else ""
            head = head if head.strip(BOM) else f"{bom}---\n"
            closing = self._chosen("closing") or "---\n"
            closing = closing if not body or closing.endswith("\n") else closing + "\n"
            content = head + block + closing + body
        else:
            content = head + body
        data = content.encode()
        return data.replace(b"\n", b"\r\n") if self._chosen("crlf") else data

    def _chosen(self, what: str) -> str:
        """Choose what stands around the keys by which side changed it."""

        def of(part: _Parts) -> str:
            found = {"head": part.page.head, "closing": part.closing, "crlf": "crlf" if part.crlf else ""}
            return found[what]

        one, other = of(self._one), of(self._other)
        return other if self._base is not None and one == of(self._base) else one


def _comments_beside(block: str, chosen: str, before: str) -> str:
    """Give the comment lines of a block that neither the chosen one has nor the base had."""
    known = {*chosen.splitlines(), *before.splitlines()}
    lines = [line for line in block.splitlines() if line.lstrip(" \t").startswith("#") and line not in known]
    return "".join(f"{line}\n" for line in lines)
