"""Recount: what happened to a memory, what it said at some time, and what the vault went through lately.

The owner's commands see all of it. For anybody else `sight_of` is asked first: history passes the gate with the state
and audience of now, and of a file that is gone with those of its last version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from personakit.errors import AmbiguousId, ArgumentError, HeldFile, NotThen, UnknownId
from personakit.model.events import Event, events, step_changes
from personakit.model.memory import Memory
from personakit.model.past import Standing, Step, Version, utc
from personakit.model.visibility import Sight, visible
from personakit.services.decide import SHOWN_CHOICES, resolve
from personakit.vault.history.lineage import FOLDER, Pages, deleted, elsewhere_now, gone_lately, steps_of
from personakit.vault.history.past import Past
from personakit.vault.layout import MAX_MEMORY, is_markdown
from personakit.vault.reading import Condition, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from personakit.model.past import Commit
    from personakit.model.visibility import Viewer
    from personakit.services.library import Library
    from personakit.services.opened import OpenVault
    from personakit.vault.frontmatter import Value
    from personakit.vault.history.past import FileChange

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of one memory's past.

    Attributes:
        id: its id.
        note: the memory as it is served now; None when its file is held or gone.
        now: its file as it is on disk, with what it last said where it cannot be read or is gone.
        steps: every change of its file, oldest first, what is not committed yet last.
        beginning: the earliest commit that is here, where a shallow clone lacks what came before; else None.
    """

    id: str
    note: Memory | None
    now: Version
    steps: tuple[Step, ...]
    beginning: Commit | None

    @property
    def events(self) -> list[Event]:
        """What happened, oldest first."""
        return events(self.steps)

    def last_change_of(self, key: str) -> Step | None:
        """Give the step that last changed what the memory says under a key (a property of Memory)."""
        for step in reversed(self.steps):
            said = getattr(step.after.memory, key, None)
            if step.is_cut or all(getattr(one.memory, key, None) != said for one in step.before):
                return step
        return None


@dataclass(frozen=True, slots=True)
class Then:
    """A memory as it was, with its front matter. `commit` is the one that counts for the time asked for."""

    memory: Memory
    keys: dict[str, Value]
    commit: Commit


@dataclass(frozen=True, slots=True)
class Told:
    """One event and the memory it happened to, with what that said then (None: it could not be read)."""

    id: str
    memory: Memory | None
    event: Event


def sight_of(account: Account, viewer: Viewer) -> Sight:
    """Say what a viewer may see of a memory's past.

    The state and audience of now decide, or those of its last version when its file is gone. A held file hides its
    past with it, and so does a last version that cannot be read.
    """
    if account.note is not None:
        return visible(account.note, viewer)
    last = next((step.after for step in reversed(account.steps) if step.after.standing is not Standing.GONE), None)
    if account.now.standing is not Standing.GONE or last is None or last.memory is None:
        return Sight.HIDDEN
    return Sight.HIDDEN if last.standing is Standing.HELD else visible(last.memory, viewer)


