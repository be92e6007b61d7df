"""Freshness: what the owner saved counts in the very next call, by event, by stat or by sweep."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from personakit.config import Launch
from personakit.errors import VaultEmptied
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.vault.store import DiskVault
from personakit.vault.watch import Marks, NoWatch, Sight, watch_for
from tests.support import SetClock, make_vault, open_desk, put, text_of, texts, tree_hash


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with one approved memory."""
    root = make_vault(tmp_path / "vault")
    put(root, "a.md", "Likes green tea", state="approved")
    return root


def in_place(path: Path, text: str) -> None:
    """Save as most editors do."""
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    """Save to a temporary file and rename it."""
    temp = path.with_name(".save.tmp")
    temp.write_text(text)
    temp.replace(path)


def like_vim(path: Path, text: str) -> None:
    """Move the file aside, write a new one, delete the backup."""
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text(text)
    backup.unlink()


def delete_first(path: Path, text: str) -> None:
    """Delete the file and write it anew."""
    path.unlink()
    path.write_text(text)


def truncate_first(path: Path, text: str) -> None:
    """Truncate, then write through the same descriptor."""
    with path.open("r+") as file:
        file.truncate(0)
        file.write(text)


def by_another_folder(path: Path, text: str) -> None:
    """Write outside the vault and move the file in."""
    other = path.parent.parent.parent / "outside.md"
    other.write_text(text)
    shutil.move(other, path)


MANNERS = [in_place, by_rename, like_vim, delete_first, truncate_first, by_another_folder]


@pytest.mark.parametrize("save", MANNERS, ids=lambda save: save.__name__)
def test_each_editors_manner_counts_at_once(root: Path, save: Callable[[Path, str], None]) -> None:
    """A state saved in any editor's manner counts in the next call, to and fro."""
    desk = open_desk(root)
    path = root / "memories" / "a.md"
    for _ in range(20):
        save(path, text_of("Likes green tea", state="restricted"))
        answer = desk.read("tea", 7)
        assert answer.memories == () and answer.withheld == 1
        save(path, text_of("Likes green tea", state="approved"))
        assert texts(desk, "tea") == ["Likes green tea"]


def test_additions_and_folders_count_at_once(root: Path, tmp_path: Path) -> None:
    """New files, new folders, folders moved in, within and out of the vault count in the next call."""
    desk = open_desk(root)
    put(root, "b.md", "Likes black tea", state="approved")
    assert len(texts(desk, "tea")) == 2
    put(root, "deep/er/c.md", "Likes white tea", state="approved")
    assert len(texts(desk, "tea")) == 3
    (root / "memories" / "deep").rename(root / "memories" / "shallow")
    assert len(texts(desk, "tea")) == 3
    put(root, "shallow/er/d.md", "Likes cold tea", state="approved")
    assert len(texts(desk, "tea")) == 4
    (root / "memories" / "shallow").rename(tmp_path / "away")
    assert len(texts(desk, "tea")) == 2
    (tmp_path / "away").rename(root / "memories" / "back")
    assert len(texts(desk, "tea")) == 4
    shutil.rmtree(root / "memories" / "back")
    assert len(texts(desk, "tea")) == 2


class LostEvents(NoWatch):
    """Claims that events are trusted and gives none."""

    def sight(self) -> Sight:
        """Claim to see."""
        return Sight("events", "")

    def take(self) -> Marks:
        """Give nothing."""
        return Marks()


def blind_desk(root: Path, clock: SetClock, watch: type[NoWatch] = LostEvents) -> Desk:
    """Open a desk whose events are all lost."""
    desk = Desk(Launch(vault=str(root)), OpenVault(str(root), clock, lambda _r, _d: watch()))
    desk.load()
    return desk


