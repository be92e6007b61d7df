"""One write, cut off by `kill -9` before its first step, before its second, and so on until it gets to its end.

Runs as a process of its own: `python -m tests.safety.dying HOME ACTION`. `HOME/start` is the vault; each try gets a
copy of it, `HOME/1`, `HOME/2` …, and what the killed process has left in it stays for the test to judge.
"""

from __future__ import annotations

import builtins
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from personakit.config import Launch
from personakit.model.states import State
from personakit.services.clock import SystemClock
from personakit.services.decide import decide
from personakit.services.desk import Desk
from personakit.services.look import look
from personakit.services.opened import OpenVault
from personakit.vault.watch import NoWatch

STEPS = ("open", "write", "fsync", "close", "link", "replace", "unlink", "mkdir", "chmod", "utime", "setxattr")
TEXT, QUOTE = "Likes tea", "said at the very end"


def opened(root: Path) -> OpenVault:
    """Open a vault and read it."""
    vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
    vault.load()
    return vault


def _propose(vault: OpenVault) -> None:
    Desk(Launch(vault=vault.root, assistant="alpha"), vault).propose(TEXT, QUOTE, "other")


def _decide(vault: OpenVault) -> None:
    decide(vault, vault.library.notes()[0].id, State.RESTRICTED)


ACTIONS: dict[str, Callable[[OpenVault], None]] = {
    "propose": _propose,
    "repeat": _propose,
    "decide": _decide,
    "look": look,
    "load": OpenVault.load,
}


def die_at(number: int) -> None:
    """Kill this process when it is about to take a step of writing for the n-th time."""
    left = [number]

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)

        return step

    for name in STEPS:
        setattr(os, name, dying(getattr(os, name)))
    builtins.open = dying(builtins.open)


def main(home: Path, action: str) -> None:
    """Try until a write gets to its end."""
    number, status = 0, 1
    while status != 0:
        number += 1
        root = home / str(number)
        shutil.copytree(home / "start", root)
        child = os.fork()
        if child == 0:
            vault = opened(root)
            if action == "load":
                vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
            die_at(number)
            ACTIONS[action](vault)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status not in (0, signal.SIGKILL):
            sys.exit(f"try {number} ended with {status}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
