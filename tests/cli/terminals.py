"""A real terminal: a command in a pseudo-terminal of some width, driven by keys and read as it draws."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Self

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
DEADLINE = 60.0


class Terminal:
    """One command in its terminal. Used as a context manager."""

    def __init__(self, *words: str, cwd: Path, columns: int = 80, rows: int = 40, **environment: str) -> None:
        self.master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self._slave)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "personakit", *words],
            cwd=cwd,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            preexec_fn=self._control,
            env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns), **environment},
        )
        self.raw = ""
        self._seen = 0

    def _control(self) -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self._slave)

    @property
    def text(self) -> str:
        """What was drawn, without what only colours or moves."""
        return _CONTROL.sub("", self.raw).replace("\r\n", "\n")

    def until(self, wanted: str) -> str:
        """Wait until something is drawn that was not before, and give what was drawn since the last time up to it."""
        end = time.monotonic() + DEADLINE
        while wanted not in self.text[self._seen :]:
            assert time.monotonic() < end, f"{wanted!r} is not in {self.text[self._seen :]!r}"
            assert self._read(end) or wanted in self.text[self._seen :], self.text[self._seen :]
        text = self.text
        end_of_it = text.index(wanted, self._seen) + len(wanted)
        found, self._seen = text[self._seen : end_of_it], end_of_it
        return found

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
        try:
            part = os.read(self.master, 65_536) if ready else b""
        except OSError:
            return False
        self.raw += part.decode("utf-8", "replace")
        return bool(part)

    def press(self, keys: str, until: str) -> str:
        """Press keys and wait for what they draw."""
        os.write(self.master, keys.encode())
        return self.until(until)

    def interrupt(self) -> None:
        """Send Ctrl-C as a terminal does to a program that reads lines: a signal."""
        os.killpg(self.process.pid, signal.SIGINT)

    def ends(self) -> int:
        """Wait for the end, require the terminal to be as it was, and give the exit code."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < end
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready and not self._read(end):
                break
        code = self.process.wait(DEADLINE)
        assert termios.tcgetattr(self._slave) == self.before
        return code