@pytest.mark.parametrize("save", MANNERS, ids=lambda save: save.__name__)
def test_withdrawals_count_though_every_event_is_lost(root: Path, save: Callable[[Path, str], None]) -> None:
    """What the owner restricted, edited or deleted is never served in its old form, without a single event."""
    path = root / "memories" / "a.md"
    os.utime(path, (1_700_000_000, 1_700_000_000))
    desk = blind_desk(root, SetClock())
    save(path, text_of("Likes green tea", state="restricted"))
    assert texts(desk, "tea") == []
    save(path, text_of("Likes green tea, iced", state="approved"))
    path.unlink()
    assert texts(desk, "tea") == []


def test_sweeps_find_what_no_event_told(root: Path) -> None:
    """With events that are not trusted an addition is seen within 2 s; with lost ones within the sweep's time."""
    clock = SetClock()
    desk = blind_desk(root, clock, NoWatch)
    put(root, "b.md", "Likes black tea", state="approved")
    clock.ahead += 2.0
    assert len(texts(desk, "tea")) == 2
    put(root, "a.md", "Likes green coffee", state="approved")
    assert texts(desk, "coffee")[0] == "Likes green coffee"


def test_a_rest_of_ten_minutes_ends_with_a_sweep(root: Path) -> None:
    """After ten minutes without a call the next one looks at everything first."""
    clock = SetClock()
    desk = blind_desk(root, clock)
    texts(desk, "tea")
    put(root, "b.md", "Likes black tea", state="approved")
    clock.ahead += 601.0
    assert len(texts(desk, "tea")) == 2


def test_rounds_end_when_calls_do(root: Path) -> None:
    """Sweeps go on while calls come and stop ten minutes after the last."""
    clock = SetClock()
    vault = OpenVault(str(root), clock, watch_for)
    vault.load()
    vault.freshness.before_call()
    put(root, "b.md", "Likes black tea", state="approved")
    clock.ahead += 16.0
    assert vault.freshness.sweep_if_due() is not None
    assert len(vault.library.notes()) == 2
    clock.ahead += 601.0
    assert vault.freshness.sweep_if_due() is None


def test_a_save_in_progress_keeps_the_last_good_version(root: Path) -> None:
    """An empty or cut-off file serves its last good version for 2 s, however often it changes, then is held."""
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    path = root / "memories" / "a.md"
    for torn in ("", "---\nstate: appro", "---\n"):
        path.write_text(torn)
        assert texts(desk, "tea") == ["Likes green tea"]
    clock.ahead += 2.1
    assert texts(desk, "tea") == []
    path.write_text(text_of("Likes green tea, iced", state="approved"))
    assert texts(desk, "tea") == ["Likes green tea, iced"]
    path.write_text("")
    assert texts(desk, "tea") == ["Likes green tea, iced"]


def test_each_unfinished_version_is_retried_once(root: Path) -> None:
    """An unfinished version is read again after 1, 2, 4 … 50 ms, and not again by the next call."""
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    (root / "memories" / "a.md").write_text("")
    texts(desk, "tea")
    waits = [pause for pause in clock.slept if pause < 0.06]
    assert waits == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.050]
    texts(desk, "tea")
    assert [pause for pause in clock.slept if pause < 0.06] == waits


def test_reading_changes_no_byte(root: Path) -> None:
    """Indexing a vault and answering from it leaves every byte and mode outside .personakit as it was."""
    put(root, "odd.md", "Likes odd files", state="sure")
    (root / "memories" / "empty.md").write_text("")
    before = tree_hash(root)
    desk = open_desk(root)
    texts(desk, "tea")
    texts(desk, "anything else")
    assert tree_hash(root) == before


def test_own_writes_are_no_news(root: Path) -> None:
    """The event of an own write finds the content known and changes nothing."""
    desk = open_desk(root)
    desk.propose("Likes scones", "scones please", "other")
    vault = desk._vault
    before = dict(vault.library.files)
    vault.freshness.before_call()
    assert {path: record.reading for path, record in vault.library.files.items()} == {
        path: record.reading for path, record in before.items()
    }


