"""Columns as bits."""

from __future__ import annotations

from personakit.index.columns import Asked, Column, How
from personakit.index.masks import Masks

ASKED = [
    Asked("a", (Column("a", 2.0, How.EXACT, 1, matches=True), Column("aa", 0.5, How.SIMILAR, 1, matches=False))),
    Asked("b", (Column("b", 1.0, How.EXACT, 1, matches=True), Column("aa", 0.25, How.SIMILAR, 1, matches=False))),
]


def test_each_asked_word_counts_once_by_its_heaviest() -> None:
    """A note's score is the sum of the heaviest column of each asked word."""
    masks = Masks(ASKED)
    assert [masks.score(masks.of(words)) for words in (["a"], ["a", "aa"], ["aa"], ["a", "aa", "b"], ["c"], [])] == [
        *(2.0, 2.25, 0.75, 3.0, 0.0, 0.0)
    ]


def test_rank_is_score_then_matched_words() -> None:
    """Of equal scores the one with more asked words is better."""
    masks = Masks(ASKED)
    assert masks.rank(masks.of(["a", "aa"])) == (-2.25, -2)
    assert masks.rank(masks.of(["a"])) == (-2.0, -1)


def test_parts_are_the_columns_that_count() -> None:
    """The parts of a mask name the column that counts for each asked word in it."""
    masks = Masks(ASKED)
    assert [(each.word, column.word) for each, column in masks.parts(masks.of(["b", "aa"]))] == [
        ("a", "aa"),
        ("b", "b"),
    ]


def test_matching_bits() -> None:
    """The bits of which one is enough are told apart from those that only add."""
    masks = Masks(ASKED)
    assert masks.matching() & masks.of(["a", "b"]) == masks.of(["a", "b"])
    assert masks.matching() & masks.of(["aa"]) == 0
    assert [(bit, masks.weight(bit), column.word) for bit, _, column in masks][:2] == [(1, 2.0, "a"), (2, 0.5, "aa")]
