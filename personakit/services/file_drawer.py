"""File a drawer, or take one away: verbatim text into the folder of its wing and room, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, Conflict, HeldFile
from personakit.model.credentials import credential_kind
from personakit.model.drawer import Drawer, drawer_id
from personakit.model.names import checked_name
from personakit.model.note import Kind
from personakit.model.visibility import Sight, visible
from personakit.services.clock import stamp
from personakit.services.folders import folder_of
from personakit.vault.journal import Change
from personakit.vault.layout import file_name
from personakit.vault.lines import quoted
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from personakit.services.desk import Asking

MAX_CONTENT = 100_000
ADD, DELETE = "add_drawer", "delete_drawer"


@dataclass(frozen=True, slots=True)
class Filed:
    """A drawer that is on disk; `new` is False when it was there."""

    id: str
    wing: str
    room: str
    new: bool


@dataclass(frozen=True, slots=True)
class NewDrawer:
    """A text that is to be filed: where, from where, and by whom."""

    wing: str
    room: str
    content: str
    source_file: str = ""
    added_by: str = "mcp"


def file_drawer(asking: Asking, new: NewDrawer) -> Filed:
    """Store one text verbatim. The same text in the same room is stored once.

    Raises:
        ArgumentError: a name that is none, a wing the launch does not open, no content, too much of it, a password or
            key in any of it, or a text that was filed here before and that its owner has changed since.
        HeldFile: a file that cannot be read has this text's id; its owner may have hidden it.
        Conflict, Busy, DiskError, ReadOnlyVault
    """
    wing, room = checked_name("wing", new.wing), checked_name("room", new.room)
    _check(new)
    if visible(Drawer(kind=Kind.DRAWER, id="", path="", wing=wing), asking.viewer) is not Sight.SERVED:
        raise ArgumentError("wing", f"is not {asking.viewer.ceiling}, the one project this server was started for")
    vault = asking.vault
    library = vault.library
    id_ = drawer_id(wing, room, new.content)
    with library.store.writing() as pen:
        vault.freshness.before_write()
        there = [note for note in library.claiming(id_) if isinstance(note, Drawer)]
        if there:
            return _there(asking, id_, replace(new, wing=wing, room=room), there)
        if library.is_held(id_):
            raise HeldFile("The drawer with this text")
        folder = folder_of(library, folder_of(library, "palace", wing), room)
        raw = _written(id_, replace(new, wing=wing, room=room), stamp(library.clock))
        path = pen.create(folder, file_name(new.content[:200], id_), raw)
        vault.recorder.written(Change(path, version_of(raw, Kind.DRAWER), "", ADD, asking.by, (id_,)))
    library.apply([path])
    if library.note(id_) is None:
        raise Conflict(id_, "gone")
    return Filed(id_, wing, room, new=True)


def delete_drawer(asking: Asking, id_: str) -> bool:
    """Take a drawer away, by its whole id; False when there is none of this id that the caller may see.

    What git does not hold as it is lies in `.personakit/trash/` afterwards.

    Raises:
        Conflict: it changed while it was being taken away.
        NotEditable, HeldFile, Busy, DiskError, ReadOnlyVault
    """
    vault = asking.vault
    library = vault.library
    with library.store.writing() as pen:
        vault.freshness.before_write()
        note = library.note(id_)
        if not isinstance(note, Drawer) or visible(note, asking.viewer) is not Sight.SERVED:
            return False
        version = library.files[note.path].reading.digest
        pen.remove(note.path, version, called=id_, kept=vault.recorder.holds(note.path, version))
        vault.recorder.written(Change(note.path, "", version, DELETE, asking.by, (id_,)))
    library.apply([note.path])
    return True


def _check(new: NewDrawer) -> None:
    if not new.content.strip():
        raise ArgumentError("content", "is empty; give the text to keep")
    if len(new.content) > MAX_CONTENT:
        raise ArgumentError("content", f"is longer than {MAX_CONTENT:,} characters; file it in parts")
    for field in ("content", "wing", "room", "source_file", "added_by"):
        kind = credential_kind(getattr(new, field), entropy=False)
        if kind is not None:
            raise ArgumentError(field, f"looks like it holds a password or key ({kind}); leave it out")


def _there(asking: Asking, id_: str, new: NewDrawer, there: list[Drawer]) -> Filed:
    """Answer for a text that was filed before: where it is now, as far as the caller may see it."""
    seen = next((note for note in there if visible(note, asking.viewer) is Sight.SERVED), None)
    if seen is None:
        return Filed(id_, new.wing, new.room, new=False)
    if seen.text != new.content:
        raise ArgumentError("content", f"was filed before, and its owner has changed it since; see {id_} as it is now")
    return Filed(id_, seen.wing, seen.room, new=False)


def _written(id_: str, new: NewDrawer, now: str) -> bytes:
    """Give a new drawer's file. All that follows the second fence's line is the content, whatever it holds."""
    lines = [
        "---",
        "type: drawer",
        f"id: {quoted(id_)}",
        f"created: {now}",
        f"wing: {quoted(new.wing)}",
        f"room: {quoted(new.room)}",
        *([f"source_file: {quoted(new.source_file)}"] if new.source_file else []),
        f"added_by: {quoted(new.added_by)}",
        f"filed_at: {now}",
        "---",
        new.content,
    ]
    return "\n".join(lines).encode()
