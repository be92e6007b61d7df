"""`personakit undo` and `personakit commit`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.inputs import git
from tests.cli.conftest import TEA, Command
from tests.support import put


def test_undo_shows_asks_and_does(command: Command, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken back is shown; nobody there to ask is a refusal, and so is nothing to take back."""
    monkeypatch.chdir(repository)
    assert command("undo").code == 1
    assert command("reject", TEA).code == 0
    asked = command("undo")
    assert asked.code == 1 and "--yes" in asked.err
    assert f"  {TEA}  rejected -> approved: Likes green tea\n" in asked.out and asked.out.startswith("`reject` of ")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    done = command("undo", "--yes")
    assert done.code == 0 and done.out.endswith("Done.\n")
    assert git(repository, "show", "--pretty=%s", "--name-only").split() == ["undo", TEA, "memories/tea.md"]


def test_undo_asks_on_a_terminal(command: Command, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal it asks, and a no changes nothing."""
    monkeypatch.chdir(repository)
    assert command("reject", TEA).code == 0
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter([False, True])

    def confirm(_question: str, abort: bool) -> None:
        if not next(answers):
            raise KeyboardInterrupt

    monkeypatch.setattr("click.confirm", confirm)
    assert command("undo").code == 1 and "state: rejected" in (repository / "memories/tea.md").read_text()
    assert command("undo").code == 0 and "state: approved" in (repository / "memories/tea.md").read_text()


def test_commit_says_what_it_did(command: Command, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is counted or given, and nothing to commit is no fault."""
    monkeypatch.chdir(repository)
    assert command("commit").out == "There is nothing of the vault's to commit.\n"
    put(repository, "oats.md", "Likes oats")
    assert command("commit").out == "Committed 1 file: add 1\n"
    put(repository, "oats.md", "Likes rye")
    put(repository, "rye.md", "Likes oats")
    assert command("commit", "-m", "Mixed\nthem up").out == "Committed 2 files: Mixed them up\n"
    assert git(repository, "log", "-1", "--format=%s") == "Mixed them up\n"
