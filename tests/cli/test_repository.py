"""The repository of a new vault."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from personakit.cli import repository


def test_a_work_tree_is_found_above(tmp_path: Path) -> None:
    """A `.git` of any shape in a folder or above it counts, and nothing else."""
    (tmp_path / "a/b/c").mkdir(parents=True)
    above = repository.work_tree_above(str(tmp_path / "a/b/c"))
    (tmp_path / "a/.git").write_text("gitdir: elsewhere\n")
    assert repository.work_tree_above(str(tmp_path / "a/b/c")) == str(tmp_path / "a") != above


def test_git_works_on_the_folder_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook's environment cannot point it at another repository."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    (tmp_path / "v").mkdir()
    assert repository.make(str(tmp_path / "v")) == ""
    assert (tmp_path / "v/.git").is_dir() and not (tmp_path / "other").exists()
    repository.unmake(str(tmp_path / "v"))
    assert not (tmp_path / "v/.git").exists()


def test_ignored_files_stay_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the owner's own settings ignore is not forced in, and keeps no other file out."""
    (tmp_path / "ignore").write_text("secret\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path}/ignore\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    root = tmp_path / "v"
    root.mkdir()
    repository.make(str(root))
    for name in ("secret", "a*"):
        (root / name).write_text("x")
    repository.stage(str(root), ["secret", "a*"])
    listed = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True).stdout
    assert listed == "a*\n"


def test_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's own word on whether it could commit is what counts."""
    repository.make(str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "config").write_text("[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER", "EMAIL"))]:
        monkeypatch.delenv(name)
    assert not repository.knows_identity(str(tmp_path))
    assert "user.email" in repository.commit(str(tmp_path), "x") or repository.commit(str(tmp_path), "x")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    for number, (key, value) in enumerate([("user.name", "A"), ("user.email", "a@b.example")]):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    assert repository.knows_identity(str(tmp_path))


def test_a_git_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that cannot be run is a sentence, not a fault."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not repository.has_git()
    assert "git" in repository.make(str(tmp_path))
