"""Scrubbing takes out what is shaped like a credential, says so in its place, and leaves all else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.credentials import credential_kind
from personakit.model.scrub import scrub

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"Use {TOKEN} for it", "Use [removed: github] for it"),
        (f"one\n{TOKEN}\ntwo", "one\n[removed: github]\ntwo"),
        (f"before\n{PEM}\nafter", "before\n[removed: private_key]\nafter"),
        ("my password is hunter2-zebra9", "[removed: password]"),
        ("password:\n  hunter2-zebra9\nbye", "[removed: password]\n[removed: password]\nbye"),
        ("nothing to hide,\n  not even blanks  ", "nothing to hide,\n  not even blanks  "),
        ("", ""),
    ],
)
def test_what_is_left(text: str, kept: str) -> None:
    """A word, a line or a block goes; what stands around it stays."""
    assert scrub(text) == kept


PIECES = (
    TOKEN,
    PEM,
    "password: hunter2-zebra9",
    "secret =",
    "\n",
    " ",
    "tea",
    "hunter2-zebra9",
    "AKIAABCDEFGHIJKLMNOP",
)


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_nothing_is_left(text: str) -> None:
    """Whatever stands beside what, the result holds no credential, and scrubbing it again changes nothing."""
    assert credential_kind(scrub(text)) is None
    assert scrub(scrub(text)) == scrub(text)
