"""Opening the vault a command works on, with a progress bar where reading it takes a while."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from personakit.config import find_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from personakit.services.opened import OpenVault
    from personakit.vault.watch import Watch


def vault_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--vault DIR` to a command."""
    return click.option(
        "--vault",
        "vault",
        metavar="DIR",
        help="The vault; else PERSONAKIT_VAULT, else the nearest folder above that is one.",
    )(command)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print one line of JSON, for programs.")(command)


def open_vault(named: str | None) -> OpenVault:
    """Find, open and read the vault.

    Raises:
        VaultError: there is none, or it cannot be used.
    """
    # Imported here: `serve` answers its first request before it needs any of this.
    from personakit.vault.watch import NoWatch  # noqa: PLC0415

    return _opened(named, lambda _root, _documents: NoWatch())


@contextmanager
def watched_vault(named: str | None) -> Iterator[OpenVault]:
    """Find, open and read the vault as a server would, watching its folders, so that it can be told how they are seen.

    Raises:
        VaultError: there is none, or it cannot be used.
    """
    # Imported here: `serve` answers its first request before it needs any of this.
    from personakit.vault.watch import KernelWatch, watch_for  # noqa: PLC0415

    watches: list[Watch] = []

    def watching(root: str, documents: Sequence[str]) -> Watch:
        watches.append(watch_for(root, documents))
        return watches[-1]

    try:
        yield _opened(named, watching)
    finally:
        for watch in watches:
            if isinstance(watch, KernelWatch):
                watch.close()


def _opened(named: str | None, watching: Callable[[str, tuple[str, ...]], Watch]) -> OpenVault:
    # Imported here: `serve` answers its first request before it needs any of this.
    from personakit.services.clock import SystemClock  # noqa: PLC0415
    from personakit.services.opened import OpenVault  # noqa: PLC0415

    root = find_vault(named, os.environ, os.getcwd())
    vault = OpenVault(root, SystemClock(), watching)
    if not sys.stderr.isatty():
        vault.load()
        return vault
    with _Bar() as bar:
        vault.load(bar.tick)
    return vault


class _Bar:
    """A progress bar on stderr that appears only when there is enough to do."""

    _ENOUGH = 2_000

    def __enter__(self) -> _Bar:
        self._bar: Any = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tick(self, done: int, every: int) -> None:
        """Show how far reading is."""
        if self._bar is None:
            if every - done < self._ENOUGH:
                return
            # Imported here: a third of a command's start-up time, owed only when there is a bar to show.
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import Progress  # noqa: PLC0415

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("Reading the vault", total=every)
        self._bar.update(self._task, completed=done)
