"""A memory: one statement about the owner, its evidence and what the owner has decided."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from personakit.model.note import Note, label_key
from personakit.model.states import State

CATEGORIES = ("communication", "work-style", "tools", "preferences", "background", "constraints", "other")
MAX_STATEMENT = 1_000
ID_SHAPE = re.compile(r"m_[0-9a-f]{12}")

# Marks that end a sentence in some script; whether one stands there does not make another statement.
_ENDINGS = ".,;:!?…。、｡､؟،؛۔।॥‥・።፣፤፥፧ "
_LINE = re.compile(r"\r\n|\n|\r")
# Candidates for a run of combining marks: sorting a long one costs the square of its length.
_LONG_RUN = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MARKS_KEPT = 30
_HEADING = re.compile(r"\A(?:# )+")
# Two characters that stand side by side in a comment's marks.
_HALF_MARKS = frozenset({"<!", "!-", "--", "->", "%%"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Note):
    """One statement about the owner.

    Attributes:
        text: the statement, at most 1,000 characters.
        category: one of CATEGORIES; the file may say another word.
        evidence: the owner's own words, as stored, in the file's order.
        tags: searched like the statement's words.
        rule: True or False when the file says so, else None.
        supersedes: ids of the memories this one replaces.
        stale_after: the last day it holds, YYYY-MM-DD, or "".
        proposed_by: the assistant that proposed it, or "".
        source: where it was imported from, or "".
        own_id: the id that its statement gives, whatever the file says.
    """

    category: str = "other"
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rule: bool | None = None
    supersedes: tuple[str, ...] = ()
    stale_after: str = ""
    proposed_by: str = ""
    source: str = ""
    own_id: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether the owner has approved it."""
        return self.state is State.APPROVED

    @property
    def is_rule(self) -> bool:
        """Whether it is a standing order: approved, and said to be one or a constraint not said to be none."""
        return self.confirmed and (self.rule is True or (self.rule is None and self.category == "constraints"))

    def is_stale(self, today: str) -> bool:
        """Whether its last day has passed. `today` is YYYY-MM-DD."""
        return bool(self.stale_after) and self.stale_after < today


# One string for each category, however many memories name it.
_CATEGORY_OF = {name: name for name in CATEGORIES}


def category_of(word: str) -> str:
    """Give the known category a word means, else "other"."""
    return _CATEGORY_OF.get(label_key(word), "other")


_RULE_WORDS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}


def rule_of(word: str) -> bool | None:
    """Give what a written `rule` says. None: nothing."""
    return _RULE_WORDS.get(word.strip().casefold())


def without_comments(text: str) -> str:
    """Take out what Obsidian does not show: `%%…%%` and `<!-- … -->`. An opening mark without its end stays.

    What stands on both sides never makes a new mark (a blank goes between), so that a second time changes nothing.
    """
    for opening, ending in (("<!--", "-->"), ("%%", "%%")):
        if opening in text:
            text = _without_spans(text, opening, ending)
    return text


def _without_spans(text: str, opening: str, ending: str) -> str:
    kept: list[str] = []
    last = ""
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(ending, start + len(opening))) >= 0:
        if start > at:
            last = _keep(kept, last, text[at:start])
        at = end + len(ending)
    _keep(kept, last, text[at:])
    return "".join(kept)


def _keep(kept: list[str], last: str, piece: str) -> str:
    """Add a piece to what is kept and ends in `last`, apart where a mark would grow together; give its last one."""
    if last + piece[:1] in _HALF_MARKS:
        kept.append(" ")
    kept.append(piece)
    return piece[-1:]


def statement_of(body: str) -> str:
    """Give the statement a body holds: its first paragraph on one line, whole; "" when there is none.

    Source: docs/FORMAT.md, "statement". A leading `# ` is dropped, however often it stands there: the statement of
    a statement is that statement.
    """
    paragraph: list[str] = []
    for line in _LINE.split(without_comments(body)):
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            break
    return _HEADING.sub("", " ".join(" ".join(paragraph).split()))


def without_mark_runs(text: str) -> str:
    """Cut each run of combining marks to 30, more than any script needs, so that normalising a text is linear in it."""
    return text if text.isascii() else _LONG_RUN.sub(lambda run: _cut_marks(run[0]), text)


def _cut_marks(run: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in run:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= _MARKS_KEPT:
            kept.append(character)
    return "".join(kept)


def normalised(statement: str) -> str:
    """Give the form in which two statements are the same: NFKC, casefold, single blanks, no ending marks."""
    compatible = unicodedata.normalize("NFKC", without_mark_runs(statement))
    folded = " ".join(unicodedata.normalize("NFKC", compatible.casefold()).split())
    return folded.rstrip(_ENDINGS) or folded


def memory_id(statement: str) -> str:
    """Give the id a statement makes: `m_` and the first 12 hex digits of sha256 over its normalised form."""
    return "m_" + hashlib.sha256(normalised(statement).encode("utf-8", "surrogatepass")).hexdigest()[:12]
