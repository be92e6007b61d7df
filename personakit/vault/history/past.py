"""The past of a vault: which commits changed which files, what stood in them, and which commit a day ends with.

The vault may be a repository, a folder of one, a work tree or a submodule. Paths are relative to the vault.
Nothing here takes a lock, writes, fetches or runs a program that a repository names.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.errors import NoHistory
from personakit.model.past import Commit
from personakit.vault.history.commits import ASSISTANT, ID, TOOL, UNDOES
from personakit.vault.history.git import Git, is_work_tree, settings, work_tree_above
from personakit.vault.history.objects import Objects
from personakit.vault.history.trailers import trailers_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator
    from types import TracebackType

_HEAD = "\x01"
_FIELDS = ("%H", "%P", "%ct", "%at", "%an", "%B")
# What a repository's settings would change in a log: following renames would wander into other memories' files.
_PLAIN_LOG = ("log.follow=false", "log.showRoot=true", "log.mailmap=false", "diff.orderFile=" + os.devnull)
_LOG = (
    *("log", "-z", "-c", "--raw", "--no-abbrev", "--no-renames", "--no-relative", "--no-notes", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--encoding=UTF-8", f"--format={_HEAD}{'%x00'.join(_FIELDS)}"),
)
_REVISION = re.compile(r"[0-9A-Za-z@][0-9A-Za-z@_./~^{}+-]*")
_FILE_MODES = frozenset({"100644", "100755"})
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit made of one file.

    Attributes:
        path: relative to the vault.
        before: its blob in each parent, "" where it was not there; one "" for a first commit.
        blob: its blob since, "" when it is gone.
    """

    path: str
    before: tuple[str, ...]
    blob: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """One commit with the files it changed; a merge with those it has from none of its parents."""

    commit: Commit
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """What a repository is, as seen from the vault.

    Attributes:
        head: the commit that is checked out.
        prefix: the vault's folder in it, with a `/` at the end; "" for all of it.
        object_format: `sha1` or `sha256`.
        cuts: the commits whose parents are not here (a shallow clone); empty for a whole one.
    """

    head: str
    prefix: str
    object_format: str
    cuts: frozenset[str] = frozenset()


