"""What the owner left for later in a review: `.personakit/skipped.txt`, one id a line, in the order of leaving."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from personakit.vault import layout
from personakit.vault.atomic import temporary_in

if TYPE_CHECKING:
    from collections.abc import Iterable

_LARGEST = 4 * 1024 * 1024


class SkippedFile:
    """The file of one vault. Whatever goes wrong with it, a review goes on."""

    def __init__(self, root: str) -> None:
        self._path = os.path.join(root, layout.MACHINE, "skipped.txt")

    def read(self) -> tuple[str, ...]:
        """Give the ids that were left for later."""
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                return tuple(dict.fromkeys(file.read(_LARGEST).split()))
        except OSError:
            return ()

    def write(self, ids: Iterable[str]) -> None:
        """Remember these, and none from before. The folder is there: its caller holds the vault's lock."""
        temp = temporary_in(os.path.dirname(self._path))
        with contextlib.suppress(OSError):
            try:
                descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{id_}\n" for id_ in ids)
                os.replace(temp, self._path)
            except OSError:
                os.unlink(temp)
