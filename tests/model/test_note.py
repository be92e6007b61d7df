"""Times are read as they are written, and names compare without case, blanks and `_`."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.note import Kind, Note, label_key, moment


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("1970-01-01", 0.0),
        (" 1970-01-01 00:01 ", 60.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("2026-11-12T09:30:00.250000Z", 1794475800.25),
        ("0001-01-01T00:00:00Z", -62135596800.0),
    ],
)
def test_a_time_is_read_in_utc_unless_it_says_its_zone(written: str, seconds: float) -> None:
    """ISO 8601, as seconds since 1970."""
    assert moment(written) == seconds


@pytest.mark.parametrize("written", ["", "yesterday", "2026-13-01", "12.11.2026", "2026-11-12T25:00"])
def test_what_is_no_time_is_none(written: str) -> None:
    """Nothing is guessed."""
    assert moment(written) is None


@given(st.text())
def test_no_text_breaks_the_reading_of_a_time(written: str) -> None:
    """It is a number or None, whatever the owner typed."""
    assert moment(written) is None or isinstance(moment(written), float)


@pytest.mark.parametrize("name", ["Work Style", "work_style", " WORK - style ", "work--style", "work\tstyle"])
def test_names_that_mean_one_thing_have_one_key(name: str) -> None:
    """Case, blanks, `_` and `-` do not matter."""
    assert label_key(name) == "work-style"


@given(st.text())
def test_a_key_is_its_own_key(name: str) -> None:
    """label_key is idempotent."""
    assert label_key(label_key(name)) == label_key(name)


def test_a_note_cannot_be_changed() -> None:
    """Values are frozen: what the gate judged is what leaves."""
    note = Note(kind=Kind.FACT, id="t_0", path="t.md")
    with pytest.raises(dataclasses.FrozenInstanceError):
        note.id = "t_1"  # type: ignore[misc]