class Recounter:
    """The past of an open vault's memories. A context that ends the process it reads through."""

    def __init__(self, vault: OpenVault) -> None:
        """Look at the repository the vault lies in.

        Raises:
            NoHistory: there is none that git can read.
        """
        self._library = vault.library
        self._past = Past(vault.root)
        self._pages = Pages(self._past)
        self.beginning = self._past.beginning()

    def __enter__(self) -> Recounter:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._past.objects.close()

    def account(self, given: str) -> Account:
        """Recount one memory, by its id or the start of it; also one that only history knows.

        Raises:
            UnknownId, AmbiguousId, NoHistory
            ArgumentError: it is no memory.
        """
        id_, note, now = _present(self._library, given) or self._absent(given)
        own = now.memory.id if now.memory is not None else id_
        steps = steps_of(self._past, self._pages, own, [now.path])
        if now.standing is not Standing.GONE and (not steps or steps[-1].after.standing is Standing.GONE):
            steps = self._with_moves_on_disk(own, now.path) or steps
        last = steps[-1].after if steps else None
        if now.memory is None and last is not None:
            now = replace(now, memory=last.memory)
        if last is None or _differ(last, now):
            steps.append(Step(None, () if last is None else (last,), now))
        return Account(id_, note, now, tuple(steps), self.beginning)

    def then(self, given: str, when: str) -> Then:
        """Give a memory as it was at the end of a day (YYYY-MM-DD, the owner's own) or at a commit.

        Raises:
            UnknownId, AmbiguousId, NoHistory
            ArgumentError: `when` is no day of the past and no commit.
            NotThen: there was no commit yet, or the memory was not there.
        """
        commit = self.commit_of(when)
        account = self.account(given)
        own = account.now.memory.id if account.now.memory is not None else account.id
        paths = {one.path for step in account.steps for one in (*step.before, step.after)}
        tree = self._past.tree(commit.id, *sorted(paths))
        self._pages.learn((blob, path) for path, blob in tree.items())
        for blob in tree.values():
            page = self._pages[blob]
            if own in page.ids and page.memory is not None:
                content = self._past.contents([blob], MAX_MEMORY).get(blob, b"")
                return Then(page.memory, keys_of(content), commit)
        held = any(own in self._pages[blob].ids for blob in tree.values())
        what = "could not be read" if held else "was not there"
        raise NotThen(f"{account.id} {what} at {when} (commit {commit.short} of {utc(commit.at)}).")

    def commit_of(self, when: str) -> Commit:
        """Give the commit that counts for a day or a name.

        Raises:
            ArgumentError, NotThen
        """
        if not _DAY.fullmatch(when):
            found = self._past.commit_named(when)
            if found is None:
                raise ArgumentError("--at", f"{when} is neither a day (YYYY-MM-DD) nor a commit of this repository")
            return found
        found = self._past.commit_at(end_of_day(when))
        if found is None:
            where = "History begins later"
            if self.beginning is not None:
                where = f"History begins at {utc(self.beginning.at)}; earlier is not here (a shallow clone)"
            raise NotThen(f"Nothing was committed by the end of {when}. {where}.")
        return found

    def lately(self, limit: int) -> list[Told]:
        """Give the latest events of all memories, oldest first; what is not committed yet is not among them.

        Raises:
            NoHistory
        """
        found: list[Told] = []
        for one in self._past.log(FOLDER):
            files = [file for file in one.files if is_markdown(file.path)]
            if not any(any(file.before) for file in files):
                files = files[:limit]  # nothing but new files: each is one event at least
            self._pages.learn((blob, file.path) for file in files for blob in (*file.before, file.blob))
            steps: dict[str, tuple[list[Version], list[Version]]] = {}
            for file in files:
                for blob in filter(None, file.before):
                    steps.setdefault(self._id_in(file, blob), ([], []))[0].append(self._version(file.path, blob))
                if file.blob:
                    steps.setdefault(self._id_in(file, file.blob), ([], []))[1].append(
                        self._version(file.path, file.blob)
                    )
            found += [told for id_ in sorted(steps) for told in self._told(id_, one.commit, *steps[id_])]
            if len(found) >= limit:
                break
        return found[:limit][::-1]

    def _id_in(self, file: FileChange, blob: str) -> str:
        """Give the id that a content of a file goes by; one that cannot be read goes by what stood there before."""
        ids = self._pages[blob].ids
        if self._pages[blob].memory is None:
            before = [id_ for one in file.before if self._pages[one].memory for id_ in self._pages[one].ids]
            ids = frozenset(before) or ids
        return min(ids, default=file.path)

    def _version(self, path: str, blob: str) -> Version:
        page = self._pages[blob]
        return Version(Standing.READ if page.memory is not None else Standing.HELD, page.memory, path, page.digest)

    def _told(self, id_: str, commit: Commit, before: list[Version], after: list[Version]) -> Iterator[Told]:
        now = after[0] if after else Version(Standing.GONE, before[0].memory, before[0].path)
        is_cut = not before and commit.id in self._past.repository.cuts
        if is_cut:
            return
        memory = now.memory
        for event in reversed(events([Step(commit, tuple(before), now)])):
            yield Told(id_, memory, event)

    def _absent(self, given: str) -> tuple[str, None, Version]:
        """Find a memory that is on disk no more.

        Raises:
            UnknownId, AmbiguousId
        """
        if not given:
            raise UnknownId(given)
        found = elsewhere_now(self._past, self._pages, given, self._library.files)
        found = found or deleted(self._past, self._pages, given)
        if given in found:
            found = {given: found[given]}
        if not found:
            raise UnknownId(given)
        if len(found) > 1:
            raise AmbiguousId(given, sorted(found)[:SHOWN_CHOICES])
        ((id_, path),) = found.items()
        return id_, None, Version(Standing.GONE, None, path)

    def _with_moves_on_disk(self, id_: str, path: str) -> list[Step]:
        """Give the past of a memory whose file was moved to a path that no commit has it at; empty when it was not."""
        found = elsewhere_now(self._past, self._pages, id_, self._library.files)
        paths = [found[id_]] if id_ in found else []
        if not paths:
            gone = gone_lately(self._past, self._pages, id_, self._past.repository.head)
            paths = [one.path for one in gone[:1]]
        return steps_of(self._past, self._pages, id_, [*paths, path]) if paths else []


def without_history(vault: OpenVault, given: str) -> Account:
    """Give what front matter alone tells of a memory, where there is no history.

    Raises:
        UnknownId, AmbiguousId
    """
    found = _present(vault.library, given)
    if found is None:
        raise UnknownId(given)
    id_, note, now = found
    return Account(id_, note, now, (Step(None, (), now),), None)


def end_of_day(day: str) -> int:
    """Give the last second of a day, YYYY-MM-DD, in the zone of the owner's machine, in seconds since 1970.

    Raises:
        ArgumentError: there is no such day.
    """
    try:
        return int((datetime.fromisoformat(day) + timedelta(days=1)).astimezone().timestamp()) - 1
    except (ValueError, OverflowError, OSError) as error:
        raise ArgumentError("--at", f"{day} is no day of the calendar") from error


def _present(library: Library, given: str) -> tuple[str, Memory | None, Version] | None:
    """Find a memory whose file is on disk: its id, the memory as served (None: held), and its file; None for none.

    Raises:
        AmbiguousId
        ArgumentError: the id is another kind's.
    """
    try:
        note = resolve(library, given)
    except UnknownId:
        return None
    except HeldFile:
        held = [path for path, record in library.files.items() if given in record.reading.known_ids]
        return (given, None, Version(Standing.HELD, None, held[0], library.files[held[0]].reading.digest))
    if not isinstance(note, Memory):
        raise ArgumentError("ID", f"{note.id} is no memory, and history is told of memories alone")
    reading = library.files[note.path].reading
    own = next((one for one in reading.notes if isinstance(one, Memory)), None)
    standing = Standing.READ if reading.condition is Condition.READ else Standing.HELD
    return note.id, note, Version(standing, own, note.path, reading.digest)


def _differ(last: Version, now: Version) -> bool:
    return bool(step_changes(Step(None, (last,), now)))
