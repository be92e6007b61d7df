"""Commits hold exactly the files that are named, and nothing of a repository's set-up runs for them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from personakit.errors import CannotCommit
from personakit.services.keep import keep
from personakit.vault.history.commits import GC_EACH, Commits, Message
from personakit.vault.history.git import Answer, Git
from tests.cases.inputs import git
from tests.hostile import make_hostile
from tests.support import open_vault, put

pytestmark = pytest.mark.usefixtures("somebody")
SAY = Message("propose m_0000000000ab", "propose", "claude-code", ("m_0000000000ab",))


def held(root: Path, commit: str = "HEAD") -> list[str]:
    """Give the files that a commit changed."""
    return git(root, "show", "--pretty=", "--name-only", "--relative", commit).split()


def test_only_the_named_files_are_committed(repository: Path) -> None:
    """New, changed and deleted files that are named go in; what the owner staged stays staged and out."""
    put(repository, "new.md", "Likes scones")
    put(repository, "tea.md", "Likes black tea", id="m_0000000000aa")
    put(repository, "staged.md", "Likes rye bread")
    put(repository, "mine.md", "Likes oats")
    git(repository, "add", "memories/staged.md")
    done = Commits(str(repository)).commit(["memories/new.md", "memories/tea.md"], SAY)
    assert done.commit == git(repository, "rev-parse", "HEAD").strip()
    assert done.kept == ("memories/new.md", "memories/tea.md") and not done.left and done.wait is None
    assert held(repository) == ["memories/new.md", "memories/tea.md"]
    assert git(repository, "status", "--porcelain") == "A  memories/staged.md\n?? memories/mine.md\n"
    assert git(repository, "log", "-1", "--format=%B") == (
        "propose m_0000000000ab\n\nPersonaKit-Tool: propose\nPersonaKit-Assistant: claude-code\n"
        "PersonaKit-Id: m_0000000000ab\n\n"
    )
    (repository / "memories/new.md").unlink()
    assert Commits(str(repository)).commit(["memories/new.md"], SAY).commit
    assert held(repository) == ["memories/new.md"] and not (repository / "memories/new.md").exists()
    again = Commits(str(repository)).commit(["memories/new.md", "memories/tea.md"], SAY)
    assert again.commit == "" and again.kept == ("memories/new.md", "memories/tea.md")


@pytest.mark.parametrize("place", ["folder", "worktree", "submodule", "unborn"])
def test_wherever_the_repository_is(tmp_path: Path, place: str) -> None:
    """A sub-folder of a repository, a work tree, a submodule and a branch without commits are all committed to."""
    outer = tmp_path / "outer"
    (outer / "vault").mkdir(parents=True)
    (outer / "vault/a.txt").write_text("a\n")
    git(outer, "init", "-q", "-b", "main")
    root = outer / "vault"
    if place != "unborn":
        git(outer, "add", ".")
        git(outer, "commit", "-qm", "Begin")
    if place == "worktree":
        git(outer, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
        root = tmp_path / "side/vault"
    if place == "submodule":
        other = tmp_path / "other"
        other.mkdir()
        git(other, "init", "-q", "-b", "main")
        git(other, "commit", "-qm", "Begin", "--allow-empty")
        git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
        root = outer / "sub"
    put(root, "new 'ä'.md", "Likes scones")
    (root.parent / "loose").write_text("x")
    done = Commits(str(root)).commit(["memories/new 'ä'.md"], SAY)
    assert done.wait is None and done.commit
    assert Commits(str(root)).blobs("HEAD", ["memories/new 'ä'.md"])
    files = git(root, "ls-files", "--full-name", "-z", "memories").split("\0")
    assert files[0].endswith("memories/new 'ä'.md")
    assert (root / "memories/new 'ä'.md").exists()


def test_a_message_cannot_be_forged() -> None:
    """A name with line breaks and control characters stays the value of its one trailer."""
    lines = Message("propose 2 memories", "propose", "x\nPersonaKit-Id: m_1\x00\x1b", ("m_2", "m_3")).text().split("\n")
    assert lines == [
        *("propose 2 memories", "", "PersonaKit-Tool: propose", "PersonaKit-Assistant: x PersonaKit-Id: m_1"),
        *("PersonaKit-Id: m_2", "PersonaKit-Id: m_3", ""),
    ]


def test_some_files_are_left_out_and_named(repository: Path) -> None:
    """Conflict markers, a filter and being ignored keep a file out, and the others are committed."""
    names = ["good", "markers", "secret", "private"]
    for name in names:
        put(repository, f"{name}.md", f"Likes {name}", id="m_0123456789ab")
    text = (repository / "memories/markers.md").read_text()
    (repository / "memories/markers.md").write_text(text.replace("---\n", "---\n<<<<<<< a\n=======\n>>>>>>> b\n", 1))
    (repository / "memories/.gitattributes").write_text("secret.md filter=crypt\n")
    with (repository / ".gitignore").open("a") as file:
        file.write("private.md\n")
    done = Commits(str(repository)).commit([f"memories/{name}.md" for name in names], SAY)
    assert done.wait is None and done.kept == ("memories/good.md",) and held(repository) == ["memories/good.md"]
    assert {(one.path, one.code) for one in done.left} == {
        ("memories/markers.md", "merge_conflict"),
        ("memories/secret.md", "filter"),
        ("memories/private.md", "ignored"),
    }
    assert all(one.why for one in done.left)


@pytest.mark.parametrize("kind", ["submodule", "nested"])
def test_a_repository_inside_the_vault_is_left_alone(repository: Path, kind: str) -> None:
    """A file in it is left out and named, and keeps no other from being committed."""
    inside = repository / "memories/shared"
    if kind == "submodule":
        words = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
        git(repository, *words, str(repository), "memories/shared")
        git(repository, "commit", "-qm", "Share")
    else:
        inside.mkdir()
        git(inside, "init", "-q")
    put(repository, "shared/deep/other.md", "Likes rye")
    put(repository, "new.md", "Likes scones")
    commits = Commits(str(repository))
    done = commits.commit(["memories/shared/deep/other.md", "memories/new.md"], SAY)
    assert done.commit and done.kept == ("memories/new.md",) and held(repository) == ["memories/new.md"]
    assert [(one.path, one.code) for one in done.left] == [("memories/shared/deep/other.md", "other_repository")]


@pytest.mark.parametrize("word", ["hash-object", "check-attr", "check-ignore"])
def test_what_git_cannot_say_is_waited_for(repository: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """A call that fails is no answer: a new file is neither taken for committed nor for one without a filter."""
    real = Git._run

    def failing(self: Git, words: list[str], *rest: Any) -> Answer:
        return Answer(128, b"", "fatal: out of memory") if word in words else real(self, words, *rest)

    monkeypatch.setattr(Git, "_run", failing)
    put(repository, "new.md", "Likes scones")
    done = Commits(str(repository)).commit(["memories/new.md"], SAY)
    assert done.wait is not None and "out of memory" in done.wait.why and not done.kept and not done.commit
    if word != "hash-object":
        with pytest.raises(CannotCommit, match="out of memory"):
            keep(open_vault(repository))


def test_a_refused_commit_leaves_the_index_as_it_was(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git refuses, the reason is a value, and a new file is as untracked as before."""
    put(repository, "new.md", "Likes scones")
    (repository / ".git/index.lock").touch()
    locked = Commits(str(repository)).commit(["memories/new.md"], SAY)
    assert locked.wait is not None and locked.wait.code == "index_lock" and not locked.kept
    assert (repository / ".git/index.lock").exists()
    (repository / ".git/index.lock").unlink()
    (repository / ".git/refs/heads/main.lock").touch()
    refused = Commits(str(repository)).commit(["memories/new.md"], SAY)
    assert refused.wait is not None and refused.wait.code == "refused" and "main.lock" in refused.wait.why
    assert git(repository, "status", "--porcelain") == "?? memories/new.md\n"


