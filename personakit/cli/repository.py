"""The git repository of a new vault: made, given its first commit, and never one inside another."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from personakit.vault.history.git import Git, has_git, work_tree_above

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["commit", "has_git", "knows_identity", "make", "stage", "unmake", "work_tree_above"]


def make(root: str) -> str:
    """Make a repository in a folder; "" when it is made, else what git said."""
    done = Git(root).tell("init", "--quiet")
    return "" if done.ok else done.said or "git init failed"


def unmake(root: str) -> None:
    """Take away a repository that was just made."""
    shutil.rmtree(os.path.join(root, ".git"), ignore_errors=True)


def knows_identity(root: str) -> bool:
    """Say whether git knows in whose name to commit."""
    return all(Git(root).ask("var", f"GIT_{role}_IDENT").ok for role in ("AUTHOR", "COMMITTER"))


def stage(root: str, paths: Iterable[str]) -> None:
    """Add files to the index; what the owner's own git settings ignore stays out."""
    Git(root).tell("add", "--", *paths)


def commit(root: str, message: str) -> str:
    """Commit what is staged; "" when it is done, else what git said."""
    done = Git(root).tell("commit", "--quiet", "--no-verify", "-m", message)
    return "" if done.ok else done.said or "git commit failed"
