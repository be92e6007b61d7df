"""Whose turn it is to commit: one process at a time, told by a lock beside the vault's own."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from personakit.errors import DiskError
from personakit.vault import layout
from personakit.vault.store import make_machine_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = f"{layout.MACHINE}/commit.lock"


@contextlib.contextmanager
def committing(root: str, seconds: float = 0.0) -> Iterator[bool]:
    """Give whether it is this process's turn; it waits at most so long for another's to end."""
    # Imported here: half of a command's start-up time, which commands that only read do not owe.
    from filelock import FileLock, Timeout  # noqa: PLC0415

    lock = FileLock(os.path.join(root, LOCK), timeout=seconds)
    try:
        make_machine_folder(root)
        lock.acquire()
    except (Timeout, OSError, DiskError):
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
