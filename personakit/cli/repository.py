"""The git repository of a new vault: made, given its first commit, and never one inside another."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Where git is run from within a hook, these would point it at another repository.
_ELSEWHERE = frozenset(
    {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
    }
)
# Nothing of the owner's git set-up runs a program of theirs or asks them anything.
_QUIET = ("core.hooksPath=" + os.devnull, "commit.gpgsign=false", "core.fsmonitor=false", "gc.auto=0")
_SECONDS = 60.0


def work_tree_above(folder: str) -> str:
    """Give the nearest folder, this one or above it, that is a git work tree; "" for none.

    Looked for by name, so that a tree which git refuses to work in (another owner's) counts as well.
    """
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def has_git() -> bool:
    """Say whether the `git` command is there."""
    return shutil.which("git") is not None


def make(root: str) -> str:
    """Make a repository in a folder; "" when it is made, else what git said."""
    code, said = _git(root, "init", "--quiet")
    return "" if code == 0 else said or "git init failed"


def unmake(root: str) -> None:
    """Take away a repository that was just made."""
    shutil.rmtree(os.path.join(root, ".git"), ignore_errors=True)


def knows_identity(root: str) -> bool:
    """Say whether git knows in whose name to commit."""
    return all(_git(root, "var", f"GIT_{role}_IDENT")[0] == 0 for role in ("AUTHOR", "COMMITTER"))


def stage(root: str, paths: Iterable[str]) -> None:
    """Add files to the index; what the owner's own git settings ignore stays out."""
    _git(root, "add", "--", *paths)


def commit(root: str, message: str) -> str:
    """Commit what is staged; "" when it is done, else what git said."""
    code, said = _git(root, "commit", "--quiet", "--no-verify", "-m", message)
    return "" if code == 0 else said or "git commit failed"


def _git(root: str, *words: str) -> tuple[int, str]:
    """Run git in a folder and give its exit code and the last line it said."""
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1"}
    settings = [word for setting in _QUIET for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", *settings, *words],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    lines = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return done.returncode, lines[-1] if lines else ""
