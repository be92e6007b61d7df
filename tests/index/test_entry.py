"""What the table keeps of one note."""

from __future__ import annotations

from personakit.index.entry import Entry, entry_for
from personakit.index.words import Tokeniser
from personakit.model.note import Kind, Note
from tests.index.notes import memory


def test_text_aliases_and_tags_are_searched() -> None:
    """An entry holds the words of the statement, the aliases and the tags, sorted, and how many there are."""
    note = memory("m_1", "Drinks tea", aliases=("Darjeeling",), tags=("kitchen/drinks",))
    entry = entry_for(note, Tokeniser())
    assert entry == Entry(note, ("darjeel", "drink", "kitchen", "tea"), (1, 2, 1, 1), 5)


def test_counts_are_left_out_where_each_word_stands_once() -> None:
    """No counts mean one each."""
    assert entry_for(memory("m_1", "black tea"), Tokeniser()).counts == ()


def test_an_alias_of_stop_words_is_kept() -> None:
    """Stop words are judged field by field: an alias may be made of them."""
    assert "who" in entry_for(memory("m_1", "A rock band", aliases=("The Who",)), Tokeniser()).words


def test_other_kinds_have_no_tags() -> None:
    """A note of another kind gives its text and aliases."""
    note = Note(kind=Kind.DRAWER, id="d", path="palace/d.md", text="tea", aliases=("cup",))
    assert entry_for(note, Tokeniser()).words == ("cup", "tea")
