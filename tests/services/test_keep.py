"""The owner's changes are committed when they ask, counted and not quoted; the rest of the repository stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.errors import CannotCommit
from personakit.services.keep import keep
from personakit.services.recording import Recorder
from tests.cases.inputs import git
from tests.support import SetClock, open_desk, open_vault, put


def subject(root: Path) -> str:
    """Commit, and give the subject."""
    return keep(open_vault(root, SetClock())).subject


def test_what_changed_is_counted(repository: Path) -> None:
    """Decisions, other words, new, moved and deleted files, settings and edits each have their word."""
    for number in range(6):
        put(repository, f"{number}.md", f"Likes number{number}x", id=f"m_00000000000{number}", state="unconfirmed")
    assert subject(repository) == "add 6"
    assert git(
        repository, "log", "-1", "--format=%(trailers:key=PersonaKit-Tool,key=PersonaKit-Assistant)"
    ).split() == [*("PersonaKit-Tool:", "commit")]
    put(repository, "0.md", "Likes number0x", id="m_000000000000", state="approved")
    put(repository, "1.md", "Likes scones", id="m_000000000001", state="rejected")
    put(repository, "2.md", "Likes number2x", id="m_000000000002", state="unconfirmed", tags=["mine"])
    (repository / "memories/3.md").unlink()
    (repository / "memories/deep").mkdir()
    (repository / "memories/4.md").rename(repository / "memories/deep/four.md")
    (repository / "personakit.yaml").write_text("format: 1\ncommit: off\n")
    (repository / "views").mkdir()
    (repository / "views/Mine.base").write_text("x\n")
    assert subject(repository) == "approve 1, reject 1, reword 1, edit 1, move 1, add 1, delete 1, set up 1"
    assert "scones" not in git(repository, "log", "-1", "--format=%B")
    assert subject(repository) == "" and git(repository, "status", "--porcelain") == ""


def test_only_the_vaults_files_and_only_the_owners(repository: Path) -> None:
    """Files of the repository that are none of the vault's stay as they are; an assistant's keep its name."""
    (repository / "thesis.md").write_text("Mine\n")
    (repository / "code").mkdir()
    (repository / "code/a.md").write_text("Mine\n")
    (repository / "memories/picture.png").write_bytes(b"x")
    git(repository, "add", "thesis.md")
    desk = open_desk(repository, assistant="claude-code")
    desk.propose("Likes scones", "as I said", "other")
    put(repository, "oats.md", "Likes oats", state="approved")
    kept = keep(open_vault(repository, SetClock()), "My words")
    assert (kept.subject, kept.number) == ("My words", 1)
    assert git(repository, "log", "--format=%s").splitlines()[0] == "My words"
    assert git(repository, "log", "-2", "--format=%(trailers:key=PersonaKit-Assistant,valueonly)").split() == [
        "claude-code"
    ]
    assert git(repository, "status", "--porcelain") == "A  thesis.md\n?? code/\n?? memories/picture.png\n"
    desk.close()


def test_some_are_left_out_and_named(repository: Path) -> None:
    """Files that are never committed are named, and the others are committed; alone they are nothing to commit."""
    put(repository, "held.md", "Likes a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs")
    (repository / "memories/link.md").symlink_to(repository / "memories/tea.md")
    kept = keep(open_vault(repository, SetClock()))
    assert kept.subject == "" and {one.code for one in kept.left} == {"merge_conflict", "link"}
    put(repository, "oats.md", "Likes oats", state="approved")
    kept = keep(open_vault(repository, SetClock()))
    assert kept.subject == "add 1" and len(kept.left) == 2


def test_what_is_in_the_way_is_an_error(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A merge, a lock or a git that cannot tell is one sentence, and nothing is committed."""
    put(repository, "oats.md", "Likes oats", state="approved")
    (repository / ".git/MERGE_HEAD").write_text(git(repository, "rev-parse", "HEAD"))
    with pytest.raises(CannotCommit, match="a merge is not finished"):
        subject(repository)
    (repository / ".git/MERGE_HEAD").unlink()
    (repository / ".git/refs/heads/main.lock").touch()
    with pytest.raises(CannotCommit, match=r"main\.lock"):
        subject(repository)
    (repository / ".git/refs/heads/main.lock").unlink()
    (repository / ".git/index").write_bytes(b"rubbish")
    monkeypatch.setattr(Recorder, "flush", lambda _self: None)
    with pytest.raises(CannotCommit, match="cannot tell"):
        subject(repository)
