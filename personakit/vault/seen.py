"""What the owner last saw of each memory: `.personakit/seen.jsonl`, ids, states and hashes, no words.

One JSON object a line; of several lines with one id the last counts, and a broken line costs that line.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.model.states import State, read_state
from personakit.vault import layout
from personakit.vault.atomic import temporary_in

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Glimpse:
    """How one memory was when it was last seen: its state and the hash of its statement."""

    state: State
    words: str


class SeenFile:
    """The file of one vault. Whatever goes wrong with it, reading and deciding go on."""

    def __init__(self, root: str) -> None:
        self._path = os.path.join(root, layout.MACHINE, "seen.jsonl")

    def read(self) -> dict[str, Glimpse] | None:
        """Give id -> glimpse; None when the owner has never looked."""
        try:
            with open(self._path, "rb") as file:
                lines = file.read(_LARGEST).splitlines()
        except OSError:
            return None
        found = {}
        for line in lines:
            with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                row = json.loads(line)
                state = read_state(row["state"])
                if state is not None:
                    found[str(row["id"])] = Glimpse(state, str(row["words"]))
        return found

    def write(self, glimpses: Mapping[str, Glimpse]) -> None:
        """Remember all of this, and nothing from before."""
        temp = temporary_in(os.path.dirname(self._path))
        with contextlib.suppress(OSError):
            try:
                descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                    file.writelines(_line(id_, glimpse) for id_, glimpse in glimpses.items())
                os.replace(temp, self._path)
            except OSError:
                os.unlink(temp)

    def add(self, id_: str, glimpse: Glimpse) -> None:
        """Remember one more, unless the owner has never looked: then there is nothing to compare with."""
        with contextlib.suppress(OSError), open(self._path, "r+b") as file:
            # A line that a crash cut off must not take this one with it.
            whole = file.seek(0, os.SEEK_END) == 0 or file.seek(-1, os.SEEK_END) < 0 or file.read(1) == b"\n"
            file.write((("" if whole else "\n") + _line(id_, glimpse)).encode())


def _line(id_: str, glimpse: Glimpse) -> str:
    return json.dumps({"id": id_, "state": glimpse.state, "words": glimpse.words}, separators=(",", ":")) + "\n"
