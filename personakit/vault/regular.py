"""Regular files, opened without following links and read as they are at one moment."""

from __future__ import annotations

import errno
import os
import stat

from personakit.vault import layout
from personakit.vault.scan import stamp_of

READ_TRIES = 50


def bytes_of(full: str) -> tuple[bytes, os.stat_result]:
    """Read a regular file that is no link, with the stat of the descriptor after the last byte."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(full, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(errno.ENOENT, "not a regular file", full)
        for _ in range(READ_TRIES):
            raw = _whole(descriptor, status.st_size)
            after = os.fstat(descriptor)
            if stamp_of(after) == stamp_of(status) and len(raw) == after.st_size:
                return raw, after
            status = after
            os.lseek(descriptor, 0, os.SEEK_SET)
        raise OSError(errno.EAGAIN, "it never stops changing")
    finally:
        os.close(descriptor)


def _whole(descriptor: int, size: int) -> bytes:
    raw = os.read(descriptor, size + 1)
    while len(raw) <= size and (part := os.read(descriptor, size + 1 - len(raw))):
        raw += part
    return raw


def start_of(full: str) -> bytes:
    """Read the first bytes of a file that is too large to be read whole."""
    descriptor = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as file:
        return file.read(layout.MAX_MEMORY)
