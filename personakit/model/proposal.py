"""A proposal: what an assistant wants remembered, checked before anything is stored."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from personakit.model.characters import clean, mend, unseen, without_joiners
from personakit.model.credentials import credential_kind
from personakit.model.memory import category_of, memory_id, statement_of, without_mark_runs
from personakit.model.privacy import shorten

LONGEST_STATEMENT = 300
LONGEST_QUOTE = 500

Reason = Literal["empty_text", "too_long", "credential_shape", "empty_quote"]

# At the start of its line a row of these reads as a merge conflict, which would hold the file.
_CONFLICT_MARKS = re.compile(r"\A(?:# |[<=>|]{7,}+ ?)+")
# A line of its own that would read as the end or the start of front matter.
_FENCE = re.compile(r"-{3,}")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A proposal as it is to be stored.

    Attributes:
        statement: one line, at most 300 characters; the statement its file will give.
        quote: one line, at most 500 characters, not masked.
        category: one of CATEGORIES.
        id: the id its statement makes.
    """

    statement: str
    quote: str
    category: str
    id: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal that is not stored, and the first reason why."""

    reason: Reason


def check_proposal(text: str, quote: str, category: str) -> Accepted | Refused:
    """Check a proposal and bring it to the form its file will have. Source: docs/FORMAT.md, "Proposing".

    A credential is looked for in the words as given too, in parts that would not be kept: what an assistant sends
    along with a secret is better sent again without it.
    """
    statement = _statement(text)
    if unseen(statement) or _FENCE.fullmatch(statement):
        return Refused("empty_text")
    if len(statement) > LONGEST_STATEMENT:
        return Refused("too_long")
    words = _one_line(quote)
    if _holds_credential(text, statement) or _holds_credential(quote, words):
        return Refused("credential_shape")
    if unseen(words):
        return Refused("empty_quote")
    return Accepted(
        statement=statement,
        quote=shorten(words, LONGEST_QUOTE),
        category=category_of(category),
        id=memory_id(statement),
    )


def _one_line(text: str) -> str:
    return " ".join(clean(mend(text)).split())


def _statement(text: str) -> str:
    """Give the statement a file with this text as its body would give, or "".

    All paragraphs count, on one line: to store the first and to answer `stored` would lose the rest unsaid.
    """
    return _CONFLICT_MARKS.sub("", statement_of(_one_line(text))).strip()


def _holds_credential(given: str, kept: str) -> bool:
    """Look at the words as given, as kept, and as they read without joiners and in plain letters."""
    plain = unicodedata.normalize("NFKC", without_mark_runs(without_joiners(kept)))
    readings = {given, clean(given), kept, plain}
    return any(credential_kind(reading) is not None for reading in readings)
