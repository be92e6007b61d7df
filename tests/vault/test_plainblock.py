"""The plain reader answers as the strict one does, or leaves the block to it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.vault.frontmatter import Block, BlockError, _Reader
from personakit.vault.plainblock import read_plain

OURS = """\
type: memory
id: m_0123456789ab
state: unconfirmed
created: 2026-11-12T09:30:00Z
Category: work-style
proposed_by: "claude-code"
note:
evidence:
  - "give me blunt feedback: skip the padding # ☕"
  - plain words
"""


def plain(block: str) -> Block | None:
    """Read a block with the plain reader, from line 2."""
    read = read_plain(block)
    return None if read is None else Block(read[0], {}, {key: 2 + line for key, line in zip(*read, strict=True)})


def test_what_personakit_writes_is_plain() -> None:
    """The block of a proposal takes the short way, and says what it says."""
    read = plain(OURS)
    assert read is not None
    assert read == _Reader(OURS, 2).read()
    assert read.values["evidence"] == ["give me blunt feedback: skip the padding # ☕", "plain words"]
    assert (read.values["note"], read.lines["evidence"]) == ("", 9)


@pytest.mark.parametrize(
    "block",
    [
        *(
            "a: b",
            "a:  b\n",
            "a : b\n",
            "a: b \n",
            "a: 'b'\n",
            "a: b # c\n",
            "# c\n",
            "\n",
            "a: b\r\n",
            " a: b\n",
            "a: [b]\n",
        ),
        *(
            "a: b\na: c\n",
            "a: b\nA: c\n",
            "- a\n",
            "  - a\n",
            "a: b\n  - c\n",
            "a:\n- b\n",
            "a:\n    - b\n",
            "a:\n  -\n",
        ),
        *('a: "b\\n"\n', 'a: "b" c\n', "a: @b\n", "a: b: c\n", "a: b #c\n", "a: &b c\n", "<<: b\n", "ü: b\n", "a: ü\n"),
        *(
            'a: "\u2028"\n',
            'a: "\x85"\n',
            'a: "\ufeff"\n',
            'a: "\t"\n',
            "a: -b\n",
            "a: ~\n",
            "a: b:\n",
            "---\n",
            "a: b -\n",
        ),
    ],
)
def test_what_is_not_plain_is_left_alone(block: str) -> None:
    """Whatever readers may take in two ways is no business of the plain reader."""
    assert plain(block) is None


PIECES = [
    "a",
    "B",
    "null",
    "no",
    "12:30",
    "a:b",
    "a: b",
    "x-y",
    "-",
    " ",
    "  - ",
    ":",
    ": ",
    '"',
    '"q: #"',
    "#",
    "\n",
    "\r",
    "'",
]
LINES = [
    "a: b\n",
    "A: c\n",
    "c:\n",
    "  - x\n",
    '  - "y, z"\n',
    'd: "é"\n',
    "e: 2026-11-12\n",
    "f: a b c\n",
    "g: 1.10\n",
    "h: \n",
]


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), max_size=8).map("".join)
    | st.lists(st.sampled_from(PIECES + LINES), max_size=10).map("".join)
    | st.text(max_size=30).map(lambda text: f'a: "{text}"\nb: {text}\nc:\n  - {text}\n')
    | st.text(max_size=30).map(lambda text: f'a: "{text}"\n')
)
def test_a_plain_answer_is_the_strict_one(block: str) -> None:
    """Where the plain reader answers, the strict reader gives the same keys, values, lists and lines."""
    read = plain(block)
    if read is None:
        return
    try:
        assert read == _Reader(block, 2).read()
    except BlockError as error:
        raise AssertionError(f"the strict reader refuses it: {error.code}") from error


@pytest.mark.parametrize("length", [60, 1_100, 30_000])
def test_long_words_are_no_exception(length: int) -> None:
    """Values longer than a YAML key may be are read alike."""
    for block in (f"a: {'x' * length}\nb: c\n", f'a: "{"é, " * length}"\nb: c\n', f"a:\n  - {'y ' * length}z\n"):
        assert plain(block) == _Reader(block, 2).read()
