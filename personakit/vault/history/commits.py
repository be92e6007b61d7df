"""Commits of exactly the files that are named: the owner's staged files, hooks and keys take no part.

`git commit -- paths` is used because it takes the index's lock first, keeps what else is staged out of the commit and
staged after it, and leaves the index in step. Source: git-commit(1), `--only`.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from personakit.errors import NoHistory
from personakit.model.characters import clean
from personakit.vault import layout
from personakit.vault.conflict import marker_line
from personakit.vault.history.git import Git, work_tree_above
from personakit.vault.history.objects import Objects
from personakit.vault.history.programs import without_filters
from personakit.vault.history.waits import Wait, refusal
from personakit.vault.reading import read_file, version_of
from personakit.vault.regular import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from personakit.vault.history.git import Answer

TOOL, ASSISTANT, ID, UNDOES = "PersonaKit-Tool", "PersonaKit-Assistant", "PersonaKit-Id", "PersonaKit-Undoes"
GC_EACH = 500
# What one command line holds for certain on every system.
_AT_ONCE = 200
_COUNTER = f"{layout.MACHINE}/commits"
_LEFT = {
    "merge_conflict": "it is held for conflict markers",
    "filter": "a `filter` attribute says that another program writes what git keeps of it",
    "link": "it is a link, and no link is ever followed",
    "ignored": "git ignores it",
    "other_repository": "it lies in a git repository of its own inside the vault",
    "odd_name": "its name holds a line break",
}


@dataclass(frozen=True, slots=True)
class Message:
    """What a commit says: a subject without a word of any memory, and who did what to which ids.

    `assistant` is "" for the owner's own commands; `undoes` is the commit that this one takes back, "" for none.
    """

    subject: str
    tool: str
    assistant: str = ""
    ids: tuple[str, ...] = ()
    undoes: str = ""

    def text(self) -> str:
        """Give the whole message. A name with line breaks cannot pretend to be a trailer of its own."""
        pairs = [
            (TOOL, self.tool),
            (ASSISTANT, self.assistant),
            (UNDOES, self.undoes),
            *((ID, one) for one in self.ids),
        ]
        trailers = [f"{name}: {' '.join(clean(value).split())}" for name, value in pairs if value]
        return "\n".join([self.subject, "", *trailers, ""])


@dataclass(frozen=True, slots=True)
class Left:
    """A file that is left out of a commit, and why."""

    path: str
    code: str

    @property
    def why(self) -> str:
        """Say why, for the owner."""
        return _LEFT[self.code]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a commit came to.

    Attributes:
        commit: its name, "" when there was nothing to commit or it has to wait.
        kept: paths that the last commit now holds as they are on disk.
        left: paths that are never committed by PersonaKit as they are.
        wait: why the others have to wait, None when none do.
    """

    commit: str = ""
    kept: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    wait: Wait | None = None


class Refused(Exception):
    """Git cannot say what has to be known before a commit; `wait` is the reason, for whoever waits."""

    def __init__(self, answer: Answer) -> None:
        self.wait = refusal(answer)
        super().__init__(self.wait.why)


