"""A state is one of four words, and of several the most cautious counts."""

from __future__ import annotations

from itertools import product

import pytest

from personakit.model.states import CAUTION, State, most_cautious, read_state


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("form", ["{}", " {} ", "\t{}\n"])
def test_a_state_is_read_whatever_its_case_and_blanks(state: State, form: str) -> None:
    """Case and surrounding blanks do not matter."""
    assert read_state(form.format(state)) is state
    assert read_state(form.format(state.upper())) is state


@pytest.mark.parametrize("word", ["", "approve", "approved!", "approved restricted", "yes", "true", "un confirmed"])
def test_another_word_is_no_state(word: str) -> None:
    """Nothing is guessed from an unknown word."""
    assert read_state(word) is None


def test_every_state_has_its_place_in_caution() -> None:
    """Restricted before rejected before unconfirmed before approved."""
    assert [str(state) for state in CAUTION] == ["restricted", "rejected", "unconfirmed", "approved"]
    assert set(CAUTION) == set(State)


@pytest.mark.parametrize(("one", "other"), list(product(State, State)))
def test_the_most_cautious_counts_in_either_order(one: State, other: State) -> None:
    """Of two states the one that shows less counts."""
    expected = CAUTION[min(CAUTION.index(one), CAUTION.index(other))]
    assert most_cautious([one, other]) is most_cautious([other, one]) is expected


def test_there_must_be_a_state_to_choose_from() -> None:
    """Nothing read is not the same as something allowed."""
    with pytest.raises(ValueError, match=r"empty"):
        most_cautious([])
