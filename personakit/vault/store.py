"""The vault as a store of files: list, read, create, edit, remove.

Glossary: a *path* is relative to the vault, with `/`. A *stamp* tells versions apart without reading. A *version*
is the hash of a file's content; every write of an existing file names the version it replaces.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from personakit.errors import Busy, Conflict, DiskError, HeldFile, NotEditable, ReadOnlyVault, VaultUnreadable
from personakit.model.note import Kind
from personakit.model.problem import Problem
from personakit.vault import atomic, layout
from personakit.vault.body import possible_ids
from personakit.vault.lines import NoSafeEdit
from personakit.vault.reading import Condition, Reading, keys_of, read_file, silent, version_of
from personakit.vault.regular import bytes_of, start_of
from personakit.vault.scan import Stamp, Walk, stamp_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from contextlib import AbstractContextManager

    from filelock import BaseFileLock

    from personakit.vault.frontmatter import Value

LOCK_SECONDS = 5.0
LOCK_POLL_SECONDS = 0.002
NO_STAMP = Stamp(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Seen:
    """One file as it was at one moment.

    `stamp` is None when nothing is there to read; `reading` is None then, and when it is the version already known.
    """

    path: str
    stamp: Stamp | None = None
    reading: Reading | None = None


class Store(Protocol):
    """What the services need of a vault's files; the disk and a twin in memory keep the same promises."""

    def identity(self) -> tuple[int, int] | None:
        """Give what tells this folder from another of the same name; None while it is missing."""

    def walk(self, start: str = "", entering: Callable[[str], None] | None = None) -> Walk:
        """List every file of a known kind with its stamp, below `start`, and every problem that needs no reading.

        `entering` is called with each folder before it is listed, so that a watch set by it misses nothing.

        Raises:
            VaultUnreadable: the vault's own folder cannot be listed.
        """

    def stamp(self, path: str) -> Stamp | None:
        """Give a file's stamp as it is now; None when there is no such regular file."""

    def read_all(self, paths: Iterable[str], known: Mapping[str, str] | None = None) -> Iterator[Seen]:
        """Read files. What cannot be read comes as a held reading, what is not there as an empty Seen.

        A file that still is the version `known` gives for its path comes with its stamp and no reading.
        """

    def raw(self, path: str) -> bytes:
        """Give a file's bytes; none of them when it cannot be read, or is larger than its kind may be."""

    def keys(self, path: str) -> dict[str, Value]:
        """Give a file's front matter, key to value as its owner sees it; empty when that cannot be read."""

    def writing(self) -> AbstractContextManager[Pen]:
        """Hold the vault's lock for one write; what is read under it cannot be changed by another PersonaKit.

        Raises:
            Busy: another process held it for 5 seconds.
            DiskError, ReadOnlyVault
        """


class Pen(Protocol):
    """What may be done while the vault's lock is held. `called` is what errors call the file."""

    def create(self, folder: str, name: str, data: bytes) -> str:
        """Write a new file, durable when this returns, and give its path.

        A taken name, whatever its case, gets a number; nothing is ever overwritten.

        Raises:
            DiskError
        """

    def edit(self, path: str, version: str, change: Callable[[bytes], bytes], *, called: str) -> str:
        """Replace a file's bytes by `change` of them, if it still is the version named; give the version it is then.

        Raises:
            Conflict: it is another version, or gone.
            HeldFile, NotEditable, DiskError
        """

    def remove(self, path: str, version: str, *, called: str, kept: bool) -> None:
        """Take a file away, if it still is the version named.

        It goes for good only where something else holds it (`kept`); otherwise to `.personakit/trash/`.

        Raises:
            Conflict: it is another version, or gone; its bytes stay where they are.
            HeldFile, NotEditable, DiskError
        """

    def clean(self, folders: Iterable[str]) -> int:
        """Remove our temporary files in these folders that are older than a minute, and say how many there were."""


