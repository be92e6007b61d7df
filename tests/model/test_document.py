"""Documents are cut at their headings, and each passage has an id of its own."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.document import (
    LONGEST,
    Document,
    Place,
    Section,
    below,
    described,
    fence_after,
    own_id,
    passage_id,
    pieces,
    sections,
)


def test_a_body_is_cut_at_its_headings() -> None:
    """Each section carries the headings above it, outermost first; a section without text is left out."""
    body = "intro\n\n# A\none\n## B\ntwo\n\nthree\n### C\n## D\nfour\n# E\n"
    assert sections(body) == [
        Section((), "intro"),
        Section(("A",), "one"),
        Section(("A", "B"), "two\n\nthree"),
        Section(("A", "D"), "four"),
    ]


def test_levels_may_be_left_out() -> None:
    """A deeper heading without the levels between belongs to the nearest above; a higher one ends all below."""
    assert sections("### C\na\n# A\nb\n#### D\nc\n## B\nd") == [
        Section(("C",), "a"),
        Section(("A",), "b"),
        Section(("A", "D"), "c"),
        Section(("A", "B"), "d"),
    ]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# A", "A"),
        ("###### A", "A"),
        ("#\tA", "A"),
        ("#   A  ", "A"),
        ("# A #", "A"),
        ("## A ####  ", "A"),
        ("# C#", "C#"),
        ("# F# and C# #", "F# and C#"),
        ("# ", ""),
        ("# #", ""),
        ("# a # b", "a # b"),
    ],
)
def test_a_title_is_what_is_shown(line: str, title: str) -> None:
    """Blanks around a title and a closing row of # after a blank are no part of it."""
    assert sections(f"{line}\ntext") == [Section((title,), "text")]


@pytest.mark.parametrize("line", ["#A", "####### A", " # A", "text # A", "\\# A", "#", "A\n==="])
def test_other_lines_are_text(line: str) -> None:
    """A tag, seven signs, an indented or an underlined heading cut nothing."""
    assert sections(f"{line}\ntext") == [Section((), f"{line.strip()}\ntext")]


@pytest.mark.parametrize(
    "code",
    [
        "```\n# A\n```",
        "```python\n# A\n```",
        "~~~\n# A\n~~~",
        "````\n```\n# A\n````",
        "```\n~~~\n# A\n```",
        "   ```\n# A\n  ```",
        "```\n# A",
        "```\n# A\n``` x\n# B",
    ],
)
def test_headings_in_code_are_text(code: str) -> None:
    """A fence that is open hides headings until the line that closes it, or to the end."""
    assert sections(code) == [Section((), code.strip())]


def test_code_ends_at_its_own_fence() -> None:
    """After a closed fence headings count again."""
    assert sections("```\n# A\n```\n# B\ntext") == [Section((), "```\n# A\n```"), Section(("B",), "text")]
    assert fence_after("", "text") == ""
    assert fence_after("```", "````") == ""
    assert fence_after("````", "```") == "````"
    assert fence_after("", "    ```") == ""


def test_line_ends_do_not_matter() -> None:
    """CRLF and LF give the same sections."""
    body = "a\n# B\nc\n\nd\n"
    assert sections(body.replace("\n", "\r\n")) == sections(body)
    assert sections("") == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["# A", "## B", "### C #", "text", "", "```", "~~~", "#tag", "# #"]), max_size=12))
def test_no_text_is_lost_and_none_is_made(lines: list[str]) -> None:
    """The texts of all sections are the body's lines but for headings, in their order."""
    body = "\n".join(lines)
    kept = [line for section in sections(body) for line in section.text.split("\n") if line]
    rest = iter(line for line in lines if line)
    assert all(line in rest for line in kept)
    outside = [line for line in lines if line and not re.match(r"#{1,6} ", line)]
    assert [line for line in kept if not re.match(r"#{1,6} ", line)] == outside
    assert all(section.text.strip() == section.text != "" for section in sections(body))


def test_a_passages_id_is_its_place_and_words() -> None:
    """Document, headings and words make the id; case, blanks and ending marks do not."""
    id_ = passage_id("knowledge/a.md", ("A", "B"), "Some words.")
    assert re.fullmatch(r"k_[0-9a-f]{12}", id_)
    assert id_ == passage_id("knowledge/a.md", ("A", "B"), "some\n  WORDS")
    others = {
        passage_id("knowledge/b.md", ("A", "B"), "Some words."),
        passage_id("knowledge/a.md", ("A",), "Some words."),
        passage_id("knowledge/a.md", ("B", "A"), "Some words."),
        passage_id("knowledge/a.md", ("A", "B"), "Other words."),
    }
    assert len(others | {id_}) == 5
    assert passage_id("caf\udce9.md", (), "x") != passage_id("caf.md", (), "x")


