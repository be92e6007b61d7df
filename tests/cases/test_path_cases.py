"""Names and places: names any system can hold, folders that are never looked into, links that are never followed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from personakit.services.answers import Refusal, Stored
from tests.cases.inputs import ID, bring, bring_all, ids, listed, raw, shown, told
from tests.cli.conftest import Command
from tests.support import open_desk, open_vault, put

TITLES = raw("46-file-names-for-every-system", "titles.txt").decode().splitlines()
DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}


def test_file_names_for_every_system(vault: Path, owner: Command) -> None:
    """Whatever a statement is, its file's name suits every system, and the statement stands in the file unchanged."""
    desk = open_desk(vault)
    assert len(TITLES) == 10 and len(TITLES[6]) == 300
    for title in TITLES[:9]:
        before = set((vault / "memories").rglob("*.md"))
        stored = desk.propose(title, "my own words", "other")
        assert isinstance(stored, Stored) and stored.new, title
        (made,) = set((vault / "memories").rglob("*.md")) - before
        assert re.fullmatch(r"[a-z0-9_-]+\.md", made.name) and len(made.name) <= 100
        assert made.stem not in DEVICES and not any(made.stem.startswith(f"{name}.") for name in DEVICES)
        assert made.parent.parent == vault / "memories"
        assert made.read_bytes().endswith(f"\n---\n{title}\n".encode())
        assert shown(owner, stored.id)["text"] == title
    assert desk.propose(TITLES[9], "my own words", "other") == Refusal("empty_text")
    assert len(ids(owner)) == 9 and listed(owner) == []
    assert not (vault.parent / "etc").exists()


def test_file_names_for_every_system_that_the_owner_made(vault: Path, owner: Command) -> None:
    """A file is read whatever its owner called it."""
    names = [title.replace("/", "|").lstrip(".")[:240] for title in TITLES]  # a first dot would hide it
    for number, name in enumerate(names):
        put(vault, f"{name}.md", f"Likes tea number{number}x", state="approved")
    assert len(told(open_desk(vault), "tea")) == len(names)
    assert {memory["path"] for memory in owner("list", "--json").json["memories"]} == {
        f"memories/{name}.md" for name in names
    }
    assert listed(owner) == []


@pytest.mark.parametrize("place", ["", "memories", "memories/deep"])
def test_trash_and_hidden_folders(vault: Path, owner: Command, place: str) -> None:
    """Nothing below a folder whose name starts with a dot is read, wherever it lies."""
    case = "49-trash-and-hidden-folders"
    now = bring(vault, case, "vault/now.md")
    hidden = {".trash": "vault/.trash/old.md", ".stversions": "vault/.stversions/old~20261101.md"}
    hidden |= {".obsidian": "vault/.trash/old.md", ".git": "vault/.trash/old.md"}
    desk = open_desk(vault)
    for folder, name in hidden.items():
        (vault / place / folder / "deep").mkdir(parents=True)
        for copy in (vault / place / folder / "old.md", vault / place / folder / "deep" / "old.md"):
            copy.write_bytes(raw(case, name))
    for each in (desk, open_desk(vault)):
        assert [memory.id for memory in told(each, "tabs secret old habit")] == ["m_00000000000c"]
    assert ids(owner) == ["m_00000000000c"] and listed(owner) == []
    assert owner("show", "m_00000000000a").code == 1
    now.rename(vault / place / ".trash" / "now.md")
    assert told(desk, "tabs") == [] and ids(owner) == []
    (vault / place / ".trash" / "now.md").rename(now)
    assert [memory.id for memory in told(desk, "tabs")] == ["m_00000000000c"]


def test_symlink_out_of_the_vault(vault: Path, owner: Command) -> None:
    """A link out of the vault is named and read by no way in; one that stays inside makes no second memory."""
    case = "50-symlink-out-of-the-vault"
    bring(vault, case, "vault/a.md")
    outside = vault / "outside.txt"
    outside.write_bytes(raw(case, "outside.txt"))
    for name in ("b.md", "leak.md"):
        (vault / "memories" / name).symlink_to(raw(case, f"vault/{name}").decode())
    assert b"outside secret" in (vault / "memories" / "leak.md").read_bytes()
    assert ids(owner) == ["m_00000000000a"]
    assert listed(owner) == [("memories/b.md", "link", 0), ("memories/leak.md", "link", 0)]
    desk = open_desk(vault)
    assert [memory.id for memory in told(desk, "outside secret tabs")] == ["m_00000000000a"]
    refused = owner("show", "m_0000000000ff")
    assert refused.code == 1 and "doctor" in refused.err
    for words in (
        ["list"],
        ["show", "memories/leak.md"],
        ["approve", "m_0000000000ff"],
        ["doctor"],
        ["read", "secret"],
    ):
        outcome = owner(*words)
        assert "outside secret" not in outcome.out + outcome.err
    seen = next(iter(open_vault(vault).library.store.read_all(["memories/leak.md"])))
    assert seen.stamp is None and seen.reading is None
    assert open_vault(vault).library.store.keys("memories/leak.md") == {}
    assert outside.read_bytes() == raw(case, "outside.txt")


def test_symlink_out_of_the_vault_that_appears(vault: Path) -> None:
    """A link that appears while the vault is served is not followed, neither a file's nor a folder's."""
    case = "50-symlink-out-of-the-vault"
    bring(vault, case, "vault/a.md")
    away = vault.parent / "away"
    away.mkdir()
    (away / "secret.md").write_bytes(raw(case, "outside.txt"))
    desk = open_desk(vault)
    assert len(told(desk, "outside secret tabs")) == 1
    (vault / "memories" / "leak.md").symlink_to(away / "secret.md")
    (vault / "memories" / "folder").symlink_to(away)
    assert [memory.id for memory in told(desk, "outside secret tabs")] == ["m_00000000000a"]


def test_symlink_loop(vault: Path, owner: Command) -> None:
    """A folder link to its parent ends no scan late: each memory is counted once, and the link is named."""
    case = "51-symlink-loop"
    bring_all(vault, case)
    (vault / "memories" / "sub").mkdir()
    (vault / "memories" / "sub" / "up").symlink_to(raw(case, "vault/sub/up").decode())
    assert os.path.samefile(vault / "memories" / "sub" / "up", vault / "memories")
    opened = open_vault(vault)
    assert [note.id for note in opened.library.notes()] == [ID]
    assert opened.freshness.watch.sight().folders == 3  # the vault, memories, memories/sub
    assert ids(owner) == [ID] and listed(owner) == [("memories/sub/up", "link", 0)]
    assert owner("doctor", "--json").json["counts"]["memory"] == 1
    put(vault, "sub/b.md", "Likes tea")
    assert len(told(open_desk(vault), "tea tabs")) == 2
