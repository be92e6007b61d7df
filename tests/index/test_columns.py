"""Through which words an asked word counts."""

from __future__ import annotations

from math import log

import pytest

from personakit.index.columns import Asked, How, asked_words
from personakit.model.note import Kind
from tests.index.notes import ANYONE, memory, table_of


def columns(texts: list[str], *words: str) -> dict[str, Asked]:
    """Give the plan for some words over one note a text."""
    table = table_of(memory(f"m_{number}", text) for number, text in enumerate(texts))
    shelves = table.shelves(Kind.MEMORY, ANYONE).served
    return {each.word: each for each in asked_words(shelves, table.vocabulary, words)}


def test_a_known_word_counts_by_its_rarity() -> None:
    """The weight of a word is the idf over the notes that are seen."""
    (column,) = columns(["tea", "tea cup", "cup", "jam"], "tea")["tea"].columns
    assert (column.word, column.how, column.size, column.matches) == ("tea", How.EXACT, 2, True)
    assert column.weight == pytest.approx(log(1 + 2.5 / 2.5))


def test_nearness_has_its_shares() -> None:
    """A form without diacritics counts 0.9, one slip 0.7, two 0.4, and likeness half its Dice."""
    one = log(1 + 4.5 / 1.5)
    near = columns(["münchen", "cake", "espresso", "cup", "jar"], "munchen", "cbke", "asdf", "espressoo", "esprasso")
    for asked, word, how, share in (("munchen", "münchen", How.FOLDED, 0.9), ("cbke", "cake", How.SPELLING, 0.7)):
        (column,) = near[asked].columns
        assert (column.word, column.how) == (word, how)
        assert column.weight == pytest.approx(share * one)
    assert near["espressoo"].columns[0].how is How.SPELLING
    assert near["esprasso"].most == pytest.approx(0.7 * one)
    assert "asdf" not in near


def test_a_known_word_is_not_taken_for_another() -> None:
    """A word that is held has no spelling neighbours, and what is alike only adds."""
    asked = columns(["garden", "gardan", "gardener"], "garden")["garden"]
    assert [(column.word, column.how, column.matches) for column in asked.columns] == [
        ("garden", How.EXACT, True),
        ("gardan", How.SIMILAR, False),
    ]
    assert asked.most_added <= asked.most / 2


def test_likeness_stands_in_for_an_unknown_word() -> None:
    """An unknown word matches through a word that is alike."""
    asked = columns(["gartenhaus"], "gartenhäuser")["gartenhäuser"]
    assert [(column.word, column.how, column.matches) for column in asked.columns] == [("gartenhaus", "similar", True)]
    assert asked.most_added == 0.0


def test_frequent_words_stay_small_gains() -> None:
    """A rare word near a frequent one that was asked adds no more than half of the frequent one."""
    asked = columns(["pancake"] * 9 + ["pancakery pancake"], "pancak")["pancak"]
    rare = next(column for column in asked.columns if column.how is How.SIMILAR)
    assert rare.weight <= asked.most / 2


def test_function_words_are_never_misspelt() -> None:
    """A stop word that was kept counts only as it is."""
    assert columns(["wheat", "thesis"], "what", "these") == {}


def test_each_kind_of_nearness_is_cut_after_what_is_seen() -> None:
    """At most four words of each kind count, the nearest first."""
    asked = columns(["cake", "came", "cave", "cane", "cape", "case"], "caxe")["caxe"]
    assert [column.word for column in asked.columns] == ["cake", "came", "cane", "cape"]