class Commits:
    """Makes commits in the repository that a vault is, or lies in. Paths are relative to the vault, with `/`."""

    def __init__(self, root: str, documents: Sequence[str] = ("knowledge",)) -> None:
        self._root = root
        self._documents = tuple(documents)
        self._git = Git(root)

    def commit(self, paths: Iterable[str], message: Message) -> Outcome:
        """Commit these files as they are on disk, a missing one as deleted, and nothing else.

        The caller has asked `why_waiting` before. Whatever git then meets is a reason to wait, never a fault.
        """
        wanted = list(dict.fromkeys(paths))
        quiet = without_filters(self._git)
        try:
            left = self.left_out(wanted)
            out = {one.path for one in left}
            wanted = [path for path in wanted if path not in out]
            before, now = self.blobs("HEAD", wanted), self._blobs_on_disk(wanted, quiet)
        except Refused as refused:
            return Outcome(wait=refused.wait)
        changed = [path for path in wanted if before.get(path) != now.get(path)]
        if not changed:
            return Outcome(kept=tuple(wanted), left=tuple(left))
        done = self._commit(changed, message, quiet)
        if isinstance(done, Wait):
            same = tuple(path for path in wanted if path not in set(changed))
            return Outcome(kept=same, left=tuple(left), wait=done)
        self._collect_garbage()
        return Outcome(done, tuple(wanted), tuple(left))

    def blobs(self, tree: str, paths: Sequence[str]) -> dict[str, str]:
        """Give the names of the blobs that a commit holds for files; what it does not hold is left out."""
        found = {}
        for some in _parts(paths):
            listing = self._git.ask("ls-tree", "-z", tree, "--", *some)
            for row in _fields(listing.out):
                head, _, path = row.partition("\t")
                found[path] = head.split()[2]
        return found

    def blob_on_disk(self, path: str) -> str:
        """Give the name of the blob that a file is as it is on disk; "" when it is not there.

        Raises:
            Refused
        """
        return self._blobs_on_disk([path], without_filters(self._git)).get(path, "")

    def changes(self, below: Sequence[str]) -> dict[str, str] | None:
        """Give what differs from the last commit below these paths: path -> the two letters of git-status(1).

        None when git cannot tell.
        """
        words = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
        found = without_filters(self._git).ask(*words, "--", *below)
        if not found.ok:
            return None
        prefix = self._prefix()
        return {row[3:].removeprefix(prefix): row[:2] for row in _fields(found.out)}

    def content(self, blob: str) -> bytes | None:
        """Give the bytes of a blob; None when the repository lacks it."""
        return self.contents([blob]).get(blob)

    def version(self, path: str) -> str:
        """Give the version of a file that the last commit holds, as `version_of` names it; "" for none."""
        blob = self.blobs("HEAD", [path]).get(path)
        raw = None if blob is None else self.content(blob)
        kind = layout.kind_at(path, self._documents)
        return "" if raw is None or kind is None else version_of(raw, kind)

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Give the bytes of blobs, in one go; those that the repository lacks are left out."""
        found = {}
        with contextlib.suppress(NoHistory), Objects(self._git) as objects:
            for blob, raw in objects.read(blobs, layout.MAX_OTHER):
                if raw is not None:
                    found[blob] = raw
        return found

    def bytes_on_disk(self, path: str) -> bytes | None:
        """Give a file's bytes as they are now; None when it is not there to be read, or no regular file."""
        try:
            return bytes_of(os.path.join(self._root, path))[0]
        except OSError:
            return None

    def left_out(self, paths: Iterable[str]) -> list[Left]:
        """Give the files that PersonaKit never commits as they are, and why.

        Raises:
            Refused
        """
        paths = list(paths)
        left = [Left(path, "odd_name") for path in paths if "\n" in path]
        left += [Left(path, "other_repository") for path in paths if "\n" not in path and self._is_elsewhere(path)]
        plain = [path for path in paths if path not in {one.path for one in left}]
        filtered = self._filtered(plain)
        for path in plain:
            if path in filtered:
                left.append(Left(path, "filter"))
            elif os.path.islink(os.path.join(self._root, path)):
                left.append(Left(path, "link"))
            elif self._has_markers(path):
                left.append(Left(path, "merge_conflict"))
        out = {one.path for one in left}
        return [*left, *(Left(path, "ignored") for path in self._ignored([one for one in plain if one not in out]))]

    def _filtered(self, paths: list[str]) -> set[str]:
        """Give the files that another program would write: switched off, git would keep what that program hides."""
        found = self._git.ask("check-attr", "-z", "--stdin", "filter", stdin=_nul(paths))
        if not found.ok:
            raise Refused(found)
        rows = _fields(found.out)
        triples = zip(rows[::3], rows[2::3], strict=False)
        return {path for path, value in triples if value not in ("unspecified", "unset")}

    def _ignored(self, paths: list[str]) -> list[str]:
        # This command knows no literal paths; behind `./` a path means nothing but itself.
        given = _nul(f"./{path}" for path in paths)
        found = self._git.tell("check-ignore", "-z", "--stdin", stdin=given, environment={"GIT_LITERAL_PATHSPECS": "0"})
        if found.code > 1:
            raise Refused(found)
        return [path.removeprefix("./") for path in _fields(found.out)]

    def _is_elsewhere(self, path: str) -> bool:
        """Say whether a file belongs to another repository: git refuses all files of a call that names it."""
        folder = os.path.dirname(path)
        return bool(folder) and work_tree_above(os.path.join(self._root, folder)) != work_tree_above(self._root)

    def _has_markers(self, path: str) -> bool:
        raw = self.bytes_on_disk(path)
        if raw is None:
            return False  # a deletion has no markers
        kind = layout.kind_at(path, self._documents) if layout.is_markdown(path) else None
        if kind is None:
            return marker_line(raw.decode("utf-8", "replace")) > 0
        return any(problem.code == "merge_conflict" for problem in read_file(path, kind, raw).problems)

    def _blobs_on_disk(self, paths: list[str], quiet: Git) -> dict[str, str]:
        there = [path for path in paths if os.path.isfile(os.path.join(self._root, path))]
        # From stdin git takes paths from the work tree's top; one that starts with a quote would be read as quoted.
        prefix = "./" + self._prefix()
        listed = b"".join(os.fsencode(f"{prefix}{path}\n") for path in there)
        found = quiet.ask("hash-object", "--stdin-paths", stdin=listed)
        if not found.ok:
            raise Refused(found)
        return dict(zip(there, found.out.decode("ascii", "replace").split(), strict=False))

    def _prefix(self) -> str:
        """Give the vault's folder in the work tree, with a `/` at the end; "" for all of it."""
        return self._git.ask("rev-parse", "--show-prefix").paths[0]

    def _commit(self, paths: list[str], message: Message, quiet: Git) -> str | Wait:
        added = self._intend(paths, quiet)
        if isinstance(added, Wait):
            return added
        words = ("commit", "--quiet", "--no-verify", "--cleanup=verbatim", "--only", "-m", message.text())
        from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
        done = quiet.tell(*words, *from_stdin, stdin=_nul(paths))
        if not done.ok:
            self._forget_intent(added)
            return refusal(done)
        return self._git.ask("rev-parse", "HEAD").line

    def _intend(self, paths: list[str], quiet: Git) -> list[str] | Wait:
        """Tell the index that files it does not know will be added; give them."""
        known: set[str] = set()
        for some in _parts(paths):
            listing = self._git.ask("ls-files", "-z", "--", *some)
            if not listing.ok:
                return refusal(listing)
            known.update(_fields(listing.out))
        new = [path for path in paths if path not in known and os.path.lexists(os.path.join(self._root, path))]
        if new:
            words = ("add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul")
            done = quiet.tell(*words, stdin=_nul(new))
            if not done.ok:
                return refusal(done)
        return new

    def _forget_intent(self, paths: list[str]) -> None:
        """Take back what was only intended, so that a refused commit leaves the index as it was."""
        if paths:
            self._git.tell("update-index", "--force-remove", "-z", "--stdin", stdin=_nul(paths))

    def _collect_garbage(self) -> None:
        """Have git tidy up once after so many commits of ours, if the owner lets it and it runs no other program."""
        path = os.path.join(self._root, _COUNTER)
        try:
            with open(path, "rb") as file:
                made = int(file.read(20) or b"0") + 1
        except (OSError, ValueError):
            made = 1
        try:
            with open(path, "wb") as file:
                file.write(b"%d\n" % made)
        except OSError:
            return
        if made % GC_EACH == 0 and not self._git.ask("config", "--get-all", "gc.recentObjectsHook").out:
            # The last value is the one that switches it off for all our other calls.
            own = self._git.ask("config", "--get-all", "gc.auto").line.split()[:-1]
            self._git.tell("-c", f"gc.auto={own[-1] if own else '6700'}", "gc", "--auto", "--quiet")


def _parts(paths: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(paths)
    while some := list(islice(rest, _AT_ONCE)):
        yield some


def _nul(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _fields(raw: bytes) -> list[str]:
    return [os.fsdecode(field) for field in raw.split(b"\0") if field]
