"""The walk lists what may be read, names what may not, and ends whatever the folder holds."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from personakit.vault.scan import Walk, shown, stamp_of, walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give the folder of an empty vault."""
    (tmp_path / "memories").mkdir()
    return tmp_path.resolve()


def put(root: Path, *paths: str) -> None:
    """Write files."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("words\n")


def look(root: Path, *documents: str) -> Walk:
    """Walk a vault."""
    return walk(str(root), documents or ("knowledge",))


def named(found: Walk) -> list[tuple[str, str]]:
    """Give the paths and codes of a walk's problems."""
    return sorted((problem.path, problem.code) for problem in found.problems)


def test_only_markdown_in_known_folders_is_listed(root: Path) -> None:
    """Each listed file has the stamp it has on disk; other files and folders are passed by without a word."""
    put(root, "memories/a.md", "memories/B.MD", "memories/x.txt", "Home.md", "views/x.base", "attachments/a.md")
    found = look(root)
    assert sorted(found.files) == ["memories/B.MD", "memories/a.md"]
    assert found.files["memories/a.md"] == stamp_of((root / "memories/a.md").stat())
    assert found.folders == ["", "memories"]
    assert found.problems == []


@pytest.mark.parametrize(
    "path",
    [
        *(".trash/a.md", ".obsidian/a.md", ".git/a.md", ".stversions/a.md", ".personakit/trash/a.md", "templates/a.md"),
        *("memories/.trash/a.md", "memories/node_modules/x/a.md", "knowledge/node_modules/a.md", "memories/.x.md"),
        *("memories/a.md~", "memories/#a.md#", "memories/.#a.md", "memories/4913", "memories/.pk-1.tmp"),
        *("memories/a.tmp", "memories/.a.md.swp", "memories/x.tmp/a.md"),
    ],
)
def test_what_tools_keep_for_themselves_is_passed_by(root: Path, path: str) -> None:
    """Dot folders, templates, node_modules and what editors leave are never listed nor named."""
    put(root, path)
    for documents in ("knowledge", "."):
        found = look(root, documents)
        assert (found.files, found.problems) == ({}, [])
        assert os.path.dirname(path) in ("", "memories", "knowledge") or os.path.dirname(path) not in found.folders


def test_documents_are_listed_where_they_are_registered(root: Path) -> None:
    """The folders above a registered one are entered, their files are not listed; `.` registers the whole vault."""
    put(root, "docs/a.md", "docs/team/b.md", "docs/team/c/d.md", "docs/other/e.md", "f.md")
    found = look(root, "docs/team")
    assert sorted(found.files) == ["docs/team/b.md", "docs/team/c/d.md"]
    assert sorted(found.folders) == ["", "docs", "docs/team", "docs/team/c", "memories"]
    assert len(look(root, ".").files) == 5


def test_every_folder_is_told_before_it_is_listed(root: Path) -> None:
    """`entering` comes first, so that a file written in between is seen by the listing or by the watch."""
    put(root, "memories/b/a.md")

    def entering(folder: str) -> None:
        if folder == "memories/b":
            put(root, "memories/b/late.md")

    assert sorted(walk(str(root), (), entering=entering).files) == ["memories/b/a.md", "memories/b/late.md"]


def test_links_are_named_and_never_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Links to files and folders, inside and out, broken and circular, are named; nothing behind them is listed."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret\n")
    put(root, "memories/a.md", "attachments/x.md")
    links = {
        "memories/file.md": outside / "secret.md",
        "memories/folder": outside,
        "memories/v1.0": outside,
        "memories/inside.md": root / "memories/a.md",
        "memories/broken.md": root / "nowhere",
        "memories/loop": root / "memories",
        "memories/self": root / "memories/self",
        "facts": outside,
    }
    quiet = {"memories/picture.png": outside / "secret.md", "memories/.hidden.md": outside, "attachments/l.md": outside}
    for path, target in {**links, **quiet}.items():
        (root / path).symlink_to(target)
    found = look(root)
    assert list(found.files) == ["memories/a.md"]
    assert named(found) == sorted((path, "link") for path in links)


