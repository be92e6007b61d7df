"""A plan's changes into the work tree, the index and the branch: all of it, or as it was.

What is going to be done stands in a note in git's folder first. A process that is killed on the way leaves it there,
and whoever syncs next takes back what was begun. A file that is neither as it was nor as it was to be is its owner's
and is never touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from personakit.errors import CannotSync, PersonaKitError
from personakit.vault import atomic, layout
from personakit.vault.history.attributes import check_attributes
from personakit.vault.history.trees import FILES, Entry, Plan, Three, blob_name, gone_line, index_lines, read_blobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from personakit.vault.history.state import Repository

NOTE = "personakit-sync.json"
# As many files are written while the vault's lock is held once; others who write wait no longer than that.
AT_ONCE = 50


class Moved(Exception):
    """Something changed between planning and doing; nothing is left of what was begun."""


class Checkout:
    """The work tree, index and branch of one repository, as a sync changes them."""

    def __init__(self, repository: Repository, locked: Callable[[], AbstractContextManager[object]]) -> None:
        self._repository = repository
        self._locked = locked
        self._note = os.path.join(repository.folder, NOTE)

    def check(self, plan: Plan) -> None:
        """Make sure that everything the plan touches is as the branch has it.

        Raises:
            CannotSync: it names the first file that is not, or that cannot be written by us.
        """
        if not plan.changes:
            return
        for path, (old, new) in plan.changes.items():
            _check_path(self._repository.top, path, old, new)
        check_attributes(self._repository, plan)
        index = self._index(plan.changes)
        for path, (old, new) in plan.changes.items():
            if index.get(path, Entry()) not in (old, new) or not self._is_either(path, old, new):
                raise CannotSync(
                    f"{path} has changes that are not committed, and the merge would touch it; commit them"
                )

    def apply(self, plan: Plan, message: str) -> None:
        """Do all of it, or leave everything as it was.

        Raises:
            Moved: a file or the branch changed meanwhile.
            CannotSync: git or the system refused.
        """
        atomic_note(self._note, _as_json(self._repository.ref, plan))
        try:
            self._write_files(plan)
            self._set_index(plan)
            if plan.clashes:
                self._open_merge(plan, message)
            else:
                self._move_branch(plan)
                os.unlink(self._note)
        except (Moved, PersonaKitError):
            self.take_back(plan)
            raise
        except OSError as error:
            self.take_back(plan)
            raise CannotSync(f"a file could not be written ({error.strerror})") from error

    def noted(self) -> tuple[str, Plan] | None:
        """Give the branch and plan of a sync that was begun and not ended."""
        try:
            with open(self._note, encoding="utf-8", errors="surrogateescape") as file:
                return _from_json(json.load(file))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def forget(self) -> None:
        """Take the note away."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._note)

    def take_back(self, plan: Plan, *, choices: bool = False) -> None:
        """Bring back what was; with `choices` also files in which the owner has begun to choose.

        Raises:
            Moved, CannotSync, WriteError: it could not be done; the note stays, and the next sync tries again.
        """
        contents = self._contents(old for old, _ in plan.changes.values())
        for path, (old, new) in plan.changes.items():
            now = self._read(path)
            is_ours = (choices and path in plan.clashes) or _is(now, new)
            if is_ours and not _is(now, old):
                with self._locked():
                    self._put(path, old, contents, now)
            elif _is(now, old) and now is not None and new.mode != old.mode:
                _set_mode(os.path.join(self._repository.top, path), old.mode)
        index = self._index(plan.changes)
        back = {
            path: old
            for path, (old, new) in plan.changes.items()
            if index.get(path, Entry()) == new or path in plan.clashes
        }
        self._tell_index(self._unmerged_away(back, plan))
        self._look_again(path for path, old in back.items() if old.mode)
        self.forget()

    def conclude(self, plan: Plan, chosen: dict[str, Entry], new: str) -> None:
        """End an open merge with what the owner chose.

        Raises:
            CannotSync: git refused; the merge stays open.
            Moved: the branch moved.
        """
        # A killed process leaves the merge open with its choices staged: `--continue` does all of this again.
        self._tell_index(self._unmerged_away(chosen, plan))
        self._move_branch(Plan(plan.old, plan.theirs, new))
        self.close_merge()
        self.forget()

    def is_concluded(self, plan: Plan) -> bool:
        """Say whether an open merge is in the branch already, and only its end was cut off."""
        second = self._repository.git.ask("rev-parse", "-q", "--verify", f"{self._repository.ref}^2")
        first = self._repository.git.ask("rev-parse", "-q", "--verify", f"{self._repository.ref}^1")
        return (first.line, second.line) == (plan.old, plan.theirs)

    def close_merge(self) -> None:
        """Take away what tells git that a merge is open."""
        for name in ("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._repository.folder, name))

    def _write_files(self, plan: Plan) -> None:
        contents = self._contents(new for _, new in plan.changes.values())
        waiting = iter(plan.changes.items())
        while some := list(islice(waiting, AT_ONCE)):
            with self._locked():
                for path, (old, new) in some:
                    now = self._read(path)
                    if not _is(now, new):
                        if not _is(now, old):
                            raise Moved
                        self._put(path, new, contents, now)
                    elif new.mode != old.mode and now is not None:
                        _set_mode(os.path.join(self._repository.top, path), new.mode)

    def _contents(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        return read_blobs(self._repository, {entry.oid for entry in entries if entry.is_file})

    def _put(self, path: str, entry: Entry, contents: dict[str, bytes], now: bytes | None) -> None:
        full = os.path.join(self._repository.top, path)
        folder = os.path.dirname(full)
        if not entry.mode:
            os.unlink(full)
            self._drop_empty(folder)
            return
        data = contents[entry.oid]
        if now is not None:
            if _is_crlf(now) and b"\r" not in data:
                data = data.replace(b"\n", b"\r\n")  # the owner's git writes files so here
            if not atomic.replace(full, data, lambda: self._read(path) == now):
                raise Moved
        else:
            atomic.make_folders(self._repository.top, folder)
            try:
                atomic.create(folder, os.path.basename(full), data)
            except FileExistsError as error:
                raise Moved from error
        _set_mode(full, entry.mode)

    def _drop_empty(self, folder: str) -> None:
        while folder != self._repository.top and not os.listdir(folder):
            os.rmdir(folder)
            folder = os.path.dirname(folder)

    def _set_index(self, plan: Plan) -> None:
        entries = {path: new for path, (_, new) in plan.changes.items() if path not in plan.clashes}
        lines = index_lines(entries, self._repository.nothing) + b"".join(
            self._stages(path, three) for path, three in plan.clashes.items()
        )
        self._tell_index(lines)
        self._look_again(path for path, entry in entries.items() if entry.mode)

    def _stages(self, path: str, three: Three) -> bytes:
        """Give the index lines of a conflict: nothing settled, and what each side has."""
        lines = gone_line(path, self._repository.nothing)
        for number, entry in enumerate((three.base, three.ours, three.theirs), 1):
            if entry.mode:
                lines += f"{entry.mode} {entry.oid} {number}\t".encode() + os.fsencode(path) + b"\0"
        return lines

    def _unmerged_away(self, back: dict[str, Entry], plan: Plan) -> bytes:
        gone = b"".join(gone_line(path, self._repository.nothing) for path in back if path in plan.clashes)
        return gone + index_lines(back, self._repository.nothing)

    def _look_again(self, paths: Iterable[str]) -> None:
        """Have git note the stamps of files that it holds as they are, so that it need not read them when it is used.

        Of these paths alone: of others a filter might stand before one, which would run.
        """
        named = b"".join(os.fsencode(path) + b"\0" for path in paths)
        if named:
            words = ("add", "--refresh", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul")
            self._repository.git.tell(*words, stdin=named)

    def _tell_index(self, lines: bytes) -> None:
        if not lines:
            return
        answer = self._repository.git.tell("update-index", "-z", "--index-info", stdin=lines)
        if not answer.ok:
            raise CannotSync(f"git's index could not be changed ({answer.said})")

    def _move_branch(self, plan: Plan) -> None:
        if self._repository.git.ask("symbolic-ref", "-q", "HEAD").line != self._repository.ref:
            raise Moved
        words = ("update-ref", "-m", "personakit sync", self._repository.ref, plan.new, plan.old)
        answer = self._repository.git.tell(*words)
        if not answer.ok:
            if self._repository.head() != plan.old:
                raise Moved
            raise CannotSync(f"the branch could not be moved ({answer.said})")

    def _open_merge(self, plan: Plan, message: str) -> None:
        if self._repository.head() != plan.old:
            raise Moved
        for name, text in (("MERGE_MSG", message), ("MERGE_MODE", ""), ("MERGE_HEAD", f"{plan.theirs}\n")):
            atomic_note(os.path.join(self._repository.folder, name), text)

    def _index(self, paths: Iterable[str]) -> dict[str, Entry]:
        """Give what the index holds of some paths; one in conflict counts as neither old nor new."""
        wanted = set(paths)
        answer = self._repository.git.ask("ls-files", "-s", "-z")
        if not answer.ok:
            raise CannotSync(f"git's index cannot be read ({answer.said})")
        found: dict[str, Entry] = {}
        for line in answer.out.split(b"\0"):
            facts, _, name = line.partition(b"\t")
            path = os.fsdecode(name)
            if path in wanted:
                mode, oid, stage = facts.decode("ascii").split(" ")
                found[path] = Entry(mode, oid) if stage == "0" else Entry("conflict", oid)
        return found

    def _is_either(self, path: str, old: Entry, new: Entry) -> bool:
        now = self._read(path)
        return _is(now, old) or _is(now, new)

    def _read(self, path: str) -> bytes | None:
        """Give a file's bytes; None when nothing is there.

        Raises:
            CannotSync: it is no plain file.
        """
        full = os.path.join(self._repository.top, path)
        try:
            if not stat.S_ISREG(os.lstat(full).st_mode):
                raise CannotSync(f"{path} is no plain file, and the merge would touch it")
            with open(full, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CannotSync(f"{path} cannot be read ({error.strerror})") from error


def atomic_note(path: str, text: str) -> None:
    """Write a file of git's folder so that it is there whole, or as it was."""
    temp = f"{path}.personakit"
    with open(temp, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, path)


def _check_path(top: str, path: str, old: Entry, new: Entry) -> None:
    folder = os.path.dirname(os.path.join(top, path))
    parts = {part.casefold() for part in path.split("/")}
    if parts & {"", ".", "..", ".git"}:
        raise CannotSync("the other side holds a file name that no git writes")
    if layout.MACHINE in parts:
        raise CannotSync(
            f"the other side holds files of {layout.MACHINE}/, which is each machine's own; "
            f"`git rm -r --cached {layout.MACHINE}` takes them out of git there"
        )
    if {old.mode, new.mode} - FILES - {""}:
        raise CannotSync(f"{path} is a link or a repository of its own; merge it with git")
    if os.path.realpath(folder) != folder:
        raise CannotSync(f"{path} lies behind a link, and nothing is written there")


def _is(now: bytes | None, entry: Entry) -> bool:
    """Say whether a file's bytes are an entry's, or would be with the line ends that git stores."""
    if now is None or not entry.mode:
        return now is None and not entry.mode
    if blob_name(now, entry.oid) == entry.oid:
        return True
    return _is_crlf(now) and blob_name(now.replace(b"\r\n", b"\n"), entry.oid) == entry.oid


def _is_crlf(data: bytes) -> bool:
    return b"\r\n" in data and data.count(b"\r\n") == data.count(b"\n")


def _set_mode(full: str, mode: str) -> None:
    bits = os.stat(full).st_mode
    wanted = bits | ((bits & 0o444) >> 2) if mode == "100755" else bits & ~0o111
    if os.name == "posix" and wanted != bits:
        os.chmod(full, stat.S_IMODE(wanted))


def _as_json(ref: str, plan: Plan) -> str:
    return json.dumps({"ref": ref, **asdict(plan)})


def _from_json(found: dict[str, object]) -> tuple[str, Plan]:
    ref = str(found.pop("ref"))
    plan = Plan(**found)  # type: ignore[arg-type]  # made by `_as_json`
    plan.changes = {path: (Entry(**one), Entry(**other)) for path, (one, other) in plan.changes.items()}  # type: ignore[arg-type]
    plan.clashes = {
        path: Three(*[Entry(**entry) for entry in three.values()])  # type: ignore[attr-defined]
        for path, three in plan.clashes.items()
    }
    return ref, plan
