"""One memory's versions, by its id: a path may have held other memories, and a memory may have had other paths.

Git's own following of renames goes by likeness and would wander into other memories. Here a version belongs to a
memory only while its id is the memory's, and an earlier path is looked for only where the memory appears at a path:
among the files that the same commit changed or deleted, and else among those deleted in the hundred commits before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from personakit.model.memory import Memory
from personakit.model.note import Kind
from personakit.model.past import Standing, Step, Version
from personakit.vault.layout import MAX_MEMORY, is_markdown
from personakit.vault.reading import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from personakit.model.past import Commit
    from personakit.vault.history.past import FileChange, Past, Recorded

FOLDER = "memories"
# Enough of an id to look for it in every content there ever was.
_ID_START = re.compile(r"m_[0-9a-f]{4,12}")
_WRITTEN_ID = re.compile(rb"""^id:[ \t]*["']?(m_[0-9a-f]{12})\b""", re.MULTILINE)
# A file moved by hand may be gone in one commit and come in a later one; so many commits are looked through for it.
_MOST_APART = 100
# Rounds of looking for an earlier path: a memory that moved more often begins at its latest moves.
_MOST_MOVES = 20


@dataclass(frozen=True, slots=True)
class Page:
    """One stored content, read as a memory.

    Attributes:
        memory: what it says; None when it cannot be read, or is not here.
        ids: the id the file itself gives; every id it may have when it cannot be read.
        digest: its `version_of`.
        names_one: it cannot be read, but a line of it plainly gives an id.
    """

    memory: Memory | None
    ids: frozenset[str]
    digest: str
    names_one: bool = False


class Pages:
    """Stored contents as memories, each read once."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._known: dict[str, Page] = {}

    def learn(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Read the blobs of (blob, path) pairs that are not known yet; "" stands for no file."""
        paths = {blob: path for blob, path in wanted if blob and blob not in self._known}
        for blob, content in self._past.objects.read(paths, MAX_MEMORY):
            self._known[blob] = _NOT_HERE if content is None else page_of(paths[blob], content)

    def __getitem__(self, blob: str) -> Page:
        return self._known.get(blob, _NOT_HERE)


_NOT_HERE = Page(None, frozenset(), "")


def page_of(path: str, content: bytes) -> Page:
    """Read a memory file's content."""
    reading = read_file(path, Kind.MEMORY, content)
    for note in reading.notes:
        if isinstance(note, Memory):
            return Page(note, frozenset({note.id}), reading.digest)
    written = frozenset(match.decode() for match in _WRITTEN_ID.findall(content))
    return Page(None, written or reading.known_ids, reading.digest, names_one=bool(written))


@dataclass(slots=True)
class _Told:
    """What is known of a memory while its steps are put together, oldest first."""

    id: str
    pages: Pages
    last: Memory | None = None
    place: str = ""
    # Contents that nobody can read and that stand in its own file, so that the next version of it is its own too.
    unread: set[str] = field(default_factory=set)

    def owns(self, blob: str) -> bool:
        """Say whether a content is this memory's."""
        return bool(blob) and (self.id in self.pages[blob].ids or blob in self.unread)

    def came(self, files: Iterable[FileChange]) -> list[FileChange]:
        """Give the files in which the memory stands after a commit.

        Where none says so, one that cannot be read and names no memory is its file, if it stood there before.
        """
        found = [one for one in files if one.blob and self.id in self.pages[one.blob].ids]
        if found:
            return found
        found = [one for one in files if self._is_mute(one.blob) and any(map(self.owns, one.before))]
        self.unread.update(one.blob for one in found)
        return found

    def _is_mute(self, blob: str) -> bool:
        return bool(blob) and self.pages[blob].memory is None and not self.pages[blob].names_one

    def version(self, blob: str, path: str) -> Version:
        """Give what a content makes of the memory; "" for none."""
        page = self.pages[blob]
        self.place = path
        if page.memory is not None:
            self.last = page.memory
        standing = Standing.GONE if not blob else Standing.HELD if page.memory is None else Standing.READ
        return Version(standing, self.last, path, page.digest)


def steps_of(past: Past, pages: Pages, id_: str, paths: Iterable[str]) -> list[Step]:
    """Give every change of one memory's file, oldest first, from the paths it is known to have (or have had)."""
    known = dict.fromkeys(paths)
    origins: dict[str, list[FileChange]] = {}
    records: list[Recorded] = []
    for _ in range(_MOST_MOVES):
        records = list(past.log(*known)) if known else []
        pages.learn((blob, file.path) for one in records for file in one.files for blob in (*file.before, file.blob))
        for commit in list(_arrivals(_Told(id_, pages), records, origins)):
            origins[commit.id] = _origins(past, pages, id_, commit)
        new = {file.path for files in origins.values() for file in files} - known.keys()
        if not new:
            break
        known.update(dict.fromkeys(sorted(new)))
    told = _Told(id_, pages)
    cuts = past.repository.cuts
    return [step for one in reversed(records) if (step := _step(told, one, cuts)) is not None]


