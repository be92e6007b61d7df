"""Opening the vault of a command."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from personakit.cli.vault import _Bar, open_vault, watched_vault
from personakit.vault.watch import KernelWatch, NoWatch
from tests.support import put


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_a_bar_only_where_there_is_enough_to_do(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large vault shows how far reading is, on a terminal alone; a small one shows nothing."""
    for number in range(30):
        put(vault, f"{number}.md", f"Likes {number}")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert len(open_vault(str(vault)).library.notes()) == 30
    assert terminal.getvalue() == ""
    monkeypatch.setattr(_Bar, "_ENOUGH", 10)
    (vault / "personakit.yaml").write_text("format: 1\ncache: off\n")
    monkeypatch.setattr("personakit.services.library.BATCH", 7)
    assert len(open_vault(str(vault)).library.notes()) == 30
    assert "Reading the vault" in terminal.getvalue()


@pytest.mark.skipif(sys.platform != "linux", reason="events are read on Linux only")
def test_a_watched_vault_gives_its_watch_back(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watching to tell how changes are seen ends with the command."""
    monkeypatch.setattr("personakit.vault.watch.deaf_mount", lambda _root: "")
    with watched_vault(str(vault)) as opened:
        watch = opened.freshness.watch
        assert isinstance(watch, KernelWatch)
        assert watch.sight().how == "events" and watch.sight().folders >= 2
    assert watch._fd._closed
    monkeypatch.setattr("personakit.vault.watch.deaf_mount", lambda _root: "nfs")
    with watched_vault(str(vault)) as opened:
        assert isinstance(opened.freshness.watch, NoWatch)