def test_nothing_of_the_set_up_runs(repository: Path, tmp_path: Path) -> None:
    """Hooks, watchers, filters, signing and all other programs of a repository leave no mark."""
    make_hostile(repository, tmp_path / "marks")
    put(repository, "new.md", "Likes scones")
    git(repository, "config", "i18n.commitEncoding", "ISO-8859-1")
    os.utime(repository / "memories/tea.md", (1, 1))
    commits = Commits(str(repository))
    assert commits.commit(["memories/new.md"], replace(SAY, assistant="Zoë")).commit
    assert "Zoë" in git(repository, "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false", "log", "-1")
    assert commits.changes(["memories", "other.bin"]) == {"other.bin": " M"}
    assert commits.blob_on_disk("other.bin")
    assert os.listdir(tmp_path / "marks") == []
    assert held(repository) == ["memories/new.md"]


def test_git_tidies_up_once_in_a_while(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many commits of ours, counted over restarts, git may collect garbage; a broken count starts anew."""
    calls = []
    commits = Commits(str(repository))
    real = type(commits._git).tell

    def tell(self: object, *words: str, **more: object) -> object:
        calls.append(words)
        return real(self, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(type(commits._git), "tell", tell)
    (repository / ".personakit").mkdir()
    counter = repository / ".personakit/commits"
    for count, text in enumerate(("rubbish", f"{GC_EACH - 1}\n")):
        counter.write_text(text)
        put(repository, "new.md", f"Likes scones {count}")
        assert Commits(str(repository)).commit(["memories/new.md"], SAY).commit
    assert counter.read_text() == f"{GC_EACH}\n"
    assert [words for words in calls if "gc" in words] == [("-c", "gc.auto=6700", "gc", "--auto", "--quiet")]


def test_content_is_read_back(repository: Path) -> None:
    """A blob's bytes are given; one that is not there is None."""
    commits = Commits(str(repository))
    (blob,) = commits.blobs("HEAD", ["memories/tea.md"]).values()
    assert commits.content(blob) == (repository / "memories/tea.md").read_bytes()
    assert commits.content("0" * 40) is None
    assert commits.changes(["memories"]) == {}
    assert Commits(str(repository.parent)).changes(["x"]) is None
