"""Days as facts write them: a whole date, or only a month or a year, which stands for all of its days."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from personakit.errors import ArgumentError

_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
FIRST, LAST = "0000-00-00", "9999-99-99"


def span_of(written: str) -> tuple[str, str] | None:
    """Give the first and the last day that a date, a month or a year stands for, YYYY-MM-DD. None: it is no day."""
    match = _DAY.fullmatch(written.strip()[:10])
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    try:
        if day is not None and month is not None:
            one = date(year, month, day).isoformat()
            return one, one
        if month is not None:
            return date(year, month, 1).isoformat(), date(year, month, monthrange(year, month)[1]).isoformat()
        return date(year, 1, 1).isoformat(), date(year, 12, 31).isoformat()
    except ValueError:
        return None


def checked_day(field: str, written: str, *, whole: bool = False) -> str:
    """Give a day as it was written; `whole` takes dates alone.

    Raises:
        ArgumentError: it is no day of the calendar.
    """
    given = written.strip()
    if len(given) > 10 or span_of(given) is None or (whole and len(given) != 10):
        shape = "a date, YYYY-MM-DD" if whole else "a date, YYYY-MM-DD, or a month or a year of that form"
        raise ArgumentError(field, f"is no day; give {shape}")
    return given


def lies_in(day: str, valid_from: str, valid_to: str) -> bool:
    """Say whether a day, YYYY-MM-DD, lies between two written ones, both included; "" and what is no day are open."""
    first = (span_of(valid_from) or (FIRST, ""))[0]
    last = (span_of(valid_to) or ("", LAST))[1]
    return first <= day <= last
