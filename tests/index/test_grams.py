"""Likeness by runs of four letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.index.grams import Grams, dice, grams


def test_runs_are_of_the_plain_form_with_its_beginning() -> None:
    """The runs of a word are those of its form without diacritics, and one for its beginning."""
    assert grams("müsli") == {"^mus", "musl", "usli"}
    assert grams("cake") == frozenset()


def test_dice() -> None:
    """Dice is twice the shared part over both; nothing is like nothing."""
    assert dice(frozenset("ab"), frozenset("bc")) == pytest.approx(0.5)
    assert dice(frozenset(), frozenset()) == 0.0


def wanted(words: set[str], asked: str) -> list[tuple[str, float]]:
    """Give the words that are alike, worked out one by one."""
    near = sorted((-dice(grams(asked), grams(word)), word) for word in words - {asked})
    return [(word, -likeness) for likeness, word in near if -likeness >= 0.5]


words_of_few_letters = st.text(alphabet="abé", min_size=1, max_size=14)


@given(st.sets(words_of_few_letters, max_size=40), words_of_few_letters, st.integers(0, 40))
def test_similar_words_are_all_that_are_alike(words: set[str], asked: str, built: int) -> None:
    """Exactly the words with a Dice of a half or more are found, whether built in or added, and none once removed."""
    order = sorted(words)
    index = Grams(order[:built], expected=0)
    for word in order[built:]:
        index.add(word)
    assert index.similar(asked) == wanted(words, asked)
    for word in order[::2]:
        index.remove(word)
    assert index.similar(asked) == wanted(set(order[1::2]), asked)


def test_buckets_get_crowded() -> None:
    """An index made for few words says when it holds too many."""
    index = Grams((), expected=0)
    assert not index.crowded
    index.size = 5_000
    assert index.crowded