def test_devices_pipes_and_sockets_are_named(root: Path) -> None:
    """What has a note's name but is no file is named and never opened."""
    os.mkfifo(root / "memories/pipe.md")
    os.mkfifo(root / "memories/pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)
        try:
            server.bind("memories/socket.md")
        finally:
            os.chdir(here)
    (root / "memories/folder.md").mkdir()
    put(root, "memories/folder.md/a.md")
    found = look(root)
    assert list(found.files) == ["memories/folder.md/a.md"]
    assert named(found) == [("memories/pipe.md", "not_a_file"), ("memories/socket.md", "not_a_file")]


def test_a_cloud_stub_names_what_is_not_here(root: Path) -> None:
    """`.x.md.icloud` in a known folder is named; elsewhere, or for other files, it is nothing."""
    put(root, "memories/.a.md.icloud", "memories/.b.txt.icloud", "attachments/.c.md.icloud", ".d.md.icloud")
    found = look(root)
    assert found.files == {}
    assert named(found) == [("memories/.a.md.icloud", "not_here")]


def test_names_that_are_no_utf8_are_listed_and_shown_safely(root: Path) -> None:
    """A name in another encoding is a path; what is said of it can be written anywhere."""
    odd = os.fsdecode(b"memories/caf\xe9.md")
    put(root, odd)
    (root / os.fsdecode(b"memories/l\xe9.md")).symlink_to("x")
    found = look(root)
    assert list(found.files) == [odd]
    assert named(found) == [("memories/l\ufffd.md", "link")]
    assert shown(odd) == "memories/caf\ufffd.md"
    assert shown("memories/é☕.md") == "memories/é☕.md"


def test_a_very_deep_folder_is_walked(root: Path) -> None:
    """Depth costs no recursion."""
    deep = "memories/" + "d/" * 400 + "a.md"
    put(root, deep)
    assert list(look(root).files) == [deep]


class Refusing:
    """Stands before `os.scandir` and refuses some folders, at once or after their first entry."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: str, error: OSError, *, later: bool = False) -> None:
        real = os.scandir

        class Listing:
            def __init__(self, path: str) -> None:
                self._inner = real(path)

            def __enter__(self) -> Listing:
                return self

            def __exit__(self, *_: object) -> None:
                self._inner.close()

            def __iter__(self) -> Iterator[os.DirEntry[str]]:
                yield next(self._inner)
                raise error

        def scandir(path: str) -> object:
            if not str(path).endswith(folder):
                return real(path)
            if later:
                return Listing(path)
            raise error

        monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ENAMETOOLONG])
def test_a_folder_that_cannot_be_listed_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: int, later: bool
) -> None:
    """A folder without rights, or one whose listing breaks off, is named with the reason; the rest is walked."""
    put(root, "memories/b/hidden.md", "memories/c/a.md")
    Refusing(monkeypatch, "memories/b", OSError(number, os.strerror(number)), later=later)
    found = look(root)
    assert list(found.files) == ["memories/c/a.md"]
    assert named(found) == [("memories/b", "unreadable_folder")]
    assert os.strerror(number) in found.problems[0].message
    assert "memories/b" not in found.folders


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOTDIR])
def test_a_folder_that_went_meanwhile_is_no_problem(root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A folder that is gone, or is a file by now, when its turn comes holds nothing."""
    put(root, "memories/b/a.md")
    Refusing(monkeypatch, "memories/b", OSError(number, os.strerror(number)))
    found = look(root)
    assert (found.files, found.problems) == ({}, [])


class FakeEntry:
    """A directory entry whose file the system does not let us look at."""

    def __init__(self, name: str, error: OSError) -> None:
        self.name = name
        self.path = name
        self._error = error

    def is_symlink(self) -> bool:
        return False

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        return False

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        raise self._error


class FakeListing(list[FakeEntry]):
    def __enter__(self) -> FakeListing:
        return self

    def __exit__(self, *_: object) -> None:
        return


def test_a_file_that_cannot_be_looked_at_is_held_and_one_that_went_is_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused stat is named as a hold; a file that was deleted after the listing is simply not there."""
    refused, gone = PermissionError(errno.EACCES, "Permission denied"), FileNotFoundError()
    monkeypatch.setattr(os, "scandir", lambda path: FakeListing([FakeEntry("a.md", refused), FakeEntry("b.md", gone)]))
    found = walk(str(root), (), "memories")
    assert found.files == {}
    assert named(found) == [("memories/a.md", "unreadable")]
    assert found.problems[0].holds
