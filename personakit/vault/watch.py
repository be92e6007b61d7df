"""What changed on disk: the kernel's events, read by the thread that asks, and when they cannot be trusted.

Events are hints. They name files and folders to look at again; what is there is found by looking.
"""

from __future__ import annotations

import itertools
import os
import re
import select
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from personakit.vault import layout
from personakit.vault.atomic import temporary_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from watchdog.observers.inotify_c import CallbackId, InotifyEvent, InotifyFD, WatchDescriptor

PROBE_MILLISECONDS = 1_000
# Mounts on which writes from the other side raise no event here.
_DEAF_MOUNTS = ("9p", "fuse", "nfs", "cifs", "smb", "drvfs", "virtiofs", "overlay", "ceph", "afs")
# How mountinfo writes blanks, line ends and backslashes in a path.
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(slots=True)
class Marks:
    """What to look at again.

    Attributes:
        files: paths of files, relative to the vault.
        folders: folders to walk anew: they appeared, with whatever is in them.
        gone: folders that went, with everything known below them.
        everything: events were lost, so all must be looked at.
    """

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """How changes are seen here: by `events`, or by `sweeps` for the reason `why`. `lost` counts overflows."""

    how: str
    why: str
    folders: int = 0
    lost: int = 0


class Watch(Protocol):
    """Where changes come from."""

    def enter(self, folder: str) -> None:
        """Start watching one folder; called before it is listed."""

    def restart(self) -> None:
        """Forget all folders: the vault's folder is another one now."""

    def take(self) -> Marks:
        """Give everything the system knows to have changed by now, and forget it."""

    def sight(self) -> Sight:
        """Say how changes are seen, and why."""

    def close(self) -> None:
        """Give back what the system lent; nothing is seen from here on."""


class NoWatch:
    """For a process that looks once and ends, and for systems whose events are not read."""

    def __init__(self, why: str = "this process looks once") -> None:
        self._why = why

    def enter(self, folder: str) -> None:
        """Do nothing."""

    def restart(self) -> None:
        """Do nothing."""

    def take(self) -> Marks:
        """Give nothing."""
        return Marks()

    def sight(self) -> Sight:
        """Say that only looking helps."""
        return Sight("sweeps", self._why)

    def close(self) -> None:
        """Do nothing."""


def watch_for(root: str, documents: Sequence[str]) -> Watch:
    """Give the best watch for a vault on this system."""
    why = why_not_events(root)
    if why:
        return NoWatch(why)
    try:
        watch = KernelWatch(root, documents)
    except OSError as error:
        return NoWatch(f"the system gives no events ({error.strerror})")
    if watch.hears():
        return watch
    watch.close()
    return NoWatch("a file written for a try raised no event")


def why_not_events(root: str) -> str:
    """Say why events cannot be trusted where a folder lies, "" when nothing known speaks against them."""
    if not sys.platform.startswith("linux"):
        return "events are read on Linux only"
    mount = deaf_mount(root)
    return f"a {mount} mount reports no changes made elsewhere" if mount else ""


def deaf_mount(root: str, mounts: str = "/proc/self/mountinfo") -> str:
    """Give the type of the mount a folder lies on if its events cannot be trusted, else ""."""
    best, kind = -1, ""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                fields, _, rest = line.partition(" - ")
                point = _ESCAPED.sub(lambda escape: chr(int(escape[1], 8)), fields.split()[4])
                if len(point) >= best and (root == point or layout.holds(point, root) or point == "/"):
                    best, kind = len(point), rest.split()[0]
    except (OSError, IndexError):
        return ""
    return kind if kind.startswith(_DEAF_MOUNTS) else ""