def _arrivals(told: _Told, records: list[Recorded], asked: Mapping[str, object]) -> Iterator[Commit]:
    """Give the commits after which the memory stands at a path of these and before which it stood at none."""
    for one in reversed(records):
        stood = any(told.owns(blob) for file in one.files for blob in file.before)
        if told.came(one.files) and not stood and one.commit.id not in asked:
            yield one.commit


def _origins(past: Past, pages: Pages, id_: str, commit: Commit) -> list[FileChange]:
    """Give the files in which a memory stood before a commit and no longer after it, else those gone shortly before."""
    found = _left(pages, id_, past.changed_in(commit.id))
    if found or not commit.parents or commit.id in past.repository.cuts:
        return found
    return gone_lately(past, pages, id_, commit.parents[0])


def gone_lately(past: Past, pages: Pages, id_: str, start: str) -> list[FileChange]:
    """Give the files of a memory that were deleted in a commit or in the hundred before it, latest first."""
    early = past.commit_named(f"{start}~{_MOST_APART}")
    gone = past.log(FOLDER, start=start, without="" if early is None else early.id, deletions=True)
    return _left(pages, id_, (file for one in gone for file in one.files))


def _left(pages: Pages, id_: str, files: Iterable[FileChange]) -> list[FileChange]:
    below = FOLDER + "/"
    left = [one for one in files if any(one.before) and one.path.startswith(below) and is_markdown(one.path)]
    pages.learn((blob, one.path) for one in left for blob in (*one.before, one.blob))
    told = _Told(id_, pages)
    return [one for one in left if any(map(told.owns, one.before)) and not told.owns(one.blob)]


def _step(told: _Told, record: Recorded, cuts: Set[str]) -> Step | None:
    """Give what one commit made of the memory; None when it is not about it."""
    stood: dict[int, Version] = {}
    for file in record.files:
        for parent, blob in enumerate(file.before):
            if told.owns(blob):
                stood[parent] = told.version(blob, file.path)
    came = told.came(record.files)
    before = tuple(stood[parent] for parent in sorted(stood))
    if came:
        if not before and told.last is not None and record.commit.id not in cuts:
            before = (Version(Standing.GONE, told.last, told.place),)
        after = told.version(came[0].blob, came[0].path)
    elif before:
        after = Version(Standing.GONE, told.last, before[0].path)
    else:
        return None
    return Step(record.commit, before, after, is_cut=not before and record.commit.id in cuts)


def deleted(past: Past, pages: Pages, start: str) -> dict[str, str]:
    """Give the memories that are no longer there and whose id starts so: id to the path of the last file.

    First among the files that were deleted; then, by the id's own letters, among those that others were written over.
    """
    found = _known_in(pages, start, past.log(FOLDER, deletions=True))
    if not found and _ID_START.fullmatch(start):
        found = _known_in(pages, start, past.log(FOLDER, naming=start))
    return found


def _known_in(pages: Pages, start: str, records: Iterable[Recorded]) -> dict[str, str]:
    found: dict[str, str] = {}
    files = [file for one in records for file in one.files if is_markdown(file.path)]
    pages.learn((blob, file.path) for file in files for blob in (*file.before, file.blob))
    for file in files:
        for blob in (*file.before, file.blob):
            for id_ in pages[blob].ids:
                if id_.startswith(start):
                    found.setdefault(id_, file.path)
    return found


def elsewhere_now(past: Past, pages: Pages, start: str, there: Iterable[str]) -> dict[str, str]:
    """Give the memories whose id starts so in the last commit's files that are not on disk (`there`), or that name it.

    So a memory is found whose file was moved, deleted or written over and not committed since: id to path.
    """
    head, here = past.repository.head, set(there)
    named = set(past.holding(head, start, FOLDER)) if _ID_START.fullmatch(start) else set[str]()
    tree = past.tree(head, FOLDER)
    files = {path: blob for path, blob in tree.items() if (path not in here or path in named) and is_markdown(path)}
    pages.learn((blob, path) for path, blob in files.items())
    return {id_: path for path, blob in files.items() for id_ in pages[blob].ids if id_.startswith(start)}
