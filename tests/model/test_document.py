"""Documents are cut at their headings, and each passage has an id of its own."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.document import Section, fence_after, passage_id, sections


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
