"""A memory's statement, id, category and standing are what its words make them."""

from __future__ import annotations

import sys
import time
import unicodedata
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.memory import (
    CATEGORIES,
    ID_SHAPE,
    Memory,
    category_of,
    memory_id,
    normalised,
    statement_of,
    without_mark_runs,
)
from personakit.model.note import Kind
from personakit.model.states import State

MARKS = st.lists(
    st.sampled_from(["<!--", "-->", "%%", "%", "<", "!", "-", ">", "# ", "#", "a", " ", "\n", "\n\n", "\r"]),
    max_size=40,
).map("".join)


def memory(
    state: State = State.APPROVED, *, category: str = "other", rule: bool | None = None, stale_after: str = ""
) -> Memory:
    """Make a memory."""
    return Memory(
        kind=Kind.MEMORY, id="m_0", path="m.md", state=state, category=category, rule=rule, stale_after=stale_after
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "likes  TEA."),
        ("Likes tea", "Likes tea!?…"),
        ("お茶が好き", "お茶が好き。"),
        ("चाय पसंद है", "चाय पसंद है।"),
        ("يحب الشاي", "يحب الشاي؟"),
        ("ﬁne ＡＢＣ", "fine abc"),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "café"),
    ],
)
def test_the_same_words_make_the_same_id(one: str, other: str) -> None:
    """Case, blanks, letter forms and the marks that end a sentence in any script do not matter."""
    assert memory_id(one) == memory_id(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Writes C", "Writes C#"), ("Writes C", "Writes C++"), ("(a)", "a"), ("a.b", "ab"), ("!", "?")]
)
def test_other_words_make_another_id(one: str, other: str) -> None:
    """C and C# differ; marks within count; a statement of marks alone keeps them."""
    assert memory_id(one) != memory_id(other)


@given(st.text(st.characters(exclude_categories=())))
def test_every_statement_has_an_id(statement: str) -> None:
    """Whatever the words, the id has its shape, and the normalised form gives the same one."""
    assert ID_SHAPE.fullmatch(memory_id(statement))
    assert memory_id(" " + statement + "\n") == memory_id(statement)


@given(st.text())
def test_case_does_not_change_the_normalised_form(statement: str) -> None:
    """Folding is done to the end."""
    assert normalised(statement.casefold()) == normalised(statement)


@pytest.mark.parametrize(
    ("body", "statement"),
    [
        ("Likes tea\n", "Likes tea"),
        ("\n\n  Likes\r\n tea\n\nNotes below", "Likes tea"),
        ("# Likes tea\n\nNotes", "Likes tea"),
        ("# # Likes tea", "Likes tea"),
        ("## Likes tea", "## Likes tea"),
        ("#tag tea", "#tag tea"),
        ("#\nLikes tea", "Likes tea"),
        ("<!-- note\n\nmore -->\nLikes %%much%% tea", "Likes tea"),
        ("100%% sure", "100%% sure"),
        ("a <!-- open", "a <!-- open"),
        ("a<!-- x -->b", "ab"),
        ("<!<!-- x -->-- y -->", "<! -- y -->"),
        ("%<!-- x -->%a%%", "% %a%%"),
        ("", ""),
        ("%%a%%\n \n", ""),
    ],
)
def test_the_statement_is_the_first_paragraph(body: str, statement: str) -> None:
    """On one line, without headings and what Obsidian does not show; an opening mark without its end stays."""
    assert statement_of(body) == statement


@given(st.one_of(MARKS, st.text()))
def test_the_statement_of_a_statement_is_that_statement(body: str) -> None:
    """Taking comments and headings out makes no new ones."""
    assert statement_of(statement_of(body)) == statement_of(body)


@pytest.mark.parametrize("piece", ["<!--", "%%", "<!---->", "%", "# ", "-->", "\n", "a\r", "<!<!---->", "<!-- %% --> "])
@pytest.mark.parametrize("lead", ["", "<!" * 8_000])
def test_a_statement_is_found_in_linear_time(piece: str, lead: str) -> None:
    """64 KiB of marks take milliseconds (the limit leaves room for a busy machine and a tracer)."""
    body = (lead + piece * 65_536)[:65_536]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        statement_of(body)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.2


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_known_category_is_itself(category: str) -> None:
    """However it is written."""
    assert category_of(f" {category.upper().replace('-', '_')} ") == category


@pytest.mark.parametrize("word", ["", "drinks", "work style tools"])
def test_any_other_category_is_other(word: str) -> None:
    """An unknown word is shown as other."""
    assert category_of(word) == "other"


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(("category", "rule"), [("constraints", None), ("other", True)])
def test_only_what_the_owner_approved_is_a_rule(state: State, category: str, rule: bool | None) -> None:
    """A constraint, or what is said to be a rule, once approved."""
    assert memory(state, category=category, rule=rule).is_rule == (state is State.APPROVED)


@pytest.mark.parametrize(("category", "rule"), [("constraints", False), ("other", None), ("other", False)])
def test_what_is_said_to_be_no_rule_is_none(category: str, rule: bool | None) -> None:
    """The owner's word goes before the category."""
    assert not memory(category=category, rule=rule).is_rule


@pytest.mark.parametrize("state", State)
def test_only_approved_is_confirmed(state: State) -> None:
    """No other state counts as confirmed."""
    assert memory(state).confirmed == (state is State.APPROVED)


def test_the_last_day_itself_still_holds() -> None:
    """A memory is stale from the day after, and never without a day."""
    days = ("2026-11-11", "2026-11-12", "2026-11-13")
    assert [memory(stale_after="2026-11-12").is_stale(day) for day in days] == [False, False, True]
    assert not memory().is_stale("9999-12-31")


def test_ids_do_not_depend_on_anything_but_words() -> None:
    """Orders of words are other statements: six orders, six ids."""
    assert len({memory_id(" ".join(words)) for words in permutations(("a", "b", "c"))}) == 6


def test_a_run_of_marks_costs_no_more_than_its_length() -> None:
    """Of a run of combining marks 30 count, so that none is sorted for ever; no script's own words are touched."""
    assert without_mark_runs("a" + "\u0300" * 40 + "b" + "\u0316" * 30) == "a" + "\u0300" * 30 + "b" + "\u0316" * 30
    for words in ("tea", "e\u0301te\u0301", "क्षत्रिय", "🍵" * 40, "—" * 40, "。" * 40, "ก็" * 40, "\u200d" * 40):
        assert without_mark_runs(words) == words
    start = time.process_time()
    normalised("a" + "\u0300" * 200_000 + "\u0316" * 200_000)
    assert time.process_time() - start < 2.0
    marks = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.combining(chr(code))]
    assert all(len(without_mark_runs("a" + mark * 40)) == 31 for mark in marks)
