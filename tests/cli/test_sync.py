"""`personakit sync`."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.cli.sync import _Line
from personakit.services.answers import Stored
from tests.cli.conftest import Command
from tests.services.machines import QUIET, WHO, Machine, two_machines
from tests.support import open_desk, text_of

TEA = "memories/tea.md"


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    """Give two machines in step, and be on the second."""
    for name, value in {**WHO, **QUIET}.items():
        monkeypatch.setenv(name, value)
    laptop, desk, _ = two_machines(tmp_path)
    monkeypatch.chdir(desk.root)
    return laptop, desk


def test_what_is_said(command: Command, two: tuple[Machine, Machine]) -> None:
    """One line for what came, was merged and went; exit code 0."""
    laptop, desk = two
    assert command("sync").out == "origin/main: nothing to do.\n"
    assert command("sync", "--dry-run").out == "origin/main: nothing would come.\n"
    laptop.commit(TEA, text_of("Prefers tea", state="rejected", category="tools", evidence=["I like tea"]))
    laptop.sync()
    desk.commit(TEA, text_of("Prefers tea", state="unconfirmed", category="other", evidence=["I like tea"]))
    assert command("sync", "--dry-run").out == "origin/main: 1 file would come, 1 of both sides merged.\n"
    assert command("sync").out == "origin/main: 1 file came, 1 of both sides merged, 2 commits went.\n"
    assert command("doctor").code == 0


def test_what_waits_goes_with_it(command: Command, two: tuple[Machine, Machine]) -> None:
    """What PersonaKit wrote and has not committed yet is committed first, and goes to the other machine."""
    laptop, desk = two
    desk.commit("personakit.yaml", "format: 1\ncommit: auto\n")
    stored = open_desk(desk.root).propose("Likes scones", "scones please", "other")
    assert isinstance(stored, Stored)
    assert command("status", "--json").json["commits"]["waiting"] == 1
    assert command("sync").out == "origin/main: 0 files came, 2 commits went.\n"
    assert command("status", "--json").json["commits"]["waiting"] == 0
    laptop.sync()
    assert [path.name for path in laptop.root.rglob("*scones*")]


def test_a_choice_of_the_owners(command: Command, two: tuple[Machine, Machine]) -> None:
    """Exit code 1 and what to do; doctor holds the file; both ways out work."""
    laptop, desk = two
    laptop.commit(TEA, text_of("Prefers mint", state="unconfirmed"))
    laptop.sync()
    desk.commit(TEA, text_of("Prefers cola", state="unconfirmed"))
    dry = command("sync", "--dry-run")
    assert dry.code == 1 and "would have to choose in 1 file" in dry.out
    outcome = command("sync")
    assert outcome.code == 1 and f"\n- {TEA}\n" in outcome.out and "--continue" in outcome.out
    assert "mint" not in outcome.out and "cola" not in outcome.out
    assert "merge_conflict" in command("doctor").out
    assert command("sync").code == 1
    assert command("sync", "--abort").out == "The merge was taken back; everything is as it was.\n"
    assert command("doctor").code == 0
    command("sync")
    desk.write(TEA, text_of("Prefers both", state="unconfirmed"))
    assert command("sync", "--continue").code == 0


def test_wrong_usage_and_a_vault_that_is_read_only(command: Command, two: tuple[Machine, Machine]) -> None:
    """Two ways at once are wrong usage; a newer format is never written to."""
    _, desk = two
    assert command("sync", "--abort", "--continue").code == 2
    desk.write("personakit.yaml", "format: 2\n")
    outcome = command("sync")
    assert outcome.code == 1 and "read-only" in outcome.err


def test_it_loads_nothing_of_a_server(two: tuple[Machine, Machine]) -> None:
    """A sync imports neither MCP nor the index."""
    code = "import sys; from personakit.cli.main import run; run(['sync'])\n"
    code += "sys.exit(bool({'mcp', 'pydantic', 'rich', 'personakit.index.table'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=os.environ).returncode == 0
    )


def test_the_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal it says what goes on and is gone at the end; in a pipe there is none."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with _Line() as line:
            line.tell("Fetching", 0, 0)
            line.tell("Merging", 20, 100)
            line.tell("Merging", 21, 100)
        assert ("Merging 20 of 100" in stream.getvalue()) is shown and "21" not in stream.getvalue()
        assert stream.getvalue().endswith("\x1b[K") is shown