class Past:
    """The past of one vault, up to the commit that is checked out. A context that ends its process."""

    def __init__(self, root: str) -> None:
        """Look at the repository a vault lies in.

        Raises:
            NoHistory: there is none that git can read.
        """
        self.git = Git(root)
        self.repository = _look(self.git)
        self.objects = Objects(self.git)

    def __enter__(self) -> Past:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.objects.close()

    def log(
        self,
        *paths: str,
        start: str = "",
        without: str = "",
        deletions: bool = False,
        naming: str = "",
        mainline: bool = False,
    ) -> Iterator[Recorded]:
        """Give the commits that changed these files or folders, newest first, read as they are asked for.

        Args:
            paths: relative to the vault; "" is all of it. A file is not followed to other names.
            start: the commit to begin at, else the one that is checked out.
            without: a commit: it and all before it are left out.
            deletions: give only files that were deleted.
            naming: give only files in which these letters came to stand, or no longer stand.
            mainline: give only the line of first parents; a merge with all that it changed there.

        Raises:
            NoHistory: git cannot be run, or stopped half-way.
        """
        begin = [start or self.repository.head, *([f"^{without}"] if without else [])]
        only = [*(["--diff-filter=D"] if deletions else []), *([f"-S{naming}"] if naming else [])]
        only += ["--first-parent", "--diff-merges=first-parent"] if mainline else []
        process = self._started([*settings(_PLAIN_LOG), *_LOG, *only, "--end-of-options", *begin, "--"], paths)
        try:
            yield from self._recorded(_pieces(process))
            if process.wait():
                raise NoHistory("broken", "git log stopped half-way")
        finally:
            _stop(process)

    def renames(self, commits: Iterable[Commit]) -> dict[str, dict[str, str]]:
        """Give, for each commit, the files it moved by git's likeness: old path -> new one, from its first parent.

        A new path outside the vault is "".
        """
        pairs = [f"{one.id} {one.parents[0]}\n" for one in commits if one.parents]
        if not pairs:
            return {}
        words = ("diff-tree", "--stdin", "-r", "-z", "-M", "-l4000", "--raw", "--no-abbrev", "--no-relative")
        answer = self.git.ask(*settings(_PLAIN_LOG), *words, stdin="".join(pairs).encode("ascii"))
        found: dict[str, dict[str, str]] = {}
        pieces = iter(os.fsdecode(answer.out).split("\0"))
        moved: dict[str, str] = {}
        for piece in pieces:
            if not piece.startswith(":"):
                moved = found.setdefault(piece.strip(), {})
                continue
            status, old = piece.rpartition(" ")[2], next(pieces, "")
            if status.startswith(("R", "C")):
                new = next(pieces, "")
                if status[0] == "R" and old.startswith(self.repository.prefix):
                    moved[self._inside(old)] = self._inside(new)
        return found

    def _inside(self, path: str) -> str:
        prefix = self.repository.prefix
        return path[len(prefix) :] if path.startswith(prefix) else ""

    def is_next_to(self, old: str, new: str) -> bool:
        """Say whether one commit stands on the line of first parents of another."""
        listed = self.git.ask("rev-list", "--first-parent", "--parents", "--end-of-options", new, f"^{old}", "--")
        last = listed.out.decode("ascii", "replace").splitlines()[-1:]
        return bool(last) and last[0].split()[1:2] == [old]

    def tree(self, commit: str, *paths: str) -> dict[str, str]:
        """Give the files that stand below these paths ("" is all of the vault) at a commit, path to blob.

        Raises:
            NoHistory: git cannot be run, or the commit's tree is damaged.
        """
        answer = self.git.ask("ls-tree", "-r", "-z", "--full-name", commit, "--", *filter(None, paths))
        if not answer.ok:
            raise NoHistory("broken", answer.said)
        found = {}
        for row in os.fsdecode(answer.out).split("\0"):
            about, _, path = row.partition("\t")
            words = about.split(" ")
            if words[0] in _FILE_MODES and path.startswith(self.repository.prefix):
                found[path[len(self.repository.prefix) :]] = words[2]
        return found

    def holding(self, commit: str, letters: str, *paths: str) -> list[str]:
        """Give the files below these paths in which these letters stand at a commit."""
        words = ("grep", "-l", "-z", "-a", "-F", "--full-name", "--no-color", "--no-textconv", "-e", letters, commit)
        answer = self.git.ask(*words, "--", *(path or "." for path in paths))
        whole = (row.partition(":")[2] for row in os.fsdecode(answer.out).split("\0"))
        prefix = self.repository.prefix
        return [path[len(prefix) :] for path in whole if path and path.startswith(prefix)]

    def contents(self, blobs: Iterable[str], most: int) -> dict[str, bytes]:
        """Give the contents of blobs; one that is not here, or larger than `most` bytes, is left out."""
        return {name: content for name, content in self.objects.read(blobs, most) if content is not None}

    def commit_named(self, revision: str) -> Commit | None:
        """Give the commit that a name (a hash or its start, a branch, a tag, `HEAD~2`) means; None for none."""
        if not _REVISION.fullmatch(revision):
            return None
        return self._one("--no-walk", "--end-of-options", f"{revision}^{{commit}}")

    def commit_at(self, until: int) -> Commit | None:
        """Give the last commit whose committer's time is not after `until` (seconds since 1970); None for none.

        Only the line of first parents counts: what was merged later was not in this vault then.
        """
        return self._one(
            "--first-parent", f"--until=@{max(until, 0)} +0000", "-1", "--end-of-options", self.repository.head
        )

    def beginning(self) -> Commit | None:
        """Give the earliest commit that is here of a history which is cut; None when it is whole."""
        found = [commit for cut in sorted(self.repository.cuts) if (commit := self.commit_named(cut))]
        return min(found, key=lambda commit: commit.at, default=None)

    def changed_in(self, commit: str) -> tuple[FileChange, ...]:
        """Give every file of the vault that one commit changed."""
        words = ["--no-walk", "--end-of-options", commit, "--"]
        answer = self.git.ask(*settings(_PLAIN_LOG), *_LOG, *words, ".")
        return tuple(each for one in self._recorded(iter(os.fsdecode(answer.out).split("\0"))) for each in one.files)

    def _one(self, *words: str) -> Commit | None:
        answer = self.git.ask(*settings(_PLAIN_LOG), *_LOG, "--no-patch", *words, "--")
        return next((one.commit for one in self._recorded(iter(os.fsdecode(answer.out).split("\0")))), None)

    def _started(self, words: list[str], paths: Iterable[str]) -> subprocess.Popen[bytes]:
        try:
            return self.git.start(*words, *(path or "." for path in paths))
        except OSError as error:
            raise NoHistory("no_git") from error

    def _recorded(self, pieces: Iterator[str]) -> Iterator[Recorded]:
        """Put a log's pieces together: fields of a commit, then `:modes blobs status` and a path for each file."""
        commit: Commit | None = None
        files: list[FileChange] = []
        for piece in pieces:
            if piece.startswith(_HEAD):
                if commit is not None:
                    yield Recorded(commit, tuple(files))
                rest = [next(pieces, "") for _ in _FIELDS[1:]]
                commit, files = _commit(piece[1:], rest), []
            elif piece.lstrip("\n").startswith(":"):
                change = _file_change(piece.lstrip("\n"), next(pieces, ""))
                if change.path.startswith(self.repository.prefix):
                    files.append(FileChange(change.path[len(self.repository.prefix) :], change.before, change.blob))
        if commit is not None:
            yield Recorded(commit, tuple(files))


