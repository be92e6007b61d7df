"""The journal: what happened, one JSON object a line, for as long as the owner keeps it; never a word of a memory.

`.personakit/journal/<machine>-YYYY-MM.jsonl` is only ever added to. Each line says its `kind` first, so that whoever
looks for one kind need not parse the others. A broken line costs that line. Source: docs/FORMAT.md, "The journal".
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from personakit.errors import DiskError
from personakit.vault import atomic, layout
from personakit.vault.store import make_machine_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FOLDER = f"{layout.MACHINE}/journal"
MOST_BYTES = 64 * 1024 * 1024
_DROP_TRIES = 20
WAITS, SETTLED, REFUSED = "waits", "settled", "refused"
SERVED, ENDED = "served", "ended"


@dataclass(frozen=True, slots=True)
class Change:
    """One write that waits to be committed.

    Attributes:
        path: the file, relative to the vault.
        version: `version_of` what was written, "" for a file that was removed.
        before: the version it replaced, "" for a new file.
        tool: the tool or command that wrote it.
        assistant: for whom, "" for the owner's own commands.
        ids: of what was written.
        undoes: the commit that this takes back, "" for none.
    """

    path: str
    version: str
    before: str
    tool: str
    assistant: str = ""
    ids: tuple[str, ...] = ()
    undoes: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in this machine's journal: a file's name ("" for before all of them) and a number of its bytes."""

    name: str
    size: int