@pytest.mark.parametrize("line", ["# " + "#" * 200_000 + "x", "# " + " " * 200_000 + "x", "# " + " #" * 100_000 + "x"])
def test_a_long_heading_costs_no_more_than_its_length(line: str) -> None:
    """No line, however it is built, is more work than its characters."""
    start = time.process_time()
    assert len(sections(f"{line}\ntext")) == 1
    assert time.process_time() - start < 0.5


def test_a_long_section_is_cut_at_blank_lines() -> None:
    """Paragraphs stay together up to 1,500 characters; one that is longer stays whole up to 6,000."""
    short, long = "w " * 300, "x " * 1_000
    body = f"# A\n{short}\n\n{short}\n\n{short}\n\n{long}\n\n{'z ' * 200}"
    assert [len(piece.text) for piece in pieces(body)] == [1_201, 599, 1_999, 399]
    assert {piece.headings for piece in pieces(body)} == {("A",)}
    assert [len(piece.text) for piece in pieces("y" * 6_000 + "z" * 9_000)] == [6_000, 6_000, 3_000]


def test_code_is_never_cut_at_its_blank_lines() -> None:
    """Fenced code stays in one piece however many blank lines it has."""
    code = "```\n" + "line\n\n" * 400 + "```"
    assert [piece.text for piece in pieces(f"before\n\n{code}\n\nafter " + "z " * 700)][1] == code


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(["# A", "## B", "words " * 40, "more words " * 150, "", "", "```", "> quoted\n>\n> more", "x"]),
        max_size=30,
    ),
    st.booleans(),
)
def test_pieces_are_stretches_of_their_body(lines: list[str], crlf: bool) -> None:
    """Each piece is what stands between its two places; they come in order, never overlap, and lose no word."""
    body = "\n".join(lines)
    found = pieces(body.replace("\n", "\r\n") if crlf else body)
    ends = 0
    for piece in found:
        assert body[piece.start : piece.end] == piece.text == piece.text.strip() != ""
        assert piece.start >= ends and len(piece.text) <= LONGEST
        ends = piece.end
    assert len({(piece.headings, piece.text) for piece in found}) == len(found)
    whole = {word for section in sections(body) for word in section.text.split()}
    assert {word for piece in found for word in piece.text.split()} == whole


def test_a_title_is_cut() -> None:
    """A heading is told with 200 characters at most."""
    assert len(sections(f"# {'t' * 5_000}\ntext")[0].headings[0]) == 200


def test_what_front_matter_says_of_a_document() -> None:
    """Title, status, authority, days and link; what is none of these words or no day counts as not written."""
    body = "## Second\ntext\n# First\ntext"
    plain = described("d_1", {}, body)
    assert plain == Document("d_1", "First") and described("d_1", {}, "text").title == ""
    keys = {"title": " The  book ", "status": " Withdrawn", "authority": "Ada", "link": "https://book.example"}
    said = described("d_1", {**keys, "effective_from": "2026-05", "effective_until": "soon"}, body)
    assert said == Document("d_1", "The book", "withdrawn", "Ada", "2026-05-01", "", "https://book.example")
    assert described("d_1", {"status": "in progress"}, body).status == ""


@pytest.mark.parametrize(
    ("status", "start", "end", "place"),
    [
        ("", "", "", Place.LIVE),
        ("draft", "2026-05-01", "2026-05-02", Place.LIVE),
        ("", "2026-05-02", "", Place.NOT_YET),
        ("", "", "2026-05-01", Place.EXPIRED),
        ("withdrawn", "2026-05-02", "", Place.WITHDRAWN),
    ],
)
def test_where_a_document_stands_on_a_day(status: str, start: str, end: str, place: Place) -> None:
    """It holds from its first day up to, and not on, the day on which it holds no longer."""
    about = Document("d_1", status=status, effective_from=start, effective_until=end)
    assert about.place_on("2026-05-01") is place


@pytest.mark.parametrize("id_", ["handbook", "Hand-book.1", "été:2", "x" * 100])
def test_a_document_may_have_an_id_of_its_own(id_: str) -> None:
    """Letters, digits and a few signs make an id."""
    assert own_id(id_) == id_


@pytest.mark.parametrize("id_", ["", " ", "a b", "../x", "a/b", "x" * 101, "m_1", "M_1", "d_x", "k_1", "-a", "a\n"])
def test_other_ids_count_as_none(id_: str) -> None:
    """What could be a path, or an id of another kind, is no document's id."""
    assert own_id(id_) == ""


def test_a_section_lies_below_its_headings() -> None:
    """A heading path from the outermost on names a section and all in it."""
    assert below(("A", "B"), ["A"]) and below(("A", "B"), []) and below(("A",), ("A",))
    assert not below(("A",), ("A", "B")) and not below(("A", "B"), ["B"])
