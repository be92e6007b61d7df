"""What every test gets: a cache of its own, and a vault for those that ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import make_vault


@pytest.fixture(autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's cache folder, and any vault of theirs, out of the tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("PERSONAKIT_VAULT", raising=False)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Give an empty vault."""
    return make_vault(tmp_path / "vault")
