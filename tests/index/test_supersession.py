"""Which memories others have replaced."""

from __future__ import annotations

import pytest

from personakit.index.supersession import replaced


@pytest.mark.parametrize(
    ("supersedes", "gone"),
    [
        ({}, set()),
        ({"b": ("a",)}, {"a"}),
        ({"a": ("a",)}, set()),
        ({"c": ("b",), "b": ("a",)}, {"a", "b"}),
        ({"a": ("b",), "b": ("a",)}, set()),
        ({"a": ("b",), "b": ("c",), "c": ("a",)}, set()),
        ({"a": ("b",), "b": ("a", "old")}, {"old"}),
        ({"new": ("a",), "a": ("b",), "b": ("a",)}, {"a"}),
        ({"new": ("gone", "gone")}, {"gone"}),
    ],
)
def test_replaced(supersedes: dict[str, tuple[str, ...]], gone: set[str]) -> None:
    """What is named is replaced, but not by itself and not within a ring."""
    assert set(replaced(supersedes)) == gone
