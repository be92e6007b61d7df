"""Parsed files kept between two starts: JSON lines in the user's cache folder, disposable at any time.

The first line names the program, its version, the tokeniser and the vault; every other line is one file with the
stamp it was read at. What does not fit is dropped and the vault is read anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from personakit.model.correction import Correction
from personakit.model.diary import DiaryEntry
from personakit.model.document import Document, Passage
from personakit.model.drawer import Drawer
from personakit.model.fact import Fact
from personakit.model.identity import Claim
from personakit.model.memory import Memory
from personakit.model.note import Kind, Note
from personakit.model.problem import Problem
from personakit.model.session import Transcript
from personakit.model.states import State
from personakit.vault import layout
from personakit.vault.atomic import temporary_in
from personakit.vault.reading import Condition, Reading
from personakit.vault.scan import Stamp
from personakit.vault.store import make_machine_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A file changed this shortly before it was read may have been changed again within the clock's tick.
RACY_NS = 2_000_000_000
Words = tuple[tuple[tuple[str, ...], tuple[int, ...], int], ...]

_CLASSES: dict[str, type[Note]] = {
    Kind.MEMORY: Memory,
    Kind.DRAWER: Drawer,
    Kind.FACT: Fact,
    Kind.DIARY: DiaryEntry,
    Kind.PASSAGE: Passage,
    Kind.PROPOSAL: Correction,
    Kind.SESSION: Transcript,
}
_FIELDS = {
    kind: tuple(field.name for field in fields(cls) if field.name not in ("kind", "path", "state"))
    for kind, cls in _CLASSES.items()
}
# Of those fields: the ones JSON has as lists, and the ones in which many notes say the same word.
_TUPLES = {
    kind: tuple(number for number, name in enumerate(_FIELDS[kind]) if str(types[name]).startswith("tuple["))
    for kind, types in ((kind, {field.name: field.type for field in fields(cls)}) for kind, cls in _CLASSES.items())
}
_REPEATED = {
    kind: tuple(number for number, name in enumerate(names) if name in ("category", "proposed_by", "agent", "wing"))
    for kind, names in _FIELDS.items()
}
_IDS = {
    kind: tuple(number for number, name in enumerate(names) if name in ("id", "own_id"))
    for kind, names in _FIELDS.items()
}
_ABOUT = _FIELDS[Kind.PASSAGE].index("about")
_KINDS = {kind.value: kind for kind in Kind}
_STATES: Mapping[str | None, State | None] = {None: None, **{state.value: state for state in State}}


class Kept(NamedTuple):
    """One file of the cache: its stamp, what was read, and its notes' words as the index counted them."""

    stamp: Stamp
    reading: Reading
    words: Words


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache of one vault.

    Attributes:
        path: its file.
        key: what must be equal for it to be used: program version, tokeniser, vault.
        inside: the vault whose `.personakit/` holds it, "" when it lies in the user's own cache folder.
    """

    path: str
    key: str
    inside: str = ""

    def load(self) -> dict[str, Kept]:
        """Give path -> what is kept; empty when there is no cache that fits. Never raises."""
        found: dict[str, Kept] = {}
        one_of: dict[str, str] = {}
        try:
            with open(self.path, encoding="utf-8") as lines:
                if lines.readline().rstrip("\n") != self.key:
                    return {}
                for line in lines:
                    kept = _kept(json.loads(line), one_of)
                    found[kept.reading.path] = kept
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            # Damaged or foreign: what it says is not believed at all.
            return {}
        return found

    def drop(self) -> None:
        """Remove the cache, if there is one: the owner wants none."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def save(self, files: Iterable[tuple[Stamp, Reading, Words]], now_ns: int) -> bool:
        """Write the cache anew, private to the user. Racy files are left out. A failure is no fault: False."""
        folder = os.path.dirname(self.path)
        temp = temporary_in(folder)
        try:
            if self.inside:
                make_machine_folder(self.inside)
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
            descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as lines:
                lines.write(self.key + "\n")
                for stamp, reading, words in files:
                    if now_ns - max(stamp.mtime_ns, stamp.ctime_ns) > RACY_NS:
                        lines.write(json.dumps(_plain(stamp, reading, words), separators=(",", ":")) + "\n")
            os.replace(temp, self.path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temp)
            return False
        return True


def cache_for(root: str, user_folder: str, key: str) -> Cache:
    """Place a vault's cache: in the user's cache folder, or in `.personakit/` when that is another file system."""
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16] + ".jsonl"
    inside = "" if _device(user_folder) == _device(root) else root
    folder = os.path.join(root, layout.MACHINE, "cache") if inside else user_folder
    return Cache(os.path.join(folder, name), json.dumps([key, root]), inside)


def _device(path: str) -> int | None:
    while True:
        try:
            return os.stat(path).st_dev
        except OSError:
            parent = os.path.dirname(path)
            if parent == path:
                return None
            path = parent


def _plain(stamp: Stamp, reading: Reading, words: Words) -> list[Any]:
    claim = reading.claim
    return [
        reading.path,
        stamp,
        reading.digest,
        reading.condition.value,
        [[note.kind, note.state, *(getattr(note, name) for name in _FIELDS[note.kind])] for note in reading.notes],
        None
        if claim is None
        else [claim.declared, claim.own, claim.words, claim.state, claim.created, claim.is_hidden],
        [[problem.code, problem.line, problem.message] for problem in reading.problems],
        sorted(reading.known_ids),
        words,
    ]


def _kept(row: list[Any], one_of: dict[str, str]) -> Kept:
    """Make what one line says; `one_of` holds one copy of each string that many files share."""
    path, stamp, digest, condition, notes, claim, problems, known, words = row
    # One id stands up to five times in a line, and needs to be kept once.
    ids: dict[str, str] = {}
    abouts: dict[tuple[Any, ...], Document] = {}
    reading = Reading(
        path,
        Condition(condition),
        digest,
        tuple([_note(path, values, one_of, ids, abouts) for values in notes]),
        None if claim is None else _claim(path, claim, ids),
        tuple(Problem(path, *parts) for parts in problems) if problems else (),
        frozenset(known) if known else frozenset(),
    )
    return Kept(
        Stamp._make(stamp), reading, tuple([(tuple(map(one_of.setdefault, w, w)), tuple(c), n) for w, c, n in words])
    )


def _note(
    path: str, values: list[Any], one_of: dict[str, str], ids: dict[str, str], abouts: dict[tuple[Any, ...], Document]
) -> Note:
    kind, state, *rest = values
    for number in _IDS[kind]:
        rest[number] = ids.setdefault(rest[number], rest[number])
    for number in _TUPLES[kind]:
        rest[number] = tuple(rest[number])
    if kind == Kind.PASSAGE:
        about = tuple(rest[_ABOUT])
        rest[_ABOUT] = abouts.setdefault(about, Document._make(about))
    for number in _REPEATED[kind]:
        rest[number] = one_of.setdefault(rest[number], rest[number])
    named: Mapping[str, Any] = dict(zip(_FIELDS[kind], rest, strict=True))
    return _CLASSES[kind](kind=_KINDS[kind], path=path, state=_STATES[state], **named)


def _claim(path: str, values: list[Any], ids: dict[str, str]) -> Claim:
    declared, own, words = (ids.setdefault(text, text) for text in values[:3])
    return Claim(path, declared, own, words, _STATES[values[3]], *values[4:])
