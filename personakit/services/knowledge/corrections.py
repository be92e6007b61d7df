"""Corrections that wait for a person: the owner accepts or declines; what is accepted goes into its document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import Conflict, NotApplied, UnknownId, WriteError
from personakit.model.correction import ACCEPTED, DECLINED, WAITING, Clash, Correction, corrected, words_of
from personakit.model.document import Passage
from personakit.model.note import Kind
from personakit.services.clock import stamp
from personakit.services.decide import resolve
from personakit.vault.frontmatter import TextHandler, decode
from personakit.vault.journal import Change
from personakit.vault.lines import set_key, set_text
from personakit.vault.reading import Condition, read_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.model.correction import Words
    from personakit.services.library import Library
    from personakit.services.opened import OpenVault
    from personakit.vault.store import Pen

ACCEPT, DECLINE = "accept", "decline"
_HANDLER = TextHandler()
_NEXT = "It waits on; correct the document yourself, or decline it"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A correction as its owner sees it.

    Attributes:
        note: the correction.
        words: what it says; None when its file lacks a part.
        title: its document's title, "" when that has none.
        path: its document's file, relative to the vault; "" when there is none any more.
    """

    note: Correction
    words: Words | None
    title: str
    path: str


def corrections(vault: OpenVault) -> list[Waiting]:
    """Give every correction, oldest first."""
    library = vault.library
    with library.lock:
        notes = [entry.note for entry in library.table.of_kind(Kind.PROPOSAL)]
        about = _documents(library)
    found = [note for note in notes if isinstance(note, Correction)]
    return [
        Waiting(one, words_of(one.text), *about.get(one.document, ("", "")))
        for one in sorted(found, key=lambda one: (one.created, one.id))
    ]


def accept(vault: OpenVault, given: str) -> Correction:
    """Put the right words into the document, and say so in the correction's file.

    Raises:
        NotApplied: it does not fit the document any more, or was decided before; the file says why it still waits.
        UnknownId, AmbiguousId, Conflict, HeldFile, NotEditable, Busy, DiskError, ReadOnlyVault
    """
    with vault.library.store.writing() as pen:
        vault.freshness.before_write()
        one = _resolve(vault, given)
        if one.applied:
            raise NotApplied(one.id, f"it was applied at {one.applied}", "Nothing is left to do")
        why = _apply(vault, pen, one)
        if why:
            raise NotApplied(one.id, why, _NEXT)
    return _resolve(vault, one.id)


def decline(vault: OpenVault, given: str, note: str = "") -> Correction:
    """Say in a correction's file that it is declined; with a note, why.

    Raises:
        NotApplied: its words are in the document already.
        UnknownId, AmbiguousId, Conflict, HeldFile, NotEditable, Busy, DiskError, ReadOnlyVault
    """
    with vault.library.store.writing() as pen:
        vault.freshness.before_write()
        one = _resolve(vault, given)
        if one.applied:
            raise NotApplied(one.id, f"its words went into the document at {one.applied}", "Edit the document itself")
        _mark(vault, pen, one, DECLINE, lambda raw: _noted(set_key(raw, "status", DECLINED), note))
    return _resolve(vault, one.id)


def apply_due(vault: OpenVault) -> int:
    """Apply what the owner has accepted in a correction's file; give how many. What does not fit waits, with a note."""
    if vault.settings.read_only or not _due(vault.library):
        return 0
    done = 0
    try:
        with vault.library.store.writing() as pen:
            for one in _due(vault.library):
                try:
                    done += not _apply(vault, pen, one)
                except WriteError:
                    continue  # the file says `accepted` still: the next look tries again
    except WriteError:
        return done
    return done


def _due(library: Library) -> list[Correction]:
    with library.lock:
        notes = [entry.note for entry in library.table.of_kind(Kind.PROPOSAL)]
    found = [note for note in notes if isinstance(note, Correction) and note.is_due]
    return sorted(found, key=lambda one: (one.created, one.id))


def _resolve(vault: OpenVault, given: str) -> Correction:
    note = resolve(vault.library, given)
    if not isinstance(note, Correction):
        raise UnknownId(given)
    return note


def _documents(library: Library) -> dict[str, tuple[str, str]]:
    """Give the title and the path of each document, by its id."""
    notes = (entry.note for entry in library.table.of_kind(Kind.PASSAGE))
    return {note.about.id: (note.about.title, note.path) for note in notes if isinstance(note, Passage)}


def _apply(vault: OpenVault, pen: Pen, one: Correction) -> str:
    """Put the words into the document; give why not, "" when they are there. Its own file says so either way."""
    library = vault.library
    words = words_of(one.text)
    with library.lock:
        path = _documents(library).get(one.document, ("", ""))[1]
    why = ""
    if words is None:
        why = "its file lacks the old or the right words"
    elif not path:
        why = "its document is not here any more"
    else:
        found = words
        version = library.files[path].reading.digest
        try:
            now = pen.edit(path, version, lambda raw: _right(path, raw, one, found), called=f"The document of {one.id}")
        except Clash as clash:
            why = str(clash)
        except Conflict:
            library.apply([path])
            raise
        else:
            if now != version:
                vault.recorder.written(Change(path, now, version, ACCEPT, ids=(one.id,)))
            library.apply([path])
    if why:
        _mark(vault, pen, one, ACCEPT, lambda raw: _noted(set_key(raw, "status", WAITING), why))
        return why
    when = stamp(library.clock)
    _mark(vault, pen, one, ACCEPT, lambda raw: set_key(set_key(raw, "status", ACCEPTED), "applied", when))
    return ""


def _right(path: str, raw: bytes, one: Correction, words: Words) -> bytes:
    """Give a document's bytes with the right words in it.

    Raises:
        Clash: they do not fit, or nobody could read the document then.
    """
    text = decode(raw)
    body = _HANDLER.page(text).body
    new = (text[: len(text) - len(body)] + corrected(body, one, words)).encode("utf-8", "surrogatepass")
    if read_file(path, Kind.PASSAGE, new).condition is not Condition.READ:
        raise Clash("the document could not be read with these words in it")
    return new


def _mark(vault: OpenVault, pen: Pen, one: Correction, verb: str, change: Callable[[bytes], bytes]) -> None:
    """Change a correction's own file."""
    library = vault.library
    version = library.files[one.path].reading.digest
    try:
        now = pen.edit(one.path, version, change, called=one.id)
    except Conflict:
        library.apply([one.path])
        raise
    if now != version:
        vault.recorder.written(Change(one.path, now, version, verb, ids=(one.id,)))
    library.apply([one.path])


def _noted(raw: bytes, note: str) -> bytes:
    return set_text(raw, "note", " ".join(note.split())) if note.strip() else raw
