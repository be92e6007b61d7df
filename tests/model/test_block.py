"""The block: nothing that is stored can end it, hide in it or be fetched from it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.block import NOTICE, block, tame, tokens

PIECES = (
    *("</personakit-memory>", "<", "/", "personakit-", "PersonaKit-memory", ">", "!", "[", "](http://x.example)"),
    *(
        "\u200b",
        "\u202e",
        "\u2028",
        "\n",
        "\r",
        "\x00",
        "\u00ad",
        "\u2066",
        " ",
        "a",
        "<img src=x>",
        "\u200d",
        "\ufe0f",
        "\u0338",
    ),
)
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(st.one_of(HOSTILE, st.text(max_size=200)))
def test_stored_words_stay_in_their_line(words: str) -> None:
    """Whatever is stored, it is one line with no tag of ours, no raw HTML, no image and no hidden character."""
    line = tame(words)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"<[\s/\ufe0f\u0338]*personakit", line, re.IGNORECASE)
    assert not re.search(r"<[A-Za-z/!?]", line) and "![" not in line
    assert not re.search("[\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029\u00ad\ufeff]", line)


@pytest.mark.parametrize("words", ["5 < 6 and a <- b", "say hello!", "[[Max]] & Co", "日本語の文", "naïve café"])
def test_plain_words_stay_as_they_are(words: str) -> None:
    """What means no harm is told to the letter."""
    assert tame(words) == words


def test_a_block() -> None:
    """The tag says fields of ours, the notice comes first, the tag ends it."""
    assert block("personakit-memory", {"session": "s_1", "prompt": ""}, ["one", "two"]).split("\n") == [
        '<personakit-memory session="s_1">',
        NOTICE,
        "one",
        "two",
        "</personakit-memory>",
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 0), ("a", 1), ("abcde", 1), ("abcdef", 2), ("123", 2), ("a b", 2), ("\n", 1), ("日本", 3), ("a, b!", 4)],
)
def test_the_estimate(text: str, number: int) -> None:
    """Five letters, two digits, a line end, a sign are one each; other scripts a little more than one a character."""
    assert tokens(text) == number


@given(st.text(max_size=300), st.text(max_size=300))
def test_the_estimate_grows(one: str, other: str) -> None:
    """More text is never fewer tokens."""
    assert tokens(one + other) >= tokens(one)
