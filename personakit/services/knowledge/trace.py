"""Trace: how an answer about documents came about, for the assistant that got it. Tracing is not serving."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from personakit.model.answer_trace import answer_lines
from personakit.model.trace import page_of
from personakit.vault.journal import SERVED

if TYPE_CHECKING:
    from personakit.model.trace import Page
    from personakit.services.knowledge.inquiry import Inquiry

TOOL = "knowledge_trace"
_ANSWER = re.compile(r"a_[a-z2-7]{16}")


def trace(inquiry: Inquiry, answer: str, start: int) -> Page | None:
    """Give a page of an answer's trace; None for one that is unknown, forgotten, or another assistant's."""
    if inquiry.call is None or not _ANSWER.fullmatch(answer):
        return None
    rows = inquiry.vault.recorder.journal.rows_with(f'"{answer}"', SERVED)
    row = next((row for row in rows if row.get("answer") == answer and row.get("to") == inquiry.by), None)
    return None if row is None else page_of(answer_lines(row), start, TOOL)
