"""The chronicle: the lives of all documents, from the first commit to the disk, and what a viewer may see of them.

History passes the gate with the state and audience of now; that of a document whose file is gone, with those of its
last version. What went where nothing is served, or cannot be read now, is hidden with all its past.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from personakit.errors import NoHistory
from personakit.model.document import Passage
from personakit.model.past import utc
from personakit.model.visibility import Sight, visible
from personakit.services.judged import Audience
from personakit.vault.history.documents import (
    NOW,
    ON_DISK,
    SAME,
    Edition,
    HeadStamp,
    Strand,
    Strands,
    Texts,
    content_of,
    holds_words,
    is_for_all,
    may_be_moved_to,
    nearness,
)
from personakit.vault.history.git import work_tree_above
from personakit.vault.history.past import Past

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from personakit.model.visibility import Viewer
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.knowledge.snapshot import Snapshot
    from personakit.services.opened import OpenVault

T = TypeVar("T")

NO_HISTORY = "There is no git history here, so only what stands on the disk is known."


@dataclass(frozen=True, slots=True)
class Life:
    """One document from its first edition to the disk.

    Attributes:
        editions: oldest first; the last is what the disk has, where that differs from the last commit.
        notes: what is served of it now; () when nothing is.
        fate: what the gate looks at for all of its past; None: it is hidden.
        repository: the id of the repository it belongs to, or last belonged to.
    """

    editions: tuple[Edition, ...]
    notes: tuple[Passage, ...]
    fate: Audience | None
    repository: str

    def is_seen(self, viewer: Viewer) -> bool:
        """Say whether a viewer may see its past."""
        return self.fate is not None and visible(self.fate, viewer) is Sight.SERVED


class Chronicle:
    """What is known of the past of one vault's documents. Git is asked anew when another commit is checked out."""

    def __init__(self, vault: OpenVault) -> None:
        self.root = vault.root
        self._vault = vault
        self._folders = vault.settings.documents
        self._turn = threading.RLock()
        self._stamp: HeadStamp | None = None
        self._lives: tuple[tuple[object, ...], list[Life]] = ((), [])
        # What was made of the chronicle and holds while it does (`snapshot_of`): its key -> it.
        self.snapshots: OrderedDict[tuple[object, ...], Snapshot] = OrderedDict()
        self.texts = Texts()
        self.strands = Strands(self._folders, self.texts)

    @contextmanager
    def at_hand(self) -> Iterator[Reading]:
        """Bring it up to the commit that is checked out, and read from it; one call at a time.

        Raises:
            NoHistory
        """
        with self._turn:
            reading = Reading(self)
            try:
                self._refresh(reading)
                yield reading
            finally:
                reading.close()

    def _refresh(self, reading: Reading) -> None:
        if self._stamp is not None and self._stamp.look() == self._stamp.seen:
            return
        if not work_tree_above(self._vault.root):
            raise NoHistory("no_repository")
        self._stamp = None
        past = reading.past
        stamp = HeadStamp(past)
        self.strands.take(past)
        self._stamp = stamp

    @property
    def key(self) -> tuple[object, ...]:
        """What differs once anything it is made of does."""
        library = self._vault.library
        return (id(library.table), library.table.changes, len(library.files), self.strands.head)

    def lives(self, reading: Reading) -> list[Life]:
        """Give the life of every document there is or was."""
        library = self._vault.library
        with library.lock:
            key = self.key
            if self._lives[0] != key:
                self._lives = (key, _Joined(self._vault, self, reading).lives())
            return self._lives[1]

    def life_at(self, reading: Reading, path: str) -> Life:
        """Give the life of the document that stands at a path of the disk."""
        with self._vault.library.lock:
            return _Joined(self._vault, self, reading).standing_at(path)

    def last_commit(self, path: str, version: str) -> int | None:
        """Give when the document on the disk was committed as it is, in seconds; None when it was not."""
        strand = self.strands.alive.get(path)
        if strand is None or strand.editions[-1].blob != version:
            return None
        return strand.editions[-1].at


