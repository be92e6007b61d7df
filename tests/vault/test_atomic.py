"""A file is there whole and durable, or it is as it was, whatever the system refuses."""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from personakit.vault import atomic, layout

BIG = b"x" * 200_000


def names(folder: Path) -> list[str]:
    """Give the names in a folder."""
    return sorted(os.listdir(folder))


@dataclass
class System:
    """Stands before `os`: notes each call by name, and fails the calls it is told to fail.

    `refusals` maps a step to its error numbers, used up one by one; None lets one call through.
    """

    monkeypatch: pytest.MonkeyPatch
    refusals: dict[str, list[int | None]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for step in ("open", "write", "fsync", "link", "replace", "unlink", "mkdir"):
            self.monkeypatch.setattr(os, step, self._stand_in(step))

    def _stand_in(self, step: str) -> object:
        real = getattr(os, step)

        def call(*args: object, **named: object) -> object:
            name = step
            if step == "fsync" and isinstance(args[0], int):
                name = "fsync folder" if stat.S_ISDIR(os.fstat(args[0]).st_mode) else "fsync file"
            self.calls.append(name)
            waiting = self.refusals.get(name)
            number = waiting.pop(0) if waiting else None
            if number is not None:
                raise OSError(number, os.strerror(number))
            return real(*args, **named)

        return call

    def steps(self) -> list[str]:
        """Give the calls that decide what survives a crash."""
        return [call for call in self.calls if call not in ("open", "write")]


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    """Give a system that can refuse."""
    return System(monkeypatch)


def create(folder: Path, name: str = "a.md", data: bytes = b"new") -> None:
    """Create a file."""
    atomic.create(str(folder), name, data)


def replace(path: Path, data: bytes = b"new") -> bool:
    """Replace a file that did not change."""
    return atomic.replace(str(path), data, lambda: True)


@pytest.mark.parametrize("data", [b"", b"new", BIG])
def test_a_new_file_is_there_whole(tmp_path: Path, data: bytes) -> None:
    """A created file has its bytes, the usual rights, and no temporary file beside it."""
    create(tmp_path, data=data)
    assert names(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == data
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o666 & ~mask


def test_a_taken_name_is_never_overwritten(tmp_path: Path) -> None:
    """What has the name keeps its bytes, be it a file, a folder or a link to nowhere."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("file", "folder", "link"):
        with pytest.raises(FileExistsError):
            create(tmp_path, name)
    assert names(tmp_path) == ["file", "folder", "link"]
    assert (tmp_path / "file").read_bytes() == b"old"
    assert not (tmp_path / "nowhere").exists()


def test_a_new_file_is_durable_before_it_has_its_name(tmp_path: Path, system: System) -> None:
    """The bytes are flushed, then the name is given, then the folder is flushed."""
    create(tmp_path)
    assert system.steps() == ["fsync file", "link", "unlink", "fsync folder"]


def test_new_bytes_are_durable_before_they_take_the_files_place(tmp_path: Path, system: System) -> None:
    """The bytes are flushed, then the file is replaced, then the folder is flushed."""
    (tmp_path / "a.md").write_bytes(b"old")
    assert replace(tmp_path / "a.md")
    assert system.steps() == ["fsync file", "replace", "unlink", "fsync folder"]


@pytest.mark.parametrize(
    ("step", "number"),
    [
        ("open", errno.EACCES),
        ("write", errno.ENOSPC),
        ("write", errno.EDQUOT),
        ("fsync file", errno.EIO),
        ("link", errno.EIO),
        ("link", errno.ENOSPC),
        ("fsync folder", errno.EIO),
    ],
)
def test_a_refused_create_leaves_nothing(tmp_path: Path, system: System, step: str, number: int) -> None:
    """Whatever step the system refuses, no file and no temporary file is left, and the error says why."""
    system.refusals[step] = [number]
    with pytest.raises(OSError, match=os.strerror(number)):
        create(tmp_path)
    assert names(tmp_path) == []


def test_a_disk_that_fills_half_way_leaves_nothing(
    tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that gets only some of its bytes out is not a file."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, view: real(descriptor, view[:100]))
    system.refusals["write"] = [None, None, errno.ENOSPC]
    with pytest.raises(OSError, match="No space left"):
        create(tmp_path, data=BIG)
    assert system.calls.count("write") == 3
    assert names(tmp_path) == []


def test_a_short_write_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes a few bytes at a time gets them all."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, view: real(descriptor, view[:70_000]))
    create(tmp_path, data=BIG)
    assert (tmp_path / "a.md").read_bytes() == BIG


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK])
def test_a_mount_without_hard_links_still_creates(tmp_path: Path, system: System, number: int) -> None:
    """Where links are refused, the file is made in place, exclusively and durably."""
    system.refusals["link"] = [number]
    create(tmp_path)
    assert names(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"new"
    assert system.steps() == ["fsync file", "link", "fsync file", "unlink", "fsync folder"]


def test_a_mount_without_hard_links_never_overwrites(tmp_path: Path, system: System) -> None:
    """In place too, a taken name keeps its bytes."""
    (tmp_path / "a.md").write_bytes(b"old")
    system.refusals["link"] = [errno.EPERM]
    with pytest.raises(FileExistsError):
        create(tmp_path)
    assert names(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old"


@pytest.mark.parametrize("step", ["write", "fsync file"])
def test_a_refused_create_in_place_leaves_nothing(tmp_path: Path, system: System, step: str) -> None:
    """Where links are refused and the disk is full, what was begun is taken away."""
    system.refusals.update({"link": [errno.EPERM], step: [None, errno.ENOSPC]})
    with pytest.raises(OSError, match="No space left"):
        create(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("step", "number"),
    [("open", errno.EACCES), ("write", errno.ENOSPC), ("fsync file", errno.EIO), ("replace", errno.EPERM)],
)
def test_a_refused_replace_keeps_the_old_bytes(tmp_path: Path, system: System, step: str, number: int) -> None:
    """Whatever is refused before the last step, the file is as it was and no temporary file is left."""
    (tmp_path / "a.md").write_bytes(b"old")
    before = (tmp_path / "a.md").stat()
    system.refusals[step] = [number]
    with pytest.raises(OSError, match=os.strerror(number)):
        replace(tmp_path / "a.md")
    assert names(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old"
    after = (tmp_path / "a.md").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_a_folder_that_cannot_be_flushed_leaves_a_whole_file(tmp_path: Path, system: System) -> None:
    """When only the last step of a replace fails, that is said, and the file is new and whole."""
    (tmp_path / "a.md").write_bytes(b"old")
    system.refusals["fsync folder"] = [errno.EIO]
    with pytest.raises(OSError, match="Input/output"):
        replace(tmp_path / "a.md")
    assert (tmp_path / "a.md").read_bytes() == b"new"
    assert names(tmp_path) == ["a.md"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_mount_that_flushes_no_folders_is_no_fault(tmp_path: Path, system: System, number: int) -> None:
    """Where the system knows no flush of a folder, writes work."""
    system.refusals["fsync folder"] = [number, number]
    create(tmp_path)
    assert replace(tmp_path / "a.md", b"newer")
    assert (tmp_path / "a.md").read_bytes() == b"newer"


def test_a_system_without_folder_descriptors_is_no_fault(
    tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a folder cannot be opened at all, its flush is left to the file system."""
    monkeypatch.setattr(os, "name", "nt")
    create(tmp_path)
    monkeypatch.undo()
    assert system.steps() == ["fsync file", "link", "unlink"]
    assert names(tmp_path) == ["a.md"]


def test_a_file_that_changed_is_kept(tmp_path: Path, system: System) -> None:
    """`unchanged` is asked when the new bytes are durable; False keeps the file and says so."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    asked: list[list[str]] = []

    def unchanged() -> bool:
        asked.append(system.steps())
        return False

    assert not atomic.replace(str(path), b"new", unchanged)
    assert asked == [["fsync file"]]
    assert names(tmp_path) == ["a.md"]
    assert path.read_bytes() == b"old"


def test_a_question_that_fails_keeps_the_file(tmp_path: Path) -> None:
    """When `unchanged` itself raises, the file is as it was and nothing is left."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")

    def unchanged() -> bool:
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        atomic.replace(str(path), b"new", unchanged)
    assert names(tmp_path) == ["a.md"]


def test_nothing_is_put_where_no_file_is(tmp_path: Path) -> None:
    """A file that is gone is not made anew by a replace."""
    with pytest.raises(FileNotFoundError):
        replace(tmp_path / "a.md")
    assert names(tmp_path) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o444])
