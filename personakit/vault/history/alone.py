"""One sync of a repository at a time, over all processes of this machine."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from personakit.errors import CannotSync

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """Hold the lock of syncs; a killed process gives it back.

    Raises:
        CannotSync: another sync is under way.
    """
    try:
        with FileLock(path, timeout=0):
            yield
    except Timeout as error:
        raise CannotSync("another sync of it is under way") from error
