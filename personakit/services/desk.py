"""The desk: where an assistant's call meets the owner's settings, the library and the verbs.

Every answer leaves through `Desk._leave`; what was served to whom is noted in the journal there.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from personakit.config import Consent
from personakit.errors import ReadOnlyVault, RefusedByConsent, VaultError
from personakit.model.note import Kind
from personakit.model.visibility import viewer
from personakit.services.answers import ReadAnswer, Refusal, Stored
from personakit.services.clock import today
from personakit.services.consent import consent_of
from personakit.services.find import find, served
from personakit.services.propose import Proposer
from personakit.services.served import Call, note_served

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.config import Launch, Settings
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault
    from personakit.services.sessions import Sessions
    from personakit.services.talk import Talk
    from personakit.services.telling import Labels

T = TypeVar("T")

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Asking:
    """One call as verbs see it.

    Attributes:
        vault: as it is open, remembering what leaves it in this call.
        viewer: what may be seen of it.
        by: who asks.
        settings: today's.
        launch: how the server was started.
        call: what the journal will tell of it.
    """

    vault: OpenVault
    viewer: Viewer
    by: str
    settings: Settings
    launch: Launch
    call: Call = field(default_factory=Call)


class _Rounds:
    """The sweeps that go on beside the calls of one server, while these come."""

    def __init__(self, vault: OpenVault, *, applies: bool) -> None:
        """Go round in a vault; `applies`: what its owner has accepted in a correction's file is carried out too."""
        self._vault = vault
        self._applies = applies
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self.turn = threading.Lock()

    def begin(self) -> None:
        """See that there is a thread; the caller has the turn."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._walk, name="sweep", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Let the thread end."""
        self._closed.set()

    def _walk(self) -> None:
        """Sweep while calls come, so that a change which raised no event is found; ends when they stop."""
        pause: float | None = 0.0
        while pause is not None and not self._closed.wait(pause):
            try:
                pause = self._vault.freshness.sweep_if_due()
                self.apply()
            except VaultError:
                return  # the next call meets it too, and says so

    def apply(self) -> None:
        """Carry out the corrections of documents that their owner has accepted in a file.

        Raises:
            VaultError
        """
        library = self._vault.library
        if not self._applies:
            return
        with library.lock:
            any_there = any(True for _ in library.table.of_kind(Kind.PROPOSAL))
        if any_there:
            # Imported here: a vault without corrections owes nothing for them.
            from personakit.services.knowledge.corrections import apply_due  # noqa: PLC0415

            apply_due(self._vault)


class _Floor:
    """Where sessions are held; made when the first one is, so that a server without them owes nothing."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._turn = threading.Lock()
        self._held: tuple[Sessions, Labels] | None = None

    def talk(self, asking: Asking) -> Talk:
        """Give one call its place among the sessions."""
        # Imported here: the persona tools start without it.
        from personakit.services.sessions import Sessions  # noqa: PLC0415
        from personakit.services.talk import Talk  # noqa: PLC0415
        from personakit.services.telling import Labels  # noqa: PLC0415

        with self._turn:
            if self._held is None:
                self._held = (Sessions(self._vault.recorder.journal), Labels())
        return Talk(asking, *self._held)


class Desk:
    """Answers one assistant's calls."""

    def __init__(self, launch: Launch, vault: OpenVault) -> None:
        self._launch = launch
        self._vault = vault
        self._viewer = viewer(launch.assistant or None, launch.project or None, ceiling=launch.project or None)
        self._rounds = _Rounds(vault, applies=not launch.read_only)
        self._proposer = Proposer(vault, self._viewer)
        self._tool = ""
        self._floor = _Floor(vault)

    def for_tool(self, name: str) -> Desk:
        """Give the same desk for calls of one tool, which the journal then names."""
        mine = copy.copy(self)
        mine._tool = name
        return mine

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
        self._rounds.end()
        self._vault.recorder.close()

    def read(self, question: str, limit: int) -> ReadAnswer:
        """Give the memories for a question, as this assistant may see them."""
        return self.look(
            lambda one: served(find(one.vault, question, limit, one.viewer)), ReadAnswer((), 0), asked=question
        )

    def propose(self, text: str, quote: str, category: str) -> Stored | Refusal:
        """Store what an assistant proposes.

        Raises:
            RefusedByConsent, ReadOnlyVault, HeldFile, TooMany, WriteError
        """
        return self.write(
            lambda one: self._proposer.propose(
                text, quote, category, by=one.by, settings=one.settings, source=self._source(one, quote)
            )
        )

    def look(self, verb: Callable[[Asking], T], nothing: T, asked: str = "") -> T:
        """Answer by a verb that reads; `nothing` is its answer in an empty vault, and where consent allows no more.

        `asked` is the question, of which the journal keeps a hash.
        """
        asking = self._begin()
        if self._consent(asking) is Consent.NONE:
            return nothing
        asking.call.question = (asked,) if asked else ()
        return self._leave(asking, verb(asking))

    def write(self, verb: Callable[[Asking], T]) -> T:
        """Answer by a verb that writes.

        Raises:
            RefusedByConsent
            ReadOnlyVault: the launch allows no writing.
        """
        asking = self._begin()
        if self._launch.read_only:
            raise ReadOnlyVault("the server was started with --read-only")
        if self._consent(asking) is Consent.NONE:
            raise RefusedByConsent
        return self._leave(asking, verb(asking))

    def talk(self, verb: Callable[[Talk], T]) -> T:
        """Answer by a verb that looks after consent itself: which project it is about, only the session tells."""
        asking = self._begin()
        return self._leave(asking, verb(self._floor.talk(asking)))

    def _begin(self) -> Asking:
        with self._rounds.turn:
            settings = self._vault.refresh_settings()
            self._vault.recorder.nudge()
            self._rounds.begin()
            vault = self._vault.for_call()
        day = today(vault.clock)
        seeing = replace(self._viewer, repositories=frozenset(one.id for one in settings.open_repositories(day)))
        return Asking(vault, seeing, self._launch.assistant or UNNAMED, settings, self._launch, Call(tool=self._tool))

    def _leave(self, asking: Asking, answer: T) -> T:
        """Let an answer out, and note what is in it."""
        note_served(asking.vault, asking.call, asking.by)
        return answer

    def _source(self, asking: Asking, quote: str) -> str:
        """Give where a person said a quote, as far as words of this assistant's sessions were kept; else ""."""
        if Consent.FULL not in (asking.settings.consent, *(one for _, one in asking.settings.projects)):
            return ""
        # Imported here: the persona tools start without it.
        from personakit.services.transcripts import source_of  # noqa: PLC0415

        return source_of(asking.vault, asking.by, quote)

    def _consent(self, asking: Asking) -> Consent:
        return consent_of(asking.settings, self._launch.project)
