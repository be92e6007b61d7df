"""What every test gets: a cache of its own, and a vault for those that ask."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from personakit.services.recording import Recorder
from personakit.vault.watch import KernelWatch
from tests.cases.inputs import NOBODY, git
from tests.support import make_vault, put


@pytest.fixture(autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's cache folder, and any vault of theirs, out of the tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.delenv("PERSONAKIT_VAULT", raising=False)
    return folder


@pytest.fixture(autouse=True)
def no_git_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave git without a name and without any settings of this machine's user."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture(autouse=True)
def no_watch_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every inotify descriptor back: a user has only 128, and without one a vault is watched by sweeps."""
    made: list[KernelWatch] = []
    real = KernelWatch.__init__

    def init(watch: KernelWatch, root: str, documents: Sequence[str]) -> None:
        real(watch, root, documents)
        made.append(watch)

    monkeypatch.setattr(KernelWatch, "__init__", init)
    yield
    for watch in made:
        watch.close()


@pytest.fixture(autouse=True)
def no_recorder_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """End every thread that commits: one whose commits wait would go on starting git for an hour."""
    made: list[Recorder] = []
    real = Recorder.start

    def start(recorder: Recorder) -> None:
        made.append(recorder)
        real(recorder)

    monkeypatch.setattr(Recorder, "start", start)
    yield
    for recorder in made:
        recorder.close(10.0)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Give an empty vault."""
    return make_vault(tmp_path / "vault")


@pytest.fixture
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit as a person who does not exist, with no settings but the repository's."""
    for name, value in NOBODY.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(vault: Path, somebody: None) -> Path:
    """Make the vault a repository whose settings ask for commits, with one memory in it, and give its root."""
    (vault / "personakit.yaml").write_text("format: 1\ncommit: auto\n")
    (vault / ".gitignore").write_text(".personakit/\n")
    put(vault, "tea.md", "Likes green tea", id="m_0000000000aa", state="approved")
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", ".")
    git(vault, "commit", "-qm", "Begin")
    return vault
