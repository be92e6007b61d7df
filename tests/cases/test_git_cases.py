"""A vault in a git repository that is busy, broken or another's: memories are read and stored all the same.

These lines of the cases belong to the work on history, and are tested with it:

- conflict-markers-in-block: no commit includes the file.
- index-lock-present: a commit is tried again with growing waits, then stays pending and is shown by `doctor`; calls
  of git that only read use `--no-optional-locks`; when the lock is gone, the pending commit appears within a minute.
- plugin-conflict-note: commits wait while the note is there.
- autocrlf-churn: line ends alone make no new version in a memory's history, and nothing to review again.
- other-owner-repository: history and commits are off, with one line that names the cause and `safe.directory`.
- rebase-in-progress: the commit waits for MERGE_HEAD, rebase-merge, rebase-apply, CHERRY_PICK_HEAD, REVERT_HEAD,
  BISECT_LOG and a detached HEAD to go, and is made then.
- names-differ-in-case: a rename that changes only case is one change in history.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from personakit.services.answers import Stored
from tests.cases.inputs import NOBODY, git, ids, listed, told
from tests.cli.conftest import Command
from tests.rpc import Client
from tests.support import open_desk, put


@pytest.fixture
def repository(vault: Path) -> Path:
    """Make the vault a repository whose settings ask for commits, and give its `.git`."""
    (vault / "personakit.yaml").write_text("format: 1\ncommit: auto\n")
    (vault / ".gitignore").write_text(".personakit/\n")
    put(vault, "tea.md", "Likes green tea", id="m_0000000000aa", state="approved")
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", ".")
    git(vault, "commit", "-qm", "Begin")
    return vault / ".git"


def state_of(repository: Path) -> dict[str, str]:
    """Hash every file of a `.git` folder."""
    files = [path for path in repository.rglob("*") if path.is_file()]
    return {str(path.relative_to(repository)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def store_one(vault: Path, owner: Command) -> None:
    """Propose, decide and read, as on any day."""
    desk = open_desk(vault)
    stored = desk.propose("Likes scones", "scones please", "preferences")
    assert isinstance(stored, Stored) and stored.new
    assert owner("approve", stored.id).code == 0
    assert {memory.text for memory in told(desk, "tea scones")} == {"Likes green tea", "Likes scones"}
    assert stored.id in ids(owner) and listed(owner) == []


def test_index_lock_present(vault: Path, repository: Path, owner: Command) -> None:
    """A lock on git's index, stale or live, keeps no memory from being stored, and is never taken away."""
    (repository / "index.lock").touch()
    before = state_of(repository)
    store_one(vault, owner)
    assert (repository / "index.lock").exists()
    assert state_of(repository) == before


MARKS = ["MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "detached"]


@pytest.mark.parametrize("mark", MARKS)
def test_rebase_in_progress(vault: Path, repository: Path, owner: Command, mark: str) -> None:
    """Whatever git is in the middle of, memories are stored, and nothing is committed, checked out or moved on."""
    if mark == "detached":
        git(vault, "checkout", "-q", "--detach")
    elif mark.startswith("rebase"):
        (repository / mark).mkdir()
    else:
        (repository / mark).write_text(git(vault, "rev-parse", "HEAD"))
    before = state_of(repository)
    store_one(vault, owner)
    assert state_of(repository) == before
    assert (repository / mark).exists() or mark == "detached"


def test_other_owner_repository(vault: Path, repository: Path, tmp_path: Path) -> None:
    """Where git refuses to work in another's repository, the server reads and proposes, and edits no git settings."""
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\n\tname = Rosalind Fictiva\n")
    home = tmp_path / "home"
    home.mkdir()
    other = {**NOBODY, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "GIT_CONFIG_GLOBAL": str(settings), "HOME": str(home)}
    if os.geteuid() == 0:
        for path in (vault, *vault.rglob("*")):
            os.lchown(path, 12_345, 12_345)
    before = state_of(repository)
    with Client(vault, environment=other) as client:
        assert [memory["text"] for memory in client.read("tea")["memories"]] == ["Likes green tea"]
        assert client.propose("Likes scones", "scones please")["new"] is True
        assert len(client.read("tea scones")["memories"]) == 2
        assert client.close() == 0
    assert settings.read_text() == "[user]\n\tname = Rosalind Fictiva\n" and list(home.iterdir()) == []
    assert state_of(repository) == before
