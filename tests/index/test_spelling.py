"""Spelling neighbours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.index.spelling import Pattern, Spellings, signature, slips_allowed
from tests.index.notes import slips

letters = st.text(alphabet="abcdé字", max_size=12)


@given(letters, letters)
def test_distance_is_optimal_string_alignment(one: str, other: str) -> None:
    """The bit-parallel distance is that of the textbook."""
    assert Pattern(one).distance(other) == slips(one, other)


@given(letters, letters)
def test_signatures_differ_by_two_bits_a_slip_at_most(one: str, other: str) -> None:
    """The filter lets every neighbour through."""
    assert (signature(one) ^ signature(other)).bit_count() <= 2 * slips(one, other)


@pytest.mark.parametrize(("word", "allowed"), [("tea", 0), ("cake", 1), ("espress", 1), ("espresso", 2)])
def test_longer_words_forgive_more(word: str, allowed: int) -> None:
    """No slip below four letters, two from eight on."""
    assert slips_allowed(word) == allowed


@given(
    st.sets(st.text(alphabet="abc", min_size=1, max_size=9), max_size=30),
    st.text(alphabet="abc", min_size=1, max_size=9),
)
def test_neighbours_are_all_that_are_near(words: set[str], asked: str) -> None:
    """Exactly the words with the same first letter within the allowed slips are found, nearest first."""
    spellings = Spellings()
    for word in sorted(words):
        spellings.add(word)
    near = [(slips(asked, word), word) for word in words - {asked} if word[0] == asked[0]]
    allowed = slips_allowed(asked)
    wanted = [(word, distance) for distance, word in sorted(near) if distance <= allowed]
    assert spellings.neighbours(asked) == wanted


def test_removed_words_are_no_neighbours() -> None:
    """A word that was taken out is not found; the others are."""
    spellings = Spellings()
    for word in ("cake", "cape", "cave"):
        spellings.add(word)
    spellings.remove("cake")
    assert spellings.neighbours("caje") == [("cape", 1), ("cave", 1)]
    spellings.remove("cape")
    spellings.remove("cave")
    assert spellings.neighbours("caje") == []
