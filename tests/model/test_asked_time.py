"""The time that a question names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.asked_time import time_in

TODAY = "2026-11-12"


@pytest.mark.parametrize(
    ("question", "day", "words"),
    [
        ("What was the limit on 2025-03-03?", "2025-03-03", "on 2025-03-03"),
        ("What was the limit as of 3 March 2025?", "2025-03-03", "as of 3 March 2025"),
        ("the limit on the 3rd of march 2025", "2025-03-03", "on the 3rd of march 2025"),
        ("the limit on March 3, 2025", "2025-03-03", "on March 3, 2025"),
        ("What was the limit in March 2025?", "2025-03-31", "in March 2025"),
        ("What was the limit in Feb. 2024", "2024-02-29", "in Feb. 2024"),
        ("What was the limit in 2024?", "2024-12-31", "in 2024"),
        ("What was the limit yesterday?", "2026-11-11", "yesterday"),
        ("What was the limit last month?", "2026-10-31", "last month"),
        ("What was the limit last year?", "2025-12-31", "last year"),
        ("In 2024, on 2 May 2025?", "2025-05-02", "on 2 May 2025"),
    ],
)
def test_times_that_are_read(question: str, day: str, words: str) -> None:
    """A month and a year stand for their last day; the most exact words count."""
    found = time_in(question, TODAY)
    assert found is not None and found.day == day and question[found.start : found.end] == words


@pytest.mark.parametrize(
    "question",
    [
        "What is the limit?",
        "Who may sit in room 2024-5?",
        "What may March do?",
        "What holds in 2027?",
        "What holds in November 2026?",
        "What holds on 2026-11-12?",
        "What held on 2025-02-31?",
        "What held on 31 February 2025?",
        "Form 2024 is filed",
        "How many in 3024?",
    ],
)
def test_other_words_are_no_time(question: str) -> None:
    """A number alone, a day that is none, today and what is to come are no time of the past."""
    assert time_in(question, TODAY) is None


@given(st.text(max_size=80))
def test_no_question_is_too_odd(question: str) -> None:
    """Whatever is asked, a day before today or none is found."""
    found = time_in(question, TODAY)
    assert found is None or found.day < TODAY