class DiskVault:
    """A vault in a folder. Nothing outside the folder's real path is ever opened."""

    def __init__(self, root: str, documents: Sequence[str] = ("knowledge",), *, read_only: str = "") -> None:
        """Open the vault at a real path; `read_only` is the reason why nothing may be written, "" for none."""
        self.root = root
        self.documents = tuple(documents)
        self._read_only = read_only
        self._own_turn = threading.Lock()
        self._lock: BaseFileLock | None = None
        self._blocks_told: bool | None = None
        self._names: dict[str, tuple[int, set[str]]] = {}

    def identity(self) -> tuple[int, int] | None:
        """Give the folder's device and inode."""
        try:
            status = os.stat(self.root)
        except OSError:
            return None
        return (status.st_dev, status.st_ino)

    def walk(self, start: str = "", entering: Callable[[str], None] | None = None) -> Walk:
        """List every file of a known kind."""
        if not start:
            try:
                os.scandir(self.root).close()
            except OSError as error:
                raise VaultUnreadable(self.root, _reason(error)) from error
        return walk(self.root, self.documents, start, entering)

    def stamp(self, path: str) -> Stamp | None:
        """Give a file's stamp as it is now."""
        try:
            status = os.lstat(os.path.join(self.root, path))
        except OSError:
            return None
        return stamp_of(status) if stat.S_ISREG(status.st_mode) else None

    def read_all(self, paths: Iterable[str], known: Mapping[str, str] | None = None) -> Iterator[Seen]:
        """Read files, each opened without following links and stamped from the descriptor it was read from."""
        inside: dict[str, bool] = {}
        for path in paths:
            folder = path.rpartition("/")[0]
            if folder not in inside:
                real = os.path.realpath(os.path.join(self.root, folder))
                inside[folder] = real == os.path.join(self.root, folder) if folder else real == self.root
            kind = layout.kind_at(path, self.documents)
            if kind is None or not inside[folder]:
                yield Seen(path)
            else:
                yield self._read(path, kind, known.get(path) if known else None)

    def _read(self, path: str, kind: Kind, known: str | None) -> Seen:
        full = os.path.join(self.root, path)
        try:
            status = os.lstat(full)
            if not stat.S_ISREG(status.st_mode):
                return Seen(path)
            if self._is_elsewhere(status):
                why = "a sync service keeps its content elsewhere; download it"
                return Seen(path, stamp_of(status), _held(path, kind, "not_here", why))
            if status.st_size > layout.max_bytes(kind):
                why = f"it is larger than {_kibibytes(kind)}, the most a {kind} may be"
                ids = possible_ids(kind, start_of(full))
                return Seen(path, stamp_of(status), _held(path, kind, "file_too_large", why, ids))
            raw, status = bytes_of(full)
        except FileNotFoundError:
            if os.path.lexists(os.path.join(self.root, layout.stub_of(path))):
                why = "a sync service keeps it elsewhere; download it"
                return Seen(path, NO_STAMP, _held(path, kind, "not_here", why))
            return Seen(path)
        except OSError as error:
            gone = error.errno in (errno.ENOTDIR, errno.ELOOP)
            if gone:
                return Seen(path)
            # The reason may pass and leave the file's stamp as it is, so this stamp is never a current one.
            return Seen(path, NO_STAMP, _held(path, kind, "unreadable", _reason(error)))
        same = known is not None and version_of(raw, kind) == known
        return Seen(path, stamp_of(status), None if same else read_file(path, kind, raw))

    def names_in(self, folder: str) -> Set[str]:
        """Give the names in a folder without case, listed anew when its stamp has changed.

        A name whose file a sync service keeps elsewhere is there too: the file will come back to it.
        """
        full = os.path.join(self.root, folder)
        stamp = os.stat(full).st_mtime_ns
        known = self._names.get(folder)
        if known is None or known[0] != stamp:
            names = {(layout.cloud_stub(entry) or entry).casefold() for entry in os.listdir(full)}
            self._names = {folder: (stamp, names)}
            return names
        return known[1]

    def add_name(self, folder: str, name: str) -> None:
        """Add a name that was made under the vault's lock, so that the folder need not be listed again for it."""
        known = self._names.get(folder)
        if known is not None:
            known[1].add(name.casefold())
            self._names[folder] = (os.stat(os.path.join(self.root, folder)).st_mtime_ns, known[1])

    def raw(self, path: str) -> bytes:
        """Give a file's bytes."""
        full = os.path.join(self.root, path)
        kind, stamp = layout.kind_at(path, self.documents), self.stamp(path)
        if kind is None or stamp is None or stamp.size > layout.max_bytes(kind) or os.path.realpath(full) != full:
            return b""
        try:
            return bytes_of(full)[0]
        except OSError:
            return b""

    def keys(self, path: str) -> dict[str, Value]:
        """Give a file's front matter."""
        return keys_of(self.raw(path))

    def _is_elsewhere(self, status: os.stat_result) -> bool:
        """Say whether a sync service keeps the content elsewhere: size but no blocks, where blocks are told at all."""
        if status.st_size == 0 or getattr(status, "st_blocks", None) != 0:
            return False
        if self._blocks_told is None:
            with contextlib.suppress(OSError):
                self._blocks_told = os.stat(os.path.join(self.root, layout.SETTINGS)).st_blocks > 0
        return bool(self._blocks_told)

    @contextlib.contextmanager
    def writing(self) -> Iterator[DiskPen]:
        """Hold the vault's lock for one write, and word what the system refuses."""
        if self._read_only:
            raise ReadOnlyVault(self._read_only)
        # Threads of this process wait in turn for each other, and only then for other processes.
        with self._own_turn:
            yield from self._locked()

    def _locked(self) -> Iterator[DiskPen]:
        # Imported here: half of a command's start-up time, which commands that only read do not owe.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        if self._lock is None:
            at = os.path.join(self.root, layout.LOCK)
            self._lock = FileLock(at, timeout=LOCK_SECONDS, poll_interval=LOCK_POLL_SECONDS)
        try:
            make_machine_folder(self.root)
            with self._lock:
                yield DiskPen(self)
        except Timeout as error:
            raise Busy from error
        except OSError as error:
            raise DiskError(_reason(error)) from error


