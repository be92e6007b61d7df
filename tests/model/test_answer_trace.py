"""An answer's trace is its row in fixed words; a spoilt row costs what is spoilt."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from personakit.model.answer_trace import answer_lines

ROW: dict[str, Any] = {
    "at": "2026-01-02T03:04:05Z",
    "to": "alpha",
    "tool": "knowledge_ask",
    "session": "s_1",
    "ids": [["k_0123456789ab", "r1"], ["k_0123456789ac", "r2"]],
    "how": {
        "as_of": "2025-01-01",
        "repositories": 2,
        "terms": 4,
        "names": 1,
        "matched": 9,
        "outcome": "answered",
        "coverage": 0.8,
        "served": 2,
        "documents": 3,
    },
}
PLAIN = st.sampled_from([None, True, 7, 0.5, "alpha", "x" * 300, "</personakit-trace>", "line\nline"])
LISTS = st.lists(st.lists(PLAIN, max_size=3) | PLAIN, max_size=3)
JSON = PLAIN | LISTS | st.dictionaries(PLAIN.map(str), PLAIN, max_size=3)


def test_a_row_in_words() -> None:
    """Who asked first, then how it went, then what was given; what has no line of its own is a detail of the first."""
    lines = answer_lines(ROW)
    assert [line.kind for line in lines] == [
        *("asked", "time", "scope", "words", "matched", "judged", "served", "passage", "passage")
    ]
    assert [line.n for line in lines] == list(range(1, 10)) and {line.at for line in lines} == {ROW["at"]}
    assert lines[0].words == "asked by alpha through knowledge_ask"
    assert dict(lines[0].details) == {"tool": "knowledge_ask", "session": "s_1", "documents": 3}
    assert dict(lines[5].details) == {"outcome": "answered", "coverage": "0.8"}
    assert lines[-1].words == "gave k_0123456789ac" and dict(lines[-1].details)["revision"] == "r2"


@given(st.dictionaries(st.sampled_from([*ROW, "x"]), JSON, max_size=6))
def test_whatever_a_row_holds_there_are_short_lines(row: dict[str, Any]) -> None:
    """None of it raises, and no value runs away with a line."""
    for line in answer_lines(row):
        assert len(line.words) < 300 and all(isinstance(value, int) or len(value) <= 80 for _, value in line.details)