def test_mode_bits_and_attributes_are_kept(tmp_path: Path, mode: int) -> None:
    """A replaced file has the rights and extended attributes it had, and a new time."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    os.setxattr(path, "user.colour", b"red")
    os.utime(path, (1, 1))
    path.chmod(mode)
    assert replace(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert os.getxattr(path, "user.colour") == b"red"
    assert path.stat().st_mtime > 1_000_000
    assert path.read_bytes() == b"new"


def test_new_bytes_are_never_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a private file is rewritten, its temporary file is private too."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o600)
    seen: list[int] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    assert replace(path)
    assert seen[0] == 0o600


def test_a_temporary_name_is_short_hidden_and_no_markdown(tmp_path: Path) -> None:
    """A temporary name is the same length for any file, starts with a dot, and is skipped by every reader."""
    long = "n" * 252 + ".md"
    (tmp_path / long).write_bytes(b"old")
    met: set[str] = set()

    def unchanged() -> bool:
        met.update(names(tmp_path))
        return True

    for _ in range(2):
        assert atomic.replace(str(tmp_path / long), b"new", unchanged)
    assert len(met) == 3
    for name in met - {long}:
        assert re.fullmatch(r"\.pk-[0-9a-f]{12}\.tmp", name)
        assert layout.skips(name)
        assert not layout.is_markdown(name)


def test_folders_are_made_durably(tmp_path: Path, system: System) -> None:
    """Each missing folder is made and its parent flushed, from the top; folders that are there are left alone."""
    target = tmp_path / "a" / "b"
    atomic.make_folders(str(tmp_path), str(target))
    assert target.is_dir()
    assert system.steps() == ["mkdir", "fsync folder", "mkdir", "fsync folder"]
    atomic.make_folders(str(tmp_path), str(target))
    atomic.make_folders(str(tmp_path), str(tmp_path))
    assert system.steps().count("mkdir") == 2


def test_a_folder_that_another_made_meanwhile_is_fine(tmp_path: Path, system: System) -> None:
    """Two writers may make one folder."""
    system.refusals["mkdir"] = [errno.EEXIST]
    atomic.make_folders(str(tmp_path), str(tmp_path / "a"))
    assert system.steps() == ["mkdir", "fsync folder"]


def test_old_temporary_files_are_swept(tmp_path: Path) -> None:
    """Only our own temporary files older than a minute go; young ones, others' and notes stay; a folder may be gone."""
    for name in (".pk-1.tmp", ".pk-2.tmp", ".pk-3.md", "x.tmp", "a.md"):
        (tmp_path / name).write_bytes(b"x")
        if name != ".pk-2.tmp":
            os.utime(tmp_path / name, (1, 1))
    (tmp_path / ".pk-4.tmp").mkdir()
    os.utime(tmp_path / ".pk-4.tmp", (1, 1))
    assert atomic.sweep_temporaries(iter([str(tmp_path / "gone"), str(tmp_path)])) == 1
    assert names(tmp_path) == [".pk-2.tmp", ".pk-3.md", ".pk-4.tmp", "a.md", "x.tmp"]


