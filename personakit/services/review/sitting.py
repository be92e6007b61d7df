"""A sitting: which memory is before the owner, what they did in it, and what they left for later."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from personakit.errors import ReadOnlyVault, WriteError
from personakit.services.review.cards import card_of, waiting
from personakit.services.review.changes import take_back
from personakit.vault.skipped import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.services.opened import OpenVault
    from personakit.services.review.cards import Card, Wanted
    from personakit.services.review.changes import Done


class Sitting:
    """One run through what waits. What was left for later in an earlier one comes last."""

    def __init__(self, vault: OpenVault, wanted: Wanted) -> None:
        self._vault = vault
        self._left = list(SkippedFile(vault.root).read())
        found = waiting(vault, wanted)
        later = set(self._left)
        self._queue = [one for one in found if one not in later] + [one for one in self._left if one in found]
        self._at = 0
        self._done: list[tuple[int, Done]] = []

    def __len__(self) -> int:
        """How many were waiting when it began."""
        return len(self._queue)

    @property
    def number(self) -> int:
        """Which of them is before the owner, from 1."""
        return self._at + 1

    @property
    def decided(self) -> int:
        """How many decisions and edits stand."""
        return len(self._done)

    def card(self) -> Card | None:
        """Give the memory that is before the owner as it is now; None at the end. What is gone since is passed over."""
        while self._at < len(self._queue):
            card = card_of(self._vault, self._queue[self._at])
            if card is not None:
                return card
            self._at += 1
        return None

    def did(self, done: Done, *, stay: bool = False) -> None:
        """Take note of what was done to the memory before the owner; go on to the next unless they `stay` with it."""
        self._done.append((self._at, done))
        with contextlib.suppress(ValueError):
            self._left.remove(done.id)
        if not stay:
            self._at += 1

    def skip(self) -> None:
        """Leave the memory before the owner for later."""
        id_ = self._queue[self._at]
        self._left = [*(one for one in self._left if one != id_), id_]
        self._at += 1

    def undo(self) -> Done | None:
        """Take the last thing back that stands, and put its memory before the owner again; None when there is none.

        Raises:
            Conflict: its file was changed since; then it counts as the owner's own and is no longer taken back.
            Busy, DiskError
        """
        if not self._done:
            return None
        at, done = self._done.pop()
        take_back(self._vault, done)
        self._at = at
        return done

    def end(self) -> None:
        """Remember what was left for later, of what still waits."""
        with contextlib.suppress(WriteError, ReadOnlyVault), self._vault.library.store.writing():
            SkippedFile(self._vault.root).write(_known(self._vault, self._left))


def _known(vault: OpenVault, ids: Iterable[str]) -> list[str]:
    return [one for one in ids if vault.library.note(one) is not None]
