"""The command line as a whole: its help, its errors, its exit codes, and what it imports."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from personakit import __version__
from personakit.cli.main import COMMANDS, personakit, run
from personakit.errors import NotAVault
from tests.cli.conftest import COFFEE, TEA, Command

FAULT = "personakit.cli.listing.memories"


def test_help_lists_every_command_without_importing_it(command: Command) -> None:
    """`--help` shows each command with its line, and loads none of their modules."""
    code = "import sys; from personakit.cli.main import run; run(['--help'])"
    code += "; sys.exit('personakit.services' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert command("--help").out == shown
    for name, (_, line) in COMMANDS.items():
        assert f"  {name} " in shown
        assert line.split()[0] in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_own_help_begins_like_its_line(name: str) -> None:
    """The line in the list is how the command's own help begins."""
    module, line = COMMANDS[name]
    found = getattr(importlib.import_module(f"personakit.cli.{module}"), f"{name}_command")
    assert isinstance(found, click.Command) and found.help
    assert found.name == name
    assert found.help.split()[:2] == line.split()[:2]


def test_version(command: Command) -> None:
    """`--version` names the program and its version."""
    outcome = command("--version")
    assert (outcome.code, outcome.out) == (0, f"personakit, version {__version__}\n")


@pytest.mark.parametrize("words", [["nothing"], ["read"], ["list", "--state", "lost"], ["propose", "x"], []])
def test_wrong_usage_is_exit_code_2(command: Command, words: list[str]) -> None:
    """A command that cannot be understood says so on stderr, and nothing is done."""
    outcome = command(*words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err


def test_no_vault(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside a vault a command says how to name one, and creates nothing."""
    monkeypatch.chdir(tmp_path)
    outcome = command("status")
    assert outcome.code == 2
    assert outcome.err.startswith("personakit: No vault found")
    assert not list(tmp_path.iterdir())


def test_unmarked_folder(command: Command, tmp_path: Path) -> None:
    """A folder without personakit.yaml is no vault, whatever it holds, and stays as it is."""
    (tmp_path / "memories").mkdir()
    for words in (["list"], ["propose", "a", "--quote", "b"], ["approve", "m_1"], ["doctor"]):
        outcome = command(*words, "--vault", str(tmp_path))
        assert outcome.code == 2
        assert f"{tmp_path} is not a vault: it has no personakit.yaml" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["memories"]
    assert command("list", "--vault", str(tmp_path / "gone")).code == 2


def test_unreadable_folder(command: Command, stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vault without rights is named in one sentence."""
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    outcome = command("list", "--vault", str(stocked))
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("\n") == 1
    assert "cannot be read (permission denied)" in outcome.err


def test_broken_settings(command: Command, stocked: Path) -> None:
    """A setting that cannot be used is named, with the file."""
    (stocked / "personakit.yaml").write_text("format: 1\ncommit: often\n")
    outcome = command("doctor", "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert "personakit.yaml: the setting `commit` must be one of: auto, off" in outcome.err


def test_a_newer_format_is_read_only(command: Command, stocked: Path) -> None:
    """A vault of a later PersonaKit is read, and never written."""
    (stocked / "personakit.yaml").write_text("format: 9\n")
    assert command("list").code == 0
    outcome = command("approve", COFFEE)
    assert outcome.code == 1
    assert "read-only" in outcome.err
    assert "state: unconfirmed" in (stocked / "memories/coffee.md").read_text()


def test_the_environment_names_the_vault(
    command: Command, stocked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PERSONAKIT_VAULT counts where no --vault is given; any folder inside a vault does where neither is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERSONAKIT_VAULT", str(stocked))
    assert TEA in command("list").out
    monkeypatch.delenv("PERSONAKIT_VAULT")
    monkeypatch.chdir(stocked / "memories")
    assert TEA in command("list").out


def test_a_fault_of_our_own_is_one_sentence(command: Command, stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is told in one sentence that says how to see more; no control character passes."""

    def fail(*_: object) -> None:
        raise ValueError("bad \x1b[31m thing")

    monkeypatch.setattr(FAULT, fail)
    outcome = command("list")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("\n") == 1
    assert "ValueError: bad \\u{1B}[31m thing" in outcome.err
    assert "nothing more was done" in outcome.err
    assert "personakit --debug" in outcome.err


def test_debug_shows_the_traceback(stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`personakit --debug COMMAND` lets the fault out; the word behind a command is not the option."""

    def fail(*_: object) -> None:
        raise ValueError("seen")

    monkeypatch.setattr(FAULT, fail)
    with pytest.raises(ValueError, match="seen"):
        run(["--debug", "list"])
    with pytest.raises(NotAVault, match="nowhere is not a vault"):
        run(["--debug", "list", "--vault", "nowhere"])
    assert run(["list", "--debug"]) == 2


def test_an_interrupt_is_one_sentence(command: Command, stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends a command without a traceback."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FAULT, interrupt)
    outcome = command("list")
    assert outcome.code == 1
    assert outcome.err.strip().endswith("personakit: stopped; nothing more was done.")


def test_no_command_but_serve_imports_the_sdk(stocked: Path) -> None:
    """All other commands, run one after the other, load neither mcp nor pydantic, asyncio, rich or the server."""
    script = f"""
import sys
from personakit.cli.main import run
for words in (["list"], ["show", "{TEA}"], ["read", "tea", "--why"], ["propose", "Likes rain", "--quote", "I do"],
              ["approve", "{COFFEE}"], ["restrict", "{COFFEE}"], ["reject", "{COFFEE}"], ["reopen", "{COFFEE}"],
              ["status"], ["doctor"], ["doctor", "--report"], ["init", "new", "--no-git"], ["demo", "--help"],
              ["serve", "--help"]):
    assert run(words) == 0, words
heavy = {{"mcp", "mcp_types", "pydantic", "asyncio", "anyio", "rich", "personakit.server"}} & set(sys.modules)
sys.exit(f"loaded {{heavy}}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_goes_away_is_no_fault(stocked: Path) -> None:
    """`personakit list | head` ends quietly."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "personakit", "list"], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("setting", [{"LANG": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}, {}])
def test_any_encoding_will_do(stocked: Path, setting: dict[str, str]) -> None:
    """No character of the vault ends a command on a terminal that lacks it."""
    (stocked / "memories" / "cafe.md").write_text("Likes café, 緑茶 and \U0001f375\n", "utf-8")
    environment = {**os.environ, "PYTHONCOERCECLOCALE": "0", **setting}
    for words in (["list"], ["status"], ["read", "café"], ["read", "café", "--json"], ["doctor"]):
        done = subprocess.run(
            [sys.executable, "-m", "personakit", *words], capture_output=True, env=environment, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_command_is_installed_by_its_name() -> None:
    """The group answers to the name that its messages use."""
    assert personakit.name == "personakit"
