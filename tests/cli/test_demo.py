"""`personakit demo`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from personakit.cli import demo
from personakit.cli.client import Client
from tests.cli.conftest import Command


def test_the_whole_demo(tmp_path: Path) -> None:
    """In under ten seconds and one screen: an answer, a proposal, two edits by hand, and an answer that obeys."""
    root = tmp_path / "kept"
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "personakit", "demo", "--keep", str(root)], capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - started
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert seconds < 10
    lines = done.stdout.splitlines()
    assert sum(max(1, -(-len(line) // 80)) for line in lines) <= 24
    assert str(root) in lines[0]
    steps = [re.split(r"\n(?=[234]\. )", done.stdout)][0]
    answer, proposal, edits, obeyed = steps
    assert "unconfirmed  Wants feedback in the margin" in answer and "1 more withheld" in answer
    assert "unconfirmed  Wants feedback on a draft before noon" in proposal
    assert "unconfirmed -> approved" in edits and "unconfirmed -> restricted" in edits
    assert "confirmed    Wants feedback on a draft before noon" in obeyed
    assert "margin" not in obeyed and "2 more withheld" in obeyed
    assert "personakit init " in obeyed and "claude mcp add --scope user personakit -- /" in obeyed
    states = sorted(re.findall(r"^state: (\w+)$", "\n".join(p.read_text() for p in root.rglob("*.md")), re.M))
    assert states.count("restricted") == 2 and "unconfirmed" not in states


def test_a_fresh_folder_by_default(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_home: Path
) -> None:
    """Without --keep the vault is in a new folder for temporary files, and nothing is left anywhere else."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    outcome = command("demo")
    assert outcome.code == 0, outcome.err
    (folder,) = tmp_path.glob("personakit-demo-*")
    assert str(folder) in outcome.out
    assert not list(cache_home.rglob("*.jsonl"))


def test_a_used_folder_is_refused(command: Command, tmp_path: Path) -> None:
    """A folder that holds anything is left alone."""
    (tmp_path / "mine").write_text("x")
    for folder in (tmp_path, tmp_path / "mine"):
        outcome = command("demo", "--keep", str(folder))
        assert outcome.code == 1 and "needs a new or empty folder" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


class Stale(Client):
    """A connection whose second answer is the first one again."""

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Remember the first answer of each tool."""
        kept: dict[str, dict[str, Any]] = self.__dict__.setdefault("kept", {})
        if tool not in kept:
            kept[tool] = super().call(tool, arguments)
        return kept[tool]


class Forgetful(Client):
    """A connection to a server that stores nothing."""

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Answer every proposal with a refusal."""
        return {"stored": False, "reason": "too_long"} if tool.endswith("propose") else super().call(tool, arguments)


class Silent(Client):
    """A connection to a server that ends when it is called."""

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Say that nobody is there."""
        raise ConnectionError("the server ended: killed")


@pytest.mark.parametrize(
    ("connection", "words"),
    [
        (Stale, "The demo stopped at `next answer`: the approval does not count"),
        (Forgetful, "The demo stopped at `propose`: it was not stored as unconfirmed"),
        (Silent, "The demo stopped at `talk to the server`: the server ended: killed"),
    ],
)
def test_a_step_that_does_not_obey_is_told(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connection: type[Client], words: str
) -> None:
    """What the demo shows is checked: an answer that is not as it should be ends it with exit code 1."""
    monkeypatch.setattr(demo, "Client", connection)
    outcome = command("demo", "--keep", str(tmp_path / "v"))
    assert outcome.code == 1
    assert words in outcome.err and str(tmp_path / "v") in outcome.err
    assert "Next:" not in outcome.out


def test_a_server_that_cannot_be_started(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that is gone is told."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    outcome = command("demo", "--keep", str(tmp_path / "v"))
    assert outcome.code == 1 and "The demo stopped at `start the server`" in outcome.err
