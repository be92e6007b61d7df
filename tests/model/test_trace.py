"""A trace: history in its own order, servings between, one line for an assistant's day, pages within the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personakit.model.block import tokens
from personakit.model.events import Change, Event, Happening
from personakit.model.past import Commit
from personakit.model.trace import MOST_TOKENS, Serving, page_of, trace_of

DAY = 86_400


def event(day: int | None, kind: Happening = Happening.APPROVED, now: str = "", who: str = "the owner") -> Event:
    """Give an event of a day since 1970, or one that is not committed."""
    commit = None if day is None else Commit("c" * 40, (), day * DAY, day * DAY, "Ana")
    return Event(Change(kind, now=now), who, commit)


def test_lines_in_order() -> None:
    """What is committed stands where it was committed, what was served between, what is only on disk at the end."""
    lines = trace_of(
        [event(1, Happening.PROPOSED, who="alpha"), event(3), event(None, Happening.WORDS_EDITED)],
        [
            Serving("1970-01-03T05:00:00Z", "beta"),
            Serving("1970-01-03T04:00:00Z", "beta"),
            Serving("1970-01-03T04:30:00Z", "alpha"),
            Serving("1970-01-09T00:00:00Z", "beta"),
        ],
        "",
        lambda _: "",
    )
    assert [(line.n, line.at, line.words) for line in lines] == [
        (1, "1970-01-02T00:00:00Z", "proposed by alpha"),
        (2, "1970-01-03T04:00:00Z", "served to beta (2 times on 1970-01-03)"),
        (3, "1970-01-03T04:30:00Z", "served to alpha (once on 1970-01-03)"),
        (4, "1970-01-04T00:00:00Z", "approved by the owner"),
        (5, "1970-01-09T00:00:00Z", "served to beta (once on 1970-01-09)"),
        (6, "", "words edited"),
    ]
    assert lines[0].details == (("commit", "cccccccccc"),) and lines[5].details == (("committed", "no"),)


def test_clocks_that_went_back() -> None:
    """History keeps its order, though a commit says an earlier time than the one before it."""
    lines = trace_of([event(9), event(2)], [Serving("1970-01-06T00:00:00Z", "a")], "", lambda _: "")
    assert [line.kind for line in lines] == ["served", "approved", "approved"]


def test_a_birth_without_a_commit() -> None:
    """Where no commit says when, the front matter does."""
    (line,) = trace_of([event(None, Happening.WRITTEN)], [], "2026-01-02", lambda _: "")
    assert line.at == "2026-01-02T00:00:00Z"
    (line,) = trace_of([event(None, Happening.WRITTEN)], [], "some day", lambda _: "")
    assert line.at == ""


def test_what_is_replaced_is_named_when_it_may_be() -> None:
    """A memory that must not be known leaves no id behind."""
    old = event(1, Happening.REPLACED, "m_0123456789ab")
    assert trace_of([old], [], "", lambda _: "#04hmas")[0].words == "replaced #04hmas"
    assert trace_of([old], [], "", lambda _: "")[0].words == "replaced another memory"


@given(st.integers(1, 400), st.integers(1, 450))
def test_pages(number: int, start: int) -> None:
    """Pages are within the limit, follow each other without a gap, and the last says nothing of more."""
    lines = trace_of([event(day) for day in range(number)], [], "", lambda _: "")
    page = page_of(lines, start, "memory_trace")
    assert tokens(page.text) <= MOST_TOKENS
    assert list(page.lines) == lines[start - 1 : start - 1 + len(page.lines)]
    if page.more is None:
        assert "More:" not in page.text and (start > number or page.lines[-1].n == number)
    else:
        assert page.lines and page.more == page.lines[-1].n + 1
        end = f"More: lines {page.more} to {number}. Call memory_trace with from {page.more}."
        assert page.text.endswith(end)
