"""The merge driver of a repository: what git is told to run for `merge=personakit`, and the run itself.

Source: gitattributes(5), "Defining a custom merge driver". Plain `git merge` and `git rebase` come to the same bytes as
`personakit sync` through it.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile

from personakit.model.note import Kind
from personakit.vault import layout
from personakit.vault.history.git import Git, has_git, work_tree_above
from personakit.vault.merge import merge_file
from personakit.vault.textmerge import GitTextMerge

NAME = "merge.personakit.name"
DRIVER = "merge.personakit.driver"
TITLE = "PersonaKit: key by key, never approving"
FOLDERS = ("memories", "facts", "proposals")
_WORDS = "merge-driver %O %A %B %P"


def command() -> str:
    """Give the command that git is to run: this installation's, by absolute path."""
    script = os.path.join(os.path.dirname(sys.executable), "personakit")
    # With -P no module is ever taken from the folder git runs it in, which is the vault.
    words = [script] if os.path.isfile(script) else [sys.executable, "-P", "-m", "personakit"]
    return " ".join(shlex.quote(word).replace("%", "%%") for word in words) + f" {_WORDS}"


def register(root: str) -> str:
    """Name the driver in the own config of the repository a vault lies in; "" when it is named, else what git said."""
    git = Git(root)
    wanted = {NAME: TITLE, DRIVER: command()}
    for name, value in wanted.items():
        if git.ask("config", "--local", "--get", name).line != value:
            done = git.tell("config", "--local", "--replace-all", name, value)
            if not done.ok:
                return done.said or "git config failed"
    return ""


def trouble(root: str) -> str:
    """Say why plain `git merge` would not merge this vault by the rule; "" when it would, or nobody asks it to."""
    if not _is_asked_for(root) or not work_tree_above(root) or not has_git():
        return ""
    said = Git(root).ask("config", "--local", "--get", DRIVER)
    if said.code > 1:
        return ""  # a repository that git refuses to work in merges nothing
    if not said.line:
        return "the repository's config names no merge driver"
    program = _program(said.line)
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        return "the merge driver that the repository's config names is not there"
    return ""


def _program(line: str) -> str:
    try:
        return shlex.split(line)[0].replace("%%", "%")
    except (ValueError, IndexError):
        return ""


def _is_asked_for(root: str) -> bool:
    for folder in FOLDERS:
        try:
            with open(os.path.join(root, folder, ".gitattributes"), encoding="utf-8", errors="replace") as file:
                if any("merge=personakit" in line.split() for line in file):
                    return True
        except OSError:
            continue
    return False


def drive(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge as git asks for it: write the result where ours was; 1 says that both sides stand in it.

    Raises:
        OSError: a file cannot be read or written.
    """
    before, one, other = (_bytes(name) for name in (base, ours, theirs))
    kind = kind_in_vault(os.getcwd(), path)
    with tempfile.TemporaryDirectory(prefix="personakit-") as folder:
        merged = merge_file(kind, before or None, one, other, GitTextMerge(folder))
    with open(ours, "wb") as file:
        file.write(merged.data)
    return 1 if merged.clashes else 0


def kind_in_vault(top: str, path: str) -> Kind | None:
    """Give the kind of a file of a repository by the vault it lies in. None: it lies in none."""
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        if os.path.isfile(os.path.join(top, *parts[:depth], layout.SETTINGS)):
            inside = "/".join(parts[depth:])
            return layout.kind_at(inside) if layout.is_markdown(inside) else None
    return None


def _bytes(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()
