"""A merge's markers are found where they stand, and the sides between them are what each side had."""

from __future__ import annotations

import pytest

from personakit.vault.conflict import marker_line, sides


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 0),
        ("x\n=======\n", 0),
        ("Title\n=======\n>>>> quote\n", 0),
        ("<<<<<<<x\n", 0),
        ("text >>>>>>> x\n", 0),
        (">>>>>>> x\n", 1),
        ("<<<<<<<", 1),
        ("<<<<<<< HEAD\n", 1),
        ("x\r\n=======\r\ny\r\n>>>>>>> theirs\r\n", 4),
        ("Title\n=======\nx\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", 4),
    ],
)
def test_a_heading_line_is_no_conflict(text: str, line: int) -> None:
    """An opening or a closing marker is a conflict, where it stands; an underlined heading is none."""
    assert marker_line(text) == line


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [
        ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> dev\nd\n", "a\nb\nd\n", "a\nc\nd\n"),
        ("<<<<<<< HEAD\r\nb\r\n=======\r\n>>>>>>> dev\r\nd", "b\r\nd", "d"),
        ("<<<<<<< a\nb\n||||||| base\nx\n=======\nc\n>>>>>>> dev\n", "b\n", "c\n"),
        ("<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n-\n<<<<<<< a\n3\n=======\n4\n>>>>>>> b\n", "1\n-\n3\n", "2\n-\n4\n"),
        ("no conflict\n", "no conflict\n", "no conflict\n"),
    ],
)
def test_each_side_is_what_it_had(text: str, ours: str, theirs: str) -> None:
    """Lines outside a conflict belong to both sides, a common ancestor's to neither."""
    assert sides(text) == (ours, theirs)


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< a\nb\n",
        "<<<<<<< a\nb\n=======\nc\n",
        "=======\nc\n>>>>>>> x\n",
        ">>>>>>> x\n",
        "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> x\n",
        "<<<<<<< a\n=======\n=======\n>>>>>>> x\n",
        "<<<<<<< a\n=======\n||||||| b\n>>>>>>> x\n",
        "<<<<<<< a\n>>>>>>> x\n",
    ],
)
def test_broken_markers_have_no_sides(text: str) -> None:
    """Markers that are not those of whole conflicts are not taken apart."""
    assert sides(text) is None
