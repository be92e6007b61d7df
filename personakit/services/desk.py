"""The desk: where an assistant's call meets the owner's settings, the library and the verbs.

Every answer leaves through `Desk._leave`; what was served to whom is recorded there.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from personakit.config import Consent, Launch, Settings
from personakit.errors import ReadOnlyVault, RefusedByConsent, VaultError
from personakit.model.note import label_key
from personakit.model.visibility import viewer
from personakit.services.answers import ReadAnswer, Refusal, Stored
from personakit.services.find import find, served
from personakit.services.propose import Proposer

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault

T = TypeVar("T")

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Asking:
    """One call as verbs see it: the vault as it is open, what may be seen of it, who asks, and today's settings."""

    vault: OpenVault
    viewer: Viewer
    by: str
    settings: Settings


class Desk:
    """Answers one assistant's calls."""

    def __init__(self, launch: Launch, vault: OpenVault) -> None:
        self._launch = launch
        self._vault = vault
        self._viewer = viewer(launch.assistant or None, launch.project or None, ceiling=launch.project or None)
        self._turn = threading.Lock()
        self._closed = threading.Event()
        self._rounds: threading.Thread | None = None
        self._proposer = Proposer(vault, self._viewer)

    @property
    def root(self) -> str:
        """The vault's folder."""
        return self._vault.root

    def load(self) -> None:
        """Read the vault, before the first call."""
        self._vault.load()
        self._vault.tidy()
        if not self._launch.read_only:
            self._vault.recorder.start()

    def close(self) -> None:
        """End what runs beside calls; what waits to be committed gets 2 s."""
        self._closed.set()
        self._vault.recorder.close()

    def read(self, question: str, limit: int) -> ReadAnswer:
        """Give the memories for a question, as this assistant may see them."""
        return self.look(lambda one: served(find(one.vault, question, limit, one.viewer)), ReadAnswer((), 0))

    def propose(self, text: str, quote: str, category: str) -> Stored | Refusal:
        """Store what an assistant proposes.

        Raises:
            RefusedByConsent, ReadOnlyVault, HeldFile, TooMany, WriteError
        """
        return self.write(lambda one: self._proposer.propose(text, quote, category, by=one.by, settings=one.settings))

    def look(self, verb: Callable[[Asking], T], nothing: T) -> T:
        """Answer by a verb that reads; `nothing` is its answer in an empty vault, and where consent allows no more."""
        settings = self._begin()
        return self._leave(nothing if self._consent(settings) is Consent.NONE else verb(self._asking(settings)))

    def write(self, verb: Callable[[Asking], T]) -> T:
        """Answer by a verb that writes.

        Raises:
            RefusedByConsent
            ReadOnlyVault: the launch allows no writing.
        """
        settings = self._begin()
        if self._launch.read_only:
            raise ReadOnlyVault("the server was started with --read-only")
        if self._consent(settings) is Consent.NONE:
            raise RefusedByConsent
        return self._leave(verb(self._asking(settings)))

    def _asking(self, settings: Settings) -> Asking:
        return Asking(self._vault, self._viewer, self._launch.assistant or UNNAMED, settings)

    def _leave(self, answer: T) -> T:
        """Let an answer out."""
        return answer

    def _begin(self) -> Settings:
        with self._turn:
            settings = self._vault.refresh_settings()
            self._vault.recorder.nudge()
            if self._rounds is None or not self._rounds.is_alive():
                self._rounds = threading.Thread(target=self._walk_rounds, name="sweep", daemon=True)
                self._rounds.start()
        return settings

    def _walk_rounds(self) -> None:
        """Sweep while calls come, so that a change which raised no event is found; ends when they stop."""
        pause: float | None = 0.0
        while pause is not None and not self._closed.wait(pause):
            try:
                pause = self._vault.freshness.sweep_if_due()
            except VaultError:
                return  # the next call meets it too, and says so

    def _consent(self, settings: Settings) -> Consent:
        asked = label_key(self._launch.project)
        named = [consent for name, consent in settings.projects if asked and label_key(name) == asked]
        return named[0] if named else settings.consent
