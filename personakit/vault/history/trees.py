"""A merge of two commits as git objects alone: no file of the work tree is touched and no foreign program is run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from personakit.errors import CannotSync
from personakit.model.note import Kind
from personakit.vault.history.state import Repository
from personakit.vault.merge import merge_file
from personakit.vault.textmerge import GitTextMerge

FOLDER = "personakit-merge"
FILES = frozenset({"100644", "100755"})
Tick = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A path's mode and object in one tree; no mode: it is not there."""

    mode: str = ""
    oid: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""
        return self.mode in FILES


GONE = Entry()


@dataclass(frozen=True, slots=True)
class Three:
    """What a path is on both sides, and was in their base."""

    base: Entry
    ours: Entry
    theirs: Entry


@dataclass(slots=True)
class Plan:
    """What a merge changes in our own tree.

    Attributes:
        old, theirs: the two commits.
        new: the commit it comes to, "" while the owner must choose.
        tree: the merged tree.
        both: how many paths both sides changed.
        changes: path -> what it is before and after, where these differ or the path clashes.
        clashes: path -> all three versions, where both stand in the file and the owner chooses.
    """

    old: str
    theirs: str
    new: str = ""
    tree: str = ""
    both: int = 0
    changes: dict[str, tuple[Entry, Entry]] = field(default_factory=dict)
    clashes: dict[str, Three] = field(default_factory=dict)


def bases(repository: Repository, ours: str, theirs: str) -> list[str]:
    """Give the nearest common commits of two."""
    return repository.git.ask("merge-base", "--all", ours, theirs).line.split()


def merge_trees(
    repository: Repository, common: list[str], plan: Plan, kind_of: Callable[[str], Kind | None], tick: Tick
) -> None:
    """Fill a plan's changes, clashes and tree."""
    shutil.rmtree(os.path.join(repository.folder, FOLDER), ignore_errors=True)
    folder = os.path.join(repository.folder, FOLDER)
    os.mkdir(folder, mode=0o700)
    try:
        _merge(repository, common, plan, _Merger(repository, kind_of, folder, tick))
        plan.tree = tree_with(repository, plan.old, {path: new for path, (_, new) in plan.changes.items()})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _merge(repository: Repository, common: list[str], plan: Plan, merger: _Merger) -> None:
    both: dict[str, Three] = {}
    for path, three in changed(repository, common, plan.old, plan.theirs):
        if three.ours == three.theirs or three.theirs == three.base:
            continue
        if three.ours == three.base:
            plan.changes[path] = (three.ours, three.theirs)
        else:
            both[path] = three
    plan.both = len(both)
    for path, (entry, clashes) in merger.merged(both).items():
        if clashes:
            plan.clashes[path] = both[path]
        if clashes or entry != both[path].ours:
            plan.changes[path] = (both[path].ours, entry)


def changed(repository: Repository, common: list[str], ours: str, theirs: str) -> Iterator[tuple[str, Three]]:
    """Give every path that either side changed. Of several bases that differ in a path none counts for it."""
    of_ours = [difference(repository, base, ours) for base in common]
    of_theirs = [difference(repository, base, theirs) for base in common]
    for path in sorted({path for found in (*of_ours, *of_theirs) for path in found}):
        old: list[Entry | None] = []
        for mine, yours in zip(of_ours, of_theirs, strict=True):
            known = mine.get(path) or yours.get(path)
            old.append(known[0] if known else None)
        now = [next((found[path][1] for found in side if path in found), None) for side in (of_ours, of_theirs)]
        # A base that neither side differs from has what they have; a side that differs from no base has theirs.
        settled = next((entry for entry in (*now, *old) if entry is not None), GONE)
        one, other = (_or(entry, next((was for was in old if was is not None), settled)) for entry in now)
        before = {_or(entry, one) for entry in old}
        yield path, Three(before.pop() if len(before) == 1 else GONE, one, other)


def _or(entry: Entry | None, other: Entry) -> Entry:
    return other if entry is None else entry


def difference(repository: Repository, one: str, other: str) -> dict[str, tuple[Entry, Entry]]:
    """Give the paths in which two commits differ, with both their entries.

    Raises:
        CannotSync: git cannot tell.
    """
    answer = repository.git.ask("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", one, other, "--")
    if not answer.ok:
        raise CannotSync(f"git cannot compare the two sides ({answer.said})")
    found = {}
    words = answer.out.split(b"\0")
    for facts, path in zip(words[::2], words[1::2], strict=False):
        modes = facts.decode("ascii").lstrip(":").split(" ")
        found[os.fsdecode(path)] = (_entry(modes[0], modes[2]), _entry(modes[1], modes[3]))
    return found


def _entry(mode: str, oid: str) -> Entry:
    return GONE if mode == "000000" else Entry(mode, oid)


