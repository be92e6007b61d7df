"""The one writer: a file is there whole and durable, or it is as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import time
from typing import TYPE_CHECKING

from personakit.vault.layout import TEMP_PREFIX, TEMP_SUFFIX, is_temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A file system without hard links: FAT and some network mounts answer with one of these.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
# Some network and FUSE mounts cannot flush a folder; there its names are as durable as they get.
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


def create(folder: str, name: str, data: bytes) -> None:
    """Write a new file that is complete and durable when this returns.

    Raises:
        FileExistsError: something has this name; its bytes are untouched.
        OSError: the system refused; no file of this name and no temporary file is left.
    """
    target = os.path.join(folder, name)
    with _temporary(folder, data) as temp:
        try:
            os.link(temp, target, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            _create_in_place(target, data)
    try:
        _sync_folder(folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(target)
        raise


def replace(path: str, data: bytes, unchanged: Callable[[], bool]) -> bool:
    """Put new bytes in a file's place; mode bits and extended attributes are kept.

    `unchanged` is asked last of all, when the new bytes are durable: False leaves the file as it is and gives False.

    Raises:
        OSError: the system refused; no temporary file is left and the file is as it was, or whole and new where
            only the last step failed, which makes its name durable.
    """
    folder = os.path.dirname(path)
    with _temporary(folder, data, mode=0o600) as temp:
        shutil.copystat(path, temp, follow_symlinks=False)
        os.utime(temp)
        if not unchanged():
            return False
        os.replace(temp, path)
    _sync_folder(folder)
    return True


def remove(path: str, trash: str, kept: bool, wanted: Callable[[bytes], bool]) -> bool:
    """Take a file away by moving it into the folder `trash`, where it stays unless `kept` elsewhere.

    `wanted` is asked of the bytes once nobody can save over them: False puts the file back and gives False.

    Raises:
        FileNotFoundError: it is gone already.
        OSError: the system refused; the file is where it was.
    """
    name = os.fsdecode(os.fsencode(f"{secrets.token_hex(4)}-{os.path.basename(path)}")[:250])
    aside = os.path.join(trash, name)
    os.rename(path, aside)
    with open(aside, "rb") as file:
        good = wanted(file.read())
    if not good:
        _put_back(aside, path)
        return False
    _sync_folder(os.path.dirname(path))
    if kept:
        os.unlink(aside)
    else:
        _sync_folder(trash)
    return True


def _put_back(aside: str, path: str) -> None:
    """Give a file its name back; where another has taken it meanwhile, that one counts and this one stays aside."""
    try:
        os.link(aside, path, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.rename(aside, path)
    else:
        os.unlink(aside)


def make_folders(root: str, folder: str) -> None:
    """Make a folder below a root, durably, with those between."""
    missing = []
    while folder != root and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
        _sync_folder(os.path.dirname(path))


def temporary_in(folder: str) -> str:
    """Give a new name for a temporary file of ours, by which a later start knows it if we are killed."""
    return os.path.join(folder, f"{TEMP_PREFIX}{secrets.token_hex(6)}{TEMP_SUFFIX}")


def is_littered(folder: str) -> bool:
    """Say whether a folder holds temporary files of ours."""
    try:
        return any(map(is_temporary, os.listdir(folder)))
    except OSError:
        return False


def sweep_temporaries(folders: Iterator[str], older_than: float = 60.0) -> int:
    """Remove temporary files of ours that a killed process left, and say how many. Younger ones may be in use."""
    removed = 0
    for folder in folders:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if is_temporary(entry.name):
                    with contextlib.suppress(OSError):
                        if time.time() - entry.stat(follow_symlinks=False).st_mtime > older_than:
                            os.unlink(entry.path)
                            removed += 1
    return removed


@contextlib.contextmanager
def _temporary(folder: str, data: bytes, *, mode: int = 0o666) -> Iterator[str]:
    temp = temporary_in(folder)
    try:
        _write_new(temp, data, mode)
        yield temp
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)


def _write_new(path: str, data: bytes, mode: int = 0o666) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _create_in_place(target: str, data: bytes) -> None:
    try:
        _write_new(target, data)
    except FileExistsError:
        raise
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(target)
        raise


def _sync_folder(folder: str) -> None:
    # Windows has no descriptor for a folder; its file system journals the name itself.
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)