def _look(git: Git) -> Repository:
    tree = work_tree_above(git.root)
    words = (
        *("--show-toplevel", "--show-prefix", "--show-object-format"),
        *("--is-shallow-repository", "--git-path", "shallow"),
    )
    answer = git.ask("rev-parse", *words)
    if answer.code == 127:
        raise NoHistory("no_git")
    own = os.path.join(tree, ".git")
    if not tree or (os.path.isdir(own) and not os.path.lexists(os.path.join(own, "HEAD"))):
        raise NoHistory("no_repository")
    if answer.is_another_owners:
        raise NoHistory("other_owner", tree)
    if not answer.ok or len(answer.paths) != 5:
        raise NoHistory("broken", answer.said or "it does not say what it is")
    top, prefix, object_format, is_shallow, shallow = answer.paths
    if not is_work_tree(top, tree):
        raise NoHistory("broken", f"its work tree is said to be {top}")
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head.ok:
        raise _headless(git)
    cuts = _cuts(os.path.join(git.root, shallow)) if is_shallow == "true" else frozenset[str]()
    return Repository(head.line, prefix, object_format, cuts)


def _headless(git: Git) -> NoHistory:
    """Say why there is no commit: none was made yet, or what HEAD names is not here."""
    branch = git.ask("symbolic-ref", "--quiet", "HEAD")
    if branch.ok and not git.ask("rev-parse", "--verify", "--quiet", branch.line).ok:
        kept = git.ask("rev-parse", "--git-path", branch.line).line
        if not os.path.lexists(os.path.join(git.root, kept)):
            return NoHistory("no_commit")
    return NoHistory("broken", "the commit that is checked out is not there")


def _cuts(file: str) -> frozenset[str]:
    with contextlib.suppress(OSError), open(file, encoding="ascii", errors="replace") as lines:
        return frozenset(line.strip() for line in lines if line.strip())
    return frozenset()


def _pieces(process: subprocess.Popen[bytes]) -> Iterator[str]:
    rest = b""
    while process.stdout is not None and (piece := os.read(process.stdout.fileno(), _PIECE)):
        *whole, rest = (rest + piece).split(b"\0")
        yield from map(os.fsdecode, whole)
    yield os.fsdecode(rest)


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.kill()
    process.wait()


def _commit(id_: str, fields: list[str]) -> Commit:
    parents, at, written, author, message = fields
    found = trailers_of(message)

    def first(key: str) -> str:
        return next(iter(found.get(key.casefold(), [])), "")

    return Commit(
        id=id_,
        parents=tuple(parents.split()),
        at=_seconds(at),
        written=_seconds(written),
        author=author,
        tool=first(TOOL),
        assistant=first(ASSISTANT),
        ids=tuple(found.get(ID.casefold(), [])),
        undoes=first(UNDOES),
    )


def _seconds(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() else 0


def _file_change(about: str, path: str) -> FileChange:
    """Read `:mode mode blob blob status`; a merge has a colon, a mode and a blob for each parent."""
    parents = len(about) - len(about.lstrip(":"))
    words = about.lstrip(":").split(" ")
    modes, blobs = words[: parents + 1], words[parents + 1 : 2 * parents + 2]
    shown = [blob if mode in _FILE_MODES and blob.strip("0") else "" for mode, blob in zip(modes, blobs, strict=True)]
    return FileChange(path, tuple(shown[:-1]), shown[-1])
