"""Each reason for which a commit waits has its word, and a sentence that says what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personakit.vault.history.waits import PLUGIN_NOTE, why_waiting
from tests.cases.inputs import git

pytestmark = pytest.mark.usefixtures("somebody")


def code(root: Path, *, automatic: bool = True) -> str:
    """Give the word for the reason, "" for none."""
    wait = why_waiting(str(root), automatic=automatic)
    assert wait is None or (wait.why and not wait.why.endswith("."))
    return "" if wait is None else wait.code


def test_nothing_is_in_the_way(repository: Path) -> None:
    """In an ordinary repository nothing waits, and settings that do not ask for commits come first of all."""
    assert code(repository) == ""
    assert code(repository, automatic=False) == "off"


def test_no_git_and_no_repository(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git and a vault outside of any repository are told apart."""
    (tmp_path / "plain").mkdir()
    assert code(tmp_path / "plain") == "no_repository"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code(repository) == "no_git"


@pytest.mark.parametrize(
    ("mark", "word"),
    [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry_pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
        ("index.lock", "index_lock"),
    ],
)
@pytest.mark.parametrize("where", ["repository", "worktree"])
def test_git_is_in_the_middle_of_something(repository: Path, tmp_path: Path, mark: str, word: str, where: str) -> None:
    """What git keeps meanwhile is found wherever the repository keeps it, also for a work tree of its own."""
    root, folder = repository, repository / ".git"
    if where == "worktree":
        git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
        root, folder = tmp_path / "side", repository / ".git/worktrees/side"
    (folder / mark).touch()
    assert code(root) == word
    (folder / mark).unlink()
    assert code(root) == ""


def test_a_detached_head_and_the_plugins_note(repository: Path) -> None:
    """Without a branch a commit would be lost; while a pull is in conflict the plugin's note says so."""
    (repository / PLUGIN_NOTE).touch()
    assert code(repository) == "plugin_conflict"
    (repository / PLUGIN_NOTE).unlink()
    git(repository, "checkout", "-q", "--detach")
    assert code(repository) == "detached_head"
    git(repository, "checkout", "-q", "main")
    assert code(repository) == ""


def test_another_owner_is_named_with_the_setting(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git refuses another user's repository, the setting that would allow it is named."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    wait = why_waiting(str(repository))
    assert wait is not None and wait.code == "other_owner" and "safe.directory" in wait.why


def test_no_identity(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git knows no name, that is the reason."""
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER", "EMAIL"))]:
        monkeypatch.delenv(name)
    git(repository, "config", "user.useConfigOnly", "true")
    assert code(repository) == "no_identity"


def test_a_broken_repository(repository: Path, tmp_path: Path) -> None:
    """An unreadable HEAD, a tree that is missing and a work tree elsewhere are one word: broken."""
    head = (repository / ".git/HEAD").read_text()
    (repository / ".git/HEAD").write_text("rubbish\n")
    assert code(repository) == "broken"
    (repository / ".git/HEAD").write_text(head)
    tree = git(repository, "rev-parse", "HEAD^{tree}").strip()
    path = repository / ".git/objects" / tree[:2] / tree[2:]
    raw = path.read_bytes()
    path.unlink()
    assert code(repository) == "broken"
    path.write_bytes(raw)
    git(repository, "config", "core.worktree", str(tmp_path))
    assert code(repository) == "broken"


def test_a_branch_without_commits(tmp_path: Path) -> None:
    """A new repository can be committed to."""
    git(tmp_path, "init", "-q", "-b", "main")
    assert code(tmp_path) == ""
