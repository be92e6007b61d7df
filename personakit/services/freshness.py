"""Fresh answers: what the owner saved counts in the very next call.

Before a call everything the system already knows is taken in; before a note leaves, its file is looked at once more.
Source: docs/ARCHITECTURE.md, "Fresh".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from personakit.errors import Unsettled, VaultEmptied, VaultMissing, VaultUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.services.clock import Clock
    from personakit.services.library import Library
    from personakit.vault.cache import Kept
    from personakit.vault.scan import Stamp
    from personakit.vault.watch import Marks, Watch

T = TypeVar("T")

SWEEP_SECONDS = 15.0
BLIND_SWEEP_SECONDS = 2.0
STAT_EACH_CALL = 2_000
REST_SECONDS = 600.0
JUDGE_TRIES = 20


class Freshness:
    """Keeps a library in step with its vault, at each call and between calls."""

    def __init__(self, library: Library, watch: Watch, clock: Clock, root: str) -> None:
        """Join a library and a watch; `root` names the vault in errors."""
        self.watch = watch
        self._library = library
        self._clock = clock
        self._root = root
        self._identity: tuple[int, int] | None = None
        self._swept = float("-inf")
        self._called = float("-inf")

    def load(self, kept: Mapping[str, Kept], tick: Callable[[int, int], None] | None = None) -> int:
        """Read the vault for the first time and give how many files had to be read.

        Raises:
            VaultMissing, VaultUnreadable
        """
        library = self._library
        with library.lock:
            self._identity = self._present()
            walk = library.store.walk(entering=self.watch.enter)
            self._swept = self._called = self._clock.monotonic()
            return library.load(walk, kept, tick)

    def before_call(self) -> None:
        """Take in everything that was saved by now.

        Raises:
            VaultMissing: the folder is gone.
            VaultEmptied: every file is gone, and that is not believed yet.
            VaultUnreadable
        """
        with self._library.lock:
            identity = self._present()
            if identity != self._identity:
                self.watch.restart()
                self._identity = identity
                self._swept = float("-inf")
            self._follow(self.watch.take())
            now = self._clock.monotonic()
            rested = now - self._called > REST_SECONDS
            self._called = now
            if rested or self._swept == float("-inf") or self._library.is_doubted:
                self.sweep()
            elif self.watch.sight().how == "sweeps":
                self._look_without_events(now)
            again = self._library.overdue_saves() + self._library.unsure()
            if again:
                self._library.apply(again)
            if self._library.is_blind:
                self._look_into_blind_folders()
            if self._library.is_doubted:
                raise VaultEmptied(self._root)

    def before_write(self) -> None:
        """Take in everything that is saved by now, where no event tells it too; for a look under the vault's lock.

        Raises:
            VaultMissing, VaultEmptied, VaultUnreadable
        """
        self.before_call()
        if self.watch.sight().how == "sweeps":
            self.sweep()

    def sweep(self) -> None:
        """Look at every file's stamp. The walk runs beside calls; only what differs is taken in under the lock."""
        walk = self._library.store.walk(entering=self.watch.enter)
        self._swept = self._clock.monotonic()
        self._library.apply_walk(walk)

    def sweep_if_due(self) -> float | None:
        """Sweep when the time has come, and give the seconds until the next; None when calls have stopped."""
        now = self._clock.monotonic()
        if now - self._called > REST_SECONDS:
            return None
        pause = BLIND_SWEEP_SECONDS if self.watch.sight().how == "sweeps" else SWEEP_SECONDS
        if now - self._swept >= pause and self._library.store.identity() == self._identity:
            self.sweep()
        return max(0.05, self._swept + pause - self._clock.monotonic())

    def answer(self, pick: Callable[[Table], T], leaving: Callable[[T], Iterable[Note]]) -> T:
        """Pick from the table until every note that would leave is still what its file says.

        Raises:
            Unsettled: the files never stopped changing.
            VaultEmptied: every file is gone, and that is not believed yet.
        """
        judged: dict[str, Stamp | None] = {}
        for _ in range(JUDGE_TRIES):
            with self._library.lock:
                picked = pick(self._library.table)
            stale = [path for path in {note.path for note in leaving(picked)} if not self._holds(path, judged)]
            if not stale:
                return picked
            self._library.apply(stale)
            if self._library.is_doubted:
                raise VaultEmptied(self._root)
            for path in stale:
                record = self._library.files.get(path)
                judged[path] = record.stamp if record is not None else None
        raise Unsettled

    def _holds(self, path: str, judged: Mapping[str, Stamp | None]) -> bool:
        if path in judged:
            return judged[path] == self._library.store.stamp(path)
        return self._library.is_current(path)

    def _present(self) -> tuple[int, int]:
        identity = self._library.store.identity()
        if identity is None:
            raise VaultMissing(self._root)
        return identity

    def _follow(self, marks: Marks) -> None:
        if marks.everything:
            self.sweep()
            return
        library = self._library
        paths = set(marks.files)
        below = tuple(f"{folder}/" for folder in marks.gone | marks.folders)
        if below:
            paths.update(path for path in library.files if path.startswith(below))
        for folder in sorted(marks.folders):
            paths.update(library.store.walk(folder, entering=self.watch.enter).files)
        if paths:
            library.apply(sorted(paths))

    def _look_into_blind_folders(self) -> None:
        """Try again to list what could not be listed.

        Raises:
            VaultUnreadable: the folder of all memories still cannot be, so that no answer would be true.
        """
        self.sweep()
        for problem in self._library.walk_problems:
            if problem.code == "unreadable_folder" and problem.path == "memories":
                raise VaultUnreadable(os.path.join(self._root, "memories"), "permission denied")

    def _look_without_events(self, now: float) -> None:
        """See additions within 2 s and, in a vault that is small enough, every change at once."""
        library = self._library
        if now - self._swept >= BLIND_SWEEP_SECONDS:
            self.sweep()
        elif len(library.files) <= STAT_EACH_CALL:
            changed = [path for path in library.files if not library.is_current(path)]
            if changed:
                library.apply(changed)
