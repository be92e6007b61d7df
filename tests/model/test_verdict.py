"""Sentences, and what a passage makes of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.sentences import sentences
from personakit.model.verdict import Outcome, Window, best_window, names_in, outcome_of, without_asking


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Ada lives at No. 5. She sings.", ["Dr. Ada lives at No. 5.", "She sings."]),
        ("It costs 3.50 crowns. Pay.", ["It costs 3.50 crowns.", "Pay."]),
        ("- tea\n- milk\n1. jam", ["- tea", "- milk", "1. jam"]),
        ("One line\nand the next.\n\nNew", ["One line\nand the next.", "New"]),
        ("第一文。第二文！終わり", ["第一文。", "第二文！", "終わり"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("...\n\n---\n", []),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    """A full stop before a blank, an East Asian one, a list item and an empty line end a sentence."""
    assert sentences(text) == found


@given(st.text(alphabet="ab .!?\n-。1", max_size=60))
def test_sentences_stand_in_their_text(text: str) -> None:
    """Each sentence stands in the text as it is, in its order, and no letter is lost."""
    at = 0
    for one in sentences(text):
        at = text.index(one, at) + len(one)
    kept = [letter for one in sentences(text) for letter in one if letter.isalnum()]
    assert kept == [letter for letter in text if letter.isalnum()]


def test_a_text_of_many_sentences() -> None:
    """Beyond 2,000 the rest is one sentence."""
    assert len(sentences("so. " * 5_000)) == 2_000


def test_names() -> None:
    """Capitalised words but the first are names."""
    assert names_in("When may Ada and I visit the O'Hara Room?") == ["Ada", "O'Hara", "Room"]
    assert names_in("What is the limit?") == [] == names_in("")


def test_words_that_only_ask() -> None:
    """ "How many" and small modals ask; a month with a capital does not."""
    assert without_asking("How many nights may a guest stay in May?").split() == [
        "nights",
        "a",
        "guest",
        "stay",
        "in",
        "May?",
    ]


WEIGHTS = {"pay": 2.0, "guest": 1.0, "night": 1.0}


def test_the_best_window() -> None:
    """The fewest sentences in a row, at most three, that hold most of the question's weight."""
    held = [{"pay"}, {"x"}, {"guest"}, {"night"}]
    assert best_window(held, WEIGHTS, [], set()) == Window(0.75, 0, 2, named=True)
    assert best_window([{"pay", "guest", "night"}, {"pay"}], WEIGHTS, [], set()) == Window(1.0, 0, 0, named=True)
    assert best_window([{"x"}, {"pay"}, {"x"}], WEIGHTS, [], set()) == Window(0.5, 1, 1, named=True)
    assert best_window([{"guest"}, {"y"}], WEIGHTS, [], set()) == Window(0.25, 0, 0)
    assert best_window([], WEIGHTS, [], set()) == Window() == best_window([{"x"}], {}, [], set())


def test_the_name_rule() -> None:
    """All names stand in the one sentence that holds half of the question, or in the headings over it."""
    held = [{"pay", "guest"}, {"ada"}]
    assert not best_window(held, WEIGHTS, [{"ada"}], set()).named
    assert best_window(held, WEIGHTS, [{"ada"}], {"ada"}).named
    assert best_window([{"pay", "guest", "ada"}], WEIGHTS, [{"ada"}], set()).named


@pytest.mark.parametrize(
    ("coverage", "share", "named", "outcome"),
    [
        (0.7, 0.6, True, Outcome.ANSWERED),
        (0.69, 0.6, True, Outcome.PARTLY),
        (0.7, 0.59, True, Outcome.PARTLY),
        (1.0, 1.0, False, Outcome.PARTLY),
        (0.5, 0.0, False, Outcome.PARTLY),
        (0.49, 1.0, True, Outcome.POSSIBLE),
        (0.25, 0.0, False, Outcome.POSSIBLE),
        (0.24, 0.0, False, Outcome.NOT_FOUND),
    ],
)
def test_outcomes(coverage: float, share: float, named: bool, outcome: Outcome) -> None:
    """Coverage, window and names decide, at these numbers."""
    assert outcome_of(coverage, Window(share, 0, 0, named=named)) is outcome
