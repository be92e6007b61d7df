"""The vault on disk and its twin in memory keep one contract; the disk has more to it."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from pathlib import Path

import pytest

import personakit.vault.store as module
from personakit.errors import Busy, Conflict, DiskError, NotEditable, VaultUnreadable
from personakit.vault.layout import LOCK, TRASH
from personakit.vault.reading import Condition, Reading
from personakit.vault.scan import Stamp
from personakit.vault.store import NO_STAMP, DiskVault, Seen, Store, make_machine_folder
from tests.memory_vault import MemoryVault
from tests.vault.contract import GOOD, GOOD_VERSION, OTHER, PATH, Place, StoreContract, one, reject


class DiskPlace:
    """A vault in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def store(self, *documents: str, read_only: str = "") -> DiskVault:
        return DiskVault(str(self.root), documents or ("knowledge",), read_only=read_only)

    def put(self, path: str, data: bytes) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(data)

    def get(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.exists() else None

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def lock(self, path: str) -> None:
        (self.root / path).chmod(0o444)

    def age(self, path: str) -> None:
        os.utime(self.root / path, (1, 1))

    def trash(self) -> list[bytes]:
        folder = self.root / TRASH
        return [path.read_bytes() for path in folder.iterdir()] if folder.exists() else []

    def take_away(self) -> None:
        shutil.rmtree(self.root)


class MemoryPlace:
    """A vault in memory."""

    def __init__(self) -> None:
        self.vault = MemoryVault()

    def store(self, *documents: str, read_only: str = "") -> Store:
        self.vault.documents = documents or ("knowledge",)
        self.vault._read_only = read_only
        return self.vault

    def put(self, path: str, data: bytes) -> None:
        self.vault.put(path, data)

    def get(self, path: str) -> bytes | None:
        return self.vault.get(path)

    def remove(self, path: str) -> None:
        self.vault.remove(path)

    def lock(self, path: str) -> None:
        self.vault.locked.add(path)

    def age(self, path: str) -> None:
        self.vault.age(path)

    def trash(self) -> list[bytes]:
        return self.vault.trash

    def take_away(self) -> None:
        self.vault.missing = True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give the folder of an empty vault."""
    folder = tmp_path.resolve() / "vault"
    (folder / "memories").mkdir(parents=True)
    (folder / "personakit.yaml").write_text("format: 1\n")
    return folder


class TestDiskVault(StoreContract):
    @pytest.fixture
    def place(self, root: Path) -> Place:
        """Give a vault in a folder."""
        return DiskPlace(root)


class TestMemoryVault(StoreContract):
    @pytest.fixture
    def place(self) -> Place:
        """Give a vault in memory."""
        return MemoryPlace()


@pytest.fixture
def place(root: Path) -> DiskPlace:
    """Give a vault in a folder."""
    return DiskPlace(root)


def held(seen: Seen) -> str:
    """Give the code for which a file is held."""
    assert seen.reading is not None
    assert seen.reading.condition is Condition.HELD
    (problem,) = seen.reading.problems
    return problem.code


def test_another_folder_of_the_same_name_is_another_vault(place: DiskPlace) -> None:
    """A folder that was deleted and made again has another identity."""
    store = place.store()
    before = store.identity()
    place.root.rename(place.root.with_name("away"))
    assert store.identity() is None
    place.root.mkdir()
    assert store.identity() not in (None, before)


def test_a_vault_that_may_not_be_listed_says_so(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vault's own folder without rights is an error, not an empty vault."""

    def scandir(path: str) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(VaultUnreadable, match="Permission denied"):
        place.store().walk()


@pytest.mark.parametrize("target", ["outside.md", "memories/b.md", "nowhere"])
def test_a_link_is_nothing_to_read_and_never_written(place: DiskPlace, target: str) -> None:
    """A link has no stamp and no reading; an edit of it is refused and it stays a link."""
    (place.root.parent / "outside.md").write_bytes(GOOD)
    place.put("memories/b.md", GOOD)
    (place.root / PATH).symlink_to(place.root.parent / target if "/" not in target else place.root / target)
    store = place.store()
    assert store.stamp(PATH) is None
    assert one(store, PATH) == Seen(PATH)
    assert store.keys(PATH) == {}
    with store.writing() as pen, pytest.raises(NotEditable, match="is a link"):
        pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    assert (place.root / PATH).is_symlink()
    assert (place.root.parent / "outside.md").read_bytes() == GOOD


def test_nothing_behind_a_linked_folder_is_read_or_written(place: DiskPlace) -> None:
    """A folder that is a link leads nowhere: its files are not read, not edited, and none is made there."""
    outside = place.root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(GOOD)
    (place.root / "memories" / "sub").symlink_to(outside)
    store = place.store()
    path = "memories/sub/a.md"
    assert one(store, path) == Seen(path)
    assert store.keys(path) == {}
    with store.writing() as pen:
        with pytest.raises(Conflict):
            pen.edit(path, GOOD_VERSION, reject, called="m_1")
        with pytest.raises(DiskError, match="behind a link"):
            pen.create("memories/sub", "new.md", GOOD)
    assert sorted(os.listdir(outside)) == ["a.md"]
    assert (outside / "a.md").read_bytes() == GOOD


def test_a_path_out_of_the_vault_is_nothing(place: DiskPlace) -> None:
    """`..` opens nothing, even where the whole vault holds documents."""
    (place.root.parent / "x.md").write_bytes(GOOD)
    store = place.store(".")
    for path in ("../x.md", "memories/../../x.md", "docs/../../x.md"):
        assert one(store, path) == Seen(path)
    assert one(store, "x.md") == Seen("x.md")
    place.put("x.md", b"words")
    assert one(store, "x.md").reading is not None


def test_pipes_sockets_and_folders_are_nothing_to_read(place: DiskPlace) -> None:
    """What is no regular file is never opened, so that none can block a read."""
    os.mkfifo(place.root / "memories/pipe.md")
    (place.root / "memories/folder.md").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(place.root)
        try:
            server.bind("memories/s.md")
        finally:
            os.chdir(here)
    store = place.store()
    for name in ("pipe", "folder", "s"):
        path = f"memories/{name}.md"
        assert store.stamp(path) is None
        assert one(store, path) == Seen(path)


@pytest.mark.parametrize("swapped", ["pipe", "link", "folder", "gone"])
def test_a_file_swapped_before_it_is_opened_is_nothing(
    place: DiskPlace, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    """Between looking and opening a file may become a pipe or a link: it is not followed and does not block."""
    place.put(PATH, GOOD)
    place.put("memories/b.md", GOOD)
    real = os.open
    file = place.root / PATH

    def swap(path: str, flags: int, mode: int = 0o777) -> int:
        if path == str(file):
            file.unlink()
            if swapped == "pipe":
                os.mkfifo(file)
            elif swapped == "link":
                file.symlink_to(place.root / "memories/b.md")
            elif swapped == "folder":
                file.mkdir()
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", swap)
    assert one(place.store(), PATH) == Seen(PATH)


def test_a_folder_that_became_a_file_holds_nothing(place: DiskPlace) -> None:
    """A path whose folder is a file is a path where nothing is."""
    place.put("memories/b", b"x")
    assert one(place.store(), "memories/b/a.md") == Seen("memories/b/a.md")


def test_what_the_system_refuses_is_held_and_looked_at_again(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be opened is held with a stamp that is never current, since the reason may pass."""
    place.put(PATH, GOOD)
    store = place.store()
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        raise OSError(errno.EMFILE, "Too many open files", path)

    monkeypatch.setattr(os, "open", refuse)
    seen = one(store, PATH)
    assert held(seen) == "unreadable"
    assert seen.stamp == NO_STAMP != store.stamp(PATH)
    monkeypatch.setattr(os, "open", real)
    assert one(store, PATH).stamp == store.stamp(PATH)


def test_a_file_that_changes_while_it_is_read_is_read_again(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is given was one version, with that version's stamp."""
    place.put(PATH, GOOD)
    store = place.store()
    real, reads = os.read, [0]

    def read(descriptor: int, size: int) -> bytes:
        raw = real(descriptor, size)
        reads[0] += 1
        if reads[0] == 1:
            place.put(PATH, OTHER)
        return raw

    monkeypatch.setattr(os, "read", read)
    seen = one(store, PATH)
    assert seen.stamp == store.stamp(PATH)
    assert seen.reading is not None
    assert seen.reading.notes[0].text == "Likes coffee"


def test_a_file_that_never_stops_changing_is_held(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that grows at each look is not waited for without end."""
    place.put(PATH, GOOD)
    real = os.read

    def read(descriptor: int, size: int) -> bytes:
        raw = real(descriptor, size)
        with (place.root / PATH).open("ab") as file:
            file.write(b"x")
        return raw

    monkeypatch.setattr(os, "read", read)
    assert held(one(place.store(), PATH)) == "unreadable"


def test_a_file_given_in_pieces_is_read_whole(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that gives a few bytes at a time is asked until all are there."""
    place.put(PATH, GOOD)
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: real(descriptor, min(size, 7)))
    seen = one(place.store(), PATH)
    assert seen.reading is not None
    assert seen.reading.digest == GOOD_VERSION


class Elsewhere:
    """An `os.lstat` and `os.stat` that tell no blocks for some files, as a cloud tool's placeholders have none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, also_settings: bool = False) -> None:
        real_lstat, real_stat = os.lstat, os.stat

        def without_blocks(status: os.stat_result) -> os.stat_result:
            named = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
            return os.stat_result(tuple(status), {**named, "st_blocks": 0})

        def lstat(path: str) -> os.stat_result:
            status = real_lstat(path)
            return without_blocks(status) if str(path).endswith(".md") else status

        def stat(path: str, *, follow_symlinks: bool = True) -> os.stat_result:
            status = real_stat(path, follow_symlinks=follow_symlinks)
            return without_blocks(status) if also_settings and str(path).endswith("personakit.yaml") else status

        monkeypatch.setattr(os, "lstat", lstat)
        monkeypatch.setattr(os, "stat", stat)


def test_a_file_kept_elsewhere_is_held(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Size without blocks means that a sync service has the content: it is known, held and not opened."""
    place.put(PATH, GOOD)
    place.put("memories/b.md", b"")
    store = place.store()
    with monkeypatch.context() as patch:
        Elsewhere(patch)
        for _ in range(2):
            seen = one(store, PATH)
            assert held(seen) == "not_here"
            assert seen.stamp is not None
        empty = one(store, "memories/b.md")
        assert empty.reading is not None
        assert empty.reading.condition is Condition.UNFINISHED


@pytest.mark.parametrize("settings", ["untold", "missing"])
def test_a_mount_that_tells_no_blocks_keeps_nothing_elsewhere(
    place: DiskPlace, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    """Where not even the settings have blocks, their number says nothing."""
    place.put(PATH, GOOD)
    if settings == "missing":
        place.remove("personakit.yaml")
    with monkeypatch.context() as patch:
        Elsewhere(patch, also_settings=True)
        seen = one(place.store(), PATH)
    assert seen.reading is not None
    assert seen.reading.condition is Condition.READ


def test_names_that_are_no_utf8_can_be_read(place: DiskPlace) -> None:
    """A name in another encoding is a path like any other for the store."""
    name = os.fsdecode(b"memories/caf\xe9.md")
    place.put(name, GOOD)
    store = place.store()
    assert list(store.walk().files) == [name]
    seen = one(store, name)
    assert isinstance(seen.reading, Reading)
    assert isinstance(seen.stamp, Stamp)


def test_two_names_that_differ_in_case_are_two_files(place: DiskPlace) -> None:
    """Both are listed here; a new file takes neither's place on a system where they are one."""
    place.put("memories/Tabs.md", GOOD)
    place.put("memories/tabs.md", OTHER)
    store = place.store()
    assert len(store.walk().files) == 2
    with store.writing() as pen:
        assert pen.create("memories", "TABS.md", GOOD) == "memories/TABS-2.md"


def test_a_name_taken_in_the_same_moment_is_not_overwritten(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that appears after the names were listed keeps its bytes; the new one gets the next name."""
    store = place.store()
    real = os.link

    def link(source: str, target: str, *, follow_symlinks: bool = True) -> None:
        if target.endswith("/tea.md"):
            Path(target).write_bytes(b"theirs")
        real(source, target, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "link", link)
    with store.writing() as pen:
        assert pen.create("memories", "tea.md", GOOD) == "memories/tea-2.md"
    assert place.get("memories/tea.md") == b"theirs"
    assert place.get("memories/tea-2.md") == GOOD
    assert sorted(os.listdir(place.root / "memories")) == ["tea-2.md", "tea.md"]


def test_names_run_out_with_a_sentence(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """When every number is taken, that is said and nothing is written."""
    taken = ["tea.md", *(f"tea-{number}.md" for number in range(2, 1000))]
    store = place.store()
    monkeypatch.setattr(os, "listdir", lambda path: taken)
    with store.writing() as pen, pytest.raises(DiskError, match="taken"):
        pen.create("memories", "tea.md", GOOD)


def test_a_full_disk_is_worded(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses is a DiskError with its reason; old bytes and folder stay as they were."""
    place.put(PATH, GOOD)
    store = place.store()

    def write(descriptor: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with store.writing():
        pass
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(DiskError, match="No space left"), store.writing() as pen:
        pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    with pytest.raises(DiskError, match="No space left"), store.writing() as pen:
        pen.create("memories", "new.md", GOOD)
    assert place.get(PATH) == GOOD
    assert os.listdir(place.root / "memories") == ["a.md"]


def test_an_error_without_words_still_has_a_name(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal without a text is called by its class."""

    def write(descriptor: int, data: object) -> int:
        raise OSError

    with place.store().writing():
        pass
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(DiskError, match="OSError"), place.store().writing() as pen:
        pen.create("memories", "new.md", GOOD)


def test_a_file_this_user_may_not_write_is_kept(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that belongs to another user is read-only here, whatever its bits say."""
    place.put(PATH, GOOD)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with place.store().writing() as pen, pytest.raises(NotEditable, match="read-only"):
        pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    assert place.get(PATH) == GOOD


def test_a_save_in_the_last_moment_wins(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner who saves while our bytes are flushed keeps theirs, and we learn their version."""
    place.put(PATH, GOOD)
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        place.put(PATH, OTHER)

    with place.store().writing() as pen:
        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(Conflict):
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    assert place.get(PATH) == OTHER
    assert os.listdir(place.root / "memories") == ["a.md"]


def test_a_deletion_in_the_last_moment_wins(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner who deletes while our bytes are flushed gets no file back."""
    place.put(PATH, GOOD)
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        (place.root / PATH).unlink(missing_ok=True)

    with place.store().writing() as pen:
        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(Conflict) as caught:
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    assert caught.value.current == "gone"
    assert os.listdir(place.root / "memories") == []


def test_a_lock_in_other_hands_is_busy(place: DiskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another holds the lock a write waits, then says so; when it is given back the next write is made."""
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.0)
    store, other = place.store(), place.store()
    with other.writing(), pytest.raises(Busy), store.writing():
        raise AssertionError("two pens at once")
    with store.writing() as pen:
        assert pen.create("memories", "a.md", GOOD)
    assert (place.root / LOCK).exists()


def test_our_own_folder_stays_out_of_git(place: DiskPlace) -> None:
    """`.personakit/` is private and ignores itself; a file that is there is left alone."""
    with place.store().writing():
        pass
    folder = place.root / ".personakit"
    assert (folder / ".gitignore").read_text() == "*\n"
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / ".gitignore").write_text("mine\n")
    make_machine_folder(str(place.root))
    assert (folder / ".gitignore").read_text() == "mine\n"


def test_a_vault_that_cannot_be_written_to_says_so(place: DiskPlace) -> None:
    """Where `.personakit` cannot be made, a write is refused with the system's reason."""
    (place.root / ".personakit").write_text("in the way")
    with pytest.raises(DiskError, match="File exists"), place.store().writing():
        raise AssertionError("no pen may be had")


def test_the_twin_can_refuse_too() -> None:
    """The vault in memory can be busy or full, so that services meet what a disk does."""
    vault = MemoryVault()
    vault.put(PATH, GOOD)
    vault.busy = True
    with pytest.raises(Busy), vault.writing():
        raise AssertionError("no pen may be had")
    vault.busy, vault.full = False, True
    with vault.writing() as pen:
        with pytest.raises(DiskError):
            pen.create("memories", "b.md", GOOD)
        with pytest.raises(DiskError):
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
    assert vault.get(PATH) == GOOD
