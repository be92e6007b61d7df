"""The kernel's events are read by whoever asks: what was saved before the question is named in the answer."""

from __future__ import annotations

import errno
import itertools
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers import inotify_c
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, InotifyFD, Mask, WatchDescriptor

import personakit.vault.watch as module
from personakit.vault.scan import walk
from personakit.vault.watch import KernelWatch, Marks, NoWatch, Sight, deaf_mount, watch_for

NOTE = "memories/b/a.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with two folders of memories."""
    folder = tmp_path.resolve() / "vault"
    for name in ("memories/b", "memories/c", "knowledge", ".trash"):
        (folder / name).mkdir(parents=True)
    (folder / NOTE).write_text("one\n")
    return folder


@pytest.fixture
def watch(root: Path) -> Iterator[KernelWatch]:
    """Give a watch of all its folders."""
    watch = KernelWatch(str(root), ("knowledge",))
    walk(str(root), ("knowledge",), entering=watch.enter)
    yield watch
    watch.close()


def follow(root: Path, watch: KernelWatch, marks: Marks) -> set[str]:
    """Walk the folders that appeared, as a caller does, and give the files found or marked."""
    found = set(marks.files)
    for folder in sorted(marks.folders):
        found.update(walk(str(root), ("knowledge",), folder, watch.enter).files)
    return found


def in_place(note: Path) -> None:
    """Write as nano, VS Code and Obsidian do."""
    with note.open("r+") as file:
        file.write("two\n")
        file.truncate()


def by_truncating(note: Path) -> None:
    """Truncate first, then write."""
    with note.open("w") as file:
        file.flush()
        file.write("two\n")


def by_replacing(note: Path) -> None:
    """Write a temporary file and rename it, as most programs that mean it do."""
    temp = note.with_name(".a.md.tmp")
    temp.write_text("two\n")
    temp.replace(note)


def as_vim(note: Path) -> None:
    """Write a probe, rename the note to its backup, write it anew, delete the backup."""
    (note.parent / "4913").write_text("")
    (note.parent / "4913").unlink()
    backup = note.with_name("a.md~")
    note.rename(backup)
    note.write_text("two\n")
    backup.unlink()


def as_git(note: Path) -> None:
    """Delete and write anew."""
    note.unlink()
    note.write_text("two\n")


def by_appending(note: Path) -> None:
    """Add a line, as a shell does."""
    with note.open("a") as file:
        file.write("two\n")


def by_deleting(note: Path) -> None:
    """Delete."""
    note.unlink()


def by_linking(note: Path) -> None:
    """Put another file's link in its place, as an exclusive create does."""
    other = note.with_name("x.tmp")
    other.write_text("two\n")
    note.unlink()
    os.link(other, note)


def by_moving_out(note: Path) -> None:
    """Move it out of the vault."""
    note.rename(note.parents[3] / "out.md")


def by_moving_to_trash(note: Path) -> None:
    """Move it into a folder that is never read."""
    note.rename(note.parents[2] / ".trash" / "a.md")


SAVES = [
    *(in_place, by_truncating, by_replacing, as_vim, as_git, by_appending, by_deleting, by_linking),
    *(by_moving_out, by_moving_to_trash),
]


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
def test_every_manner_of_saving_is_seen_in_the_very_next_question(
    root: Path, watch: KernelWatch, save: Callable[[Path], None]
) -> None:
    """Right after a save, whatever made it, the note's path is named; what the editor leaves beside it is not."""
    save(root / NOTE)
    assert watch.take() == Marks(files={NOTE})
    assert watch.take() == Marks()


@pytest.mark.parametrize("save", [in_place, by_replacing, as_vim], ids=lambda save: save.__name__)
def test_no_save_of_many_is_missed(root: Path, watch: KernelWatch, save: Callable[[Path], None]) -> None:
    """Beside a thread that keeps the process busy, each of 50 saves is named by the question after it."""
    done = threading.Event()

    def be_busy() -> None:
        for _ in itertools.takewhile(lambda _: not done.is_set(), itertools.count()):
            sum(range(500))

    busy = threading.Thread(target=be_busy)
    busy.start()
    try:
        for _ in range(50):
            save(root / NOTE)
            assert NOTE in watch.take().files
    finally:
        done.set()
        busy.join()


