"""The word table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.index.entry import entry_for
from personakit.index.table import Table
from personakit.model.memory import Memory
from personakit.model.note import Kind, Note
from personakit.model.states import State
from personakit.model.visibility import Sight, Viewer, viewer, visible
from tests.index.notes import (
    ANYONE,
    ENGLISH,
    NOTE_IDS,
    VIEWERS,
    ask,
    ids,
    memories,
    memory,
    questions,
    replaced_for,
    table_of,
)

TODAY = "2024-03-01"


def filled(table: Table, who: Viewer = ANYONE) -> list[str]:
    """Give the ids of the fill."""
    return [note.id for note in table.fill(who, TODAY)]


def gone(table: Table, who: Viewer = ANYONE) -> set[str]:
    """Give the ids of what is superseded."""
    return {table.entry(slot).note.id for slot in table.superseded(who)}


def served(table: Table, who: Viewer) -> set[str]:
    """Give the ids on the served shelves."""
    return {table.entry(slot).note.id for shelf in table.shelves(Kind.MEMORY, who).served for slot in shelf.slots}


def test_notes_by_id() -> None:
    """A note is found by its id while it is there."""
    table = table_of([memory("m_2", "tea"), memory("m_1", "cake", state=State.REJECTED)])
    assert [entry.note.id for entry in table] == ["m_1", "m_2"]
    assert ("m_1" in table, "m_3" in table, len(table)) == (True, False, 2)
    entry = table.get("m_2")
    assert entry is not None
    assert table.remove("m_2") == entry
    assert table.remove("m_2") is table.get("m_2") is None
    assert len(table) == 1


def test_an_empty_slot_has_no_entry() -> None:
    """Asking for a slot whose note has gone is a fault."""
    table = table_of([memory("m_1", "tea")])
    table.remove("m_1")
    with pytest.raises(KeyError):
        table.entry(0)


def test_a_note_replaces_the_one_with_its_id() -> None:
    """Adding an id again leaves the new note alone, and no word of the old one."""
    table = table_of([memory("m_1", "black tea"), memory("m_1", "green tea")])
    assert len(table) == 1
    assert sorted(table.vocabulary) == ["green", "tea"]
    assert ids(ask(table, "black")) == []
    assert ids(ask(table, "green")) == ["m_1"]


def test_an_empty_table_keeps_nothing() -> None:
    """When every note has gone, so have their words and shelves."""
    table = table_of(memory(note_id, "tea", assistants=("claude",)) for note_id in NOTE_IDS)
    for note_id in NOTE_IDS:
        table.remove(note_id)
    assert not list(table.vocabulary)
    assert not list(table)
    assert table.shelves(Kind.MEMORY, viewer("claude")).served == ()


@settings(deadline=None)
@given(memories())
def test_the_gate_decides_for_each_note(notes: list[Memory]) -> None:
    """A viewer is served from exactly the shelves of the notes that the gate serves, and likewise withheld."""
    table = table_of(notes)
    for who in VIEWERS:
        seen = table.shelves(Kind.MEMORY, who)
        for shelves, sight in ((seen.served, Sight.SERVED), (seen.withheld, Sight.WITHHELD)):
            held = {table.entry(slot).note.id for shelf in shelves for slot in shelf.slots}
            assert held == {note.id for note in notes if visible(note, who) is sight}


def test_a_decision_moves_a_note_at_once() -> None:
    """A restricted memory leaves the served shelves and comes back when it is approved again."""
    note, who = memory("m_1", "tea"), viewer("claude")
    table = table_of([note])
    assert served(table, who) == {"m_1"}
    table.add([entry_for(replace(note, state=State.RESTRICTED), ENGLISH)])
    assert served(table, who) == set()
    table.add([entry_for(replace(note, assistants=("CLAUDE",)), ENGLISH)])
    assert served(table, who) == {"m_1"}
    assert served(table, ANYONE) == set()


def test_viewers_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects asked for do not pile up in memory."""
    monkeypatch.setattr("personakit.index.table._VIEWERS_KEPT", 2)
    table = table_of([memory("m_1", "tea", projects=("p3",)), memory("m_2", "tea", supersedes=("m_1",))])
    for number in range(5):
        who = viewer(None, f"p{number}")
        assert served(table, who) == ({"m_1", "m_2"} if number == 3 else {"m_2"})
        assert gone(table, who) == {"m_1"}
    assert len(table._seen) <= 2
    assert len(table._superseded) <= 2


