"""How this installation is called from anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from personakit.cli.connecting import connect_line, program


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a machine whose Python has no scripts beside it."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "lib/__main__.py")])
    for folder in ("bin", "other"):
        (tmp_path / folder).mkdir()
    return tmp_path


def test_the_script_that_runs_goes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The running script, else the one beside the interpreter, else the interpreter itself."""
    assert program() == [str(machine / "bin/python"), "-m", "personakit"]
    (machine / "bin/personakit").touch()
    assert program() == [str(machine / "bin/personakit")]
    (machine / "other/personakit").touch()
    monkeypatch.chdir(machine)
    monkeypatch.setattr(sys, "argv", ["other/personakit"])
    assert program() == [str(machine / "other/personakit")]


def test_the_line_can_be_typed(machine: Path) -> None:
    """A folder's name is quoted for the shell."""
    assert connect_line("/my vault").endswith("-m personakit serve --vault '/my vault' --as claude-code")