def test_a_new_file_and_a_renamed_one_are_named(root: Path, watch: KernelWatch) -> None:
    """A new file is named; a rename names both paths, even when only the case changes."""
    (root / "memories/b/new.md").write_text("x\n")
    assert watch.take().files == {"memories/b/new.md"}
    (root / "memories/b/new.md").rename(root / "memories/c/New.md")
    assert watch.take().files == {"memories/b/new.md", "memories/c/New.md"}


def test_what_is_never_read_is_never_named(root: Path, watch: KernelWatch) -> None:
    """Other files, editors' files, files outside the known folders, a mere look or touch: no mark."""
    for path in (
        "Home.md",
        "memories/b/x.txt",
        "memories/b/.x.md",
        "memories/b/a.md~",
        "memories/b/#a.md#",
        ".trash/a.md",
    ):
        (root / path).write_text("x\n")
    (root / NOTE).read_text()
    os.utime(root / NOTE)
    (root / "memories/b/.hidden").mkdir()
    (root / "memories/b/node_modules").mkdir()
    assert watch.take() == Marks()


def test_names_that_are_no_utf8_are_named(root: Path, watch: KernelWatch) -> None:
    """A name in another encoding is marked as the walk lists it."""
    odd = os.fsdecode(b"memories/b/caf\xe9.md")
    (root / odd).write_text("x\n")
    assert watch.take().files == {odd} == set(walk(str(root), ()).files) - {NOTE}


def test_a_new_folder_is_named_with_all_that_is_in_it(root: Path, watch: KernelWatch) -> None:
    """A nested `mkdir -p` and a write at once: the folder is named, and a walk of it finds the file."""
    deep = root / "memories/x/y/z"
    deep.mkdir(parents=True)
    (deep / "n.md").write_text("x\n")
    marks = watch.take()
    assert marks.folders == {"memories/x"}
    assert follow(root, watch, marks) == {"memories/x/y/z/n.md"}
    (deep / "n.md").write_text("y\n")
    assert watch.take().files == {"memories/x/y/z/n.md"}


def test_none_of_many_nested_folders_is_missed(root: Path, watch: KernelWatch) -> None:
    """Three hundred folders made and written to while they are being followed: each file is found in the end."""
    done = threading.Event()

    def make() -> None:
        for number in range(300):
            folder = root / f"memories/n{number % 10}/{number}"
            folder.mkdir(parents=True)
            (folder / "a.md").write_text("x\n")
        done.set()

    writer = threading.Thread(target=make)
    writer.start()
    found: set[str] = set()
    while not done.is_set():
        found |= follow(root, watch, watch.take())
    writer.join()
    found |= follow(root, watch, watch.take())
    assert {f"memories/n{number % 10}/{number}/a.md" for number in range(300)} <= found


