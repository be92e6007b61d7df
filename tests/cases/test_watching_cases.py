"""Saves, switches and losses as they happen while a server runs: what is on disk is what is told, at each moment."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import InotifyFD, WatchDescriptor

import personakit.vault.watch as module
from personakit.services.clock import SystemClock
from personakit.services.examine import examine
from personakit.services.freshness import BLIND_SWEEP_SECONDS
from personakit.services.opened import OpenVault
from personakit.vault.watch import KernelWatch
from tests.cases.inputs import ID, bring, bring_all, git, ids, raw, shown, told
from tests.cli.conftest import Command
from tests.rpc import Client
from tests.support import SetClock, make_vault, open_desk, open_vault, put

OLD, NEW = "Prefers tabs over spaces.", "Prefers tabs, width {}."


def everything(opened: OpenVault) -> dict[str, object]:
    """Give all that a vault's index holds, by id."""
    return {note.id: note for note in opened.library.notes()}


def equals_a_fresh_scan(opened: OpenVault, root: Path) -> bool:
    """Say whether a call finds what a scan from nothing would."""
    opened.freshness.before_call()
    return everything(opened) == everything(open_vault(root))


def test_empty_moment_mid_save(vault: Path) -> None:
    """While an editor has emptied a file and not yet written it, the old text is told, confirmed; then the new one."""
    path = bring(vault, "27-empty-moment-mid-save", "before.md", to="a.md")
    clock = SetClock()
    desk = open_desk(vault, clock=clock)
    new = raw("27-empty-moment-mid-save", "after.md")

    def read() -> list[tuple[str, bool]]:
        answer = desk.read("tabs", 7)
        assert answer.withheld == 0
        return [(memory.text, memory.confirmed) for memory in answer.memories]

    assert read() == [(OLD, True)]
    with path.open("wb") as file:
        assert read() == [(OLD, True)]
        clock.ahead += 0.15
        assert read() == [(OLD, True)]
        for part in (new[:3], new[3:40], new[40 : new.index(b"---\n", 4)]):
            file.write(part)
            file.flush()
            assert read() == [(OLD, True)]
        file.write(new[new.index(b"---\n", 4) :])
    assert read() == [(NEW.format(4), True)]


def test_vim_rename_save(vault: Path, owner: Command) -> None:
    """A save by rename keeps one memory with its id and state, and what the editor leaves beside it is never one."""
    path = bring(vault, "28-vim-rename-save", "before.md", to="a.md")
    desk = open_desk(vault)
    assert [(memory.id, memory.text, memory.confirmed) for memory in told(desk, "tabs")] == [(ID, OLD, True)]
    beside = {name: path.with_name(name) for name in ("4913", "a.md~", ".a.md.swp")}
    for name in ("4913", ".a.md.swp"):
        beside[name].write_bytes(raw("28-vim-rename-save", "before.md"))
    assert len(told(desk, "tabs")) == 1
    beside["4913"].unlink()
    path.rename(beside["a.md~"])
    assert told(desk, "tabs") == []
    path.write_bytes(raw("28-vim-rename-save", "after.md"))
    assert [(memory.id, memory.text, memory.confirmed) for memory in told(desk, "tabs")] == [(ID, NEW.format(8), True)]
    assert ids(owner) == [ID]
    beside["a.md~"].unlink()
    beside[".a.md.swp"].unlink()
    assert [(memory.id, memory.text, memory.confirmed) for memory in told(desk, "tabs")] == [(ID, NEW.format(8), True)]
    assert ids(owner) == [ID] and shown(owner)["state"] == "approved"


def switched_to_and_fro(root: Path, number: int) -> None:
    """Switch between two branches that differ in every memory while calls come, and look at each answer."""

    def write(text: str) -> None:
        for each in range(number):
            put(root, f"{each % 7}/{each}.md", f"{text} number{each}x", id=f"m_{each:012x}", state="approved")

    git(root, "init", "-q", "-b", "main")
    write("Likes tea")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    git(root, "checkout", "-qb", "other")
    write("Likes another drink")
    git(root, "commit", "-qam", "Reword")
    git(root, "checkout", "-q", "main")
    opened = open_vault(root, SystemClock())
    assert len(everything(opened)) == number
    for branch, text in (("other", "Likes another drink"), ("main", "Likes tea")):
        switch = threading.Thread(target=git, args=(root, "checkout", "-q", branch))
        switch.start()
        fewest = number
        while switch.is_alive():
            opened.freshness.before_call()
            fewest = min(fewest, len(everything(opened)))
        switch.join()
        assert fewest >= number / 2
        opened.freshness.before_call()
        told_now = {getattr(note, "text", "") for note in everything(opened).values()}
        assert told_now == {f"{text} number{each}x" for each in range(number)}
    assert equals_a_fresh_scan(opened, root)


def test_branch_switch_60_files(vault: Path) -> None:
    """After a switch of branches and back every memory is there, with the words of the branch; never under half."""
    switched_to_and_fro(vault, 60)


@pytest.mark.long
def test_branch_switch_1000_files(vault: Path) -> None:
    """A thousand memories outlive a switch of branches and back as sixty do."""
    switched_to_and_fro(vault, 1_000)


def test_one_change_clears_index(vault: Path) -> None:
    """A line added to one file leaves the others found, and the file itself."""
    bring_all(vault, "31-one-change-clears-index")
    desk = open_desk(vault)
    assert [memory.text for memory in told(desk, "alpha")] == ["alpha words"]
    with (vault / "memories" / "a.md").open("ab") as file:
        file.write(b"one more line\n")
    for word, number in (("bravo", "b"), ("charlie", "c"), ("alpha", "a")):
        assert [memory.id for memory in told(desk, word)] == [f"m_{number:>012}"]


