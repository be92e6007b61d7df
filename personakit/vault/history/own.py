"""The commits that PersonaKit made, told by their trailers, and what each did to the files of this vault."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.vault.history.commits import ID, TOOL, UNDOES

if TYPE_CHECKING:
    from personakit.vault.history.git import Git

MOST = 500


@dataclass(frozen=True, slots=True)
class OwnCommit:
    """One commit of PersonaKit's: its name, when it was made, by which tool, for which ids, and what it takes back."""

    name: str
    when: str
    tool: str
    ids: tuple[str, ...]
    undoes: str


@dataclass(frozen=True, slots=True)
class Step:
    """What a commit did to one file: the names of its blobs before and after, "" where it is not there."""

    path: str
    before: str
    after: str


def own_commits(git: Git) -> list[OwnCommit]:
    """Give the last commits that PersonaKit made of files below this folder, newest first."""
    keys = "%x1f".join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in (TOOL, ID, UNDOES))
    listing = git.ask(
        "log", "-z", f"--max-count={MOST}", f"--grep=^{TOOL}: ", f"--format=%H%x1f%cI%x1f{keys}", "--", "."
    )
    found = []
    for row in listing.out.decode("utf-8", "replace").split("\0"):
        parts = row.split("\x1f")
        if len(parts) == 5 and parts[2]:
            found.append(OwnCommit(parts[0], parts[1], parts[2], tuple(parts[3].split()), parts[4]))
    return found


def steps(git: Git, commit: str) -> list[Step]:
    """Give what a commit did to the files below this folder."""
    listing = git.ask("diff-tree", "--root", "--no-commit-id", "-r", "-z", "--no-renames", "--relative", commit)
    fields = os.fsdecode(listing.out).split("\0")
    found = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, _, before, after, _ = head.split()
        found.append(Step(path, _blob(before), _blob(after)))
    return found


def _blob(name: str) -> str:
    return "" if not name.strip("0") else name
