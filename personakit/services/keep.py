"""Keep: commit what the owner changed in the vault's files, because they ask for it, and say what that was."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import CannotCommit
from personakit.model.memory import Memory
from personakit.services.decide import VERBS
from personakit.vault import layout
from personakit.vault.history.commits import Commits, Message, Refused
from personakit.vault.history.turns import committing
from personakit.vault.history.waits import BUSY, why_waiting
from personakit.vault.reading import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.model.note import Note
    from personakit.services.opened import OpenVault
    from personakit.vault.history.commits import Left

TOOL = "commit"
TURN_SECONDS = 5.0
# What a message counts, in its order.
_WORDS = (*VERBS.values(), "reword", "edit", "move", "add", "delete", "set up")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a commit of the owner's changes came to: its subject, "" when there was nothing, and what was left out."""

    subject: str
    number: int
    left: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    """One file that differs from the last commit, and its note before and after; None where there is none."""

    path: str
    is_new: bool
    is_gone: bool
    old: Note | None
    new: Note | None


def keep(vault: OpenVault, subject: str = "") -> Kept:
    """Commit the owner's pending changes to the vault's own files, and to no other file of the repository.

    Raises:
        CannotCommit: a commit has to wait; the reason is named.
    """
    vault.recorder.flush()  # what assistants wrote goes into commits of its own, in their names
    with committing(vault.root, TURN_SECONDS) as mine:
        wait = why_waiting(vault.root) if mine else BUSY
        if wait is not None:
            raise CannotCommit(wait.why)
        documents = vault.settings.documents
        commits = Commits(vault.root, documents)
        found = commits.changes(["."])
        if found is None:
            raise CannotCommit("git cannot tell what has changed; `git status` says why")
        ours = {path: letters for path, letters in found.items() if layout.is_of_vault(path, documents)}
        edits = _edits(commits, documents, sorted(ours))
        try:
            left = commits.left_out(ours)
        except Refused as refused:
            raise CannotCommit(refused.wait.why) from refused
        out = {one.path for one in left}
        told = [edit for edit in edits if edit.path not in out]
        if not told:
            return Kept("", 0, tuple(left))
        message = Message(subject or summary(told), TOOL, ids=_ids(told))
        outcome = commits.commit([edit.path for edit in told], message)
    if outcome.wait is not None:
        raise CannotCommit(outcome.wait.why)
    return Kept(message.subject, len(told), (*left, *outcome.left))


def summary(edits: Iterable[_Edit]) -> str:
    """Say in one line what changed, without a word of any file: `approve 3, reword 1, add 2, delete 1`."""
    edits = list(edits)
    moved = {edit.new.id for edit in edits if edit.is_new and edit.new} & {
        edit.old.id for edit in edits if edit.is_gone and edit.old
    }
    counts = Counter(word for edit in edits for word in _words(edit, moved))
    return ", ".join(f"{word} {counts[word]}" for word in _WORDS if counts[word])


def _words(edit: _Edit, moved: set[str]) -> list[str]:
    """Say what happened to one file; a move is told once, of where it went."""
    note = edit.new or edit.old
    if edit.is_new or edit.is_gone:
        if note is not None and note.id in moved:
            return ["move"] if edit.is_new else []
        return ["add" if edit.is_new else "delete"]
    if not isinstance(edit.old, Memory) or not isinstance(edit.new, Memory):
        return ["set up" if layout.kind_at(edit.path) is None else "edit"]
    words = []
    if edit.new.state is not edit.old.state and edit.new.state is not None:
        words.append(VERBS[edit.new.state])
    if edit.new.text != edit.old.text:
        words.append("reword")
    return words or ["edit"]


def _edits(commits: Commits, documents: tuple[str, ...], paths: list[str]) -> list[_Edit]:
    blobs = commits.blobs("HEAD", paths)
    contents = commits.contents(set(blobs.values()))
    edits = []
    for path in paths:
        new = commits.bytes_on_disk(path)
        before, now = (_note(documents, path, raw) for raw in (contents.get(blobs.get(path, "")), new))
        edits.append(_Edit(path, path not in blobs, new is None, before, now))
    return edits


def _note(documents: tuple[str, ...], path: str, raw: bytes | None) -> Note | None:
    kind = layout.kind_at(path, documents) if layout.is_markdown(path) else None
    if raw is None or kind is None:
        return None
    return next(iter(read_file(path, kind, raw).notes), None)


def _ids(edits: Iterable[_Edit]) -> tuple[str, ...]:
    notes = [edit.new or edit.old for edit in edits]
    return tuple(dict.fromkeys(note.id for note in notes if isinstance(note, Memory)))