def test_a_killed_writer_leaves_one_swept_name(tmp_path: Path, system: System) -> None:
    """Where not even the temporary file can be taken away, it has the name that the sweep knows."""
    system.refusals.update({"link": [errno.EIO], "unlink": [errno.EIO]})
    with pytest.raises(OSError, match="Input/output"):
        create(tmp_path)
    (left,) = names(tmp_path)
    assert re.fullmatch(r"\.pk-[0-9a-f]{12}\.tmp", left)
    assert atomic.sweep_temporaries(iter([str(tmp_path)]), older_than=-1.0) == 1


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("taken", [True, False])
def test_a_save_while_a_file_goes_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool, taken: bool
) -> None:
    """What was saved at the last moment is put back; where a new file has its name, both are kept."""
    trash, path = tmp_path / "trash", tmp_path / "a.md"
    trash.mkdir()
    path.write_text("saved just now")

    def look(raw: bytes) -> bool:
        if taken:
            path.write_text("and once more")
        return raw == b"as it was"

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not links and not taken:
        monkeypatch.setattr(os, "link", refuse)
    assert not atomic.remove(str(path), str(trash), True, look)
    assert path.read_text() == ("and once more" if taken else "saved just now")
    assert [file.read_text() for file in trash.iterdir()] == (["saved just now"] if taken else [])
