"""Undo: take back the last decision or proposal that PersonaKit committed, as a new commit.

A proposal's file goes, a quote that was added goes, a decision's line is again what it was; nothing else in any file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import CannotUndo, NoHistory
from personakit.services.decide import VERBS
from personakit.services.look import remember
from personakit.services.propose import TOOL as PROPOSE
from personakit.vault.history.commits import Commits
from personakit.vault.history.past import Past
from personakit.vault.journal import Change
from personakit.vault.layout import kind_at
from personakit.vault.lines import NoSafeEdit, add_item, set_key
from personakit.vault.reading import keys_of, version_of

if TYPE_CHECKING:
    from personakit.model.past import Commit
    from personakit.services.opened import OpenVault
    from personakit.vault.history.past import FileChange, Recorded
    from personakit.vault.history.waits import Wait
    from personakit.vault.store import Pen

TOOL = "undo"
_UNDOABLE = frozenset({PROPOSE, *VERBS.values()})


@dataclass(frozen=True, slots=True)
class Effect:
    """What undoing does to one file.

    Attributes:
        path: the file.
        id: the note it holds.
        what: what happens to it, for its owner.
        old: its bytes before the commit; None when it was new, and goes.
        new: its bytes after the commit, which it must still have.
    """

    path: str
    id: str
    what: str
    old: bytes | None
    new: bytes


@dataclass(frozen=True, slots=True)
class Undoing:
    """The commit that would be taken back, and what that does."""

    commit: Commit
    effects: tuple[Effect, ...]


def last_undoing(vault: OpenVault) -> Undoing:
    """Find the last decision or proposal that is not taken back yet; what waits is committed first.

    Raises:
        CannotUndo: there is none, its file is no longer what that commit made, or a commit has to wait.
    """
    recorder = vault.recorder
    wait = recorder.flush() or recorder.why()
    if wait is not None:
        raise CannotUndo(f"nothing can be committed now: {wait.why}")
    found = _last_committed(vault.root)
    vault.freshness.before_write()
    keeper = Commits(vault.root, vault.settings.documents)
    return Undoing(found.commit, tuple(_effect(vault, keeper, found.commit, step) for step in found.files))


def _last_committed(root: str) -> Recorded:
    """Give the last commit of a decision or proposal that no later commit takes back.

    Raises:
        CannotUndo
    """
    undone = set()
    try:
        with Past(root) as past:
            for recorded in past.log(""):
                undone.add(recorded.commit.undoes)
                if recorded.commit.tool in _UNDOABLE and recorded.commit.id not in undone:
                    return recorded
    except NoHistory as fault:
        raise CannotUndo(str(fault)) from fault
    raise CannotUndo("no decision or proposal that PersonaKit committed is left to take back")


def undo(vault: OpenVault, undoing: Undoing) -> Wait | None:
    """Take a commit back in all its files or in none, and commit that; give the reason why the commit waits.

    Raises:
        CannotUndo: a file changed meanwhile.
        HeldFile, NotEditable, Conflict, Busy, DiskError, ReadOnlyVault
    """
    library = vault.library
    keeper = Commits(vault.root, vault.settings.documents)
    held = keeper.blobs("HEAD", [effect.path for effect in undoing.effects])
    with library.store.writing() as pen:
        vault.freshness.before_write()
        for effect in undoing.effects:
            _check(vault, effect.path, effect.id, effect.new)
        for effect in undoing.effects:
            _take_back(vault, pen, undoing.commit, effect, kept=effect.path in held)
        library.apply([effect.path for effect in undoing.effects])
        for effect in undoing.effects:
            remember(vault, effect.id)
    return vault.recorder.flush()


def _effect(vault: OpenVault, keeper: Commits, commit: Commit, step: FileChange) -> Effect:
    new = keeper.content(step.blob) if step.blob else None
    old = keeper.content(step.before[0]) if step.before[0] else None
    record = vault.library.files.get(step.path)
    id_ = record.reading.notes[0].id if record is not None and record.reading.notes else " ".join(commit.ids)
    if new is None or (step.before[0] and old is None):
        raise CannotUndo(f"git no longer holds what {id_} was")
    _check(vault, step.path, id_, new)
    if commit.tool != PROPOSE:
        if old is None:
            raise CannotUndo(f"{id_} was first committed with this decision; `personakit reopen {id_}` takes it back")
        was, now = (str(keys_of(raw).get("state", "no state")) for raw in (old, new))
        return Effect(step.path, id_, f"{now} -> {was}", old, new)
    return Effect(step.path, id_, "its file goes" if old is None else "the quote that was added goes", old, new)


def _check(vault: OpenVault, path: str, id_: str, new: bytes) -> None:
    """Refuse where a file no longer is what the commit made.

    Raises:
        CannotUndo
    """
    record, kind = vault.library.files.get(path), kind_at(path, vault.settings.documents)
    if record is None or kind is None:
        raise CannotUndo(f"the file of {id_} is gone, so there is nothing left to take back")
    if record.reading.digest != version_of(new, kind):
        raise CannotUndo(f"the file of {id_} was changed since, and that is kept; edit it in a text editor")


def _take_back(vault: OpenVault, pen: Pen, commit: Commit, effect: Effect, *, kept: bool) -> None:
    before = vault.library.files[effect.path].reading.digest
    now = ""
    if effect.old is None:
        pen.remove(effect.path, before, called=effect.id, kept=kept)
    else:
        old = effect.old
        change = _without_quote if commit.tool == PROPOSE else _without_decision
        now = pen.edit(effect.path, before, lambda raw: change(raw, old, effect.new), called=effect.id)
    vault.recorder.written(Change(effect.path, now, before, TOOL, ids=(effect.id,), undoes=commit.id))


def _without_decision(raw: bytes, old: bytes, new: bytes) -> bytes:
    """Give a file with its state as it was. What else the commit held of it, an edit of the owner's, stays."""
    was, now = (keys_of(one).get("state") for one in (old, new))
    if isinstance(now, str) and set_key(old, "state", now) == new:
        return _restored(raw, old, new)
    if not isinstance(was, str):
        raise NoSafeEdit("it had no state before, and other changes came with this one")
    return set_key(raw, "state", was)


def _without_quote(raw: bytes, old: bytes, new: bytes) -> bytes:
    quotes = keys_of(new).get("evidence")
    if not isinstance(quotes, list) or not quotes or add_item(old, "evidence", str(quotes[-1])) != new:
        raise NoSafeEdit("other changes came with the quote")
    return _restored(raw, old, new)


def _restored(raw: bytes, old: bytes, new: bytes) -> bytes:
    """Give the old bytes, with the line ends that the file has on disk: git may keep others than it checks out."""
    if raw == new:
        return old
    if raw == new.replace(b"\n", b"\r\n"):
        return old.replace(b"\n", b"\r\n")
    raise NoSafeEdit("its line ends differ from those that git keeps")
