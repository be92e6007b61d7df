"""Where a repository stands: its branch, what it follows, what is going on in it, and what it may not be used for."""

from __future__ import annotations

import os
from dataclasses import dataclass

from personakit.errors import CannotSync
from personakit.vault.history.git import Git, has_git, is_work_tree, work_tree_above
from personakit.vault.history.programs import without_filters

# Each stands in git's folder while its work is under way, and what ends that work.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as one sync works on it.

    Attributes:
        git: git at the top of its work tree.
        folder: git's own folder for this work tree.
        ref: the branch's full name.
        remote, branch: what the branch follows.
        nothing: the name of no object, as long as this repository's names are.
    """

    git: Git
    folder: str
    ref: str
    remote: str
    branch: str
    nothing: str

    @property
    def top(self) -> str:
        """The work tree's real path."""
        return self.git.root

    @property
    def tracking(self) -> str:
        """The ref that keeps what was last fetched."""
        return f"refs/remotes/{self.remote}/{self.branch}"

    def head(self) -> str:
        """Give the branch's commit.

        Raises:
            CannotSync: there is none yet.
        """
        found = self.git.ask("rev-parse", "--verify", "-q", f"{self.ref}^{{commit}}")
        if not found.ok:
            raise CannotSync("its branch has no commit yet; commit something first")
        return found.line


def find(root: str) -> Repository:
    """Find the repository of a vault and what its branch follows.

    Raises:
        CannotSync: there is none, git refuses it, or its branch follows none of a remote.
    """
    if not has_git():
        raise CannotSync("this machine has no `git`")
    above = work_tree_above(root)
    if not above:
        raise CannotSync("it lies in no git repository; `git init` makes one")
    git = Git(os.path.realpath(above))
    found = git.ask("rev-parse", "--absolute-git-dir", "--show-toplevel", "--show-object-format")
    if not found.ok:
        raise CannotSync(f"git does not work in its repository ({found.said})")
    folder, top, *rest = found.paths
    if len(rest) != 1 or not is_work_tree(top, git.root):
        raise CannotSync(f"its repository's work tree is said to be {top}; `core.worktree` in its config says so")
    git = without_filters(git)
    ref = git.ask("symbolic-ref", "-q", "HEAD").line
    if not ref.startswith("refs/heads/"):
        raise CannotSync("no branch is checked out (a detached HEAD); `git switch` to one")
    name = ref.removeprefix("refs/heads/")
    remote = git.ask("config", "--get", f"branch.{name}.remote").line
    merge = git.ask("config", "--get", f"branch.{name}.merge").line
    remotes = git.ask("remote").line.split()
    if not remotes:
        raise CannotSync("its repository has no remote; `git remote add origin ADDRESS` names one")
    if remote not in remotes or not merge.startswith("refs/heads/"):
        raise CannotSync(
            f"its branch {name} follows none of a remote; `git push -u {remotes[0]} {name}` makes it follow one"
        )
    return Repository(
        git, folder, ref, remote, merge.removeprefix("refs/heads/"), "0" * (64 if rest == ["sha256"] else 40)
    )


def under_way(repository: Repository) -> str:
    """Name what is going on in a repository, "" for nothing."""
    return next(
        (what for name, what in _UNDER_WAY.items() if os.path.lexists(os.path.join(repository.folder, name))), ""
    )
