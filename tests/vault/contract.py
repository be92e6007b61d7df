"""What every store of a vault's files promises, whatever it keeps them in."""

from __future__ import annotations

from typing import Protocol

import pytest

from personakit.errors import Conflict, HeldFile, NotEditable, ReadOnlyVault, VaultUnreadable
from personakit.model.note import Kind
from personakit.vault.layout import MAX_MEMORY, MAX_OTHER
from personakit.vault.lines import NoSafeEdit, set_key
from personakit.vault.reading import Condition, version_of
from personakit.vault.store import Seen, Store

GOOD = b"---\nid: m_0123456789ab\nstate: approved\n---\nLikes tea\n"
OTHER = b"---\nid: m_0123456789ab\nstate: approved\n---\nLikes coffee\n"
GOOD_VERSION = version_of(GOOD, Kind.MEMORY)
PATH = "memories/a.md"


class Place(Protocol):
    """A vault as its owner has it in hand: a store, and what an editor does to its files."""

    def store(self, *documents: str, read_only: str = "") -> Store:
        """Open the vault."""

    def put(self, path: str, data: bytes) -> None:
        """Save a file."""

    def get(self, path: str) -> bytes | None:
        """Give a file's bytes; None when it is not there."""

    def remove(self, path: str) -> None:
        """Delete a file."""

    def lock(self, path: str) -> None:
        """Mark a file read-only."""

    def age(self, path: str) -> None:
        """Make a file older than a minute."""

    def trash(self) -> list[bytes]:
        """Give what lies in the vault's trash."""

    def take_away(self) -> None:
        """Take the whole vault away."""


def one(store: Store, path: str, known: dict[str, str] | None = None) -> Seen:
    """Read one file."""
    (seen,) = store.read_all([path], known)
    return seen


def reject(raw: bytes) -> bytes:
    """Change a memory as `personakit reject` does."""
    return set_key(raw, "state", "rejected")


