"""Days as facts write them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.errors import ArgumentError
from personakit.model.days import checked_day, lies_in, span_of


@pytest.mark.parametrize(
    ("written", "span"),
    [
        ("2024-02-29", ("2024-02-29", "2024-02-29")),
        ("2024-02", ("2024-02-01", "2024-02-29")),
        ("2023", ("2023-01-01", "2023-12-31")),
        ("2024-05-06T07:08:09Z", ("2024-05-06", "2024-05-06")),
        *((bad, None) for bad in ("2023-02-29", "2023-13", "0000", "23", "yesterday", "", "2023-1-1")),
    ],
)
def test_spans(written: str, span: tuple[str, str] | None) -> None:
    """A month and a year stand for all of their days; what is no day of the calendar is none."""
    assert span_of(written) == span


def test_checked_days() -> None:
    """Only what is a day passes; where a whole date is wanted, only that."""
    assert checked_day("x", " 2024-02 ") == "2024-02"
    for bad in ("2024-13", "soon", "2024-05-06T07:08"):
        with pytest.raises(ArgumentError, match="x: is no day"):
            checked_day("x", bad)
    with pytest.raises(ArgumentError, match="YYYY-MM-DD"):
        checked_day("x", "2024-02", whole=True)


@given(st.dates(date(2000, 1, 1), date(2030, 1, 1)), st.integers(0, 900), st.integers(-50, 950))
def test_a_day_lies_between_both_ends(first: date, length: int, at: int) -> None:
    """Both ends count, and an open end never ends."""
    last, day = first + timedelta(length), (first + timedelta(at)).isoformat()
    assert lies_in(day, first.isoformat(), last.isoformat()) == (0 <= at <= length)
    assert lies_in(day, first.isoformat(), "") == (at >= 0) and lies_in(day, "", last.isoformat()) == (at <= length)
    assert lies_in(day, "", "") and lies_in(day, "nonsense", "~")
