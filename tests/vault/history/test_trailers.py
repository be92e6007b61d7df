"""Trailers are read from a message's last paragraph, and from no other line of it."""

from __future__ import annotations

import pytest

from personakit.vault.history.trailers import trailers_of


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Subject\n\nA: 1\nb-c : 2\nA: 3\n", {"a": ["1", "3"], "b-c": ["2"]}),
        ("Subject\n\nBody: text\n \t\nA: 1\n\n\n", {"a": ["1"]}),
        ("Subject\n\nA: one\n  two\n\tthree\n(cherry picked from commit 12ab)\n", {"a": ["one two three"]}),
        ("A: 1", {}),
        ("Subject\n\nA: 1\nand so on\n", {}),
        ("Subject\n\n  A: 1\n", {}),
        ("Subject\n\nA: 1\u2028B: 2\x0bC: 3\n", {"a": ["1\u2028B: 2\x0bC: 3"]}),
        ("", {}),
    ],
)
def test_trailers(message: str, found: dict[str, list[str]]) -> None:
    """Names count in any case, values may go on, and a paragraph with other lines in it holds none."""
    assert trailers_of(message) == found