class StoreContract:
    """Run against each store by a subclass with a fixture `place`."""

    def test_a_walk_names_every_file_of_a_known_kind(self, place: Place) -> None:
        """Markdown files in known folders are listed with the stamps they have; nothing else is."""
        good = ["memories/a.md", "memories/b/c/D.MD", "palace/w/r/x.md", "facts/f.md", "docs/team/x.md"]
        for path in good:
            place.put(path, GOOD)
        for path in (
            *("a.md", "memories/a.txt", "memories/.x.md", "memories/.trash/a.md", "memories/node_modules/a.md"),
            *("memories/a.md~", "memories/4913", "templates/a.md", "docs/x.md", "knowledge/x.md", ".personakit/a.md"),
        ):
            place.put(path, GOOD)
        store = place.store("docs/team")
        walk = store.walk()
        assert sorted(walk.files) == sorted(good)
        assert walk.files == {path: store.stamp(path) for path in good}
        assert {"", "memories", "memories/b", "memories/b/c", "docs", "docs/team"} <= set(walk.folders)
        assert not {"templates", "memories/.trash", "memories/node_modules", ".personakit"} & set(walk.folders)
        assert walk.problems == []

    def test_a_files_keys_are_given_as_their_owner_sees_them(self, place: Place) -> None:
        """Every key of the front matter is given as text; what is missing, not ours, too large or unclear has none."""
        place.put(PATH, b"---\nid: m_0123456789ab\nPostcode: 02142\nmine: [no, {at: 12:30}]\n---\nLikes tea\n")
        for path, data in (
            ("other.md", GOOD),
            ("memories/plain.md", b"Likes tea\n"),
            ("memories/broken.md", b"---\na: b: c\n---\nLikes tea\n"),
            ("memories/open.md", b"---\na: b\n"),
            ("memories/latin.md", b"---\na: \xff\n---\nLikes tea\n"),
            ("memories/large.md", GOOD + b"x" * MAX_MEMORY),
        ):
            place.put(path, data)
        store = place.store()
        assert store.keys(PATH) == {"id": "m_0123456789ab", "postcode": "02142", "mine": ["no", {"at": "12:30"}]}
        names = ("plain", "broken", "open", "latin", "large", "gone")
        assert all(store.keys(path) == {} for path in ("other.md", *(f"memories/{name}.md" for name in names)))
        assert store.raw(PATH).endswith(b"Likes tea\n") and store.raw("memories/latin.md").startswith(b"---\na: \xff")
        assert all(store.raw(path) == b"" for path in ("other.md", "memories/large.md", "memories/gone.md"))

    def test_a_walk_may_start_at_a_folder(self, place: Place) -> None:
        """Below a folder only its own files are listed; a folder that is gone holds none."""
        for path in ("memories/a.md", "memories/b/c.md", "memories/b/d/e.md", "memories/bb/f.md"):
            place.put(path, GOOD)
        store = place.store()
        walk = store.walk("memories/b")
        assert sorted(walk.files) == ["memories/b/c.md", "memories/b/d/e.md"]
        assert sorted(walk.folders) == ["memories/b", "memories/b/d"]
        assert store.walk("memories/gone").files == {}
        assert store.walk("memories/gone").folders == []

    def test_a_walk_tells_each_folder_it_enters(self, place: Place) -> None:
        """`entering` is called once for each folder that is listed."""
        place.put("memories/b/c.md", GOOD)
        entered: list[str] = []
        walk = place.store().walk(entering=entered.append)
        assert sorted(entered) == sorted(walk.folders)
        assert {"", "memories", "memories/b"} <= set(entered)

    def test_a_stamp_tells_versions_apart(self, place: Place) -> None:
        """A stamp stays while a file stays, changes with it, and is None where nothing is."""
        place.put(PATH, GOOD)
        store = place.store()
        first = store.stamp(PATH)
        assert first is not None
        assert first == store.stamp(PATH)
        assert first.size == len(GOOD)
        place.put(PATH, GOOD.replace(b"tea", b"pie"))
        assert store.stamp(PATH) not in (None, first)
        place.remove(PATH)
        assert store.stamp(PATH) is None
        assert store.stamp("memories/never.md") is None

    def test_files_are_read_in_the_order_asked(self, place: Place) -> None:
        """Each path gives what is there: a reading with its stamp, or nothing where nothing is."""
        place.put(PATH, GOOD)
        place.put("memories/b.md", b"---\nstate: secret\n---\nx\n")
        store = place.store()
        good, gone, bad, foreign = store.read_all([PATH, "memories/gone.md", "memories/b.md", "other/x.md"])
        assert (good.path, good.stamp) == (PATH, store.stamp(PATH))
        assert good.reading is not None
        assert good.reading.notes[0].id == "m_0123456789ab"
        assert good.reading.digest == GOOD_VERSION
        assert gone == Seen("memories/gone.md")
        assert foreign == Seen("other/x.md")
        assert bad.reading is not None
        assert bad.reading.condition is Condition.HELD

    def test_a_known_version_is_not_read_again(self, place: Place) -> None:
        """A file that still is the version known comes with its stamp alone, line ends aside; a changed one is read."""
        place.put(PATH, GOOD)
        store = place.store()
        assert one(store, PATH, {PATH: GOOD_VERSION}) == Seen(PATH, store.stamp(PATH))
        assert one(store, PATH, {"memories/b.md": GOOD_VERSION}).reading is not None
        place.put(PATH, GOOD.replace(b"\n", b"\r\n"))
        assert one(store, PATH, {PATH: GOOD_VERSION}) == Seen(PATH, store.stamp(PATH))
        place.put(PATH, OTHER)
        assert one(store, PATH, {PATH: GOOD_VERSION}).reading is not None

    def test_a_verbatim_body_is_read_again_when_only_line_ends_changed(self, place: Place) -> None:
        """A drawer is its bytes: other line ends are another version."""
        path = "palace/w/r/a.md"
        place.put(path, b"a\nb\n")
        store = place.store()
        first = one(store, path).reading
        assert first is not None
        place.put(path, b"a\r\nb\r\n")
        second = one(store, path, {path: first.digest}).reading
        assert second is not None
        assert second.notes[0].text == "a\r\nb\r\n"

    @pytest.mark.parametrize(("path", "limit"), [(PATH, MAX_MEMORY), ("palace/w/r/x.md", MAX_OTHER)])
    def test_a_file_over_its_limit_is_held(self, place: Place, path: str, limit: int) -> None:
        """A file as large as its kind may be is read, one byte more holds it."""
        store = place.store()
        place.put(path, b"x" * limit)
        seen = one(store, path)
        assert seen.reading is not None
        assert seen.reading.condition is Condition.READ
        place.put(path, b"x" * (limit + 1))
        seen = one(store, path)
        assert seen.stamp == store.stamp(path)
        assert seen.reading is not None
        assert seen.reading.condition is Condition.HELD
        assert [problem.code for problem in seen.reading.problems] == ["file_too_large"]
        assert seen.reading.claim is not None

    def test_a_new_file_is_there_at_once(self, place: Place) -> None:
        """What was created can be listed, read and edited, in a folder that was made for it."""
        store = place.store()
        with store.writing() as pen:
            path = pen.create("memories/2026-11", "tea-1.md", GOOD)
        assert path == "memories/2026-11/tea-1.md"
        assert place.get(path) == GOOD
        assert list(store.walk().files) == [path]
        assert one(store, path).stamp == store.stamp(path)

    def test_a_new_file_never_replaces_one(self, place: Place) -> None:
        """A taken name gets a number, whatever its case; every file keeps its bytes."""
        place.put("memories/Tea.md", b"old")
        place.put("memories/tea-2.md", b"old too")
        store = place.store()
        with store.writing() as pen:
            assert pen.create("memories", "tea.md", GOOD) == "memories/tea-3.md"
            assert pen.create("memories", "TEA.md", OTHER) == "memories/TEA-4.md"
        assert place.get("memories/Tea.md") == b"old"
        assert place.get("memories/tea-2.md") == b"old too"
        assert place.get("memories/tea.md") is None

    def test_an_edit_replaces_the_version_it_names(self, place: Place) -> None:
        """An edit of the current version counts; its bytes are what `change` makes of the file's."""
        place.put(PATH, GOOD)
        store = place.store()
        before = store.stamp(PATH)
        with store.writing() as pen:
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
        assert place.get(PATH) == GOOD.replace(b"approved", b"rejected")
        assert store.stamp(PATH) != before

    def test_an_edit_keeps_the_files_own_line_ends(self, place: Place) -> None:
        """A version is the same with other line ends, and the edit is made on the bytes that are there."""
        place.put(PATH, GOOD.replace(b"\n", b"\r\n"))
        with place.store().writing() as pen:
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
        assert place.get(PATH) == GOOD.replace(b"approved", b"rejected").replace(b"\n", b"\r\n")

    def test_an_edit_without_effect_writes_nothing(self, place: Place) -> None:
        """Bytes that stay the same are not written."""
        place.put(PATH, GOOD)
        store = place.store()
        before = store.stamp(PATH)
        with store.writing() as pen:
            pen.edit(PATH, GOOD_VERSION, lambda raw: raw, called="m_1")
        assert store.stamp(PATH) == before

    def test_an_edit_of_another_version_is_a_conflict(self, place: Place) -> None:
        """A file that changed since it was read keeps its bytes; the error carries the version that is there."""
        place.put(PATH, OTHER)
        with place.store().writing() as pen, pytest.raises(Conflict) as caught:
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
        assert caught.value.current == version_of(OTHER, Kind.MEMORY)
        assert str(caught.value).startswith("m_1 changed")
        assert place.get(PATH) == OTHER

    def test_an_edit_of_a_file_that_is_gone_is_a_conflict(self, place: Place) -> None:
        """A file that was deleted is not made anew."""
        with place.store().writing() as pen, pytest.raises(Conflict) as caught:
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
        assert caught.value.current == "gone"
        assert place.get(PATH) is None

    @pytest.mark.parametrize("meanwhile", [OTHER, None, GOOD.replace(b"\n", b"\r\n")])
    def test_a_save_during_an_edit_wins(self, place: Place, meanwhile: bytes | None) -> None:
        """An owner who saves or deletes while the edit is made keeps what was saved, to the byte."""
        place.put(PATH, GOOD)

        def change(raw: bytes) -> bytes:
            if meanwhile is None:
                place.remove(PATH)
            else:
                place.put(PATH, meanwhile)
            return reject(raw)

        with place.store().writing() as pen, pytest.raises(Conflict):
            pen.edit(PATH, GOOD_VERSION, change, called="m_1")
        assert place.get(PATH) == meanwhile

    @pytest.mark.parametrize(
        ("path", "raw"),
        [
            (PATH, b"---\nstate: secret\n---\nx\n"),
            (PATH, b"---\nid: x\n"),
            (PATH, b""),
            (PATH, b"---\nid: x\n---\n"),
            (PATH, b"\xff"),
            (PATH, b"x" * (MAX_MEMORY + 1)),
            ("knowledge/a.md", b"---\nid: m_0123456789ab\n---\nx\n"),
            ("other/a.md", GOOD),
        ],
    )
    def test_a_held_file_is_never_written(self, place: Place, path: str, raw: bytes) -> None:
        """A file that is held, empty, unfinished, too large or of no kind keeps its bytes."""
        place.put(path, raw)
        with place.store().writing() as pen, pytest.raises(HeldFile, match="m_1 is held"):
            pen.edit(path, version_of(raw, Kind.MEMORY), lambda _: GOOD, called="m_1")
        assert place.get(path) == raw

    def test_a_file_without_a_safe_edit_is_not_written(self, place: Place) -> None:
        """Where lines cannot be edited alone, the refusal says why and the bytes stay."""
        raw = b"---\n{state: approved}\n---\nx\n"
        place.put(PATH, raw)
        with place.store().writing() as pen, pytest.raises(NotEditable, match="line by line"):
            pen.edit(PATH, version_of(raw, Kind.MEMORY), reject, called="m_1")
        assert place.get(PATH) == raw

    def test_a_change_that_refuses_itself_is_not_written(self, place: Place) -> None:
        """A NoSafeEdit of the change is the refusal's reason."""
        place.put(PATH, GOOD)

        def change(raw: bytes) -> bytes:
            raise NoSafeEdit("it is full")

        with place.store().writing() as pen, pytest.raises(NotEditable, match="it is full"):
            pen.edit(PATH, GOOD_VERSION, change, called="m_1")
        assert place.get(PATH) == GOOD

    def test_an_edit_never_makes_a_file_that_would_be_held(self, place: Place) -> None:
        """A file does not grow over its kind's limit."""
        place.put(PATH, GOOD)
        with place.store().writing() as pen, pytest.raises(NotEditable, match="large"):
            pen.edit(PATH, GOOD_VERSION, lambda raw: raw + b"x" * MAX_MEMORY, called="m_1")
        assert place.get(PATH) == GOOD

    def test_a_read_only_file_is_not_written(self, place: Place) -> None:
        """A file that its owner marked read-only keeps its bytes, whoever runs this."""
        place.put(PATH, GOOD)
        place.lock(PATH)
        with place.store().writing() as pen, pytest.raises(NotEditable, match="read-only"):
            pen.edit(PATH, GOOD_VERSION, reject, called="m_1")
        assert place.get(PATH) == GOOD

    def test_temporary_files_that_were_left_are_told_and_cleaned(self, place: Place) -> None:
        """A walk names the folders that hold our temporary files; old ones go under the lock, all else stays."""
        old, young, note = "memories/b/.pk-0123456789ab.tmp", "memories/b/.pk-ba9876543210.tmp", "memories/b/a.md"
        for path in (old, young, note, "memories/c/x.tmp"):
            place.put(path, GOOD)
        for path in (old, note, "memories/c/x.tmp"):
            place.age(path)
        store = place.store()
        walk = store.walk()
        assert walk.littered == {"memories/b"}
        assert list(walk.files) == [note]
        with store.writing() as pen:
            assert pen.clean(["memories/gone"]) == 0
            assert pen.clean(["memories/b", "memories/c"]) == 1
        assert place.get(old) is None
        assert [place.get(path) for path in (young, note, "memories/c/x.tmp")] == [GOOD] * 3

    def test_a_read_only_vault_says_why(self, place: Place) -> None:
        """A vault that may not be written gives its reason and no pen; it is still read."""
        place.put(PATH, GOOD)
        store = place.store(read_only="format 9 is newer")
        with pytest.raises(ReadOnlyVault, match="format 9 is newer"), store.writing():
            raise AssertionError("no pen may be had")
        assert one(store, PATH).reading is not None

    def test_a_vault_that_is_gone_has_no_identity(self, place: Place) -> None:
        """A vault has one identity while it is there, and none when its folder is gone."""
        store = place.store()
        assert store.identity() is not None
        assert store.identity() == store.identity()
        place.take_away()
        assert store.identity() is None
        with pytest.raises(VaultUnreadable):
            store.walk()

    @pytest.mark.parametrize("kept", [True, False])
    def test_a_removed_file_is_gone_or_in_the_trash(self, place: Place, kept: bool) -> None:
        """The version that was named goes; what nothing else keeps lies in the trash and is served to nobody."""
        place.put(PATH, GOOD)
        store = place.store()
        with store.writing() as pen:
            pen.remove(PATH, GOOD_VERSION, called="it", kept=kept)
        assert place.get(PATH) is None and store.stamp(PATH) is None and store.walk().files == {}
        assert place.trash() == ([] if kept else [GOOD])

    def test_a_changed_file_is_not_removed(self, place: Place) -> None:
        """Another version, a missing file, one marked read-only and one of no kind stay as they are."""
        place.put(PATH, OTHER)
        place.put("a.md", GOOD)
        with place.store().writing() as pen:
            for path in (PATH, "memories/gone.md"):
                with pytest.raises(Conflict):
                    pen.remove(path, GOOD_VERSION, called="it", kept=True)
            with pytest.raises(HeldFile):
                pen.remove("a.md", GOOD_VERSION, called="it", kept=True)
            place.put(PATH, GOOD)
            place.lock(PATH)
            with pytest.raises(NotEditable):
                pen.remove(PATH, GOOD_VERSION, called="it", kept=True)
        assert place.get(PATH) == GOOD and place.get("a.md") == GOOD and place.trash() == []