def test_a_folder_moved_in_is_named(root: Path, watch: KernelWatch) -> None:
    """A folder that comes from outside is named and watched from then on."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "n.md").write_text("x\n")
    outside.rename(root / "memories/in")
    marks = watch.take()
    assert (marks.folders, marks.gone) == ({"memories/in"}, set())
    assert follow(root, watch, marks) == {"memories/in/n.md"}
    (root / "memories/in/n.md").write_text("y\n")
    assert watch.take() == Marks(files={"memories/in/n.md"})


def test_a_folder_moved_out_is_gone_and_no_longer_heard(root: Path, watch: KernelWatch) -> None:
    """A folder that leaves is named at once, and what is written in it outside is not ours any more."""
    (root / "memories/b/deep").mkdir()
    follow(root, watch, watch.take())
    before = watch.sight().folders
    (root / "memories/b").rename(root.parent / "out")
    (root.parent / "out/a.md").write_text("y\n")
    (root.parent / "out/deep/x.md").write_text("y\n")
    marks = watch.take()
    assert marks.gone == {"memories/b"}
    assert marks.files == set()
    assert watch.sight().folders == before - 2
    (root.parent / "out/a.md").write_text("z\n")
    assert watch.take() == Marks()


def test_a_folder_moved_within_the_vault_is_watched_under_its_new_path(root: Path, watch: KernelWatch) -> None:
    """A moved folder and those below it are named under the old and the new path, and heard under the new one."""
    (root / "memories/b/deep").mkdir()
    follow(root, watch, watch.take())
    (root / "memories/b").rename(root / "memories/moved")
    marks = watch.take()
    assert (marks.gone, marks.folders) == ({"memories/b"}, {"memories/moved"})
    assert follow(root, watch, marks) == {"memories/moved/a.md"}
    (root / "memories/moved/a.md").write_text("y\n")
    (root / "memories/moved/deep/x.md").write_text("y\n")
    assert watch.take().files == {"memories/moved/a.md", "memories/moved/deep/x.md"}
    assert watch.sight() == Sight("events", "", watch.sight().folders)


def test_a_folder_walked_before_its_move_was_heard_is_heard_once(root: Path, watch: KernelWatch) -> None:
    """A sweep may enter a moved folder before its event is read: it stays watched, under its new path alone."""
    (root / "memories/b").rename(root / "memories/moved")
    walk(str(root), ("knowledge",), entering=watch.enter)
    watch.take()
    (root / "memories/moved/a.md").write_text("y\n")
    assert "memories/moved/a.md" in watch.take().files
    (root / "memories/moved").rename(root / "memories/again")
    follow(root, watch, watch.take())
    (root / "memories/again/a.md").write_text("z\n")
    assert watch.take() == Marks(files={"memories/again/a.md"})


def test_two_folders_that_trade_names_are_heard_under_their_own(root: Path, watch: KernelWatch) -> None:
    """After a swap each file is named under the path it has now."""
    (root / "memories/b").rename(root / "memories/t")
    (root / "memories/c").rename(root / "memories/b")
    (root / "memories/t").rename(root / "memories/c")
    marks = watch.take()
    assert marks.folders == {"memories/b", "memories/c"}
    assert follow(root, watch, marks) == {"memories/c/a.md"}
    (root / "memories/b/x.md").write_text("y\n")
    (root / "memories/c/a.md").write_text("y\n")
    assert watch.take() == Marks(files={"memories/b/x.md", "memories/c/a.md"})


def test_a_deleted_folder_is_gone_and_one_made_anew_is_named(root: Path, watch: KernelWatch) -> None:
    """Deleting a folder names it; a folder of the same name is another one and is heard again."""
    (root / NOTE).unlink()
    (root / "memories/b").rmdir()
    assert watch.take().gone == {"memories/b"}
    (root / "memories/b").mkdir()
    (root / NOTE).write_text("x\n")
    marks = watch.take()
    assert (marks.folders, follow(root, watch, marks)) == ({"memories/b"}, {NOTE})
    (root / NOTE).write_text("y\n")
    assert watch.take() == Marks(files={NOTE})


def test_a_folder_that_came_and_went_is_not_walked(root: Path, watch: KernelWatch) -> None:
    """What appeared and vanished before the question is gone, not new."""
    (root / "memories/x/y").mkdir(parents=True)
    (root / "memories/x/y").rmdir()
    (root / "memories/x").rmdir()
    marks = watch.take()
    assert (marks.folders, marks.gone) == (set(), {"memories/x"})


def test_a_vault_made_anew_is_watched_after_a_restart(root: Path, watch: KernelWatch) -> None:
    """When the vault's folder is another one, all watches go and a walk sets them again."""
    root.rename(root.with_name("old"))
    (root / "memories").mkdir(parents=True)
    watch.restart()
    assert watch.sight().folders == 0
    assert watch.take() == Marks()
    walk(str(root), (), entering=watch.enter)
    (root / "memories/n.md").write_text("x\n")
    (root.with_name("old") / NOTE).write_text("y\n")
    assert watch.take() == Marks(files={"memories/n.md"})


def test_a_deleted_vault_leaves_no_watch(root: Path, watch: KernelWatch) -> None:
    """When the whole vault goes, so do its watches, and a restart is no fault."""
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    root.rmdir()
    watch.take()
    assert watch.sight().folders == 0
    watch.restart()
    watch.enter("")
    assert watch.sight() == Sight("events", "", 0)


def overflow() -> InotifyEvent:
    """Make the event with which the kernel says that its queue was full."""
    return InotifyEvent(WatchDescriptor(-1), Mask(InotifyConstants.IN_Q_OVERFLOW), 0, b"")


def test_lost_events_are_told(root: Path, watch: KernelWatch) -> None:
    """An overflow of the queue, handed on by watchdog, marks everything once and is counted."""
    (root / NOTE).write_text("x\n")
    watch._fd.handle_event(overflow())
    assert watch.take() == Marks(files={NOTE}, everything=True)
    assert watch.take() == Marks()
    watch.on_queue_overflow()
    assert watch.take().everything
    assert watch.sight().lost == 2
    assert watch.sight().how == "events"


