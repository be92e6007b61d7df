"""Git as it is run: nothing of a repository's set-up runs, and every failure is a value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personakit.vault.history.git import Git, has_git, work_tree_above


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with one commit."""
    git = Git(str(tmp_path))
    assert git.tell("init", "-q", "-b", "main").ok
    (tmp_path / "a.md").write_text("tea\n")
    assert git.tell("add", "a.md").ok
    identity = {
        f"GIT_{who}_{what}": "ana@fictiva.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    assert git.tell("commit", "-qm", "Begin", environment=identity).ok
    return tmp_path


def test_answers_carry_bytes_and_complaints(repository: Path) -> None:
    """What git writes comes as bytes, what it complains of as one line, and reading takes no lock."""
    git = Git(str(repository))
    assert git.ask("show", "HEAD:a.md").out == b"tea\n"
    assert git.ask("rev-parse", "HEAD").line.isalnum()
    refused = git.ask("rev-parse", "--verify", "nowhere")
    assert not refused.ok and refused.said.startswith("fatal:")
    assert git.ask("hash-object", "--stdin", stdin=b"tea\n").line == git.ask("rev-parse", "HEAD:a.md").line
    (repository / ".git/index.lock").touch()
    assert git.ask("status", "--porcelain").ok


def test_no_git_and_a_slow_git_are_values(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no git, or it takes too long, the answer says so and nothing is raised."""
    slow = Git(str(repository)).ask("cat-file", "--batch", seconds=0.0)
    assert slow.code == 124 and "longer" in slow.said
    monkeypatch.setenv("PATH", str(repository))
    assert not has_git()
    assert Git(str(repository)).ask("status").code == 127


def test_hooks_and_watchers_of_a_repository_do_not_run(repository: Path) -> None:
    """A repository's own programs leave no mark."""
    mark = repository / "mark"
    program = repository / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-commit", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(program)
    git = Git(str(repository))
    for name in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "core.editor"):
        assert git.tell("config", name, str(program)).ok
    git.tell("config", "commit.gpgSign", "true")
    (repository / "a.md").write_text("coffee\n")
    git.tell("config", "user.email", "ana@fictiva.example")
    git.tell("config", "user.name", "Ana")
    assert git.ask("status", "--porcelain").ok
    assert git.ask("log", "-p").ok
    assert git.tell("commit", "-qm", "Change", "--", "a.md").ok
    assert not mark.exists()


@pytest.mark.parametrize("allowed", [None, "file:ext"])
def test_nothing_is_fetched_by_the_way(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str | None
) -> None:
    """Whatever a repository's config or the surroundings allow, no transport is open but to a sync."""
    if allowed:
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", allowed)
    git = Git(str(repository))
    for name in ("file", "ext"):
        git.tell("config", f"protocol.{name}.allow", "always")
    for address in (f"file://{repository}", f"ext::touch {tmp_path / 'mark'}"):
        assert "not allowed" in git.tell("fetch", address).said
    assert not (tmp_path / "mark").exists()


def test_surroundings_lead_nowhere_else(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run from within a hook of another repository, it still works in its own folder."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert Git(str(repository)).ask("rev-parse", "--git-dir").line == ".git"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_CONFIG", os.devnull),
        ("GIT_GLOB_PATHSPECS", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_INTERNAL_SUPER_PREFIX", "above/"),
        ("GIT_QUARANTINE_PATH", "/nowhere"),
    ],
)
def test_surroundings_change_no_answer(
    repository: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """What a hook or an owner's shell hands down to git gives neither paths nor settings another meaning."""
    git = Git(str(repository))
    git.tell("config", "core.mark", "here")
    monkeypatch.setenv(name, value)
    assert git.ask("config", "--get", "core.mark").line == "here"
    assert git.ask("rev-parse", "--is-inside-work-tree").line == "true"
    assert git.ask("ls-files", "--", "A.md", "a.md").line == "a.md"
    assert git.tell("update-ref", "refs/heads/side", "HEAD").ok


def test_the_work_tree_above_is_found_by_name(repository: Path) -> None:
    """A folder inside a work tree belongs to it; one outside belongs to none."""
    inside = repository / "vault/memories"
    inside.mkdir(parents=True)
    assert work_tree_above(str(inside)) == str(repository)
    assert work_tree_above("/") == ""
