"""The walk: every file a vault may hold, with its stamp, and everything that is named instead of read."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from personakit.model.problem import Problem
from personakit.vault import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Stamp(NamedTuple):
    """What tells one version of a file from another without reading it."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


@dataclass(slots=True)
class Walk:
    """What a walk found.

    Attributes:
        files: path to stamp, for Markdown files of a known kind.
        folders: every folder that was walked, the roots included; "" is the vault itself.
        problems: links, devices, folders without rights, files that are not on this machine.
        littered: folders that hold temporary files of ours, which a killed process may have left.
    """

    files: dict[str, Stamp] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    littered: set[str] = field(default_factory=set)


def stamp_of(status: os.stat_result) -> Stamp:
    """Give a stat result's stamp."""
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def shown(path: str) -> str:
    """Give a path as text that can always be written: bytes that are not UTF-8 become a replacement mark."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def walk(root: str, documents: Sequence[str], start: str = "", entering: Callable[[str], None] | None = None) -> Walk:
    """Walk a vault, or the part of it below `start`. Links are never followed.

    Folders that can hold no kind are not entered; `entering` is called with each folder before it is listed.
    """
    found = Walk()
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        if entering is not None:
            entering(folder)
        try:
            with os.scandir(os.path.join(root, folder)) as listing:
                entries = list(listing)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            _name(found, folder, "unreadable_folder", f"This folder cannot be read ({error.strerror}).")
            continue
        found.folders.append(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if _enters(entry, path, found, documents):
                waiting.append(path)
    return found


def _enters(entry: os.DirEntry[str], path: str, found: Walk, documents: Sequence[str]) -> bool:
    """Note one entry of a folder; True for a folder to walk."""
    name = entry.name
    if layout.skips(name):
        _skip(path, name, found, documents)
        return False
    try:
        if entry.is_symlink():
            _link(entry, path, found, documents)
            return False
        if entry.is_dir(follow_symlinks=False):
            return _wanted(path, documents)
        if layout.is_markdown(name) and layout.kind_at(path, documents) is not None:
            _file(entry, path, found)
    except FileNotFoundError:
        pass
    except OSError as error:
        _name(found, path, "unreadable", f"Held: the system does not let us look at it ({error.strerror}).")
    return False


def _skip(path: str, name: str, found: Walk, documents: Sequence[str]) -> None:
    if layout.is_temporary(name):
        found.littered.add(path.rpartition("/")[0])
    elif layout.cloud_stub(name) and layout.kind_at(path, documents):
        _name(found, path, "not_here", "A sync service keeps this file elsewhere. Download it to have it served.")


def _wanted(folder: str, documents: Sequence[str]) -> bool:
    inside = layout.kind_at(f"{folder}/x", documents) is not None
    return inside or any(layout.holds(folder, f"{part}/x") for part in documents)


def _link(entry: os.DirEntry[str], path: str, found: Walk, documents: Sequence[str]) -> None:
    looks_read = layout.is_markdown(entry.name) or "." not in entry.name or os.path.isdir(entry.path)
    if looks_read and _wanted(path, documents):
        _name(found, path, "link", "This is a link. PersonaKit reads no links; put the file itself here.")


def _file(entry: os.DirEntry[str], path: str, found: Walk) -> None:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISREG(status.st_mode):
        found.files[path] = stamp_of(status)
    else:
        _name(found, path, "not_a_file", "This is a device or a pipe, not a file.")


def _name(found: Walk, path: str, code: str, message: str) -> None:
    found.problems.append(Problem(shown(path), code, 0, message))