def test_a_watch_limit_means_sweeps(root: Path, watch: KernelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder the system does not let us watch means that events alone are not trusted, until all can be watched."""
    (root / "memories/new").mkdir()

    def refuse(self: InotifyFD, *_: object) -> WatchDescriptor:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(InotifyFD, "add_callback", refuse)
        watch.enter("memories/new")
    sight = watch.sight()
    assert sight.how == "sweeps"
    assert sight.why == f"only {sight.folders} folders could be watched (inotify watch limit reached)"
    walk(str(root), ("knowledge",), entering=watch.enter)
    assert watch.sight() == Sight("events", "", sight.folders + 1)


def test_a_refusal_without_words_is_told(watch: KernelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that has no text of its own still gives a reason."""

    def refuse(self: InotifyFD, *_: object) -> WatchDescriptor:
        raise OSError("odd")

    monkeypatch.setattr(InotifyFD, "add_callback", refuse)
    watch.enter("memories/new")
    assert "(odd)" in watch.sight().why


def test_a_folder_without_rights_means_sweeps(watch: KernelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """watchdog answers -1 where rights are missing; that is no watch."""
    monkeypatch.setattr(InotifyFD, "add_callback", lambda *_: WatchDescriptor(-1))
    watch.enter("memories/new")
    assert watch.sight().how == "sweeps"
    assert "cannot be read" in watch.sight().why


def test_a_restart_forgets_a_refusal(watch: KernelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused in another folder says nothing of this one."""
    with monkeypatch.context() as patch:
        patch.setattr(InotifyFD, "add_callback", lambda *_: WatchDescriptor(-1))
        watch.enter("memories/new")
    watch.restart()
    assert watch.sight().how == "events"


def test_a_folder_that_went_before_it_was_watched_is_no_refusal(root: Path, watch: KernelWatch) -> None:
    """A missing folder, and a file or link in its place, are passed by."""
    before = watch.sight()
    (root / "memories/link").symlink_to(root / "memories/b")
    for folder in ("memories/gone", NOTE, "memories/link"):
        watch.enter(folder)
    assert watch.sight() == before


def test_a_folder_is_watched_once(watch: KernelWatch) -> None:
    """Entering a folder again changes nothing."""
    before = watch.sight()
    watch.enter("memories/b")
    assert watch.sight() == before


def test_an_event_of_a_folder_nobody_knows_is_nothing(watch: KernelWatch) -> None:
    """An event that was queued for a watch already dropped marks nothing."""
    watch.on_event(InotifyEvent(WatchDescriptor(9_999), Mask(InotifyConstants.IN_CREATE), 0, b"a.md"))
    watch.on_watch_deleted(WatchDescriptor(9_999))
    assert watch.take() == Marks()


def test_a_closed_watch_is_silent(root: Path) -> None:
    """Closing gives every descriptor back, may be done twice, and what comes after neither hangs nor fails."""
    before = set(os.listdir("/proc/self/fd"))
    watch = KernelWatch(str(root), ())
    walk(str(root), (), entering=watch.enter)
    (root / NOTE).write_text("x\n")
    watch.close()
    watch.close()
    assert set(os.listdir("/proc/self/fd")) == before
    (root / NOTE).write_text("y\n")
    assert watch.take() == Marks()
    watch.enter("memories/c")
    watch.restart()
    assert watch.sight().folders == 0


def test_the_private_parts_of_watchdog_that_we_use_are_there(root: Path) -> None:
    """A release of watchdog that renames what has no public name fails here, not at an owner's."""
    fd = InotifyFD()
    assert isinstance(fd._inotify_fd, int)
    assert fd._is_reading is True
    poll = select.poll()
    poll.register(fd._inotify_fd, select.POLLIN)
    assert poll.poll(0) == []
    watch = KernelWatch(str(root), ())
    descriptor = fd.add_callback(os.fsencode(root / "memories/b"), watch._mask, watch, inotify_c.CallbackId(1))
    (root / NOTE).write_text("x\n")
    assert poll.poll(0) == [(fd._inotify_fd, select.POLLIN)]
    events = fd.read_events()
    assert {(event.wd, event.name) for event in events} == {(descriptor, b"a.md")}
    assert poll.poll(0) == []
    heard: list[InotifyEvent] = []
    fd._watch_for_wd[descriptor].callbacks[inotify_c.CallbackId(2)] = Heard(heard)
    for event in events:
        fd.handle_event(event)
    assert heard == events
    fd._is_reading = False
    fd.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd._inotify_fd)
    watch.close()


class Heard:
    """A callback that keeps what it hears."""

    def __init__(self, heard: list[InotifyEvent]) -> None:
        self._heard = heard

    def on_event(self, event: InotifyEvent) -> None:
        self._heard.append(event)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        return

    def on_queue_overflow(self) -> None:
        return


def test_no_watch_sees_nothing() -> None:
    """A process that looks once has no events and says so."""
    watch = NoWatch()
    watch.enter("")
    watch.restart()
    assert watch.take() == Marks()
    assert watch.sight() == Sight("sweeps", "this process looks once")


MOUNTS = """\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
22 21 0:20 / /mnt/c rw - 9p drvfs rw
23 21 0:21 / /home/me/My\\040Vault rw - fuse.sshfs host:/ rw
24 21 0:22 / /home/me/Müller rw master:1 - nfs4 host:/ rw
25 21 0:23 / /home/me/tab\\011x rw - overlay overlay rw
26 21 0:24 / /mnt/c/linux rw - ext4 /dev/vdb rw
27 21 0:25 / /stacked rw - ext4 /dev/vdc rw
28 21 0:26 / /stacked rw - cifs //host/x rw
29 21 0:27 / /caf\udce9 rw - smb3 //host/x rw
30 21 0:28 / /btrfs rw - btrfs /dev/vdd rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/vault", ""),
        ("/mnt/c", "9p"),
        ("/mnt/c/vault", "9p"),
        ("/mnt/cc", ""),
        ("/mnt/c/linux/vault", ""),
        ("/home/me/My Vault/notes", "fuse.sshfs"),
        ("/home/me/Müller", "nfs4"),
        ("/home/me/tab\tx/v", "overlay"),
        ("/stacked/v", "cifs"),
        ("/caf\udce9/v", "smb3"),
        ("/btrfs/v", ""),
    ],
)
def test_the_mount_a_vault_lies_on_decides(tmp_path: Path, folder: str, kind: str) -> None:
    """The innermost and last mount counts; names with blanks and in any script are read as they are."""
    (tmp_path / "mounts").write_bytes(MOUNTS.encode("utf-8", "surrogateescape"))
    assert deaf_mount(folder, str(tmp_path / "mounts")) == kind


def test_mounts_that_cannot_be_read_are_trusted(tmp_path: Path) -> None:
    """A system that does not tell its mounts, or tells them oddly, keeps its events."""
    assert deaf_mount("/x", str(tmp_path / "none")) == ""
    (tmp_path / "mounts").write_text("21 1 254:0\n")
    assert deaf_mount("/x", str(tmp_path / "mounts")) == ""


def test_the_best_watch_is_chosen(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events where the system gives them; else a reason why not."""
    watch = watch_for(str(root), ())
    assert isinstance(watch, KernelWatch)
    watch.close()

    def refuse(self: KernelWatch, root: str, documents: object) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(KernelWatch, "__init__", refuse)
        assert watch_for(str(root), ()).sight() == Sight(
            "sweeps", "the system gives no events (inotify instance limit reached)"
        )
    with monkeypatch.context() as patch:
        patch.setattr(module, "deaf_mount", lambda root: "9p")
        assert "9p mount" in watch_for(str(root), ()).sight().why
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "darwin")
        assert "Linux only" in watch_for(str(root), ()).sight().why


def test_a_try_tells_whether_events_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a write in `.personakit/` raises no event the vault is watched by sweeps; nothing is left of the try."""
    assert watch_for(str(tmp_path), ("knowledge",)).sight().how == "events"
    (tmp_path / ".personakit").mkdir()
    heard = watch_for(str(tmp_path), ("knowledge",))
    assert heard.sight().how == "events" and heard.take() == Marks()
    monkeypatch.setattr("personakit.vault.watch.PROBE_MILLISECONDS", 1)
    monkeypatch.setattr("personakit.vault.watch.temporary_in", lambda _folder: str(tmp_path / "elsewhere"))
    deaf = watch_for(str(tmp_path), ("knowledge",)).sight()
    assert deaf.how == "sweeps" and "no event" in deaf.why
    assert [path.name for path in tmp_path.iterdir()] == [".personakit"]
    assert list((tmp_path / ".personakit").iterdir()) == []
