"""`personakit init`."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.cli import repository
from personakit.cli.main import run
from personakit.cli.template import template_folder
from personakit.vault import atomic
from tests.cli.conftest import Command
from tests.support import tree_hash

TEMPLATE = Path(template_folder())
MACHINE = ".personakit/.gitignore"


@pytest.fixture(autouse=True)
def own_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give git a home of its own, with an identity."""
    home = tmp_path_factory.mktemp("home")
    (home / "gitconfig").write_text("[user]\n\tname = Rosalind Fictiva\n\temail = rosalind@fictiva.example\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(name)
    return home


def git(root: Path, *words: str) -> str:
    """Give what git says."""
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def files(root: Path) -> set[str]:
    """Give all files below a folder but git's own."""
    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return {path for path in found if not path.startswith(".git/")}


def template(*, examples: bool) -> set[str]:
    """Give the template's files."""
    return {path for path in files(TEMPLATE) if examples or not path.startswith("memories/examples/")} | {MACHINE}


def test_a_new_vault(command: Command, tmp_path: Path) -> None:
    """A new folder becomes the whole template, byte for byte, in a git repository with one commit of all of it."""
    root = tmp_path / "a" / "new vault"
    outcome = command("init", str(root))
    assert outcome.code == 0, outcome.err
    assert files(root) == template(examples=True)
    for path in files(root) - {"personakit.yaml"}:
        assert (root / path).read_bytes() == (TEMPLATE / path).read_bytes(), path
    settings = (root / "personakit.yaml").read_text()
    assert settings.startswith((TEMPLATE / "personakit.yaml").read_text()) and settings.endswith("\ncommit: auto\n")
    assert git(root, "log", "--format=%an %s") == "Rosalind Fictiva Begin a PersonaKit vault\n"
    assert set(git(root, "ls-files", "-z").split("\0")) - {""} == template(examples=True) - {MACHINE}
    assert git(root, "status", "--porcelain") == ""
    assert "Its git repository holds them." in outcome.out
    assert command("doctor", "--vault", str(root)).code == 0


def test_the_two_next_steps(command: Command, tmp_path: Path) -> None:
    """The end says how to connect an assistant, with a program that can be called from anywhere, and what to open."""
    root = tmp_path / "it's"
    outcome = command("init", str(root), "--no-git")
    *_, connect, look = outcome.out.splitlines()
    assert connect.startswith("  1. Connect an assistant: claude mcp add --scope user personakit -- /")
    line = connect.partition(" -- ")[2].replace("serve", "status").removesuffix(" --as claude-code")
    assert subprocess.run(line, shell=True, capture_output=True, check=False, cwd="/").returncode == 0
    assert look == f"  2. Open {root}/Home.md in Obsidian or any editor."


def test_empty(command: Command, tmp_path: Path) -> None:
    """`--empty` leaves the examples out; `--no-git` makes no repository and sets nothing about one."""
    outcome = command("init", str(tmp_path / "v"), "--empty", "--no-git")
    assert outcome.code == 0
    assert files(tmp_path / "v") == template(examples=False)
    assert not (tmp_path / "v" / ".git").exists()
    assert (tmp_path / "v/personakit.yaml").read_bytes() == (TEMPLATE / "personakit.yaml").read_bytes()


def test_here(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without DIR the current folder becomes the vault, examples included when nothing is in it."""
    monkeypatch.chdir(tmp_path)
    assert command("init").code == 0
    assert files(tmp_path) == template(examples=True)


def test_an_obsidian_vault_keeps_all_it_has(command: Command, tmp_path: Path) -> None:
    """An existing Obsidian vault gets only what it lacks, without examples; no file of it changes."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/types.json").write_text("{}")
    (tmp_path / "home.md").write_text("mine")
    (tmp_path / "note.md").write_text("mine too")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    outcome = command("init", str(tmp_path))
    assert outcome.code == 0
    assert all(path.read_bytes() == data for path, data in before.items())
    added = files(tmp_path) - {path.relative_to(tmp_path).as_posix() for path in before}
    assert added == template(examples=False) - {"Home.md", ".obsidian/types.json"}
    assert "changed none" in outcome.out
    assert "note.md" not in git(tmp_path, "ls-files")
    assert git(tmp_path, "status", "--porcelain").splitlines() == [
        "?? .obsidian/types.json",
        "?? home.md",
        "?? note.md",
    ]


@pytest.mark.parametrize("below", ["", "sub/deep"])
def test_inside_a_work_tree(command: Command, tmp_path: Path, below: str) -> None:
    """Inside a git work tree no repository is made, nothing is committed or staged, and that is said."""
    git(tmp_path, "init", "-q")
    outcome = command("init", str(tmp_path / below))
    assert outcome.code == 0
    assert f"It lies in the git work tree {tmp_path}" in outcome.out
    assert not (tmp_path / below / ".git").exists() or not below
    assert git(tmp_path, "diff", "--cached", "--name-only") == ""
    assert "commit: auto" not in (tmp_path / below / "personakit.yaml").read_text()
    assert (tmp_path / below / "memories/examples").exists() == bool(below)


def test_no_identity(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git knows no name the vault is made all the same, its commit waits, and how to set a name is said."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setattr(repository, "knows_identity", lambda _root: False)
    outcome = command("init", str(tmp_path / "v"))
    assert outcome.code == 0
    assert "git config --global user.name" in outcome.out and "user.email" in outcome.out
    assert (tmp_path / "v/personakit.yaml").read_text().endswith("commit: auto\n")
    assert "Home.md" in git(tmp_path / "v", "diff", "--cached", "--name-only")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.environ["GIT_CONFIG_GLOBAL"])


def test_no_git_on_the_machine(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git there is a vault and no repository."""
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    outcome = command("init", str(tmp_path / "v"))
    assert outcome.code == 0 and "this machine has no `git`" in outcome.out
    assert files(tmp_path / "v") == template(examples=True)


def test_git_that_refuses(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git says is passed on; the vault is made all the same."""
    monkeypatch.setattr(repository, "make", lambda _root: "fatal: no room")
    outcome = command("init", str(tmp_path / "v"))
    assert outcome.code == 0 and "No git repository: fatal: no room." in outcome.out
    assert "commit: auto" not in (tmp_path / "v/personakit.yaml").read_text()
    monkeypatch.undo()


def test_a_commit_that_is_refused_waits(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first commit that git refuses is told and is no fault."""
    monkeypatch.setattr(repository, "commit", lambda _root, _message: "fatal: locked")
    outcome = command("init", str(tmp_path / "v"))
    assert outcome.code == 0 and "waits for its first commit: fatal: locked." in outcome.out


def test_the_owners_hooks_do_not_run(command: Command, tmp_path: Path, own_git: Path) -> None:
    """Neither a hook nor a signing key of the owner's takes part in the first commit."""
    hooks = own_git / "hooks"
    hooks.mkdir()
    hook = hooks / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {own_git}/ran\nexit 1\n")
    hook.chmod(0o755)
    with (own_git / "gitconfig").open("a") as config:
        config.write(f"[core]\n\thooksPath = {hooks}\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n")
    assert "Its git repository holds them." in command("init", str(tmp_path / "v")).out
    assert not (own_git / "ran").exists()


def test_a_vault_already(command: Command, tmp_path: Path) -> None:
    """A vault is told to be one; what it lacks is added, what it has and its settings stay; deleted examples too."""
    root = tmp_path / "v"
    command("init", str(root), "--no-git")
    before = tree_hash(root)
    outcome = command("init", str(root))
    assert outcome.code == 0 and "is a vault already; nothing was missing." in outcome.out
    assert tree_hash(root) == before
    shutil.rmtree(root / "memories/examples")
    (root / "Home.md").unlink()
    outcome = command("init", str(root))
    assert "is a vault already; added 1 file, changed none." in outcome.out
    assert files(root) == template(examples=False)
    assert not (root / ".git").exists()


def with_markdown(root: Path) -> Path:
    """Make a folder that holds Markdown where a vault would serve it."""
    for path in ("memories/a.md", "knowledge/b.md", "knowledge/c/d.MD", "other/e.md", "diary/x/f.txt"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("Likes tea\n")
    return root


def test_markdown_that_would_be_served(command: Command, tmp_path: Path) -> None:
    """In a pipe, folders that a vault serves and that hold Markdown need --yes; without it nothing is made."""
    with_markdown(tmp_path)
    before = tree_hash(tmp_path)
    outcome = command("init", str(tmp_path))
    assert (outcome.code, outcome.out) == (1, "")
    assert (
        "3 Markdown files that are there would be served to assistants (1 in memories/, 2 in knowledge/)" in outcome.err
    )
    assert "--yes" in outcome.err
    assert tree_hash(tmp_path) == before and not (tmp_path / ".git").exists()
    assert command("init", str(tmp_path), "--yes").code == 0
    assert (tmp_path / "memories/a.md").read_text() == "Likes tea\n"


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_the_owner_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int) -> None:
    """On a terminal the owner is asked, and only a yes goes on."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with_markdown(tmp_path)
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert run(["init", str(tmp_path)]) == code
    assert (tmp_path / "personakit.yaml").exists() == (code == 0)


def test_a_file_in_the_way(command: Command, tmp_path: Path) -> None:
    """A file where the vault, or a folder of it, would be is named, and nothing is created."""
    (tmp_path / "file").write_text("x")
    for folder in ("file", "file/below"):
        outcome = command("init", str(tmp_path / folder))
        assert outcome.code == 1 and outcome.err.count("\n") == 1 and "Nothing was created." in outcome.err
    (tmp_path / "v").mkdir()
    (tmp_path / "v/views").write_text("x")
    outcome = command("init", str(tmp_path / "v"))
    assert outcome.code == 1 and f"File exists: {tmp_path}/v/views" in outcome.err
    assert [path.name for path in (tmp_path / "v").iterdir()] == ["views"]


def test_a_link_is_not_followed(command: Command, tmp_path: Path) -> None:
    """Nothing is written through a linked folder out of the vault."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "v").mkdir()
    (tmp_path / "v/views").symlink_to(tmp_path / "outside")
    assert command("init", str(tmp_path / "v")).code == 0
    assert not list((tmp_path / "outside").iterdir())


def test_an_unwritable_target(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rights there is one sentence, and nothing is created."""
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    outcome = command("init", str(tmp_path / "a/b"))
    assert (outcome.code, outcome.out) == (1, "")
    assert f"your user may not write to {tmp_path}" in outcome.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("last", [0, 3, 20])
def test_a_full_disk(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int) -> None:
    """A disk that fills up on the way, down to the last file, leaves the folder as it was."""
    written = 0
    create = atomic.create

    def filling(folder: str, name: str, data: bytes) -> None:
        nonlocal written
        if written == last:
            raise OSError(errno.ENOSPC, "No space left on device")
        written += 1
        create(folder, name, data)

    monkeypatch.setattr(atomic, "create", filling)
    outcome = command("init", str(tmp_path / "a/v"))
    assert (outcome.code, outcome.out) == (1, "")
    assert "No space left on device" in outcome.err and "Nothing was created." in outcome.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("settings", ["format: 2\n", "format: x\n"])
def test_a_vault_that_is_not_to_be_written_to_stays(command: Command, tmp_path: Path, settings: str) -> None:
    """A vault of a newer format, or with settings that cannot be read, gets no file, and the sentence says why."""
    (tmp_path / "personakit.yaml").write_text(settings)
    done = command("init", str(tmp_path))
    assert done.code != 0 and len(done.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["personakit.yaml"]


def test_a_newer_format_is_told(command: Command, tmp_path: Path) -> None:
    """`status` and `doctor` say that nothing is written to a vault of a newer format."""
    (tmp_path / "personakit.yaml").write_text("format: 2\n")
    assert "Nothing is written to this vault" in command("status", "--vault", str(tmp_path)).out
    assert "read_only" in command("doctor", "--vault", str(tmp_path)).out
