"""A transcript's body: written for a person, read back turn by turn, and no word passes for a heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.session import Spoken, says, turns_of, written

HEADING = "## 2026-11-12 09:30:00 UTC, person, prompt p_aaaaaaaaaaaaaaaa"
LINES = st.lists(
    st.one_of(st.sampled_from(["", "> x", HEADING, "## ", "> " + HEADING, "---", "  "]), st.text(max_size=20)),
    max_size=6,
)
WORDS = LINES.map(lambda lines: "\n".join(line.replace("\r", "").replace("\n", "").rstrip() for line in lines))
TURNS = st.builds(
    Spoken,
    st.just("2026-11-12 09:30:00"),
    st.sampled_from(["person", "agent"]),
    st.sampled_from(["prompt", "reply"]),
    st.just("p_aaaaaaaaaaaaaaaa"),
    st.sampled_from(["", "p_bbbbbbbbbbbbbbbb"]),
    WORDS,
)


@given(st.lists(TURNS, max_size=4))
def test_turns_come_back(turns: list[Spoken]) -> None:
    """Whatever was said, each turn is read back as it was."""
    assert list(turns_of("\n".join(map(written, turns)))) == turns


def test_the_owners_lines_are_passed_over() -> None:
    """What the owner wrote into the file is no turn, and no part of one."""
    turn = Spoken("2026-11-12 09:30:00", "person", "prompt", "p_aaaaaaaaaaaaaaaa", "", "tea")
    body = f"A note of mine\n\n## My heading\n\n> not said\n\n{written(turn)}\nAnother note\n"
    assert list(turns_of(body)) == [turn]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("give me BLUNT feedback", True),
        ('"give  me blunt\nfeedback"', True),
        ("dont pad", True),
        ("padding", False),
        ("", False),
        ('""', False),
    ],
)
def test_a_quote(quote: str, found: bool) -> None:
    """Blanks, quotation marks and case do not matter; words do."""
    assert says("Please give me “blunt” feedback,\n don’t pad it", quote) is found