def test_event_queue_overflow(vault: Path) -> None:
    """When the kernel's queue was full, the next call looks at everything, and the loss is counted."""
    opened = open_vault(vault)
    watch = opened.freshness.watch
    assert isinstance(watch, KernelWatch)
    for number in range(50):
        put(vault, f"{number}.md", f"Likes tea number{number}x")
    assert len(watch.take().files) == 50  # read and thrown away, as a full queue does
    opened.freshness.before_call()
    assert everything(opened) == {}
    watch.on_queue_overflow()
    assert equals_a_fresh_scan(opened, vault)
    assert len(everything(opened)) == 50
    assert examine(opened).sight.lost == 1


@pytest.mark.long
def test_event_queue_overflow_for_real(vault: Path) -> None:
    """After a burst of more events than the kernel keeps, the next call finds what a fresh scan finds."""
    opened = open_vault(vault)
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    number = max(9_000, room * 6 // 10)
    for each in range(number):  # each gives two events or more
        put(vault, f"{each}.md", f"Likes tea number{each}x")
    assert equals_a_fresh_scan(opened, vault)
    assert len(everything(opened)) == number
    assert examine(opened).sight.lost >= 1


def test_root_deleted_and_recreated(vault: Path) -> None:
    """While the folder is gone each call says so and names it; back, it is watched again, without a restart."""
    put(vault, "a.md", "Likes green tea", state="approved")
    with Client(vault) as client:
        assert [memory["text"] for memory in client.read("tea")["memories"]] == ["Likes green tea"]
        shutil.rmtree(vault)
        for _ in range(2):
            gone = client.call("personakit_read", {"question": "tea"})
            assert gone["isError"] and str(vault) in gone["content"][0]["text"]
            assert list(gone["structuredContent"]) == ["error"]
        refused = client.call("personakit_propose", {"text": "Likes rain", "quote": "rain"})
        assert refused["isError"] and str(vault) in refused["content"][0]["text"]
        assert not vault.exists()
        make_vault(vault)
        path = put(vault, "a.md", "Likes black tea", state="approved")
        put(vault, "b.md", "Likes white tea", state="approved")
        assert {memory["text"] for memory in client.read("tea")["memories"]} == {"Likes black tea", "Likes white tea"}
        path.write_text(path.read_text().replace("black", "cold"))
        assert {memory["text"] for memory in client.read("tea")["memories"]} == {"Likes cold tea", "Likes white tea"}
        put(vault, "deep/c.md", "Likes iced tea", state="approved")
        assert len(client.read("tea")["memories"]) == 3


def few_watches(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the kernel have room for some watches only."""
    real: Callable[..., WatchDescriptor] = InotifyFD.add_callback
    left = iter(range(number))

    def add(self: InotifyFD, *given: object) -> WatchDescriptor:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "inotify watch limit reached")
        return real(self, *given)

    monkeypatch.setattr(InotifyFD, "add_callback", add)


def test_watch_limit_partial(vault: Path, owner: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer watches than folders the vault is looked at instead, which doctor says; nothing stays unseen."""
    folders = [f"{number:02}" for number in range(51)]
    for folder in folders:
        (vault / "memories" / folder).mkdir()
    few_watches(monkeypatch, 20)
    clock = SetClock()
    opened = open_vault(vault, clock)
    sight = opened.freshness.watch.sight()
    assert (sight.how, sight.folders) == ("sweeps", 20)
    for folder in folders:
        put(vault, f"{folder}/a.md", f"Likes tea number{folder}x")
    clock.ahead += BLIND_SWEEP_SECONDS
    assert equals_a_fresh_scan(opened, vault)
    assert len(everything(opened)) == 51
    monkeypatch.undo()
    few_watches(monkeypatch, 20)
    said = owner("doctor").out
    assert "only 20 folders could be watched (inotify watch limit reached)" in said and "every 2 s" in said
    monkeypatch.undo()
    few_watches(monkeypatch, 20)
    assert "sweeps (only 20 folders" in owner("doctor", "--report").out


def test_mount_without_events(vault: Path, owner: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a mount that raises no events a change is found by looking; doctor and status tell how often, and why."""
    monkeypatch.setattr(module, "deaf_mount", lambda _root: "fuse.bindfs")
    clock = SetClock()
    desk = open_desk(vault, clock=clock)
    assert told(desk, "tabs") == []
    path = bring(vault, "38-stale-write-refused", "v1.md", to="a.md")
    clock.ahead += BLIND_SWEEP_SECONDS
    assert [memory.text for memory in told(desk, "tabs")] == [OLD]
    path.write_bytes(raw("38-stale-write-refused", "v2.md"))
    assert told(desk, "tabs") == []
    assert [memory.text for memory in told(desk, "owner changed")] == ["Owner changed this meanwhile."]
    path.write_bytes(raw("38-stale-write-refused", "v2.md").replace(b"unconfirmed", b"restricted"))
    assert desk.read("changed", 7).withheld == 1
    why = "a fuse.bindfs mount reports no changes made elsewhere"
    for command in ("doctor", "status"):
        said = owner(command).out
        assert f"{BLIND_SWEEP_SECONDS:.0f} s" in said and why in said
    assert owner("status", "--json").json["changes"] == {"how": "sweeps", "why": why}
