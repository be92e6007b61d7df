"""Saves in progress: a file that is empty or ends inside its front matter gets a moment before it is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.vault.reading import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from personakit.services.clock import Clock
    from personakit.vault.scan import Stamp
    from personakit.vault.store import Seen, Store

GRACE_SECONDS = 2.0
_RETRIES = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.050)
_YOUNG_NS = int(GRACE_SECONDS * 1e9)


class Saves:
    """Remembers since when each file has been unfinished, however often it changed meanwhile."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._since: dict[str, float] = {}
        self._tried: dict[str, Stamp | None] = {}
        self._owed: set[str] = set()

    def read(self, paths: Iterable[str], known: Mapping[str, str]) -> list[Seen]:
        """Read files; those that look unfinished are read again after 1, 2, 4 … 50 ms, once for each version."""
        seen = {one.path: one for one in self._store.read_all(paths, known)}
        waiting = [path for path, one in seen.items() if _unfinished(one) and self._deserves_wait(one)]
        for path in waiting:
            self._tried[path] = seen[path].stamp
        for pause in _RETRIES:
            if not waiting:
                break
            self._clock.sleep(pause)
            for one in self._store.read_all(waiting):
                seen[one.path] = one
            waiting = [path for path in waiting if _unfinished(seen[path])]
        for path, one in seen.items():
            # Without a reading it is the version already known, so a save that went on is over, or judged by now.
            if one.stamp is not None and not _unfinished(one):
                self._since.pop(path, None)
                self._tried.pop(path, None)
                self._owed.discard(path)
        return list(seen.values())

    def _deserves_wait(self, one: Seen) -> bool:
        """Say whether a version may be a save going on: it is new to us and it was written just now."""
        if one.stamp is None or self._tried.get(one.path) == one.stamp:
            return False
        return self._clock.nanoseconds() - one.stamp.mtime_ns < _YOUNG_NS

    def in_grace(self, path: str) -> bool:
        """Say whether the last good version still counts for an unfinished file; the first call starts its time."""
        now = self._clock.monotonic()
        self._owed.discard(path)
        return now - self._since.setdefault(path, now) < GRACE_SECONDS

    def owe(self, path: str) -> None:
        """Remember that a file's last good version counts, so that it is judged when its time has run out."""
        self._owed.add(path)

    def forget(self, path: str) -> None:
        """Forget a file that is gone."""
        self._since.pop(path, None)
        self._tried.pop(path, None)
        self._owed.discard(path)

    def overdue(self) -> list[str]:
        """Give the files whose last good version has counted long enough."""
        now = self._clock.monotonic()
        return [path for path in self._owed if now - self._since.get(path, now) >= GRACE_SECONDS]


def _unfinished(one: Seen) -> bool:
    return one.reading is not None and one.reading.condition is Condition.UNFINISHED
