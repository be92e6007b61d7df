"""Plain `git merge` and `git rebase` with the merge driver."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.cli.entry import merge_driver
from personakit.model.note import Kind
from personakit.vault.history import driver
from personakit.vault.history.git import Git
from tests.support import make_vault, text_of

IDENTITY = {
    f"GIT_{role}_{what}": "robin@fictiva.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def git(root: Path, *words: str) -> str:
    """Run git as an owner would."""
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=True, env={**os.environ, **IDENTITY}
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a vault in a folder with a blank and a quote in its name, in git, with the driver registered."""
    root = make_vault(tmp_path / "robin's own vault")
    (root / "memories/.gitattributes").write_text("*.md text eol=lf merge=personakit\n")
    (root / "memories/a b'c.md").write_text(text_of("Prefers tea", state="unconfirmed", category="tools"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    assert driver.register(str(root)) == ""
    return root


@pytest.mark.parametrize("how", [["merge", "-q", "side"], ["rebase", "-q", "side"]])
def test_git_merges_by_the_rule(repository: Path, how: list[str]) -> None:
    """Two decisions and two neighbouring keys merge without a conflict, at the most cautious."""
    file = repository / "memories/a b'c.md"
    git(repository, "checkout", "-qb", "side")
    file.write_text(text_of("Prefers tea", state="restricted", category="tools"))
    git(repository, "commit", "-qam", "Side")
    git(repository, "checkout", "-q", "main")
    file.write_text(text_of("Prefers tea", state="approved", category="preferences"))
    git(repository, "commit", "-qam", "Main")
    git(repository, *how)
    assert file.read_text() == text_of("Prefers tea", state="restricted", category="preferences")


def test_words_that_conflict_stop_the_merge(repository: Path) -> None:
    """Git itself then says that the file has a conflict."""
    file = repository / "memories/a b'c.md"
    git(repository, "checkout", "-qb", "side")
    file.write_text(text_of("Prefers mint", state="unconfirmed", category="tools"))
    git(repository, "commit", "-qam", "Side")
    git(repository, "checkout", "-q", "main")
    file.write_text(text_of("Prefers cola", state="unconfirmed", category="tools"))
    git(repository, "commit", "-qam", "Main")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "-q", "side")
    assert "mint" in file.read_text() and "cola" in file.read_text()
    assert git(repository, "status", "--porcelain").startswith("AA") or "UU" in git(repository, "status", "--porcelain")


def test_the_command_survives_odd_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program in a folder with blanks, quotes and per cent signs is named so that git finds it."""
    folder = tmp_path / "odd 'bin' 100%"
    folder.mkdir()
    program = folder / "personakit"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m personakit "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    assert shlex.split(driver.command()) == [str(program).replace("%", "%%"), *["merge-driver", "%O", "%A", "%B", "%P"]]
    root = make_vault(tmp_path / "vault")
    Git(str(root)).tell("init", "-q")
    assert driver.register(str(root)) == "" and driver.register(str(root)) == ""
    (root / "memories/.gitattributes").write_text("*.md merge=personakit\n")
    assert driver.trouble(str(root)) == ""
    file = root / "memories/a.md"
    for branch, state in (("main", "unconfirmed"), ("one", "approved"), ("other", "rejected")):
        git(root, "checkout", "-qB", branch, *([] if branch == "main" else ["main"]))
        file.write_text(text_of("Prefers tea", state=state))
        git(root, "add", "-A")
        git(root, "commit", "-qm", branch)
    git(root, "merge", "-q", "one")
    assert file.read_text() == text_of("Prefers tea", state="rejected")
    program.unlink()
    assert "not there" in driver.trouble(str(root))
    assert "-P -m personakit" in driver.command()


def test_what_doctor_is_told(repository: Path, tmp_path: Path) -> None:
    """A config that lacks the driver is trouble only where it is asked for; no repository is none."""
    assert driver.trouble(str(repository)) == ""
    git(repository, "config", "--unset", driver.DRIVER)
    assert "names no merge driver" in driver.trouble(str(repository))
    (repository / "memories/.gitattributes").write_text("*.md text\n")
    assert driver.trouble(str(repository)) == ""
    plain = make_vault(tmp_path / "plain")
    (plain / "memories/.gitattributes").write_text("*.md merge=personakit\n")
    assert driver.trouble(str(plain)) == ""
    assert driver.register(str(plain)) != ""


def test_it_imports_no_command_line() -> None:
    """Neither click nor rich is loaded, nor anything of MCP."""
    code = "import sys; sys.argv[1:] = ['merge-driver']\n"
    code += "from personakit.cli.entry import main\nimport personakit.vault.history.driver\n"
    code += "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 2\n"
    code += "sys.exit(bool({'click', 'rich', 'mcp', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_kinds_go_by_the_vault_a_file_lies_in(tmp_path: Path) -> None:
    """In a vault below a repository's top, and for files outside any."""
    make_vault(tmp_path / "notes/vault")
    top = str(tmp_path)
    assert driver.kind_in_vault(top, "notes/vault/memories/a.md") is Kind.MEMORY
    assert driver.kind_in_vault(top, "notes/vault/knowledge/a.md") is Kind.PASSAGE
    assert driver.kind_in_vault(top, "notes/memories/a.md") is None
    assert driver.kind_in_vault(top, "notes/vault/memories/a.txt") is None


def test_wrong_usage_and_files_that_are_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each is one sentence and exit code 2, which git takes for a conflict."""
    assert merge_driver([]) == 2 and "run by git" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert merge_driver(["a", "b", "c", "memories/x.md"]) == 2 and "could not work" in capsys.readouterr().err
    make_vault(tmp_path)
    for name, text in (("a", ""), ("b", text_of("Prefers tea", x="1")), ("c", text_of("Prefers tea", y="1"))):
        (tmp_path / name).write_text(text)
    assert merge_driver(["a", "b", "c", "memories/x.md"]) == 0
    assert "x: 1" in (tmp_path / "b").read_text() and "y: 1" in (tmp_path / "b").read_text()
