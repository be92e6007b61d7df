"""The time that a question names: "as of 3 March 2025", "in 2024", "yesterday"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from personakit.model.days import span_of

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            *(("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun")),
            *(("july", "jul"), ("august", "aug"), ("september", "sep", "sept"), ("october", "oct")),
            *(("november", "nov"), ("december", "dec")),
        ),
        1,
    )
    for name in names
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ON = r"\b(?:as of|as at|as on|back in|back on|by the end of|at the end of|until|on|in|at|by)\s+"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:{_ON})?\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b",
        rf"{_ON}(?:the\s+)?{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\.?,?\s+(?P<year>\d{{4}})\b",
        rf"{_ON}(?P<month>{_MONTH})\.?\s+{_DAY},?\s+(?P<year>\d{{4}})\b",
        rf"{_ON}(?P<month>{_MONTH})\.?,?\s+(?P<year>\d{{4}})\b",
        rf"{_ON}(?P<year>(?:19|20)\d{{2}})\b(?![-/.:]\d)",
        r"\b(?P<said>yesterday|last month|last year)\b",
    )
)


class Asked(NamedTuple):
    """The day that a question asks about, YYYY-MM-DD, and where its words stand in the question."""

    day: str
    start: int
    end: int


def time_in(question: str, today: str) -> Asked | None:
    """Find the time a question names, the most exact first; None for none, and for one that is not past."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(question):
            day = _day(found, date.fromisoformat(today))
            if day is not None and day < today:
                return Asked(day, found.start(), found.end())
    return None


def _day(found: re.Match[str], today: date) -> str | None:
    parts = found.groupdict()
    if parts.get("said"):
        return _spoken(parts["said"].casefold(), today).isoformat()
    if parts.get("iso"):
        written = parts["iso"]
    else:
        written = parts["year"]
        if parts.get("month"):
            written += f"-{_MONTHS[parts['month'].casefold()]:02}"
        if parts.get("day"):
            written += f"-{int(parts['day']):02}"
    span = span_of(written)
    return None if span is None else span[1]


def _spoken(said: str, today: date) -> date:
    if said == "yesterday":
        return today - timedelta(days=1)
    return today.replace(day=1) - timedelta(days=1) if said == "last month" else date(today.year - 1, 12, 31)