class Reading:
    """One look into the chronicle; starts git only when something is not known yet."""

    def __init__(self, chronicle: Chronicle) -> None:
        self.chronicle = chronicle
        self._past: Past | None = None

    @property
    def past(self) -> Past:
        """The repository."""
        if self._past is None:
            self._past = Past(self.chronicle.root)
        return self._past

    def close(self) -> None:
        """End the process that contents are read through."""
        if self._past is not None:
            self._past.objects.close()

    def passages(self, edition: Edition) -> tuple[Passage, ...]:
        """Give what an edition says."""
        found = self.chronicle.texts[edition]
        if not found and edition.blob and edition.passages is None:
            self.learn([edition])
            found = self.chronicle.texts[edition]
        return found

    def holding(self, editions: Sequence[Edition], id_: str) -> Iterator[int]:
        """Give the numbers of those editions that may say a passage."""
        return self.chronicle.texts.holding(self.past, editions, id_)

    def learn(self, editions: Iterable[Edition]) -> None:
        """Read many editions in one go."""
        self.chronicle.texts.learn(self.past, editions)


class _Joined:
    """The strands of git and the files of the disk, put together."""

    def __init__(self, vault: OpenVault, chronicle: Chronicle, reading: Reading) -> None:
        self._vault = vault
        self._library = vault.library
        self._strands = chronicle.strands
        self._reading = reading
        self._order = self._strands.commits

    def lives(self) -> list[Life]:
        """Give every life."""
        here = {path for path in self._library.files if self._strands.is_document(path)}
        there = self._strands.alive
        heirs = self._moved([path for path in there if path not in here], sorted(here - there.keys()))
        taken = set(heirs.values())
        lives = []
        for path, strand in there.items():
            lives.append(self._alive(strand, heirs.get(path, path if path in here else "")))
        returned = {path: self._strands.gone[path] for path in here - there.keys() - taken if self._comes_back(path)}
        lives += [self._alive(strand, path) for path, strand in returned.items()]
        living = {id(strand) for strand in (*there.values(), *returned.values())}
        ended = [strand for strand in self._strands.all if id(strand) not in living]
        self._reading.learn(one for strand in ended for one in strand.editions[-2:])
        lives += [self._gone(strand) for strand in ended]
        fresh = sorted(here - there.keys() - taken - returned.keys())
        return lives + [self._alive(Strand(), path) for path in fresh]

    def standing_at(self, path: str) -> Life:
        """Give the life of the document at a path of the disk; one that moved there uncommitted begins there."""
        strand = self._strands.alive.get(path)
        return self._alive(Strand() if strand is None else strand, path)

    def _comes_back(self, path: str) -> bool:
        strand = self._strands.gone.get(path)
        return strand is not None and not strand.editions[-1].left

    def _alive(self, strand: Strand, path: str) -> Life:
        """Give the life of a document that the last commit has, or that is new, and that the disk has at a path."""
        last = strand.editions[-1] if strand.editions else None
        if not path:
            return self._deleted(strand)
        notes = tuple(note for note in self._library.notes_of(path) if isinstance(note, Passage))
        editions = tuple(strand.editions)
        if last is None or last.path != path or not notes or notes[0].about.version != last.blob:
            editions += (Edition(self._saved(path, last, notes), self._order, path, ON_DISK, passages=notes),)
        return self._life(editions, notes, path)

    def _saved(self, path: str, last: Edition | None, notes: tuple[Passage, ...]) -> int:
        """Give when a file became what it is, as far as that may be told: of what is not served nothing is."""
        stamp = self._library.files[path].stamp
        if not notes:
            return NOW
        # A file that was moved or copied here may keep the time of its words.
        here = last is not None and last.path == path
        return (stamp.mtime_ns if here else max(stamp.mtime_ns, stamp.ctime_ns)) // 10**9

    def _life(self, editions: tuple[Edition, ...], notes: tuple[Passage, ...], path: str) -> Life:
        repository = self._vault.settings.repository_of(path)
        fate = None
        if notes:
            first = notes[0]
            fate = Audience(first.state, first.assistants, first.projects, repository=repository)
        return Life(editions, notes, fate, repository)

    def _deleted(self, strand: Strand) -> Life:
        """Give the life of a document whose file went since the last commit."""
        last = strand.editions[-1]
        left = self._stands_elsewhere(last)
        return self._gone(Strand([*strand.editions, Edition(NOW, self._order, last.path, "", left=left)]))

    def _gone(self, strand: Strand) -> Life:
        editions = tuple(strand.editions)
        last = next((one for one in reversed(editions) if one.blob), editions[-1])
        repository = self._vault.settings.repository_of(last.path)
        passages = () if editions[-1].left else self._reading.passages(last)
        fate = None
        if passages:
            first = passages[0]
            fate = Audience(first.state, first.assistants, first.projects, repository=repository)
        return Life(editions, (), fate, repository)

    def _moved(self, gone: list[str], new: list[str]) -> dict[str, str]:
        """Give which new files on the disk are documents that stood elsewhere at the last commit: old path -> new."""
        if not gone or not new:
            return {}
        lasts = {path: self._strands.alive[path].editions[-1] for path in gone}
        self._reading.learn(lasts.values())
        news = {path: self._library.notes_of(path) for path in new}
        found: dict[str, str] = {}
        said = {path: self._reading.passages(last) for path, last in lasts.items()}
        # What is for all comes first: what is hidden takes no file from it.
        for path in sorted(said, key=lambda path: (not is_for_all(said[path]), path)):
            best = max(
                ((nearness(said[path], notes), new) for new, notes in news.items() if new not in found.values()),
                default=(0.0, ""),
            )
            if best[0] >= SAME:
                found[path] = best[1]
        return found

    def _stands_elsewhere(self, last: Edition) -> bool:
        """Say whether a file of another kind, which no commit has, holds the words of a document that went."""
        passages = self._reading.passages(last)
        others = [p for p in self._library.files if not self._strands.is_document(p) and may_be_moved_to(p)]
        if not passages or not others:
            return False
        tops = sorted({path.split("/", 1)[0] for path in others})
        known = self._reading.past.tree(self._reading.past.repository.head, *tops)
        root = self._vault.root
        return any(holds_words(passages, content_of(root, path)) for path in others if path not in known)


