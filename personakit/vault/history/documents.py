"""The lives of documents in git: which file was which document, commit by commit, on the line of first parents.

A document stays what it was when a commit moves it: by git's own likeness, or by the id that its front matter gives.
Where it moves to a place whose files are no documents, its life ends there.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from personakit.model.document import Passage
from personakit.model.likeness import grams, likeness, share_in
from personakit.model.note import Kind
from personakit.model.visibility import Sight, Viewer, visible
from personakit.vault import layout
from personakit.vault.history.past import Past
from personakit.vault.reading import ids_in, read_file
from personakit.vault.regular import bytes_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from personakit.model.note import Note
    from personakit.vault.history.past import FileChange, Recorded

# So many passages of old versions are kept as they were read.
_MOST_KEPT = 60_000
# A file that holds so much of what a document said is taken for it.
SAME = 0.6
# Files of these kinds quote documents, and are never one that went there.
_QUOTING = (Kind.PROPOSAL, Kind.SESSION, Kind.DIARY)
NOW = -1
# What stands for the content of a file of the disk, which has no blob yet.
ON_DISK = "-"


@dataclass(frozen=True, slots=True)
class Edition:
    """What a commit, or the disk, made of a document.

    Attributes:
        at: when, in seconds since 1970; NOW for what is on the disk at no time that could be told.
        order: its place on the line of commits, from 0; what is on the disk comes after all of them.
        path: its file.
        blob: its content, ON_DISK for what no commit has, "" when it is gone.
        left: it is gone to where nothing is served.
        passages: what it says, where that is known without git; None elsewhere.
    """

    at: int
    order: int
    path: str
    blob: str
    left: bool = False
    passages: tuple[Passage, ...] | None = None


@dataclass(slots=True)
class Strand:
    """The life of one document, oldest edition first."""

    editions: list[Edition] = field(default_factory=list)


class Texts:
    """Stored contents as passages, each read once while there is room for it."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[Passage, ...]] = OrderedDict()
        self._ids: dict[tuple[str, str], frozenset[str]] = {}
        self._kept = 0

    def learn(self, past: Past, wanted: Iterable[Edition]) -> None:
        """Read the editions that are not known yet, all in one go."""
        for (blob, path), content in _contents(past, wanted, self._known):
            self._keep((blob, path), () if content is None else passages_of(path, content))

    def holding(self, past: Past, wanted: Sequence[Edition], id_: str) -> Iterator[int]:
        """Give the numbers of those editions that may say a passage; only their ids are kept, all of them."""
        for key, content in _contents(past, wanted, self._ids):
            self._ids[key] = frozenset() if content is None else ids_in(key[1], content)
        for number, one in enumerate(wanted):
            said = self._ids.get((one.blob, one.path), ())
            if id_ in (said if one.passages is None else {passage.id for passage in one.passages}):
                yield number

    def __getitem__(self, one: Edition) -> tuple[Passage, ...]:
        """Give what an edition says; () when it is gone, could not be read, or was no document."""
        if one.passages is not None:
            return one.passages
        return self._known.get((one.blob, one.path), ())

    def _keep(self, key: tuple[str, str], passages: tuple[Passage, ...]) -> None:
        self._known[key] = passages
        self._kept += len(passages) + 1
        while self._kept > _MOST_KEPT and len(self._known) > 1:
            self._kept -= len(self._known.popitem(last=False)[1]) + 1


def _contents(
    past: Past, wanted: Iterable[Edition], known: Container[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], bytes | None]]:
    """Give the contents of the editions that are not known yet, by blob and path."""
    paths: dict[str, set[str]] = {}
    for one in wanted:
        if one.blob and one.passages is None and (one.blob, one.path) not in known:
            paths.setdefault(one.blob, set()).add(one.path)
    for blob, content in past.objects.read(paths, layout.MAX_OTHER):
        for path in paths[blob]:
            yield (blob, path), content


def passages_of(path: str, content: bytes) -> tuple[Passage, ...]:
    """Read a document's content."""
    notes = read_file(path, Kind.PASSAGE, content).notes
    return tuple(note for note in notes if isinstance(note, Passage))


