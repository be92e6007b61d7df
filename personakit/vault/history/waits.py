"""Why a commit has to wait: one look at the repository, worded for its owner.

Nothing is waited for here and nothing is changed: a lock, a merge or a setting is the owner's to end.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from personakit.vault.history.git import Answer, Git, has_git, is_work_tree, work_tree_above

# obsidian-git puts this note into the vault's root while a pull is in conflict, and takes it away afterwards.
PLUGIN_NOTE = "conflict-files-obsidian-git.md"


@dataclass(frozen=True, slots=True)
class Wait:
    """Why nothing is committed now. `code` is a fixed word; `why` says the reason and the next step."""

    code: str
    why: str


OFF = Wait("off", "the settings do not say `commit: auto`; `personakit commit` commits when you like")
BUSY = Wait("busy", "another PersonaKit is committing just now")
_NO_GIT = Wait("no_git", "this machine has no `git`; install it")
_NO_REPOSITORY = Wait("no_repository", "the vault lies in no git repository; `git init` in it makes one")
_PLUGIN = Wait("plugin_conflict", f"{PLUGIN_NOTE} says that a pull is in conflict; resolve it and delete that note")
_DETACHED = Wait("detached_head", "no branch is checked out; `git switch` to the one you work on")
_NO_IDENTITY = Wait(
    "no_identity",
    'git does not know your name; `git config --global user.name "Your Name"` and '
    "`git config --global user.email you@example.org` tell it",
)
# What git keeps while it is in the middle of something, in the order in which it is told.
_MARKS = {
    "MERGE_HEAD": Wait("merge", "a merge is not finished; `git merge --continue` or `--abort` ends it"),
    "rebase-merge": Wait("rebase", "a rebase is not finished; `git rebase --continue` or `--abort` ends it"),
    "rebase-apply": Wait("rebase", "a rebase is not finished; `git rebase --continue` or `--abort` ends it"),
    "CHERRY_PICK_HEAD": Wait(
        "cherry_pick", "a cherry-pick is not finished; `git cherry-pick --continue` or `--abort` ends it"
    ),
    "REVERT_HEAD": Wait("revert", "a revert is not finished; `git revert --continue` or `--abort` ends it"),
    "BISECT_LOG": Wait("bisect", "a bisect is not finished; `git bisect reset` ends it"),
    "index.lock": Wait(
        "index_lock",
        "git's index is locked ({}); if no git command is running, one that crashed left it: delete it then",
    ),
}


def why_waiting(root: str, *, automatic: bool = True) -> Wait | None:
    """Give the reason why nothing can be committed in a vault now, None for none.

    `automatic` is whether the settings let PersonaKit commit by itself; an owner who asks for a commit needs no leave.
    """
    if not automatic:
        return OFF
    if not has_git():
        return _NO_GIT
    work_tree = work_tree_above(root)
    if not work_tree:
        return _NO_REPOSITORY
    if os.path.lexists(os.path.join(root, PLUGIN_NOTE)):
        return _PLUGIN
    return _in_repository(Git(root), root, work_tree)


def refusal(answer: Answer) -> Wait:
    """Give the reason that lies in what git said when it refused."""
    said = answer.said
    if answer.is_another_owners:
        return Wait(
            "other_owner",
            "the repository belongs to another user, so git refuses to work in it; if you trust it, "
            "name it in your git settings under `safe.directory` (PersonaKit never edits them)",
        )
    if "index.lock" in said:
        return _MARKS["index.lock"]
    return Wait("refused", f"git refused ({said or 'without a reason'}); mend that and the commit is made")


def _in_repository(git: Git, root: str, work_tree: str) -> Wait | None:
    asked = [word for mark in _MARKS for word in ("--git-path", mark)]
    found = git.ask("rev-parse", "--show-toplevel", *asked)
    if not found.ok:
        wait = refusal(found)
        return wait if wait.code == "other_owner" else _broken(found.said)
    top, *places = found.paths
    if not is_work_tree(top, work_tree) or len(places) != len(_MARKS):
        return _broken(f"its work tree is said to be {top}")
    for mark, place in zip(_MARKS.values(), places, strict=True):
        full = os.path.join(root, place)
        if os.path.lexists(full):
            return Wait(mark.code, mark.why.format(full))
    return _head_or_identity(git)


def _head_or_identity(git: Git) -> Wait | None:
    branch = git.ask("symbolic-ref", "--quiet", "HEAD")
    if not branch.ok:
        return _DETACHED if branch.code == 1 else _broken(branch.said)
    if git.ask("rev-parse", "--verify", "--quiet", "HEAD").ok:
        tree = git.ask("ls-tree", "HEAD")
        if not tree.ok:
            return _broken(tree.said)
    if not all(git.ask("var", f"GIT_{role}_IDENT").ok for role in ("AUTHOR", "COMMITTER")):
        return _NO_IDENTITY
    return None


def _broken(said: str) -> Wait:
    return Wait("broken", f"its git repository cannot be read ({said or 'without a reason'}); `git fsck` says more")
