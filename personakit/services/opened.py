"""An open vault: its settings, store, library and freshness in one process, made anew when the settings ask for it."""

from __future__ import annotations

import contextlib
import copy
import os
from typing import TYPE_CHECKING, TypeVar

import platformdirs

from personakit import __version__
from personakit.config import Settings, SettingsFile
from personakit.errors import ReadOnlyVault, WriteError
from personakit.index.words import Tokeniser
from personakit.services.freshness import Freshness
from personakit.services.library import Library
from personakit.services.recording import Recorder
from personakit.vault.atomic import is_littered
from personakit.vault.cache import Cache, cache_for
from personakit.vault.layout import MACHINE
from personakit.vault.store import DiskVault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from personakit.index.graph import Graph
    from personakit.index.table import Table
    from personakit.model.note import Note
    from personakit.model.visibility import Viewer
    from personakit.services.clock import Clock
    from personakit.services.knowledge.chronicle import Chronicle
    from personakit.services.seek.verb import Seeker
    from personakit.vault.watch import Watch

T = TypeVar("T")

CACHE_PAUSE_SECONDS = 600.0
CACHE_SHARE = 0.01


class OpenVault:
    """One vault as this process has it open."""

    def __init__(self, root: str, clock: Clock, watch_for: Callable[[str, tuple[str, ...]], Watch]) -> None:
        """Open a vault at a real path, reading nothing but its settings.

        Raises:
            SettingsError, NotAVault, VaultMissing, VaultUnreadable
        """
        self.root = root
        self.clock = clock
        self._watch_for = watch_for
        self._file = SettingsFile(root)
        self._cached = float("-inf")
        # Viewer -> which table, at which change of it, and the graph of what they see.
        self.graphs: dict[Viewer, tuple[tuple[int, int], Graph]] = {}
        # What is known of the past of the documents; made when it is first asked for (`chronicle_of`).
        self.chronicles: list[Chronicle] = []
        # What searches its words as they are spelt; made when somebody first asks so (`seeker_of`).
        self.seekers: list[Seeker] = []
        # What has left during one call: id -> the note as it left; a call has a list of its own (`for_call`).
        self.left: dict[str, Note] = {}
        self.settings = self._file.read()
        self.recorder = Recorder(root, clock, lambda: self.settings)
        self._make(self.settings)

    def _make(self, settings: Settings) -> None:
        self.settings = settings
        self.chronicles.clear()
        self.seekers.clear()
        tokeniser = Tokeniser(settings.language)
        store = DiskVault(self.root, settings.documents, read_only=settings.read_only)
        self.library = Library(store, self.clock, tokeniser, settings.repository_of)
        self.recorder.store = store
        self.freshness = Freshness(self.library, self._watch_for(self.root, settings.documents), self.clock, self.root)

    def load(self, tick: Callable[[int, int], None] | None = None) -> None:
        """Read the vault, from its cache where that still holds, and keep the cache in step."""
        cache = self._cache()
        kept = cache.load() if self.settings.cache else {}
        read = self.freshness.load(kept, tick)
        gone = any(path not in self.library.files for path in kept)
        if not self.settings.cache:
            cache.drop()
        elif gone or read > CACHE_SHARE * len(self.library.files):
            self._save(cache)

    def for_call(self) -> OpenVault:
        """Give the same open vault for one call, with a list of its own of what leaves."""
        mine = copy.copy(self)
        mine.left = {}
        return mine

    def answer(self, pick: Callable[[Table], T], leaving: Callable[[T], Iterable[Note]]) -> T:
        """Pick what leaves, judged at this moment, and remember it: every answer to an assistant is made of it.

        Raises:
            Unsettled, VaultEmptied
        """
        picked = self.freshness.answer(pick, leaving)
        self.left.update((note.id, note) for note in leaving(picked))
        return picked

    def tidy(self) -> None:
        """Remove temporary files that a killed process of ours left more than a minute ago. A failure is no fault."""
        aside = [os.path.join(self.root, MACHINE), os.path.dirname(self._cache().path)]
        littered = [*self.library.littered, *filter(is_littered, aside)]
        if littered:
            with contextlib.suppress(WriteError, ReadOnlyVault), self.library.store.writing() as pen:
                pen.clean(littered)

    def drop_cache(self) -> None:
        """Let the cache go, because it holds the words of a file that is gone; the next start reads the vault anew."""
        self._cache().drop()

    def _cache(self) -> Cache:
        folder = platformdirs.user_cache_dir("personakit", appauthor=False)
        return cache_for(self.root, folder, f"personakit {__version__} {self.library.tokeniser.signature}")

    def _save(self, cache: Cache) -> None:
        now = self.clock.monotonic()
        if now - self._cached >= CACHE_PAUSE_SECONDS:
            self._cached = now
            cache.save(self.library.cached_rows(), self.clock.nanoseconds())

    def refresh_settings(self) -> Settings:
        """Give the settings as they are now; another language or other documents need the vault read anew.

        Raises:
            SettingsError: each call says so until the file is mended.
        """
        settings = self._file.read()
        old = self.settings
        if settings is not old:
            if _makings(settings) != _makings(old):
                self.freshness.watch.close()  # the system lends few of them
                self._make(settings)
                self.load()
            self.settings = settings
        return settings


def _makings(settings: Settings) -> tuple[object, ...]:
    """Give what a library is made by: with others it is made anew."""
    return settings.language, [(one.id, one.path) for one in settings.repositories], settings.read_only