class _Merger:
    """Merges the contents of paths that both sides changed."""

    def __init__(self, repository: Repository, kind_of: Callable[[str], Kind | None], folder: str, tick: Tick) -> None:
        self._repository = repository
        self._kind_of = kind_of
        self._folder = folder
        self._text = GitTextMerge(folder)
        self._tick = tick

    def merged(self, both: dict[str, Three]) -> dict[str, tuple[Entry, bool]]:
        """Give each path's merged entry, and whether it clashes."""
        contents = read_blobs(
            self._repository,
            {entry.oid for three in both.values() for entry in (three.base, three.ours, three.theirs) if entry.is_file},
        )
        found: dict[str, tuple[Entry, bool]] = {}
        made: dict[str, tuple[str, bytes, bool]] = {}
        for number, (path, three) in enumerate(both.items()):
            self._tick(number, len(both))
            kind = self._kind_of(path)
            if not three.ours.mode or not three.theirs.mode:
                # Deleted on one side and changed on the other: it stays. Outside the vault the owner is asked.
                found[path] = (three.ours if three.ours.mode else three.theirs, kind is None)
            elif not (three.ours.is_file and three.theirs.is_file):
                found[path] = (three.ours, True)
            else:
                base = contents[three.base.oid] if three.base.is_file else None
                data = merge_file(kind, base, contents[three.ours.oid], contents[three.theirs.oid], self._text)
                made[path] = (_mode(three), data.data, data.clashes)
        oids = write_blobs(self._repository, self._folder, [data for _, data, _ in made.values()])
        for (path, (mode, _, clashes)), oid in zip(made.items(), oids, strict=True):
            found[path] = (Entry(mode, oid), clashes)
        return found


def _mode(three: Three) -> str:
    return three.theirs.mode if three.ours.mode == three.base.mode else three.ours.mode


def read_blobs(repository: Repository, oids: Iterable[str]) -> dict[str, bytes]:
    """Give the bytes of objects, all in one call.

    Raises:
        CannotSync: one is missing.
    """
    wanted = sorted(set(oids))
    out = repository.git.ask("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in wanted).encode()).out
    found, at = {}, 0
    for oid in wanted:
        end = out.find(b"\n", at)
        facts = out[at:end].split(b" ")
        if end < 0 or len(facts) != 3 or facts[1] != b"blob":
            raise CannotSync("its repository lacks contents that the merge needs; `git fsck` says more")
        size = int(facts[2])
        found[oid] = out[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def write_blobs(repository: Repository, folder: str, contents: list[bytes]) -> list[str]:
    """Store contents as objects and give their names.

    Raises:
        CannotSync: git cannot store them.
    """
    if not contents:
        return []
    names = []
    for number, data in enumerate(contents):
        names.append(os.path.join(folder, f"blob-{number}"))
        with open(names[-1], "wb") as file:
            file.write(data)
    listed = "".join(f"{name}\n" for name in names)
    answer = repository.git.tell("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=os.fsencode(listed))
    oids = answer.line.split()
    if not answer.ok or len(oids) != len(contents):
        raise CannotSync(f"git cannot store the merged files ({answer.said})")
    return oids


def blob_name(data: bytes, like: str) -> str:
    """Give the name that git gives to contents, by the hash that another name is made with."""
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def tree_with(repository: Repository, commit: str, entries: dict[str, Entry]) -> str:
    """Give the tree of a commit with some entries changed, built in an index of its own.

    Raises:
        CannotSync: the entries make no tree.
    """
    with scratch_index(repository) as environment:
        calls: tuple[tuple[tuple[str, ...], bytes], ...] = (
            (("read-tree", commit), b""),
            (("update-index", "-z", "--index-info"), index_lines(entries, repository.nothing)),
            (("write-tree",), b""),
        )
        for words, stdin in calls:
            answer = repository.git.tell(*words, stdin=stdin, environment=environment)
            if not answer.ok:
                raise CannotSync(f"the two sides make no common tree ({answer.said})")
        return answer.line


@contextlib.contextmanager
def scratch_index(repository: Repository) -> Iterator[dict[str, str]]:
    """Give the environment in which git uses an index of our own; it is gone afterwards. One sync at a time has it."""
    index = os.path.join(repository.folder, f"{FOLDER}.index")
    _forget(index)  # what a killed sync left, its lock too
    try:
        yield {"GIT_INDEX_FILE": index}
    finally:
        _forget(index)


def _forget(index: str) -> None:
    for name in (index, f"{index}.lock"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def index_lines(entries: dict[str, Entry], nothing: str) -> bytes:
    """Give entries as `git update-index --index-info` reads them; what goes comes before what is new."""
    lines = [gone_line(path, nothing) for path, entry in entries.items() if not entry.mode]
    lines += [
        f"{entry.mode} {entry.oid} 0\t".encode() + os.fsencode(path) + b"\0"
        for path, entry in entries.items()
        if entry.mode
    ]
    return b"".join(lines)


def gone_line(path: str, nothing: str) -> bytes:
    """Give the line that takes a path out of an index; `nothing` is the name of no object."""
    return f"0 {nothing}\t".encode() + os.fsencode(path) + b"\0"


def commit(repository: Repository, tree: str, parents: list[str], message: str) -> str:
    """Make a commit of a tree.

    Raises:
        CannotSync: git does not know in whose name.
    """
    words = [word for parent in parents for word in ("-p", parent)]
    answer = repository.git.tell("commit-tree", tree, *words, stdin=message.encode())
    if not answer.ok:
        raise CannotSync(f"git cannot commit the merge ({answer.said})")
    return answer.line