class DiskPen:
    """Writes to a vault in a folder, under its lock."""

    def __init__(self, vault: DiskVault) -> None:
        self._root = vault.root
        self._vault = vault

    def create(self, folder: str, name: str, data: bytes) -> str:
        """Write a new file."""
        full = os.path.join(self._root, folder)
        if os.path.realpath(full) != full:
            raise DiskError("the folder to write to lies behind a link")
        atomic.make_folders(self._root, full)
        taken = self._vault.names_in(folder)
        stem = name.removesuffix(".md")
        for candidate in chain([name], (f"{stem}-{number}.md" for number in range(2, 1000))):
            if candidate.casefold() not in taken:
                with contextlib.suppress(FileExistsError):
                    atomic.create(full, candidate, data)
                    self._vault.add_name(folder, candidate)
                    return f"{folder}/{candidate}"
        raise DiskError("every name for the new file is taken")

    def edit(self, path: str, version: str, change: Callable[[bytes], bytes], *, called: str) -> str:
        """Replace a file's bytes."""
        full = os.path.join(self._root, path)
        kind = layout.kind_at(path, self._vault.documents)
        if kind is None:
            raise HeldFile(called)
        try:
            raw = self._current(path, kind, version, called)
            changed = _changed(path, kind, raw, change, called)
            if _is_read_only(full):
                raise NotEditable(called, "the file is read-only")
            if changed != raw and not atomic.replace(full, changed, lambda: bytes_of(full)[0] == raw):
                raise Conflict(called, version_of(bytes_of(full)[0], kind))
            return version_of(changed, kind)
        except FileNotFoundError as error:
            raise Conflict(called, "gone") from error

    def remove(self, path: str, version: str, *, called: str, kept: bool) -> None:
        """Take a file away: first aside, so that a save at this very moment is not lost, then for good."""
        full = os.path.join(self._root, path)
        kind = layout.kind_at(path, self._vault.documents)
        if kind is None:
            raise HeldFile(called)
        try:
            self._current(path, kind, version, called)
            if _is_read_only(full):
                raise NotEditable(called, "the file is read-only")
            if not atomic.remove(full, self._trash(), kept, lambda raw: version_of(raw, kind) == version):
                raise Conflict(called, "newer")
        except FileNotFoundError as error:
            raise Conflict(called, "gone") from error

    def _trash(self) -> str:
        folder = os.path.join(self._root, layout.TRASH)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.realpath(folder) != folder:
            raise DiskError(f"{layout.TRASH} is a link; only a folder of the vault's own is written to")
        return folder

    def clean(self, folders: Iterable[str]) -> int:
        """Remove temporary files that a killed process of ours left in these folders, and say how many."""
        return atomic.sweep_temporaries(os.path.join(self._root, folder) for folder in folders)

    def _current(self, path: str, kind: Kind, version: str, called: str) -> bytes:
        full = os.path.join(self._root, path)
        if os.path.islink(full):
            raise NotEditable(called, "its file is a link, and no link is ever written to")
        if self._vault.stamp(path) is None or os.path.realpath(full) != full:
            raise Conflict(called, "gone")
        raw = bytes_of(full)[0]
        if version_of(raw, kind) != version:
            raise Conflict(called, version_of(raw, kind))
        return raw


def _changed(path: str, kind: Kind, raw: bytes, change: Callable[[bytes], bytes], called: str) -> bytes:
    limit = layout.max_bytes(kind)
    if len(raw) > limit or read_file(path, kind, raw).condition is not Condition.READ:
        raise HeldFile(called)
    try:
        changed = change(raw)
    except NoSafeEdit as error:
        raise NotEditable(called, str(error)) from error
    if len(changed) > limit:
        raise NotEditable(called, f"it would become larger than {_kibibytes(kind)}, the most a {kind} may be")
    return changed


def _is_read_only(full: str) -> bool:
    # The superuser may write to anything; the owner's mark counts for it too.
    return not os.lstat(full).st_mode & 0o222 or not os.access(full, os.W_OK)


def make_machine_folder(root: str) -> None:
    """Make `.personakit/` with the `.gitignore` that keeps all of it out of git."""
    folder = os.path.join(root, layout.MACHINE)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.realpath(folder) != folder:
        raise DiskError(f"{layout.MACHINE} is a link; only a folder of the vault's own is written to")
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.lexists(ignore):
        with contextlib.suppress(FileExistsError):
            atomic.create(folder, ".gitignore", b"*\n")


def _held(path: str, kind: Kind, code: str, why: str, ids: frozenset[str] = frozenset()) -> Reading:
    problem = Problem(path, code, 0, f"Held: {why}.")
    return Reading(path, Condition.HELD, "", claim=silent(path), problems=(problem,), known_ids=ids)


def _kibibytes(kind: Kind) -> str:
    return f"{layout.max_bytes(kind) // 1024} KiB"


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
