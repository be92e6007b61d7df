"""A drawer's id is made from wing, room and content, and from nothing else."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.drawer import drawer_id

TEXT = st.text(max_size=20)


def test_the_id_is_what_the_format_says() -> None:
    """24 hex digits of sha256 over the three parts, each with its length in bytes before it."""
    expected = hashlib.sha256(b"6:garden" + b"8:" + "Штук".encode() + b"10:" + "Watered\nü".encode()).hexdigest()[:24]
    assert drawer_id("garden", "Штук", "Watered\nü") == f"drawer_garden_Штук_{expected}"


@settings(deadline=None)
@given(TEXT, TEXT, TEXT, TEXT, TEXT, TEXT)
def test_other_parts_make_another_id(a: str, b: str, c: str, d: str, e: str, f: str) -> None:
    """Two drawers have one id only when all three parts are equal, however they are cut."""
    assert (drawer_id(a, b, c) == drawer_id(d, e, f)) == ((a, b, c) == (d, e, f))
    assert re.fullmatch(r"drawer_.*_.*_[0-9a-f]{24}", drawer_id(a, b, c), re.DOTALL)


def test_parts_do_not_run_into_one_another() -> None:
    """What moves from one part to the next is another drawer, and so is another line end."""
    assert len({drawer_id("ab", "c", "x"), drawer_id("a", "bc", "x"), drawer_id("a", "b", "cx")}) == 3
    assert drawer_id("a", "b", "x\n") != drawer_id("a", "b", "x\r\n") != drawer_id("a", "b", "x")
    assert drawer_id("a", "b", "caf\udce9")
