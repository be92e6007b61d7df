"""The library: everything the vault says now, in one table under one lock, equal to a fresh scan at all times."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from personakit.index.claims import Claims
from personakit.index.entry import Entry, entry_for
from personakit.index.owners import Owners
from personakit.index.table import Table
from personakit.model.diary import UNNAMED, DiaryEntry
from personakit.model.document import Passage
from personakit.model.drawer import GENERAL, Drawer
from personakit.model.memory import Memory
from personakit.model.states import State
from personakit.model.visibility import Sight, Viewer, visible
from personakit.services.judged import Audience, is_open, judged
from personakit.services.saves import Saves
from personakit.vault.cache import RACY_NS
from personakit.vault.reading import Condition, Reading, read_file
from personakit.vault.store import NO_STAMP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Set

    from personakit.index.words import Tokeniser
    from personakit.model.identity import Verdict
    from personakit.model.note import Note
    from personakit.model.problem import Problem
    from personakit.services.clock import Clock
    from personakit.vault.cache import Kept, Words
    from personakit.vault.scan import Stamp, Walk
    from personakit.vault.store import Seen, Store

BATCH = 500
MOST_RETRIED = 200
DOUBT_FILES = 10
DOUBT_SECONDS = 2.0


class Record(NamedTuple):
    """One file: the stamp it was last seen with, when, and the reading that counts (the last good one mid-save)."""

    stamp: Stamp
    seen_ns: int
    reading: Reading

    @property
    def is_racy(self) -> bool:
        """Whether the file may have changed after it was seen without its stamp telling: it was written just then."""
        return self.seen_ns - max(self.stamp.mtime_ns, self.stamp.ctime_ns) < RACY_NS


class Library:
    """Owns the table. `apply` is the only way in, for a watch event, an own write and a sweep alike."""

    def __init__(
        self, store: Store, clock: Clock, tokeniser: Tokeniser, repository_of: Callable[[str], str] = lambda _path: ""
    ) -> None:
        """Make an empty library; `load` fills it. `repository_of` gives a document's repository by its path."""
        self.store = store
        self.clock = clock
        self.tokeniser = tokeniser
        self.table = Table()
        self.lock = threading.RLock()
        self.files: dict[str, Record] = {}
        self.verdicts: dict[str, Verdict] = {}
        self.walk_problems: tuple[Problem, ...] = ()
        self.littered: frozenset[str] = frozenset()
        self._claims = Claims()
        self.owners = Owners()
        self._served: dict[str, tuple[str, ...]] = {}
        self._held_ids: dict[str, set[str]] = {}
        self._held_by: dict[str, frozenset[str]] = {}
        self._waiting: dict[str, Counter[Audience]] = {}
        self._unsure: set[str] = set()
        self._saves = Saves(store, clock)
        self._repository_of = repository_of
        self._doubted_at: float | None = None

    def note(self, id_: str) -> Note | None:
        """Give a note by its id, whoever may see it."""
        with self.lock:
            entry = self.table.get(id_)
            return None if entry is None else entry.note

    def notes(self) -> list[Note]:
        """Give every note that has an id, for the owner, sorted by id."""
        with self.lock:
            return [entry.note for entry in self.table]

    def notes_of(self, path: str) -> tuple[Note, ...]:
        """Give the notes that a file is served with, whoever may see them; () when it is held, empty or not there."""
        with self.lock:
            entries = (self.table.get(id_) for id_ in self._served.get(path, ()))
            return tuple(entry.note for entry in entries if entry is not None and entry.note.path == path)

    def is_held(self, id_: str) -> bool:
        """Say whether a held file has this id, or words that make it."""
        with self.lock:
            return id_ in self._held_ids

    def claiming(self, id_: str) -> list[Note]:
        """Give the notes that have an id, declare it, or whose content gives it, as served; best claim first."""
        with self.lock:
            found = [self.table.get(id_)]
            for path in sorted(self._claims.claiming(id_)):
                found += [self.table.get(served) for served in self._served.get(path, ())]
            return list(dict.fromkeys(entry.note for entry in found if entry is not None))

    def waiting_from(self, proposer: str, viewer: Viewer) -> int:
        """Say how many unconfirmed memories of one assistant wait for the owner, of those that it may see."""
        with self.lock:
            groups: Mapping[Audience, int] = self._waiting.get(proposer, {})
            return sum(number for who, number in groups.items() if visible(who, viewer) is Sight.SERVED)

    @property
    def is_doubted(self) -> bool:
        """Whether every file vanished at once and that is not believed yet."""
        return self._doubted_at is not None

    def load(self, walk: Walk, kept: Mapping[str, Kept], tick: Callable[[int, int], None] | None = None) -> int:
        """Take in a whole vault and give how many files had to be read; the others come from the cache.

        `tick(done, all)` is told how far it is.
        """
        with self.lock:
            self.walk_problems = tuple(walk.problems)
            self.littered = frozenset(walk.littered)
            now = self.clock.nanoseconds()
            cached = {path: one for path, stamp in walk.files.items() if (one := kept.get(path)) and one.stamp == stamp}
            for path, one in cached.items():
                self.files[path] = Record(one.stamp, now, one.reading)
            rest = [path for path in walk.files if path not in cached]
            for start in range(0, len(rest), BATCH):
                for seen in self._saves.read(rest[start : start + BATCH], {}):
                    self._take_in(seen)
                if tick is not None:
                    tick(len(cached) + min(start + BATCH, len(rest)), len(walk.files))
            for path in self.files:
                self._reclaim(path)
            self._bring(set(self.files), {path: one.words for path, one in cached.items()})
            self.tokeniser.forget()  # questions need few of the spellings that a whole vault has
            return len(rest)

    def apply(self, paths: Iterable[str]) -> None:
        """Look at files again, and at nothing else: what is there now counts from here on."""
        with self.lock:
            wanted = list(dict.fromkeys(paths))
            known = {path: self.files[path].reading.digest for path in wanted if path in self.files}
            seen = self._saves.read(wanted, known)
            if self._is_doubtful(seen):
                return
            touched = {one.path for one in seen if self._take_in(one)}
            if touched:
                self._publish(touched)

    @contextmanager
    def supposing(self, path: str, raw: bytes) -> Iterator[None]:
        """Answer for a while as if a file held these bytes. Nothing is written, and no other thread sees it."""
        with self.lock:
            before = self.files[path]
            reading = read_file(path, before.reading.notes[0].kind, raw)
            # Never racy: a look at the file would put what it says in the place of what is supposed.
            self.files[path] = before._replace(reading=reading, seen_ns=self.clock.nanoseconds() + 2 * RACY_NS)
            self._publish({path})
            try:
                yield
            finally:
                self.files[path] = before
                self._publish({path})

    def apply_walk(self, walk: Walk, below: str = "") -> None:
        """Compare a walk of the vault, or of a folder of it, with what is known, and apply what differs."""
        with self.lock:
            if not below:
                self.walk_problems = tuple(walk.problems)
            prefix = f"{below}/" if below else ""
            different = [path for path, stamp in walk.files.items() if not self._is_known(path, stamp)]
            gone = [path for path in self.files if path.startswith(prefix) and path not in walk.files]
            # Only a look at everything ends a doubt: what vanished under it was not taken in.
            if not below and walk.files:
                self._doubted_at = None
            if different or gone:
                self.apply(different + gone)
            if not self.files:
                self._doubted_at = None

    def _is_known(self, path: str, stamp: Stamp) -> bool:
        record = self.files.get(path)
        return record is not None and record.stamp == stamp and not record.is_racy

    def is_current(self, path: str) -> bool:
        """Say whether a file still is the version that was read, as far as its stamp can tell."""
        stamp = self.store.stamp(path)
        with self.lock:
            return stamp is not None and self._is_known(path, stamp)

    def unsure(self) -> list[str]:
        """Give the files that could not be read for want of rights: a right given back leaves no trace in a stamp."""
        with self.lock:
            return sorted(self._unsure)[:MOST_RETRIED]

    @property
    def is_blind(self) -> bool:
        """Whether a folder could not be listed."""
        return any(problem.code == "unreadable_folder" for problem in self.walk_problems)

    def overdue_saves(self) -> list[str]:
        """Give the files whose last good version has counted long enough."""
        with self.lock:
            return self._saves.overdue()

    def cached_rows(self) -> Iterator[tuple[Stamp, Reading, Words]]:
        """Give what a cache keeps of every file."""
        with self.lock:
            for path, record in self.files.items():
                if record.reading.condition is not Condition.UNFINISHED:
                    entries = [self.table.get(id_) for id_ in self._served.get(path, ())]
                    if len(entries) < len(record.reading.notes):
                        entries = [entry_for(note, self.tokeniser) for note in record.reading.notes]
                    words = tuple((entry.words, entry.counts, entry.length) for entry in entries if entry is not None)
                    yield record.stamp, record.reading, words

    def _is_doubtful(self, seen: list[Seen]) -> bool:
        """Say whether ten or more files went at once with none left, which is believed only 2 s later."""
        gone = {one.path for one in seen if one.stamp is None and one.path in self.files}
        there = any(one.stamp is not None for one in seen)
        if len(gone) < DOUBT_FILES or there or len(gone) < len(self.files):
            return False
        now = self.clock.monotonic()
        if self._doubted_at is None:
            self._doubted_at = now
        if now - self._doubted_at < DOUBT_SECONDS:
            return True
        self._doubted_at = None
        return False

    def _take_in(self, seen: Seen) -> bool:
        """Keep what one file says now; True when that can change an answer."""
        path, now = seen.path, self.clock.nanoseconds()
        before = self.files.get(path)
        self._unsure.discard(path)
        if seen.stamp == NO_STAMP:
            self._unsure.add(path)
        if seen.stamp is None:
            self._saves.forget(path)
            return self.files.pop(path, None) is not None
        reading = seen.reading
        if reading is not None and reading.condition is Condition.UNFINISHED and self._saves.in_grace(path):
            was_good = before is not None and before.reading.condition is Condition.READ
            if was_good:
                self._saves.owe(path)
            reading = None if was_good else reading
        if reading is None:
            if before is not None:
                self.files[path] = before._replace(stamp=seen.stamp, seen_ns=now)
            return False
        if before is not None and not reading.digest:
            # Its bytes could not be had, so it still is the memory it was, for whoever proposes its words.
            reading = replace(reading, known_ids=reading.known_ids | _ids_of(before.reading))
        self.files[path] = Record(seen.stamp, now, reading)
        return before is None or before.reading != reading

    def _publish(self, touched: set[str]) -> None:
        """Bring the table in step with what changed in these files and in all whose ids that can decide."""
        group = self._claims.touched_by(touched)
        for path in touched:
            self._reclaim(path)
        self._bring(touched | group | self._claims.touched_by(touched), {})

    def _bring(self, group: set[str], words: Mapping[str, Words]) -> None:
        """Serve anew what these files say; no other file's id can depend on theirs, but the names of some may."""
        group, verdicts = self._settled(group)
        before = {path: ids for path in group if (ids := self._served.pop(path, ()))}
        known = {path: self._notes_served(path, verdicts.get(path)) for path in before}
        # Of a long document most passages say what they said: their words are not taken out to be put in again.
        kept = {note.id for notes in known.values() for note in notes if self.table.keeps(note)}
        for path in group:
            self._note_verdict(path, verdicts.get(path))
            for id_ in before.get(path, ()):
                if id_ not in kept:
                    self._note_waiting(self.table.remove(id_), waits=False)
        entries: list[Entry] = []
        for path in sorted(group):
            notes = known[path] if path in known else self._notes_served(path, verdicts.get(path))
            entries += self._entries(path, notes, words.get(path), kept)
            # Batches: the table gathers the notes of each word, and all at once would cost a tenth of its size.
            if len(entries) >= BATCH:
                self.table.add(entries)
                entries = []
        self.table.add(entries)

    def _settled(self, group: set[str]) -> tuple[set[str], dict[str, Verdict]]:
        """Decide the ids of these files, and give them with those whose names that changes."""
        verdicts = self._claims.settle(path for path in group if path in self._claims)
        for path in group:
            self._let_name(path, verdicts.get(path))
        renamed = self.owners.unsettled() - group
        if renamed:
            group = group | renamed | self._claims.touched_by(renamed)
            verdicts = self._claims.settle(path for path in group if path in self._claims)
        return group, verdicts

    def _let_name(self, path: str, verdict: Verdict | None) -> None:
        """Note which names a file gives to the folders it lies in, and whether everybody may see it."""
        record = self.files.get(path)
        first = record.reading.notes[0] if record is not None and record.reading.notes else None
        if verdict is None or not isinstance(first, (Drawer, DiaryEntry)):
            self.owners.drop(path)
            return
        names = (first.wing, first.room) if isinstance(first, Drawer) else (first.agent,)
        self.owners.put(path, names, is_open=bool(verdict.id) and is_open(judged(first, verdict)))

    def _reclaim(self, path: str) -> None:
        record = self.files.get(path)
        for id_ in self._held_by.pop(path, frozenset()):
            self._held_ids[id_].discard(path)
            if not self._held_ids[id_]:
                del self._held_ids[id_]
        if record is None or record.reading.claim is None:
            self._claims.drop(path)
        else:
            self._claims.put(record.reading.claim)
        if record is not None and record.reading.known_ids:
            self._held_by[path] = record.reading.known_ids
            for id_ in record.reading.known_ids:
                self._held_ids.setdefault(id_, set()).add(path)

    def _note_verdict(self, path: str, verdict: Verdict | None) -> None:
        self.verdicts.pop(path, None)
        record = self.files.get(path)
        if record is not None and record.reading.notes and verdict is not None and (verdict.why or verdict.states):
            self.verdicts[path] = verdict

    def _notes_served(self, path: str, verdict: Verdict | None) -> tuple[Note, ...]:
        """Give what a file is to be served with."""
        record = self.files.get(path)
        if record is None or not record.reading.notes or verdict is None:
            return () if record is None else record.reading.notes
        if not verdict.id:
            return ()
        return tuple(self._placed(judged(note, verdict)) for note in record.reading.notes)

    def _entries(self, path: str, notes: tuple[Note, ...], words: Words | None, kept: Set[str]) -> Iterator[Entry]:
        """Give the entries of what a file says, and note that it says them; what is kept is renewed where it is."""
        for number, note in enumerate(notes):
            if note.id in kept:
                self.table.renew(note)
            else:
                entry = Entry(note, *words[number]) if words else entry_for(note, self.tokeniser)
                self._note_waiting(entry, waits=True)
                yield entry
        if notes:
            self._served[path] = tuple(note.id for note in notes)

    def _placed(self, note: Note) -> Note:
        """Give a drawer or an entry with the names that own its folders, a passage with its repository."""
        if isinstance(note, Passage):
            return replace(note, repository=self._repository_of(note.path))
        parts = note.path.split("/")

        def owner(level: int) -> str:
            return self.owners.name_for("/".join(parts[: level + 1])) if level + 1 < len(parts) else ""

        if isinstance(note, Drawer) and not (note.wing and note.room):
            return replace(note, wing=note.wing or owner(1) or GENERAL, room=note.room or owner(2) or GENERAL)
        if isinstance(note, DiaryEntry) and not note.agent:
            return replace(note, agent=owner(1) or UNNAMED)
        return note

    def _note_waiting(self, entry: Entry | None, *, waits: bool) -> None:
        note = None if entry is None else entry.note
        if not isinstance(note, Memory) or not note.proposed_by or note.state is not State.UNCONFIRMED:
            return
        groups = self._waiting.setdefault(note.proposed_by, Counter())
        who = Audience(note.state, note.assistants, note.projects)
        groups[who] += 1 if waits else -1
        if not groups[who]:
            del groups[who]


def _ids_of(reading: Reading) -> frozenset[str]:
    own = {note.own_id for note in reading.notes if isinstance(note, Memory)}
    return reading.known_ids.union(own, (note.id for note in reading.notes))