class KernelWatch:
    """Linux: the inotify descriptor is read by whoever asks, without blocking, until it is empty.

    The kernel queues an event before an editor's save returns, so nothing saved before the question is missed;
    watchdog's observer threads hand events on later than that. Its bindings are used without its thread.
    """

    def __init__(self, root: str, documents: Sequence[str]) -> None:
        # Imported here: a server answers its first request before it watches anything.
        from watchdog.observers.inotify_c import InotifyConstants as Bits  # noqa: PLC0415
        from watchdog.observers.inotify_c import InotifyFD, Mask  # noqa: PLC0415

        self._root = root
        self._documents = tuple(documents)
        self._mask = Mask(
            Bits.IN_CREATE | Bits.IN_CLOSE_WRITE | Bits.IN_MOVE | Bits.IN_DELETE | Bits.IN_DONT_FOLLOW | Bits.IN_ONLYDIR
        )
        self._fd: InotifyFD = InotifyFD()
        # The only parts of watchdog's bindings without a public name; a test fails when they change.
        self._poll = select.poll()
        self._poll.register(self._fd._inotify_fd, select.POLLIN)
        self._lock = threading.RLock()
        self._marks = Marks()
        self._numbers = itertools.count(1)
        self._folders: dict[WatchDescriptor, str] = {}
        self._watched: dict[str, tuple[WatchDescriptor, CallbackId]] = {}
        self._refused = ""
        self._lost = 0
        self._closed = False

    def hears(self) -> bool:
        """Try whether a write in `.personakit/` raises an event; True also where nothing can be tried."""
        folder = os.path.join(self._root, layout.MACHINE)
        if not os.path.isdir(folder):
            return True
        try:
            descriptor = self._fd.add_callback(os.fsencode(folder), self._mask, self, number := self._number())
            temp = temporary_in(folder)
            os.close(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(temp)
        except OSError:
            return True
        heard = bool(self._poll.poll(PROBE_MILLISECONDS))
        self._fd.remove_callbacks([(descriptor, number)])
        self._drain()
        return heard

    def _number(self) -> CallbackId:
        return cast("CallbackId", next(self._numbers))

    def enter(self, folder: str) -> None:
        """Watch one folder. A refusal is remembered: from then on events alone are not trusted."""
        with self._lock:
            if not folder:
                self._refused = ""  # a walk of the whole vault begins: every folder is tried again
            if self._closed or folder in self._watched:
                return
            full = os.fsencode(os.path.join(self._root, folder))
            try:
                # A callback's id is new each time: the kernel gives a moved folder the descriptor it had.
                number = self._number()
                descriptor = self._fd.add_callback(full, self._mask, self, number)
            except (FileNotFoundError, NotADirectoryError):
                return
            except OSError as error:
                self._refused = error.strerror or str(error)
                return
            if descriptor == -1:
                self._refused = "a folder cannot be read"
                return
            self._forget(self._folders.get(descriptor))
            self._folders[descriptor] = folder
            self._watched[folder] = (descriptor, number)

    def restart(self) -> None:
        """Drop all watches."""
        with self._lock:
            self._drain()
            for folder in list(self._watched):
                self._drop(folder)
            self._marks = Marks()
            self._refused = ""

    def take(self) -> Marks:
        """Read the descriptor until it is empty."""
        with self._lock:
            self._drain()
            marks, self._marks = self._marks, Marks()
            return marks

    def sight(self) -> Sight:
        """Say whether events are trusted."""
        why = f"only {len(self._watched)} folders could be watched ({self._refused})" if self._refused else ""
        return Sight("sweeps" if why else "events", why, len(self._watched), self._lost)

    def close(self) -> None:
        """Give the descriptor back."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._fd._is_reading = False
            self._fd.close()

    def _drain(self) -> None:
        # A closed descriptor polls as ready for ever, and its number may be another file's by now.
        while not self._closed and self._poll.poll(0):
            for event in self._fd.read_events():
                self._fd.handle_event(event)

    def on_event(self, event: InotifyEvent) -> None:
        """Turn one event into a mark."""
        folder = self._folders.get(event.wd)
        if folder is None or not event.name:
            return
        name = os.fsdecode(event.name)
        if layout.skips(name):
            return
        path = f"{folder}/{name}" if folder else name
        if event.is_directory:
            self._folder_event(event, path)
        elif layout.is_markdown(name) and layout.kind_at(path, self._documents) is not None:
            self._marks.files.add(path)

    def _folder_event(self, event: InotifyEvent, path: str) -> None:
        if event.is_delete or event.is_moved_from:
            below = path + "/"
            for folder in [known for known in self._watched if known == path or known.startswith(below)]:
                self._drop(folder)
            self._marks.gone.add(path)
            self._marks.folders = {f for f in self._marks.folders if f != path and not f.startswith(below)}
        else:
            self._marks.folders.add(path)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget a folder whose watch the kernel dropped; another may have its name by now, unwatched."""
        folder = self._folders.get(wd)
        self._forget(folder)
        if self._closed or folder is None:
            return
        if folder:
            self._marks.folders.add(folder)
        else:
            self._marks.everything = True

    def on_queue_overflow(self) -> None:
        """Remember that events were lost."""
        self._lost += 1
        self._marks.everything = True

    def _drop(self, folder: str) -> None:
        callback = self._forget(folder)
        if callback is not None:
            self._fd.remove_callbacks([callback])

    def _forget(self, folder: str | None) -> tuple[WatchDescriptor, CallbackId] | None:
        callback = self._watched.pop(folder, None) if folder is not None else None
        if callback is not None:
            self._folders.pop(callback[0], None)
        return callback