def test_fill_order() -> None:
    """Rules come first, then the newest; a missing time comes last; equal times go by id."""
    notes = [
        memory("m_1", created="2024-01-01"),
        memory("m_2", created="2024-02-01T00:00:00Z"),
        memory("m_4"),
        memory("m_3", created="2024-01-01"),
        memory("m_5", category="constraints", created="2020-01-01"),
        memory("m_6", rule=True),
        memory("m_7", state=State.UNCONFIRMED, created="2024-02-02"),
        memory("m_8", state=State.RESTRICTED, created="2024-02-02"),
        memory("m_9", stale_after="2024-02-29", created="2024-02-02"),
    ]
    assert filled(table_of(notes)) == ["m_5", "m_6", "m_2", "m_1", "m_3", "m_4"]


def test_fill_is_for_the_viewer() -> None:
    """Only what the viewer may see fills up, from all shelves in one order, and not what was replaced."""
    notes = [
        memory("m_1", created="2024-01-03", assistants=("claude",), supersedes=("m_2",)),
        memory("m_2", created="2024-01-02"),
        memory("m_3", created="2024-01-01", projects=("garden",)),
    ]
    table = table_of(notes)
    assert filled(table) == ["m_2"]
    assert filled(table, viewer("claude", "garden")) == ["m_1", "m_3"]


def test_fill_serves_memories_alone() -> None:
    """Approved notes of other kinds do not fill up."""
    table = table_of([memory("m_1")])
    table.add([entry_for(Note(kind=Kind.DRAWER, id="d", path="d.md", state=State.APPROVED), ENGLISH)])
    assert filled(table) == ["m_1"]


@pytest.mark.parametrize(
    ("newer", "left"),
    [
        (memory("m_2", "tea", supersedes=("m_1",)), {"m_2"}),
        (memory("m_2", "tea", supersedes=("m_1",), state=State.UNCONFIRMED), {"m_1", "m_2"}),
        (memory("m_2", "tea", supersedes=("m_1",), state=State.RESTRICTED), {"m_1"}),
        (memory("m_2", "tea", supersedes=("m_1",), assistants=("codex",)), {"m_1"}),
        (memory("m_2", "tea", supersedes=("m_2",)), {"m_1", "m_2"}),
        (memory("m_2", "tea", supersedes=("m_9",)), {"m_1", "m_2"}),
    ],
)
def test_supersession(newer: Memory, left: set[str]) -> None:
    """Only an approved memory that the viewer may see takes another's place."""
    table = table_of([memory("m_1", "tea"), newer])
    assert set(ids(ask(table, "tea"))) == left


def test_supersession_follows_changes() -> None:
    """A replaced memory is back when its successor goes, and gone when it comes again, in either order."""
    table = table_of([memory("m_1", "tea"), memory("m_2", "tea", supersedes=("m_1",))])
    assert gone(table) == {"m_1"}
    table.remove("m_1")
    assert gone(table) == set()
    table.add([entry_for(memory("m_1", "tea"), ENGLISH)])
    assert gone(table) == {"m_1"}
    table.add([entry_for(memory("m_2", "tea"), ENGLISH)])
    assert gone(table) == set()


def test_other_kinds_are_not_superseded() -> None:
    """An id of another kind is not taken for a memory's."""
    table = table_of([memory("m_1", "tea", supersedes=("d",))])
    table.add([entry_for(Note(kind=Kind.DRAWER, id="d", path="d.md"), ENGLISH)])
    assert gone(table) == set()


@settings(deadline=None)
@given(memories())
def test_supersession_is_by_the_approved_that_are_seen(notes: list[Memory]) -> None:
    """What is replaced for a viewer follows from what the viewer sees, worked out the long way."""
    table = table_of(notes)
    for who in VIEWERS:
        seen = {note.id: note for note in notes if visible(note, who) is Sight.SERVED}
        assert gone(table, who) == replaced_for(seen) & {note.id for note in notes}


@settings(deadline=None)
@given(memories(), memories(), st.lists(st.sampled_from(NOTE_IDS)), questions)
def test_a_changed_table_equals_a_new_one(
    first: list[Memory], second: list[Memory], removed: list[str], words: list[str]
) -> None:
    """After any additions, replacements and removals, with calls in between, it answers like a table built anew."""
    table = table_of(first)
    question = " ".join(words)

    def answers(asked: Table) -> object:
        return [(ask(asked, question, who), filled(asked, who), gone(asked, who)) for who in VIEWERS]

    answers(table)
    left = {note.id: note for note in first}
    for note in second:
        table.add([entry_for(note, ENGLISH)])
        left[note.id] = note
    answers(table)
    for note_id in removed:
        table.remove(note_id)
        left.pop(note_id, None)
    new = table_of(left.values())
    assert answers(table) == answers(new)
    assert list(table) == list(new)
    assert sorted(table.vocabulary) == sorted(new.vocabulary)
    assert all(table.vocabulary.count(word) == new.vocabulary.count(word) for word in new.vocabulary)
