"""What `doctor` hears of a repository: each trouble by its code, and nothing of a vault that lies in none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personakit.vault.history.health import troubles
from tests.vault.history.repositories import Owner


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    """Give a repository with two memories in two commits."""
    owner = Owner(tmp_path / "vault")
    owner.put("a.md", "Likes tea")
    owner.commit()
    owner.put("b.md", "Likes jam")
    owner.commit()
    return owner


def codes(root: Path) -> list[str]:
    """Give the codes of all troubles."""
    return [code for code, _ in troubles(str(root))]


def test_a_sound_repository_has_none(owner: Owner, tmp_path: Path) -> None:
    """No repository, one without a commit and one that is whole are no trouble."""
    assert codes(tmp_path) == codes(owner.root) == codes(Owner(tmp_path / "new").root) == []
    (owner.root / "inner").mkdir()
    assert codes(owner.root / "inner") == []


def test_missing_and_damaged_objects(owner: Owner) -> None:
    """Contents of the last commit that are missing are counted; a missing commit breaks history."""
    objects = owner.root / ".git/objects"
    blob = owner.git("rev-parse", "HEAD:memories/a.md")
    (objects / blob[:2] / blob[2:]).unlink()
    ((code, message),) = troubles(str(owner.root))
    assert code == "objects_missing" and "one file" in message
    first = owner.git("rev-parse", "HEAD~1")
    (objects / first[:2] / first[2:]).unlink()
    assert codes(owner.root) == ["broken"]


def test_a_shallow_clone(owner: Owner, tmp_path: Path) -> None:
    """Where history begins is said, and how to get the rest."""
    owner.git("clone", "-q", "--depth=1", f"file://{owner.root}", str(tmp_path / "clone"))
    ((code, message),) = troubles(str(tmp_path / "clone"))
    assert code == "shallow" and "2026-09-23T14:13:20Z" in message and "--unshallow" in message


def test_a_repository_of_another_owner(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the cause and the setting; so does a missing git."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    if os.geteuid() == 0:
        for path in (owner.root, owner.root / ".git"):
            os.lchown(path, 12_345, 12_345)
    ((code, message),) = troubles(str(owner.root))
    assert code == "other_owner" and "safe.directory" in message
    monkeypatch.setenv("PATH", str(owner.root))
    assert codes(owner.root) == ["no_git"]