def test_new_settings_leave_no_watch_behind(root: Path) -> None:
    """Reading the vault anew for other settings gives the old watch's descriptor back."""
    desk = open_desk(root)
    before = len(os.listdir("/proc/self/fd"))
    for language in ("de", "en", "fr") * 3:
        (root / "personakit.yaml").write_text(f"format: 1\nlanguage: {language}\n")
        assert texts(desk, "tea") == ["Likes green tea"]
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_each_save_gets_its_own_grace(root: Path) -> None:
    """A save that ends with the old bytes is over: the next one, much later, has its two seconds again."""
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    path = root / "memories" / "a.md"
    whole = path.read_text()
    for _ in range(3):
        path.write_text("")
        assert texts(desk, "tea") == ["Likes green tea"]
        path.write_text(whole)
        assert texts(desk, "tea") == ["Likes green tea"]
        clock.ahead += 30.0


def test_an_empty_file_is_not_read_at_every_call(root: Path) -> None:
    """A file that stays empty is looked at once more when its time is over, and then left alone."""
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    (root / "memories" / "a.md").write_text("")
    texts(desk, "tea")
    clock.ahead += 2.1
    for _ in range(2):
        texts(desk, "tea")
    assert desk._vault.library.overdue_saves() == []


def test_a_root_made_anew_with_the_same_inode_is_watched_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder deleted and made anew between two calls may look like the same one; its changes count at once."""
    desk = open_desk(root)
    monkeypatch.setattr(DiskVault, "identity", lambda _self: (1, 1))
    texts(desk, "tea")
    for drink in ("tea", "coffee"):
        shutil.rmtree(root)
        make_vault(root)
        put(root, "a.md", f"Likes green {drink}", state="approved")
        assert texts(desk, drink) == [f"Likes green {drink}"]
        put(root, "sub/b.md", f"Likes black {drink}", state="approved")
        assert len(texts(desk, drink)) == 2


def test_what_vanished_while_doubted_is_gone_with_the_doubt(root: Path) -> None:
    """Files that vanish at once stay gone, and are counted nowhere, when another one comes before they are believed."""
    paths = [put(root, f"{number}.md", f"Likes tea number {number}", state="restricted") for number in range(12)]
    desk = open_desk(root)
    for path in [*paths, root / "memories" / "a.md"]:
        path.unlink()
    with pytest.raises(VaultEmptied):
        desk.read("tea", 7)
    put(root, "new.md", "Likes cold tea", state="approved")
    answer = desk.read("tea", 7)
    assert [memory.text for memory in answer.memories] == ["Likes cold tea"] and answer.withheld == 0


def test_everything_gone_without_an_event_is_doubted_too(root: Path) -> None:
    """Where no event told that every file went, the call that meets it names it as one that heard of it would."""
    paths = [put(root, f"{number}.md", f"Likes tea number {number}", state="approved") for number in range(12)]
    clock = SetClock()
    desk = blind_desk(root, clock)
    for path in [*paths, root / "memories" / "a.md"]:
        path.unlink()
    for _ in range(2):
        with pytest.raises(VaultEmptied):
            desk.read("tea", 20)
    clock.ahead += 2.1
    assert texts(desk, "tea") == []


def test_a_rewrite_within_one_tick_counts(root: Path) -> None:
    """A rewrite of equal size that leaves the same stamp, as on a slow clock, is found by content before it leaves."""
    clock = SetClock()
    desk = blind_desk(root, clock)
    path = root / "memories" / "a.md"
    assert texts(desk, "tea") == ["Likes green tea"]
    library = desk._vault.library
    path.write_text(text_of("Likes black tea", state="approved"))
    record = library.files["memories/a.md"]
    stamp = library.store.stamp("memories/a.md")
    assert stamp is not None
    library.files["memories/a.md"] = record._replace(stamp=stamp, seen_ns=stamp.mtime_ns)
    assert texts(desk, "tea") == ["Likes black tea"]
