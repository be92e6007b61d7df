"""Trouble at scale: five thousand folders, fewer watches than that, no events at all; every change is still found."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import personakit.vault.watch as module
from personakit.services.clock import SystemClock
from personakit.services.freshness import BLIND_SWEEP_SECONDS, STAT_EACH_CALL
from tests.bench.vaults import make_vault
from tests.cases.test_watching_cases import equals_a_fresh_scan, everything, few_watches
from tests.cli.conftest import Command
from tests.cli.conftest import command as command
from tests.support import SetClock, open_desk, open_vault, put, text_of, texts

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
FOLDERS = 5_000


def test_folders_under_a_low_watch_limit(vault: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """With watches for a fiftieth of its folders every change is found in time, and the owner is told."""
    for number in range(FOLDERS):
        put(vault, f"{number}/a.md", f"Likes tea number{number}x", state="approved", id=f"m_{number:012x}")
    few_watches(monkeypatch, FOLDERS // 50)
    clock = SetClock()
    desk = open_desk(vault, clock=clock)
    sight = desk._vault.freshness.watch.sight()
    assert (sight.how, sight.folders) == ("sweeps", FOLDERS // 50)
    for number in range(0, FOLDERS, 250):
        path = vault / f"memories/{number}/a.md"
        path.write_text(text_of(f"Likes tea number{number}x", state="restricted"))
        assert f"Likes tea number{number}x" not in texts(desk, f"number{number}x"), "a withdrawal never waits"
    for number in range(FOLDERS, FOLDERS + 1_000):
        put(vault, f"{number}/a.md", f"Likes tea number{number}x", state="approved", id=f"m_{number:012x}")
    clock.ahead += BLIND_SWEEP_SECONDS
    assert equals_a_fresh_scan(desk._vault, vault)
    assert len(everything(desk._vault)) == FOLDERS + 1_000
    monkeypatch.undo()
    few_watches(monkeypatch, FOLDERS // 50)
    said = command("doctor", "--vault", str(vault)).out
    assert "folders could be watched (inotify watch limit reached)" in said and "every 2 s" in said


def test_a_large_vault_on_a_mount_without_events(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without events, withdrawals among more files than are looked at in each call count at once, additions in 2 s."""
    monkeypatch.setattr(module, "deaf_mount", lambda _root: "fuse.bindfs")
    size = 2 * STAT_EACH_CALL
    make_vault(vault, size)
    clock = SetClock()
    desk = open_desk(vault, clock=clock)
    paths = []
    for number in range(50):
        paths.append(put(vault, f"new/{number}.md", f"Keeps a zebrafinch{number}", state="approved"))
    clock.ahead += BLIND_SWEEP_SECONDS
    assert all(f"Keeps a zebrafinch{number}" in texts(desk, f"zebrafinch{number}") for number in range(50))
    for number, path in enumerate(paths):
        if number % 2:
            path.unlink()
        else:
            path.write_text(text_of(f"Keeps a zebrafinch{number}", state="rejected"))
        assert f"Keeps a zebrafinch{number}" not in texts(desk, f"zebrafinch{number}")
    clock.ahead += BLIND_SWEEP_SECONDS
    assert equals_a_fresh_scan(desk._vault, vault)


def test_a_thousand_files_while_the_reader_stands_still(vault: Path) -> None:
    """What was written while no call came, more than once per file, is all there in the next call."""
    opened = open_vault(vault, SystemClock())
    for turn in range(3):
        for number in range(1_000):
            put(vault, f"{number % 10}/{number}.md", f"Likes tea turn{turn}x {number}x", id=f"m_{number:012x}")
    begun = time.monotonic()
    assert equals_a_fresh_scan(opened, vault)
    assert len(everything(opened)) == 1_000
    assert time.monotonic() - begun < 60
    for folder in range(10):
        os.rename(vault / f"memories/{folder}", vault / f"memories/moved{folder}")
    assert equals_a_fresh_scan(opened, vault)
    assert all(note.path.startswith("memories/moved") for note in opened.library.notes())
