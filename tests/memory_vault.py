"""A vault in memory: the twin of DiskVault, for tests that need no disk. tests/vault/contract.py binds both."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING

from personakit.errors import Busy, Conflict, DiskError, HeldFile, NotEditable, ReadOnlyVault, VaultUnreadable
from personakit.model.problem import Problem
from personakit.vault import layout
from personakit.vault.lines import NoSafeEdit
from personakit.vault.reading import Condition, Reading, keys_of, read_file, silent, version_of
from personakit.vault.scan import Stamp, Walk
from personakit.vault.store import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from personakit.model.note import Kind
    from personakit.vault.frontmatter import Value

_TICK_NS = 1_000_000_000


class MemoryVault:
    """Files as a dict of path to bytes; each change of one gives it a new stamp.

    Attributes:
        missing: whether the vault's folder is gone.
        busy: whether another process holds the lock.
        full: whether the disk takes no more.
        locked: paths that their owner has marked read-only.
        trash: what was taken away and is kept nowhere else.
        now_ns: the time of the next change; a second later at each.
    """

    def __init__(self, documents: Sequence[str] = ("knowledge",), *, read_only: str = "") -> None:
        """Make an empty vault."""
        self.documents = tuple(documents)
        self.missing = self.busy = self.full = False
        self.locked: set[str] = set()
        self.trash: list[bytes] = []
        self.now_ns = 1_000 * _TICK_NS
        self._read_only = read_only
        self._files: dict[str, bytes] = {}
        self._stamps: dict[str, Stamp] = {}
        self._inodes = itertools.count(1)

    def put(self, path: str, data: bytes) -> None:
        """Write a file as an editor would."""
        self.now_ns += _TICK_NS
        known = self._stamps.get(path)
        inode = next(self._inodes) if known is None else known.inode
        self._files[path] = data
        self._stamps[path] = Stamp(self.now_ns, self.now_ns, len(data), inode)

    def get(self, path: str) -> bytes | None:
        """Give a file's bytes; None when it is not there."""
        return self._files.get(path)

    def remove(self, path: str) -> None:
        """Delete a file as its owner would."""
        del self._files[path], self._stamps[path]

    def age(self, path: str) -> None:
        """Make a file an old one."""
        self._stamps[path] = self._stamps[path]._replace(mtime_ns=0)

    def identity(self) -> tuple[int, int] | None:
        """Give what tells this vault from another."""
        return None if self.missing else (0, id(self))

    def walk(self, start: str = "", entering: Callable[[str], None] | None = None) -> Walk:
        """List every file of a known kind."""
        if self.missing and not start:
            raise VaultUnreadable("memory", "No such file or directory")
        found = Walk()
        folders = {start} if not start or any(path.startswith(start + "/") for path in self._files) else set()
        for path in self._files:
            parts = path.split("/")
            wanted = self._kind(path) is not None and layout.holds(start, path)
            if wanted and not any(layout.skips(part) for part in parts) and layout.is_markdown(parts[-1]):
                found.files[path] = self._stamps[path]
                above = ["/".join(parts[:depth]) for depth in range(len(parts))]
                folders.update(folder for folder in above if folder == start or layout.holds(start, folder))
        found.folders = sorted(folders)
        temporary = {path.rpartition("/")[0] for path in self._files if layout.is_temporary(path.rpartition("/")[2])}
        found.littered = temporary & folders
        for folder in found.folders:
            if entering is not None:
                entering(folder)
        return found

    def stamp(self, path: str) -> Stamp | None:
        """Give a file's stamp as it is now."""
        return None if self.missing else self._stamps.get(path)

    def read_all(self, paths: Iterable[str], known: Mapping[str, str] | None = None) -> Iterator[Seen]:
        """Read files."""
        for path in paths:
            kind, stamp = self._kind(path), self.stamp(path)
            if kind is None or stamp is None:
                yield Seen(path)
                continue
            raw = self._files[path]
            if len(raw) > layout.max_bytes(kind):
                problem = Problem(path, "file_too_large", 0, "Held: it is too large.")
                reading = Reading(path, Condition.HELD, "", claim=silent(path), problems=(problem,))
                yield Seen(path, stamp, reading)
            elif known is not None and known.get(path) == version_of(raw, kind):
                yield Seen(path, stamp)
            else:
                yield Seen(path, stamp, read_file(path, kind, raw))

    def raw(self, path: str) -> bytes:
        """Give a file's bytes."""
        kind, raw = self._kind(path), self.get(path)
        if kind is None or raw is None or self.missing or len(raw) > layout.max_bytes(kind):
            return b""
        return raw

    def keys(self, path: str) -> dict[str, Value]:
        """Give a file's front matter."""
        return keys_of(self.raw(path))

    @contextlib.contextmanager
    def writing(self) -> Iterator[MemoryPen]:
        """Hold the lock for one write."""
        if self._read_only:
            raise ReadOnlyVault(self._read_only)
        if self.busy:
            raise Busy
        yield MemoryPen(self)

    def _kind(self, path: str) -> Kind | None:
        return layout.kind_at(path, self.documents)


