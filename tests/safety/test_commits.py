"""Commits under attack: hostile set-ups, broken repositories and killed processes cost no memory and run no program."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from personakit.cli.main import run
from tests.cases.inputs import git
from tests.cli.conftest import Command, Outcome
from tests.hostile import make_hostile
from tests.rpc import Client
from tests.support import put, wait_for

TEA = "m_0000000000aa"


@pytest.fixture
def owner(repository: Path) -> Command:
    """Run a command on the test's vault, in this process."""

    def call(*words: str) -> Outcome:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*words, "--vault", str(repository)])
        return Outcome(code, out.getvalue(), err.getvalue())

    return call


def subjects(root: Path) -> list[str]:
    """Give the subjects of all commits, newest first."""
    return git(root, "-c", "log.showSignature=false", "log", "--format=%s").splitlines()


def test_a_hostile_set_up_runs_nothing(repository: Path, tmp_path: Path, owner: Command) -> None:
    """A server, and every command that writes, commits or looks, runs none of the programs that a repository names."""
    make_hostile(repository, tmp_path / "marks")
    with Client(repository, options=("--as", "claude-code")) as client:
        id_ = client.propose("Likes scones", "scones please")["id"]
        assert client.close() == 0
    assert owner("approve", id_).code == 0
    assert owner("propose", "Likes oats", "--quote", "oats please").code == 0
    put(repository, "rye.md", "Likes rye", state="approved")
    os.utime(repository / "memories/tea.md", (1, 1))
    for words in (("commit",), ("undo", "--yes"), ("doctor",), ("status",), ("reject", TEA), ("undo", "--yes")):
        assert owner(*words).code == 0, words
    assert os.listdir(tmp_path / "marks") == []
    said = [subject.split()[0] for subject in subjects(repository)]
    assert said == ["undo", "reject", "undo", "add", "propose", "approve", "propose", "Another", "Begin"]
    git(repository, "commit", "--allow-empty", "-m", "x", ok=False)  # the set-up does leave marks
    assert os.listdir(tmp_path / "marks") != []


def shallow(root: Path) -> None:
    """Make the vault a shallow clone of itself."""
    for number in range(3):
        git(root, "commit", "-qm", f"More {number}", "--allow-empty")
    clone = root.parent / "clone"
    git(root.parent, "clone", "-q", "--depth", "1", f"file://{root}", str(clone))
    shutil.rmtree(root / ".git")
    shutil.move(clone / ".git", root / ".git")


def lose_blob(root: Path) -> None:
    """Lose the bytes of a file that nothing changes."""
    lose(root, "HEAD:.gitignore")


def lose_trees(root: Path) -> None:
    """Lose what the last commit says of the folder that memories are in."""
    lose(root, "HEAD:memories")


def lose(root: Path, what: str) -> None:
    """Take one object out of a repository."""
    name = git(root, "rev-parse", what).strip()
    (root / ".git/objects" / name[:2] / name[2:]).unlink()


def lose_head(root: Path) -> None:
    """Leave a HEAD that names nothing."""
    (root / ".git/HEAD").write_text("")


def lose_index(root: Path) -> None:
    """Leave an index that is none."""
    (root / ".git/index").write_bytes(b"rubbish")


def empty_it(root: Path) -> None:
    """Leave a `.git` with nothing in it."""
    shutil.rmtree(root / ".git")
    (root / ".git").mkdir()


@pytest.mark.parametrize(
    ("damage", "commits"),
    [
        (shallow, True),
        (lose_blob, False),
        (lose_trees, False),
        (lose_head, False),
        (lose_index, False),
        (empty_it, False),
    ],
)
def test_a_damaged_repository_costs_no_memory(
    repository: Path, owner: Command, damage: Callable[[Path], None], commits: bool
) -> None:
    """Whatever is missing, memories are stored and decided on; what cannot be committed waits and is told."""
    damage(repository)
    with Client(repository) as client:
        id_ = client.propose("Likes scones", "scones please")["id"]
        assert client.read("scones")["memories"][0]["text"] == "Likes scones"
        assert client.close() == 0
    assert owner("approve", id_).code == 0
    codes = [problem["code"] for problem in owner("doctor", "--json").json["problems"]]
    assert [code for code in codes if code.startswith("commit")] == ([] if commits else ["commit_waits"])
    assert "the next command" not in owner("doctor").out
    assert owner("undo", "--yes").code == (0 if commits else 1)
    if commits:
        assert subjects(repository)[:3] == [f"undo {id_}", f"approve {id_}", f"propose {id_}"]


def test_a_server_that_is_killed_loses_no_commit(repository: Path, owner: Command) -> None:
    """What was written when the process was killed is committed by the next one, in the assistant's name."""
    with Client(repository, options=("--as", "claude-code")) as client:
        id_ = client.propose("Likes scones", "scones please")["id"]
        client.process.kill()
        client.process.wait()
    assert subjects(repository) == ["Begin"]
    with Client(repository) as client:
        client.read("tea")
        wait_for(lambda: subjects(repository) == [f"propose {id_}", "Begin"], 30)
    assert "PersonaKit-Assistant: claude-code" in git(repository, "log", "-1", "--format=%B")
    assert git(repository, "status", "--porcelain") == ""
    assert owner("doctor", "--json").json["problems"] == []


def test_a_server_ends_in_time(repository: Path) -> None:
    """However long git takes, a server that is told to end does so, and what it wrote stays."""
    slow = repository.parent / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    path = f"{slow.parent}{os.pathsep}{os.environ['PATH']}"
    with Client(repository, environment={"PATH": path}) as client:
        client.propose("Likes scones", "scones please")
        assert client.close(8.0) == 0
    assert list((repository / "memories").glob("20*/likes-scones-*.md"))


def test_an_idle_server_has_no_thread_for_commits(repository: Path) -> None:
    """A server with nothing to commit keeps no thread for it."""
    with Client(repository) as client:
        client.read("tea")
        tasks = Path(f"/proc/{client.process.pid}/task")
        if tasks.is_dir():
            wait_for(lambda: "commit" not in {(task / "comm").read_text().strip() for task in tasks.iterdir()})