class Journal:
    """The journal of one machine in one vault. Whatever goes wrong with it, reading and writing memories go on."""

    def __init__(self, root: str, machine: str, month: Callable[[], str]) -> None:
        """Keep a journal; `month` gives the month it is, YYYY-MM."""
        self._root = root
        self._folder = os.path.join(root, FOLDER)
        self._machine = machine
        self._forgotten = os.path.join(self._folder, f"{machine}.forgotten")
        self._month = month

    def add(self, kind: str, rows: Iterable[dict[str, Any]]) -> bool:
        """Add lines of one kind with one write, safe beside other processes; False where there can be no journal."""
        lines = [json.dumps({"kind": kind, **row}, separators=(",", ":")) + "\n" for row in rows]
        if not lines:
            return True
        try:
            make_machine_folder(self._root)
            self._append("".join(lines).encode("ascii"))
        except (OSError, DiskError):
            return False
        return True

    def rows(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """Give the lines of some kinds, oldest first, of the last 64 MiB that this machine wrote."""
        starts = _starts(kinds)
        for raw in self._last_parts():
            for line in raw.split(b"\n"):
                if line.startswith(starts):
                    yield from _row(line)

    def rows_with(self, said: str, *kinds: str) -> Iterator[dict[str, Any]]:
        """Give the lines of some kinds that hold a text, oldest first; the others are not parsed.

        `said` is ASCII as a line holds it, such as an id; where in the row it stands is for the caller to see.
        """
        starts = _starts(kinds)
        wanted = said.encode("ascii")
        for raw in self._last_parts():
            at = raw.find(wanted)
            while at >= 0:
                end = raw.find(b"\n", at)
                end = len(raw) if end < 0 else end
                line = raw[raw.rfind(b"\n", 0, at) + 1 : end]
                at = raw.find(wanted, end)
                if line.startswith(starts):
                    yield from _row(line)

    def mark(self) -> Mark:
        """Give the place where the journal ends now."""
        name = next(reversed(self._names()), "")
        return Mark(name, self._size(name))

    def rows_since(self, mark: Mark, said: str, *kinds: str) -> tuple[list[dict[str, Any]], Mark]:
        """Give what `rows_with` gives of the lines that came after a place, and the place after them."""
        starts, wanted = _starts(kinds), said.encode("ascii")
        found: list[dict[str, Any]] = []
        for name in self._names():
            size, begun = self._size(name), mark.size if name == mark.name else 0
            if name < mark.name or size == begun:
                continue
            begun = max(begun if begun < size else 0, size - MOST_BYTES)  # a shorter file was written anew
            with contextlib.suppress(OSError):
                whole, end, _ = self._read(name, begun).rpartition(b"\n")  # a line that is being written comes later
                lines = [line for line in whole.split(b"\n") if line.startswith(starts) and wanted in line]
                found += [row for line in lines for row in _row(line)]
                mark = Mark(name, begun + len(whole) + len(end))
        return found, mark

    def forgettings(self) -> int:
        """Give how often lines were taken out, so that whoever remembers them can tell that they should not."""
        try:
            return os.stat(self._forgotten, follow_symlinks=False).st_size
        except OSError:
            return 0

    def drop(self, goes: Callable[[bytes], bool]) -> int:
        """Take lines out of this machine's files and give how many; a file of which nothing is left goes with them.

        The caller holds the vault's lock. What another process adds meanwhile is kept.

        Raises:
            OSError
        """
        number = sum(self._drop_from(os.path.join(self._folder, name), goes) for name in self._names())
        if number:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            with open(os.open(self._forgotten, flags, 0o600), "ab") as file:
                file.write(b".")
        return number

    def _drop_from(self, path: str, goes: Callable[[bytes], bool]) -> int:
        for _ in range(_DROP_TRIES):
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with open(descriptor, "rb") as file:
                raw = file.read()
            lines = raw.splitlines(keepends=True)
            left = b"".join(line for line in lines if not goes(line))
            if left == raw:
                return 0
            if atomic.replace(path, left, partial(_has_size, path, len(raw))):
                if not left:
                    os.unlink(path)
                return len(lines) - left.count(b"\n")
        raise OSError("another process never stopped adding to the journal")

    def note(self, change: Change) -> bool:
        """Note that a write waits to be committed."""
        row = {"path": change.path, "version": change.version, "before": change.before, "tool": change.tool}
        more = {"assistant": change.assistant, "ids": change.ids, "undoes": change.undoes}
        return self.add(WAITS, [{**row, **{key: value for key, value in more.items() if value}}])

    def settle(self, changes: Iterable[Change], how: str) -> None:
        """Note that writes wait no longer, and every earlier one of the same file with them.

        `how` is the commit that holds them, or the word for why none will.
        """
        self.add(SETTLED, [{"path": one.path, "version": one.version, "how": how} for one in changes])

    def refuse(self, why: str) -> None:
        """Note why git refused to commit what waits, unless that is noted already."""
        if why != self.refusal():
            self.add(REFUSED, [{"why": why}])

    def refusal(self) -> str:
        """Give why git last refused, "" when it has committed since."""
        last = ""
        for row in self.rows(REFUSED, SETTLED):
            last = str(row.get("why", "")) if row["kind"] == REFUSED else ""
        return last

    def settled(self, *hows: str) -> list[Change]:
        """Give the last write of each file that was settled for one of these reasons."""
        last = {str(row.get("path")): row for row in self.rows(SETTLED)}
        return [
            Change(path, str(row.get("version")), "", str(row["how"]))
            for path, row in last.items()
            if row.get("how") in hows
        ]

    def waiting(self) -> dict[str, list[Change]]:
        """Give what waits to be committed: path -> the writes of it since its last commit, oldest first."""
        found: dict[str, list[Change]] = {}
        for row in self.rows(WAITS, SETTLED):
            with contextlib.suppress(KeyError, TypeError, ValueError):
                if row["kind"] == WAITS:
                    change = _change(row)
                    found.setdefault(change.path, []).append(change)
                else:
                    _take_out(found, str(row["path"]), str(row["version"]))
        return found

    def _append(self, data: bytes) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        if os.path.realpath(self._folder) != self._folder:
            raise DiskError("the journal's folder is a link")
        name = f"{self._machine}-{self._month()}.jsonl"
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(os.path.join(self._folder, name), flags, 0o600)
        try:
            if os.lseek(descriptor, 0, os.SEEK_END):
                os.lseek(descriptor, -1, os.SEEK_END)
                if os.read(descriptor, 1) != b"\n":
                    data = b"\n" + data  # a line that was cut off takes no other with it
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def _last_parts(self) -> list[bytes]:
        """Give the last bytes of this machine's files, oldest first; a line that the limit cuts is left out."""
        parts: list[bytes] = []
        room = MOST_BYTES
        for name in reversed(self._names()):
            with contextlib.suppress(OSError):
                begun = max(0, self._size(name) - room)
                raw = self._read(name, begun)
                parts.append(raw.partition(b"\n")[2] if begun else raw)
                room -= len(raw)
            if room <= 0:
                break
        return parts[::-1]

    def _read(self, name: str, begun: int) -> bytes:
        path = os.path.join(self._folder, name)
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            file.seek(begun)
            return file.read(MOST_BYTES)

    def _size(self, name: str) -> int:
        try:
            return os.stat(os.path.join(self._folder, name), follow_symlinks=False).st_size
        except OSError:
            return 0

    def _names(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return sorted(name for name in names if name.startswith(f"{self._machine}-") and name.endswith(".jsonl"))


def _starts(kinds: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(f'{{"kind":"{kind}"'.encode() for kind in kinds)


def _row(line: bytes) -> Iterator[dict[str, Any]]:
    """Give what a line says, if it can be read."""
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            yield row


def _has_size(path: str, size: int) -> bool:
    return os.path.getsize(path) == size


def _change(row: dict[str, Any]) -> Change:
    texts = {key: str(row[key]) for key in ("path", "version", "before", "tool")}
    more = {key: str(row.get(key, "")) for key in ("assistant", "undoes")}
    return Change(**texts, **more, ids=tuple(str(one) for one in row.get("ids", ())))


def _take_out(found: dict[str, list[Change]], path: str, version: str) -> None:
    changes = found.get(path, [])
    for number in range(len(changes), 0, -1):
        if changes[number - 1].version == version:
            del changes[:number]
            break
    if not changes:
        found.pop(path, None)
