"""What sync tools and plugins leave beside a memory: told apart by name and id, listed, never deleted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from personakit.services.answers import Stored
from tests.cases.inputs import DATA, ID, bring, bring_all, held, ids, listed, message, raw, shown, told
from tests.cli.conftest import Command
from tests.support import open_desk, open_vault, put, tree_hash

SYNC_COPY = "tabs.sync-conflict-20261121-184717-5RQAITR.md"
DROPBOX_COPY = "tabs (laptop's conflicted copy 2026-11-21).md"


def differing(owner: Command, path: str) -> set[str]:
    """Give the keys in which `doctor` says that a copy differs from its original."""
    found = re.search(r"differing: ([^.]*)\.", message(owner, path))
    assert found is not None
    return set(found[1].split(", "))


def test_syncthing_conflict_copy(vault: Path, owner: Command) -> None:
    """The plain name wins, the copy is told to nobody, and the pair is listed with the keys that differ."""
    bring_all(vault, "43-syncthing-conflict-copy")
    before = tree_hash(vault)
    desk = open_desk(vault)
    answer = desk.read("tabs YAML", 7)
    assert [(memory.id, memory.text) for memory in answer.memories] == [(ID, "Prefers tabs over spaces.")]
    assert answer.withheld == 0 and answer.memories[0].confirmed
    assert ids(owner) == [ID] and shown(owner)["path"] == "memories/tabs.md"
    copy = f"memories/{SYNC_COPY}"
    assert listed(owner) == [(copy, "conflict_copy", 0)] and held(owner) == 0
    assert "memories/tabs.md" in message(owner, copy)
    assert differing(owner, copy) == {"state", "statement"}
    assert tree_hash(vault) == before


def test_dropbox_conflicted_copy(vault: Path, owner: Command) -> None:
    """A copy with equal words is told to nobody either; the more cautious state of the two counts."""
    bring_all(vault, "44-dropbox-conflicted-copy", "both")
    before = tree_hash(vault)
    (memory,) = told(open_desk(vault), "tabs")
    assert (memory.id, memory.text, memory.confirmed) == (ID, "Prefers tabs over spaces.", False)
    assert ids(owner) == [ID] and shown(owner)["path"] == "memories/tabs.md"
    copy = f"memories/{DROPBOX_COPY}"
    assert listed(owner) == [(copy, "conflict_copy", 0)]
    assert "memories/tabs.md" in message(owner, copy) and differing(owner, copy) == {"state"}
    assert tree_hash(vault) == before


def test_dropbox_conflicted_copy_alone(vault: Path, owner: Command) -> None:
    """A copy without its original is the memory, whatever its name; doctor suggests another one."""
    (path,) = bring_all(vault, "44-dropbox-conflicted-copy", "alone")
    (memory,) = told(open_desk(vault), "tabs")
    assert memory.id == "m_00000000000c" and ids(owner) == ["m_00000000000c"]
    copy = f"memories/{DROPBOX_COPY}"
    assert listed(owner) == [(copy, "copy_alone", 0)]
    assert "Rename it" in message(owner, copy)
    path.rename(path.with_name("tabs.md"))
    assert ids(owner) == ["m_00000000000c"] and listed(owner) == []


@pytest.mark.parametrize("case", ["43-syncthing-conflict-copy/vault", "44-dropbox-conflicted-copy/both"])
def test_conflict_copies_come_and_go(vault: Path, case: str) -> None:
    """A copy that a sync tool drops beside an open memory changes nothing but its caution, and goes as it came."""
    bring(vault, case, "tabs.md")
    (copy,) = [path.name for path in (DATA / case).iterdir() if path.name != "tabs.md"]
    desk = open_desk(vault)
    before = told(desk, "tabs")
    path = bring(vault, case, copy)
    assert [memory.id for memory in told(desk, "tabs")] == [ID]
    path.unlink()
    assert told(desk, "tabs") == before


def test_names_differ_in_case(vault: Path, owner: Command) -> None:
    """Two names that differ in case alone are two memories where the system has both and their ids differ."""
    bring(vault, "47-names-differ-in-case", "upper.md", to="Tabs.md")
    bring(vault, "47-names-differ-in-case", "lower.md", to="tabs.md")
    assert ids(owner) == ["m_00000000000a", "m_00000000000b"] and listed(owner) == []
    assert {memory.id for memory in told(open_desk(vault), "tabs")} == set(ids(owner))


def test_names_differ_in_case_at_creation(vault: Path) -> None:
    """A new memory gets a name that differs from every other in more than case, and empties none."""
    desk = open_desk(vault)
    first = desk.propose("Prefers tabs.", "tabs, please", "tools")
    assert isinstance(first, Stored)
    (path,) = (vault / "memories").rglob("*.md")
    taken = path.with_name(path.name.upper())
    path.rename(taken)
    taken.write_bytes(raw("47-names-differ-in-case", "upper.md"))
    again = desk.propose("Prefers tabs.", "tabs, please", "tools")
    assert isinstance(again, Stored) and again.new
    names = [file.name for file in path.parent.iterdir()]
    assert len({name.casefold() for name in names}) == len(names) == 2
    assert taken.read_bytes() == raw("47-names-differ-in-case", "upper.md")


@pytest.mark.parametrize("declared", [True, False])
def test_names_differ_in_case_after_a_rename(vault: Path, declared: bool) -> None:
    """A rename that changes only case keeps the id and is one change: at no call are there two, or none."""
    text = raw("47-names-differ-in-case", "upper.md")
    path = bring(vault, "47-names-differ-in-case", "upper.md", to="Tabs.md")
    if not declared:
        path.write_bytes(text.replace(b"id: m_00000000000a\n", b""))
    put(vault, "other.md", "Likes tea")
    opened = open_vault(vault)
    before = {note.id for note in opened.library.notes()}
    path.rename(path.with_name("tabs.md"))
    opened.freshness.before_call()
    assert {note.id for note in opened.library.notes()} == before
    assert sorted(note.path for note in opened.library.notes()) == ["memories/other.md", "memories/tabs.md"]
    assert opened.library.verdicts == {}


def test_plugin_conflict_note(vault: Path, owner: Command) -> None:
    """The note that a git plugin drops into the vault's root is no memory and is never returned."""
    bring(vault, "55-plugin-conflict-note", "vault/tabs.md")
    note = "conflict-files-obsidian-git.md"
    (vault / note).write_bytes(raw("55-plugin-conflict-note", f"vault/{note}"))
    desk = open_desk(vault)
    assert told(desk, "conflicts resolve commit") == []
    assert [memory.id for memory in told(desk, "tabs")] == [ID]
    assert ids(owner) == [ID] and listed(owner) == []
    assert owner("status", "--json").json["kinds"] == {"memory": 1}
    (vault / note).unlink()
    assert [memory.id for memory in told(desk, "tabs")] == [ID]
