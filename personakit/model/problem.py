"""Something about a file that its owner should know."""

from __future__ import annotations

from dataclasses import dataclass

# A file with one of these is held: hidden, not counted in any answer, until its owner mends it.
HOLDING = frozenset(
    {
        "bad_line_ends",
        "bad_yaml",
        "block_too_large",
        "file_too_large",
        "forbidden_yaml",
        "late_block",
        "merge_conflict",
        "misplaced",
        "not_a_mapping",
        "not_utf8",
        "too_deep",
        "two_blocks",
        "unclosed_block",
        "unknown_state",
        "unreadable",
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding about one file.

    Attributes:
        path: relative to the vault, with `/`; "" for the vault as a whole.
        code: a fixed word, listed in docs/FORMAT.md.
        line: where in the file, from 1; 0 when it is about the whole file.
        message: what it is, why it matters, what to do; never a word of the file's text.
    """

    path: str
    code: str
    line: int
    message: str

    @property
    def holds(self) -> bool:
        """Whether the file is hidden until this is mended."""
        return self.code in HOLDING
