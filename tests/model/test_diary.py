"""A diary entry's id is made from who wrote it, when, and what."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.diary import diary_id

TEXT = st.text(alphabet=st.characters(exclude_characters="\0"), max_size=20)


def test_the_id_is_what_the_format_says() -> None:
    """12 hex digits of sha256 over the three parts with a NUL between."""
    digest = hashlib.sha256(b"claude\x002026-11-12T09:30:00.000001Z\0entry\n").hexdigest()
    assert diary_id("claude", "2026-11-12T09:30:00.000001Z", "entry\n") == f"e_{digest[:12]}"
    assert diary_id("caf\udce9", "", "") != diary_id("caf", "", "")


@settings(deadline=None)
@given(TEXT, TEXT, TEXT, TEXT, TEXT, TEXT)
def test_other_parts_make_another_id(a: str, b: str, c: str, d: str, e: str, f: str) -> None:
    """Two entries have one id only when agent, time and text are equal."""
    assert (diary_id(a, b, c) == diary_id(d, e, f)) == ((a, b, c) == (d, e, f))