def chronicle_of(vault: OpenVault) -> Chronicle:
    """Give the chronicle of an open vault, made when it is first asked for."""
    with vault.library.lock:
        if not vault.chronicles:
            vault.chronicles.append(Chronicle(vault))
        return vault.chronicles[0]


def look_back(inquiry: Inquiry, look: Callable[[Reading], tuple[T, list[Life]]]) -> T:
    """Look into the past, and judge at this moment the documents whose past leaves.

    `look` gives what leaves and whose lives it is from.

    Raises:
        NoHistory, Unsettled, VaultEmptied
    """
    vault = inquiry.vault
    vault.freshness.before_call()
    with chronicle_of(vault).at_hand() as reading:
        table, changes = vault.library.table, vault.library.table.changes
        first = look(reading)

        def pick(now: object) -> tuple[T, list[Life]]:
            same = now is table and table.changes == changes
            return first if same and not _back_again(vault, first[1]) else look(reading)

        found, _ = vault.answer(pick, lambda picked: [note for life in picked[1] for note in life.notes[:1]])
        return found


def _back_again(vault: OpenVault, lives: list[Life]) -> bool:
    """Look for files that were gone and are back though no event told it; True when one is."""
    gone = [life.editions[-1].path for life in lives if not life.notes]
    back = [path for path in gone if vault.library.store.stamp(path) is not None and path not in vault.library.files]
    if back:
        vault.library.apply(back)
    return bool(back)


def when(edition: Edition, now: int) -> int:
    """Give an edition's time, in seconds; what is on the disk alone never lies in the future."""
    return edition.at if edition.at != NOW and edition.at <= now else now


def told_time(inquiry: Inquiry, edition: Edition) -> str:
    """Give an edition's time, UTC."""
    return utc(when(edition, int(inquiry.vault.clock.now().timestamp())))
