"""A proposal is stored as its file will give it, or refused for the first reason that holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.memory import memory_id, statement_of
from personakit.model.proposal import LONGEST_QUOTE, LONGEST_STATEMENT, Accepted, Refused, check_proposal

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1234"
PIECES = st.sampled_from(
    [
        "#",
        " ",
        "# ",
        "%%",
        "%",
        "<!--",
        "-->",
        "<",
        "!",
        "-",
        ">",
        "a",
        "\n",
        "\r",
        "=======",
        "<<<<<<< ",
        "---",
        "\u202e",
    ]
)


def accepted(text: str, quote: str = "so I said", category: str = "tools") -> Accepted:
    """Give the accepted proposal."""
    checked = check_proposal(text, quote, category)
    assert isinstance(checked, Accepted)
    return checked


@pytest.mark.parametrize(
    ("text", "quote", "reason"),
    [
        ("", "q", "empty_text"),
        (" \n\t", "", "empty_text"),
        ("\u200b\u202e", "q", "empty_text"),
        ("\u200d", "q", "empty_text"),
        ("%% hidden %%", "q", "empty_text"),
        ("---", "q", "empty_text"),
        ("# ---", "q", "empty_text"),
        ("=======", "q", "empty_text"),
        ("x" * 301, "", "too_long"),
        ("x" * 301 + TOKEN, "q", "too_long"),
        (f"Uses {TOKEN}", "", "credential_shape"),
        ("Uses a token", f"it is {TOKEN}", "credential_shape"),
        ("Likes tea", "", "empty_quote"),
        ("Likes tea", " \u200b\n", "empty_quote"),
        ("Likes tea", "\u3164", "empty_quote"),
    ],
)
def test_the_first_reason_counts(text: str, quote: str, reason: str) -> None:
    """Empty text, too long, a credential in either, an empty quote: in this order."""
    assert check_proposal(text, quote, "tools") == Refused(reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        TOKEN[:10] + "\u200b" + TOKEN[10:],
        TOKEN[:10] + "\u200d" + TOKEN[10:],
        TOKEN[:10] + "<!-- x -->" + TOKEN[10:],
        TOKEN[:10] + "%%x%%" + TOKEN[10:],
        "x\u200b" + TOKEN,
        f"Likes tea %%{TOKEN}%%",
        TOKEN.translate({ord("g"): "ｇ"}),
    ],
)
def test_a_credential_cannot_hide(text: str) -> None:
    """Not in hidden characters, comments, other forms of its letters, or what would not be kept."""
    assert check_proposal(text, "q", "tools") == Refused("credential_shape")
    assert check_proposal("Likes tea", text, "tools") == Refused("credential_shape")


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("  Likes\n tea ", "Likes tea"),
        ("Likes tea\n\nand coffee", "Likes tea and coffee"),
        ("# # Likes tea", "Likes tea"),
        ("#\nLikes tea", "Likes tea"),
        ("Likes <!-- or not --> tea", "Likes tea"),
        ("<<<<<<< HEAD likes tea", "HEAD likes tea"),
        ("======= # >>>>>>> Likes tea", "Likes tea"),
        ("--- Likes tea", "--- Likes tea"),
        ("Likes\x00 tea\ud800", "Likes tea\ufffd"),
        ("می‌خواهم", "می‌خواهم"),
    ],
)
def test_the_text_becomes_its_statement(text: str, statement: str) -> None:
    """One line, no headings, comments, conflict marks or characters that a file cannot hold."""
    assert accepted(text) == Accepted(statement=statement, quote="so I said", category="tools", id=memory_id(statement))


def test_three_hundred_characters_are_counted_after_collapsing() -> None:
    """Blanks in between do not count against a text."""
    assert len(accepted("a" + " " * 500 + "b" * 298).statement) == LONGEST_STATEMENT


def test_a_quote_is_one_line_of_at_most_five_hundred() -> None:
    """It is cleaned and cut at a word, but not masked: the owner may read it."""
    assert accepted("Likes tea", "I\u202e do\n\n like ana@example.com").quote == "I do like ana@example.com"
    long = accepted("Likes tea", "word " * 200).quote
    assert len(long) <= LONGEST_QUOTE and long.endswith("word…")


def test_an_unknown_category_is_other() -> None:
    """Categories compare without case, blanks and underscores."""
    assert accepted("Likes tea", category="Work_Style").category == "work-style"
    assert accepted("Likes tea", category="drinks").category == "other"


@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(st.characters(exclude_categories=()))))
def test_the_file_gives_the_statement_back(text: str) -> None:
    """What is stored reads as it was stored: one line that is no fence and no conflict mark, with the same id."""
    checked = check_proposal(text, "q", "other")
    if isinstance(checked, Accepted):
        assert statement_of(checked.statement + "\n") == checked.statement
        assert checked.statement.encode("utf-8").strip() not in (b"", b"---", b"=======")
        assert not checked.statement.startswith(("# ", "<<<<<<<", "=======", ">>>>>>>", "|||||||"))
        assert check_proposal(checked.statement, checked.quote, checked.category) == checked
