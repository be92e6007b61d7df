"""Record: what PersonaKit writes is noted in the journal and committed, beside the writes and never in their way.

Nothing here fails a write. What cannot be committed now waits in the journal, and whichever process comes next commits
it if the file still is what was written; else it is the owner's change, and theirs to commit.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any

from personakit.errors import ReadOnlyVault, WriteError
from personakit.model.memory import ID_SHAPE
from personakit.services.machine import Hasher, machine_id
from personakit.vault.journal import FOLDER, SERVED, Change, Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from personakit.config import Settings
    from personakit.services.clock import Clock
    from personakit.vault.history.commits import Commits, Outcome
    from personakit.vault.history.waits import Wait
    from personakit.vault.store import Store

QUIET_SECONDS = 5.0
MOST_SECONDS = 60.0
END_SECONDS = 2.0
_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_TRIES = 120  # an hour of pauses; after that the next call looks again
_PATIENCE = (0.05, 0.1, 0.2, 0.4, 0.8)
_PASSING = frozenset({"index_lock", "busy"})


class Recorder:
    """Commits what this process writes, and what earlier ones left.

    A command calls `flush` before it ends. A server calls `start`, which gives it one thread while anything waits.
    """

    def __init__(self, root: str, clock: Clock, settings: Callable[[], Settings]) -> None:
        """Record for the vault at a real path; its `store` is set before anything is written."""
        self.store: Store
        self._root = root
        self._clock = clock
        self._settings = settings
        self._journal: Journal | None = None
        self._hasher: Hasher | None = None
        self._turn = threading.Condition()
        self._thread: threading.Thread | None = None
        self._serving = self._ending = False
        self._first = self._last = self._tried = float("-inf")
        self._left = False

    @property
    def journal(self) -> Journal:
        """The journal of this machine, opened when it is first needed."""
        if self._journal is None:
            self._journal = Journal(self._root, machine_id(), lambda: self._clock.now().strftime("%Y-%m"))
        return self._journal

    @property
    def hasher(self) -> Hasher:
        """What hides words in the journal, made when it is first needed."""
        if self._hasher is None:
            self._hasher = Hasher()
        return self._hasher

    @property
    def is_on(self) -> bool:
        """Whether the settings let PersonaKit commit by itself."""
        settings = self._settings()
        return settings.commit == "auto" and not settings.read_only

    def written(self, change: Change) -> None:
        """Take note of a write that is on disk. The caller holds the vault's lock."""
        if not self.is_on or not self.journal.note(change):
            return
        with self._turn:
            now = self._clock.monotonic()
            if not self._left or self._first == float("-inf"):
                self._first = now
            self._last = now
            self._left = True
            self._wake()

    def serve(self, row: Mapping[str, Any]) -> bool:
        """Note what left the vault, and to whom; False where no journal can be kept, which keeps nobody waiting."""
        return not self._settings().read_only and self.journal.add(SERVED, [dict(row)])

    def start(self) -> None:
        """Commit from now on in a thread of its own, beginning with what earlier processes left."""
        with self._turn:
            self._serving = True
            self._left = self.is_on
            self._first = self._last = float("-inf")
            self._wake()

    def nudge(self) -> None:
        """Look again at what waits, if the thread has given up; costs nothing when nothing does."""
        if self._left:
            with self._turn:
                self._wake()

    def close(self, seconds: float = END_SECONDS) -> None:
        """End the thread; what waits gets this long to be committed, and stays in the journal otherwise."""
        with self._turn:
            self._ending = True
            self._turn.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def flush(self, patience: Iterable[float] = _PATIENCE) -> Wait | None:
        """Commit what waits now, trying again where a lock may pass; give the reason why something still waits."""
        if not self.is_on:
            return None
        wait = self._commit_waiting()
        for pause in patience:
            if wait is None or wait.code not in _PASSING:
                break
            self._clock.sleep(pause)
            wait = self._commit_waiting()
        return wait

    def holds(self, path: str, version: str) -> bool:
        """Say whether the last commit holds this version of a file, so that it can be had back when it is gone."""
        # Imported here: starting processes costs a command what most never owe.
        from personakit.vault.history.commits import Commits  # noqa: PLC0415
        from personakit.vault.history.git import work_tree_above  # noqa: PLC0415

        return bool(work_tree_above(self._root)) and (
            Commits(self._root, self._settings().documents).version(path) == version
        )

    def waiting(self) -> int:
        """Give how many files wait to be committed; a vault where none ever did gets no journal by being asked."""
        return len(self.journal.waiting()) if os.path.isdir(os.path.join(self._root, FOLDER)) else 0

    def left(self) -> int:
        """Give how many files still are what PersonaKit wrote and never will commit."""
        if not self.is_on or not os.path.isdir(os.path.join(self._root, FOLDER)):
            return 0
        return sum(self._holds(change) for change in self.journal.settled("filter", "ignored", "other_repository"))

    def why(self) -> Wait | None:
        """Give the reason why nothing can be committed now, None for none."""
        # Imported here: starting processes costs a command what most never owe.
        from personakit.vault.history.waits import Wait, why_waiting  # noqa: PLC0415

        wait = why_waiting(self._root, automatic=self.is_on)
        if wait is None and self.waiting() and (why := self.journal.refusal()):
            return Wait("refused", why)
        return wait

    def _wake(self) -> None:
        self._turn.notify_all()
        if self._serving and self._left and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._work, name="commit", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        """Commit when writes have paused, and again with growing pauses while something is in the way."""
        for number in range(_TRIES):
            self._wait_for_quiet()
            wait = None
            with contextlib.suppress(OSError):
                wait = self._commit_waiting()
            with self._turn:
                if wait is None:
                    self._left = self._last > self._tried
                    self._first = self._last
                if not self._left or (self._ending and wait is not None):
                    self._thread = None
                    return
                if wait is not None:
                    self._turn.wait_for(lambda: self._ending, _PAUSES[min(number, len(_PAUSES) - 1)])
        with self._turn:
            self._thread = None

    def _wait_for_quiet(self) -> None:
        with self._turn:
            while not self._ending:
                now = self._clock.monotonic()
                due = min(self._last + QUIET_SECONDS, self._first + MOST_SECONDS)
                if due <= now:
                    break
                self._turn.wait(due - now)
            self._tried = self._clock.monotonic()

    def _commit_waiting(self) -> Wait | None:
        """Commit all that waits, in one turn with every other process; give the reason why something still does."""
        if not self.waiting():
            return None
        # Imported here: starting processes costs a command what most never owe.
        from personakit.vault.history.commits import Commits  # noqa: PLC0415
        from personakit.vault.history.turns import committing  # noqa: PLC0415
        from personakit.vault.history.waits import BUSY, why_waiting  # noqa: PLC0415

        with committing(self._root) as mine:
            if not mine:
                return BUSY
            wait = why_waiting(self._root, automatic=self.is_on)
            if wait is None:
                commits = Commits(self._root, self._settings().documents)
                for group in _groups(self._unchanged(commits)):
                    outcome = self._commit(commits, group)
                    wait = wait or outcome.wait
                if wait is not None and wait.code == "refused":
                    self.journal.refuse(wait.why)
        return wait

    def _unchanged(self, commits: Commits) -> list[Change]:
        """Give the last write of each file that still is what was written; what its owner changed waits no longer."""
        waiting = self.journal.waiting()
        good = {path for path, changes in waiting.items() if self._holds(changes[-1])}
        doubtful = [path for path in waiting if path not in good]
        if doubtful:
            # Under the vault's lock nobody is between a write and its note.
            with contextlib.suppress(WriteError, ReadOnlyVault), self.store.writing():
                waiting = self.journal.waiting()
                late = [path for path in doubtful if path in waiting]
                good.update(path for path in late if self._holds(waiting[path][-1]))
                self.journal.settle((waiting[path][-1] for path in late if path not in good), "changed")
        found = [changes for path, changes in waiting.items() if path in good]
        return [changes[-1] for changes in found if not self._holds_more(commits, changes)]

    def _holds(self, change: Change) -> bool:
        (seen,) = self.store.read_all([change.path])
        if seen.reading is None:
            return seen.stamp is None and not change.version
        return bool(change.version) and change.version == seen.reading.digest

    def _holds_more(self, commits: Commits, changes: list[Change]) -> bool:
        """Say whether an assistant's write went into a file with changes of the owner's that no commit holds yet.

        A commit in the assistant's name would claim them, so the file is left to the owner.
        """
        if not changes[-1].assistant or not changes[0].before:
            return False
        ours = {version for change in changes for version in (change.before, change.version)}
        if commits.version(changes[0].path) in ours:
            return False
        self.journal.settle([changes[-1]], "not_alone")
        return True

    def _commit(self, commits: Commits, group: list[Change]) -> Outcome:
        # Imported here: starting processes costs a command what most never owe.
        from personakit.vault.history.commits import Message  # noqa: PLC0415

        first = group[0]
        ids = tuple(dict.fromkeys(one for change in group for one in change.ids))
        noun = "memories" if all(map(ID_SHAPE.fullmatch, ids)) else "files"
        what = ids[0] if len(ids) == 1 else f"{len(ids)} {noun}"
        message = Message(f"{first.tool} {what}", first.tool, first.assistant, ids, first.undoes)
        outcome = commits.commit([change.path for change in group], message)
        kept = set(outcome.kept)
        self.journal.settle((change for change in group if change.path in kept), outcome.commit or "committed")
        for left in outcome.left:
            self.journal.settle((change for change in group if change.path == left.path), left.code)
        return outcome


def _groups(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Give the changes that one commit may hold: those of one tool for one assistant."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.tool, change.assistant, change.undoes), []).append(change)
    yield from groups.values()