def holds_words(passages: Sequence[Passage], content: bytes) -> bool:
    """Say whether a file holds most of what a document said, whatever stands around it."""
    said = grams(" ".join(one.text for one in passages))
    return bool(passages) and share_in(said, grams(content.decode("utf-8", "replace"))) >= SAME


def nearness(old: Sequence[Note], new: Sequence[Note]) -> float:
    """Say how alike two documents are, 0 to 1: 1 for one id or one version, else by their words."""
    one, other = next(iter(old), None), next(iter(new), None)
    if not isinstance(one, Passage) or not isinstance(other, Passage):
        return 0.0
    if one.about.id == other.about.id or one.about.version == other.about.version:
        return 1.0
    return likeness(*(grams(" ".join(each.text for each in some)) for some in (old, new)))


def is_for_all(passages: Sequence[Passage]) -> bool:
    """Say whether everybody may see what a document says, as far as the document itself tells."""
    return any(visible(replace(one, repository=""), Viewer()) is Sight.SERVED for one in passages[:1])


def may_be_moved_to(path: str) -> bool:
    """Say whether a file outside the documents may be one that was moved there."""
    return layout.is_markdown(path) and layout.kind_at(path) not in _QUOTING


class Strands:
    """The lives of all documents below some folders, up to one commit."""

    def __init__(self, folders: Sequence[str], texts: Texts) -> None:
        self.head = ""
        self.all: list[Strand] = []
        # Where each document stands after the last commit: its path -> its life.
        self.alive: dict[str, Strand] = {}
        # Who stood last at a path where nothing stands now.
        self.gone: dict[str, Strand] = {}
        # How many commits were taken in.
        self.commits = 0
        self._folders = tuple(folders)
        self._texts = texts

    def is_document(self, path: str) -> bool:
        """Say whether a file at this path is a document, as far as its name tells."""
        return (
            layout.is_markdown(path)
            and layout.kind_at(path, self._folders) is Kind.PASSAGE
            and not any(layout.skips(part) for part in path.split("/"))
        )

    def take(self, past: Past) -> None:
        """Take in the commits up to the one that is checked out."""
        head = past.repository.head
        if head == self.head:
            return
        if self.head and not past.is_next_to(self.head, head):
            self.all, self.alive, self.gone, self.commits, self.head = [], {}, {}, 0, ""
        folders = ["" if folder == "." else folder for folder in self._folders]
        records = list(past.log(*folders, mainline=True, without=self.head))[::-1]
        deleting = [one.commit for one in records if any(not file.blob for file in self._files(one))]
        moves = past.renames(deleting)
        for record in records:
            self._take_commit(past, record, moves.get(record.commit.id, {}))
        self.head = head

    def _files(self, record: Recorded) -> list[FileChange]:
        return [file for file in record.files if self.is_document(file.path)]

    def _take_commit(self, past: Past, record: Recorded, moved: dict[str, str]) -> None:
        order, self.commits = self.commits, self.commits + 1
        files = self._files(record)
        came = {file.path: file.blob for file in files if file.blob}
        lost = {file.path: self.alive.pop(file.path) for file in files if not file.blob and file.path in self.alive}
        heirs = {new: lost[old] for old, new in moved.items() if old in lost and new in came and new not in self.alive}
        kept = {id(strand) for strand in heirs.values()}
        heirs |= self._by_id(past, {p: s for p, s in lost.items() if id(s) not in kept}, came, heirs.keys())
        self._give_back(past, heirs, {path: lost[path] for path in lost.keys() - moved.keys()}, came)
        taken = {id(strand) for strand in heirs.values()}
        at = record.commit.at
        for path, strand in lost.items():
            if id(strand) not in taken:
                left = self._has_left(past, record, path, strand, moved)
                strand.editions.append(Edition(at, order, path, "", left=left))
                self.gone[path] = strand
        for path, blob in came.items():
            strand = self.alive.get(path) or heirs.get(path) or self._returned(path) or self._new()
            strand.editions.append(Edition(at, order, path, blob))
            self.alive[path] = strand
            self.gone.pop(path, None)

    def _give_back(self, past: Past, heirs: dict[str, Strand], left: dict[str, Strand], came: dict[str, str]) -> None:
        """Let what is for all go on in a file that git's likeness gave to something hidden, where it is as like.

        Else a hidden document that was deleted beside it would tell that it is there.
        """
        taken = {id(strand) for strand in heirs.values()}
        left = {path: strand for path, strand in left.items() if id(strand) not in taken}
        if not left or not heirs:
            return
        news = {path: Edition(0, 0, path, came[path]) for path in heirs}
        lasts = [strand.editions[-1] for strand in (*heirs.values(), *left.values())]
        self._texts.learn(past, [*lasts, *news.values()])
        hidden = {path for path, strand in heirs.items() if not is_for_all(self._texts[strand.editions[-1]])}
        for _, strand in sorted(left.items()):
            said = self._texts[strand.editions[-1]]
            if hidden and is_for_all(said):
                likest, path = max((nearness(said, self._texts[news[path]]), path) for path in hidden)
                if likest >= SAME:
                    heirs[path] = strand
                    hidden.discard(path)

    def _has_left(self, past: Past, record: Recorded, path: str, strand: Strand, moved: dict[str, str]) -> bool:
        """Say whether a file that went stands where nothing is served: git says so, or a new file holds its words."""
        if path in moved and layout.kind_at(moved[path]) not in _QUOTING:
            return not self.is_document(moved[path])
        added = [
            file
            for file in past.changed_in(record.commit.id)
            if file.blob and not any(file.before) and not self.is_document(file.path) and may_be_moved_to(file.path)
        ]
        if not added:
            return False
        self._texts.learn(past, strand.editions[-1:])
        words = self._texts[strand.editions[-1]]
        contents = past.contents((file.blob for file in added), layout.MAX_OTHER)
        return any(holds_words(words, content) for content in contents.values())

    def _returned(self, path: str) -> Strand | None:
        """Give the life that ended at a path and goes on there; one that went where nothing is served does not."""
        strand = self.gone.get(path)
        return None if strand is None or strand.editions[-1].left else strand

    def _new(self) -> Strand:
        self.all.append(Strand())
        return self.all[-1]

    def _by_id(
        self, past: Past, lost: dict[str, Strand], came: dict[str, str], known: Iterable[str]
    ) -> dict[str, Strand]:
        """Give which of the files that came go on with a lost document, since both give its id."""
        new = [path for path in came if path not in self.alive and path not in set(known)]
        if not lost or not new:
            return {}
        there = {path: Edition(0, 0, path, came[path]) for path in new}
        self._texts.learn(past, [*there.values(), *(strand.editions[-1] for strand in lost.values())])
        ids = {id_: strand for strand in lost.values() if (id_ := self._id_of(strand.editions[-1]))}
        found: dict[str, Strand] = {}
        for path, edition in there.items():
            id_ = self._id_of(edition)
            if id_ in ids:
                found[path] = ids.pop(id_)
        return found

    def _id_of(self, edition: Edition) -> str:
        passages = self._texts[edition]
        id_ = passages[0].about.id if passages else ""
        return "" if id_.startswith("d_") else id_


def content_of(root: str, path: str) -> bytes:
    """Give what a file of the vault holds; nothing where it cannot be read."""
    try:
        return bytes_of(os.path.join(root, path))[0]
    except OSError:
        return b""


class HeadStamp:
    """Tells without starting git whether another commit may be checked out since it was made."""

    def __init__(self, past: Past) -> None:
        answer = past.git.ask("rev-parse", "--absolute-git-dir", "--git-common-dir")
        own, common, *_ = [*os.fsdecode(answer.out).split("\n"), "", ""]
        common = os.path.join(past.git.root, common)
        self._head = os.path.join(own, "HEAD")
        self._common = common
        self._files = (
            self._head,
            os.path.join(own, "logs", "HEAD"),
            os.path.join(common, "packed-refs"),
            os.path.join(common, "reftable", "tables.list"),
        )
        self.seen = self.look()

    def look(self) -> tuple[object, ...]:
        """Give what differs once another commit is checked out."""
        try:
            with open(self._head, encoding="utf-8", errors="replace") as file:
                said = file.read(4_096).strip()
        except OSError:
            said = ""
        name = said.removeprefix("ref: ")
        return (said, *map(_stamp, self._files), _stamp(os.path.join(self._common, name)))


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
