"""A vault in a git repository that is busy, broken or another's: memories are read and stored all the same."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from personakit.services.answers import Stored
from personakit.vault.history.waits import PLUGIN_NOTE
from tests.cases.inputs import ID, NOBODY, bring, git, ids, listed, message, raw, told
from tests.cli.conftest import Command
from tests.rpc import Client
from tests.support import open_desk, put, wait_for


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


def store_one(vault: Path, owner: Command, code: str = "") -> str:
    """Propose, decide and read, as on any day; `code` is why commits wait meanwhile. Gives the id."""
    desk = open_desk(vault)
    stored = desk.propose("Likes scones", "scones please", "preferences")
    assert isinstance(stored, Stored) and stored.new
    desk.close()
    assert owner("approve", stored.id).code == 0
    assert {memory.text for memory in told(open_desk(vault), "tea scones")} == {"Likes green tea", "Likes scones"}
    assert stored.id in ids(owner)
    assert listed(owner) == ([("", "commit_waits", 0)] if code else [])
    waits = owner("status", "--json").json["commits"]
    assert waits["waiting"] == (1 if code else 0) and waits["code"] == (code or None)
    return stored.id


def subjects(vault: Path) -> list[str]:
    """Give the subjects of all commits but the first, newest first."""
    return git(vault, "log", "--format=%s", "main").splitlines()[:-1]


@pytest.mark.usefixtures("somebody")
def test_conflict_markers_in_block(vault: Path, repository: Path, owner: Command) -> None:
    """No commit includes a file with conflict markers, neither one of ours nor one that its owner asks for."""
    path = bring(vault, "52-conflict-markers-in-block")
    before = path.read_bytes()
    stored = owner("propose", "Likes scones", "--quote", "scones please")
    assert stored.code == 0 and len(subjects(vault)) == 1
    (vault / "memories/tea.md").write_text((vault / "memories/tea.md").read_text() + "\nA note\n")
    done = owner("commit")
    assert done.code == 0 and "memories/input.md" in done.out and "conflict markers" in done.out
    assert git(vault, "status", "--porcelain") == "?? memories/input.md\n"
    assert path.read_bytes() == before and open_desk(vault)._vault.library.is_held(ID)


@pytest.mark.usefixtures("somebody")
def test_index_lock_present(vault: Path, repository: Path, owner: Command) -> None:
    """A lock on git's index, stale or live, keeps nothing from being stored; what waits is committed when it goes."""
    lock = repository / "index.lock"
    lock.touch()
    before = state_of(repository)
    id_ = store_one(vault, owner, "index_lock")
    assert "index.lock" in message(owner, "")
    assert lock.exists() and state_of(repository) == before
    with Client(vault) as client:
        client.read("tea")
        lock.unlink()
        wait_for(lambda: subjects(vault) == [f"approve {id_}"], 60)
    assert listed(owner) == [] and git(vault, "status", "--porcelain") == ""


MARKS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry_pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
    "detached": "detached_head",
}


@pytest.mark.usefixtures("somebody")
@pytest.mark.parametrize("mark", MARKS)
def test_rebase_in_progress(vault: Path, repository: Path, owner: Command, mark: str) -> None:
    """Whatever git is in the middle of, memories are stored and nothing is moved on; the commit is made afterwards."""
    path = repository / mark
    if mark == "detached":
        git(vault, "checkout", "-q", "--detach")
    elif mark.startswith("rebase"):
        path.mkdir()
    else:
        path.write_text(git(vault, "rev-parse", "HEAD"))
    before = state_of(repository)
    id_ = store_one(vault, owner, MARKS[mark])
    assert state_of(repository) == before
    if mark == "detached":
        git(vault, "checkout", "-q", "main")
    elif path.is_dir():
        path.rmdir()
    else:
        path.unlink()
    open_desk(vault).close()
    assert subjects(vault) == [f"approve {id_}"] and listed(owner) == []


@pytest.mark.usefixtures("somebody")
def test_plugin_conflict_note(vault: Path, repository: Path, owner: Command) -> None:
    """While a plugin's note says that a pull is in conflict, commits wait; when it is gone, they are made."""
    note = vault / PLUGIN_NOTE
    note.write_bytes(raw("55-plugin-conflict-note", f"vault/{PLUGIN_NOTE}"))
    before = state_of(repository)
    id_ = store_one(vault, owner, "plugin_conflict")
    assert state_of(repository) == before and PLUGIN_NOTE in message(owner, "")
    note.unlink()
    open_desk(vault).close()
    assert subjects(vault) == [f"approve {id_}"] and listed(owner) == []


def test_other_owner_repository(vault: Path, repository: Path, tmp_path: Path, owner: Command) -> None:
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
    with pytest.MonkeyPatch.context() as patch:
        for name, value in other.items():
            patch.setenv(name, value)
        assert listed(owner) == [("", "commit_waits", 0), ("", "history_other_owner", 0)]
        off = owner("history")
        assert off.code == 1 and "safe.directory" in off.err
        said = [problem["message"] for problem in owner("doctor", "--json").json["problems"]]
        assert all("safe.directory" in message and "another user" in message for message in said)
    assert settings.read_text() == "[user]\n\tname = Rosalind Fictiva\n" and list(home.iterdir()) == []
    assert state_of(repository) == before


def happened(owner: Command, id_: str) -> list[str]:
    """Give what is told of a memory, in words."""
    outcome = owner("history", id_, "--json")
    assert outcome.code == 0, outcome.err
    return [event["words"] for event in outcome.json["events"]]


@pytest.mark.parametrize("attributes", [True, False], ids=["with attributes", "without"])
def test_autocrlf_churn(vault: Path, repository: Path, owner: Command, attributes: bool) -> None:
    """Line ends alone make no new version in a memory's history, and nothing to review again."""
    files = [bring(vault, "56-autocrlf-churn", name) for name in ("lf.md", "crlf.md")]
    if attributes:
        bring(vault, "56-autocrlf-churn", "dot-gitattributes", to=".gitattributes")
    git(vault, "add", ".")
    git(vault, "commit", "-qm", "Begin")
    before = {id_: happened(owner, id_) for id_ in ids(owner)}
    looked = owner("list", "--json").json
    for file in files:
        raw = file.read_bytes().replace(b"\r\n", b"\n")
        file.write_bytes(raw.replace(b"\n", b"\r\n"))
        assert {id_: happened(owner, id_) for id_ in ids(owner)} == before
        git(vault, "-c", "core.autocrlf=false", "add", ".")
        git(vault, "commit", "--allow-empty", "-qm", "Churn")
        assert {id_: happened(owner, id_) for id_ in ids(owner)} == before
    assert all(len(words) == 1 for words in before.values())
    assert owner("list", "--json").json == looked


def test_names_differ_in_case(vault: Path, repository: Path, owner: Command) -> None:
    """A rename that changes only case is one change of one memory, before it is committed and after."""
    (vault / "memories/tea.md").rename(vault / "memories/Tea.md")
    assert happened(owner, "m_0000000000aa") == ["written by the owner", "file moved"]
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "Rename")
    assert happened(owner, "m_0000000000aa") == ["written by the owner", "file moved"]
