"""One key of the owner at a time: from a terminal as it is pressed, from a pipe as the first letter of a line."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import termios
    import tty
except ImportError:  # Windows has no such terminals; click reads its console
    termios = tty = None  # type: ignore[assignment]

END = ("", "\x04", "\x1a")  # the end of input, as pipes and terminals send it
ESCAPE = "\x1b"
_SEQUENCE_SECONDS = 0.03
_LONGEST = 64


class Keys:
    """Where the owner's keys and words come from. Used as a context manager, which leaves the terminal as it was.

    For as long as it is entered a terminal gives keys at once and shows none of them; keys that are pressed before
    they are asked for wait their turn.
    """

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.is_over = False
        self._saved: Any = None

    def __enter__(self) -> Self:
        if self.is_terminal and termios is not None:
            self._saved = termios.tcgetattr(sys.stdin.fileno())
            tty.setcbreak(sys.stdin.fileno(), termios.TCSANOW)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _restore(self) -> None:
        if self._saved is not None:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._saved)

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Lend the terminal, as it was, to a line editor or to another program."""
        self._restore()
        try:
            yield
        finally:
            if self._saved is not None:
                tty.setcbreak(sys.stdin.fileno(), termios.TCSANOW)

    def key(self, ask: str) -> str:
        """Give one key, `is_over` at the end of input; a key that sends several characters counts as none of ours.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        if not self.is_terminal:
            return self.line(ask)[:1]
        found = click.getchar() if self._saved is None else _pressed(sys.stdin.fileno())
        self.is_over = found in END
        return found

    def line(self, ask: str) -> str:
        """Give a line that the owner types, without the blanks around it."""
        sys.stdout.write(f"{ask} ")
        sys.stdout.flush()
        with self.lent():
            line = sys.stdin.readline()
        self.is_over = not line
        return line.strip()


def _pressed(descriptor: int) -> str:
    found = os.read(descriptor, 1)
    while found and _is_partial(found):
        found += os.read(descriptor, 1)
    if found == ESCAPE.encode():
        while len(found) < _LONGEST and select.select([descriptor], [], [], _SEQUENCE_SECONDS)[0]:
            found += os.read(descriptor, 1)
    return found.decode("utf-8", "replace")


def _is_partial(found: bytes) -> bool:
    """Say whether more bytes belong to the character that these begin."""
    first = found[0]
    wanted = 4 if first >= 0xF0 else 3 if first >= 0xE0 else 2 if first >= 0xC0 else 1
    return len(found) < wanted