class MemoryPen:
    """Writes to a vault in memory."""

    def __init__(self, vault: MemoryVault) -> None:
        """Write to a vault."""
        self._vault = vault

    def create(self, folder: str, name: str, data: bytes) -> str:
        """Write a new file."""
        if self._vault.full or self._vault.missing:
            raise DiskError("No space left on device")
        taken = {path.casefold() for path in self._vault._files}
        stem = name.removesuffix(".md")
        for candidate in (name, *(f"{stem}-{number}.md" for number in range(2, 1000))):
            path = f"{folder}/{candidate}"
            if path.casefold() not in taken:
                self._vault.put(path, data)
                return path
        raise DiskError("every name for the new file is taken")

    def edit(self, path: str, version: str, change: Callable[[bytes], bytes], *, called: str) -> str:
        """Replace a file's bytes."""
        kind = self._vault._kind(path)
        if kind is None:
            raise HeldFile(called)
        raw = self._current(path, kind, version, called)
        changed = _changed(path, kind, raw, change, called)
        if self._current(path, kind, version, called) != raw:
            raise Conflict(called, version)
        if path in self._vault.locked:
            raise NotEditable(called, "the file is read-only")
        if self._vault.full:
            raise DiskError("No space left on device")
        if changed != raw:
            self._vault.put(path, changed)
        return version_of(changed, kind)

    def remove(self, path: str, version: str, *, called: str, kept: bool) -> None:
        """Take a file away; what nothing else keeps goes into the trash."""
        kind = self._vault._kind(path)
        if kind is None:
            raise HeldFile(called)
        raw = self._current(path, kind, version, called)
        if path in self._vault.locked:
            raise NotEditable(called, "the file is read-only")
        self._vault.remove(path)
        if not kept:
            self._vault.trash.append(raw)

    def clean(self, folders: Iterable[str]) -> int:
        """Remove temporary files that are older than a minute."""
        wanted = set(folders)
        left = [
            path
            for path, stamp in self._vault._stamps.items()
            if layout.is_temporary(path.rpartition("/")[2])
            and path.rpartition("/")[0] in wanted
            and self._vault.now_ns - stamp.mtime_ns > 60 * _TICK_NS
        ]
        for path in left:
            self._vault.remove(path)
        return len(left)

    def _current(self, path: str, kind: Kind, version: str, called: str) -> bytes:
        raw = self._vault.get(path)
        if raw is None or self._vault.missing:
            raise Conflict(called, "gone")
        if version_of(raw, kind) != version:
            raise Conflict(called, version_of(raw, kind))
        return raw


def _changed(path: str, kind: Kind, raw: bytes, change: Callable[[bytes], bytes], called: str) -> bytes:
    if len(raw) > layout.max_bytes(kind) or read_file(path, kind, raw).condition is not Condition.READ:
        raise HeldFile(called)
    try:
        changed = change(raw)
    except NoSafeEdit as error:
        raise NotEditable(called, str(error)) from error
    if len(changed) > layout.max_bytes(kind):
        raise NotEditable(called, "it would become too large")
    return changed
