"""A correction: the right words for one passage of a document, proposed by an assistant and waiting for a person.

The body of its file is for that person to read: why, the words as they are, the right words, each a block quote under a
heading of its own. Since every line of words begins with `>`, no word can pass for a heading. Source: docs/FORMAT.md,
"Corrections".
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.model.characters import clean, mend, unseen
from personakit.model.document import fence_after, passage_id, pieces
from personakit.model.note import Note
from personakit.model.privacy import mask_emails
from personakit.model.scrub import scrub

if TYPE_CHECKING:
    from personakit.model.document import Section

WAITING, ACCEPTED, DECLINED = "waiting", "accepted", "declined"
LONGEST_TEXT = 8_000
LONGEST_REASON = 1_000
MOST_OPEN = 20

_HEADINGS = ("## Reason", "## Old words", "## Right words")
_HEADING_LINE = re.compile(r"#{1,6}(?:[ \t]|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(Note):
    """A file of proposals/.

    Attributes:
        passage: the id of the passage it is about.
        document: the id of that passage's document.
        base: the version of the document it was made against.
        agent: who proposed it.
        session: in which session, "" for none.
        request_id: the proposer's name for the call, "" for none.
        status: waiting, accepted or declined; any other word counts as waiting.
        applied: when the right words went into the document; "" as long as they have not.
        note: why it still waits, or what the owner says of it.
        redacted: whether something was taken out of the words before they were stored.
    """

    passage: str = ""
    document: str = ""
    base: str = ""
    agent: str = ""
    session: str = ""
    request_id: str = ""
    status: str = WAITING
    applied: str = ""
    note: str = ""
    redacted: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided yet."""
        return self.status not in (ACCEPTED, DECLINED)

    @property
    def is_due(self) -> bool:
        """Whether its owner has accepted it and its words are not yet in the document."""
        return self.status == ACCEPTED and not self.applied


@dataclass(frozen=True, slots=True)
class Words:
    """What a correction says; each of them verbatim, lines ended by LF."""

    reason: str
    old: str
    right: str


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a proposed correction: which argument, why, and the error's code."""

    field: str
    why: str
    code: str = "invalid_argument"


class Clash(ValueError):
    """A correction does not fit the document as it is now; the text says why, for the owner."""


def checked_words(old: str, text: str, reason: str) -> tuple[Words, bool] | Flaw:
    """Check what is proposed in the place of a passage; also say whether anything was taken out of it."""
    for field, given, most in (("text", text, LONGEST_TEXT), ("reason", reason, LONGEST_REASON)):
        if len(given) > most:
            return Flaw(field, f"is longer than {most:,} characters")
    cleaned = [clean(mend(given)).strip() for given in (text, reason)]
    right, why = (scrub(mask_emails(given)) for given in cleaned)
    for field, given in (("text", right), ("reason", why)):
        if unseen(given):
            return Flaw(field, "is empty; give the right words" if field == "text" else "is empty; say why")
    if right == old:
        return Flaw("text", "says what the passage says already; nothing would change", "no_change")
    flaw = _shape(right)
    return Flaw("text", flaw) if flaw else (Words(why, old, right), [right, why] != cleaned)


def _shape(right: str) -> str:
    """Say what of some words would change more of a document than their own passage; "" for nothing."""
    fence = ""
    for line in right.split("\n"):
        was, fence = fence, fence_after(fence, line)
        if not was and not fence and _HEADING_LINE.match(line):
            return "holds a heading; give the words of one passage, as they stand under its headings"
    if fence:
        return "opens a code block that it does not close"
    if right.startswith("---"):
        return "begins with ---, which could be read as the document's front matter"
    return ""


def correction_id(agent: str, passage: str, words: Words, request: str) -> str:
    """Give a correction's id: `q_` and 12 hex digits over who asks, for which passage, in what words, in which call."""
    parts = "\0".join((agent, passage, words.right, words.reason, request))
    return "q_" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def written(words: Words) -> str:
    """Give the body of a correction's file."""
    quotes = zip(_HEADINGS, (words.reason, words.old, words.right), strict=True)
    return "\n\n".join(f"{heading}\n\n{_quote(text)}" for heading, text in quotes) + "\n"


def words_of(body: str) -> Words | None:
    """Read the body of a correction's file; None when a part is missing. What stands between them is passed over."""
    parts: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in body.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            lines = parts.setdefault(line.rstrip(), [])
        elif line.startswith(">") and lines is not None:
            lines.append(line[1:].removeprefix(" "))
    if any(heading not in parts for heading in _HEADINGS):
        return None
    reason, old, right = ("\n".join(parts[heading]) for heading in _HEADINGS)
    return Words(reason, old, right.strip()) if old and not unseen(right) else None


def corrected(body: str, correction: Correction, words: Words) -> str:
    """Give a document's body with the right words in the place of the old ones; all else stays, line ends too.

    The old words must stand where they were proposed for, or in one other place alone: then the document may have
    changed elsewhere meanwhile. A body that holds the right words already is given back as it is.

    Raises:
        Clash
    """
    every = pieces(body)
    found = [piece for piece in every if piece.text == words.old]
    there = [piece for piece in every if _id_of_old(correction, piece, words) == correction.passage]
    here = [piece for piece in there if piece.text == words.old]
    if not here and any(piece.text == words.right for piece in (there or ([] if found else every))):
        return body
    if not found:
        raise Clash("the words it corrects have changed since")
    if len(here or found) > 1:
        raise Clash("the words it corrects stand in several places")
    piece = (here or found)[0]
    new = _spliced(body, piece.start, piece.end, words.right)
    if any(one.headings == piece.headings and one.text == words.old for one in pieces(new)):
        raise Clash("the words it corrects stand in several places")
    return new


def _id_of_old(correction: Correction, piece: Section, words: Words) -> str:
    """Give the id that the old words would have in a piece's place."""
    return passage_id(correction.document, piece.headings, words.old)


def _spliced(body: str, start: int, end: int, right: str) -> str:
    """Put words between two places that count characters of the body with LF ends."""
    crlf = body.count("\r\n")
    if not crlf:
        return body[:start] + right + body[end:]
    at = [_place(body, start), _place(body, end)]
    mostly = crlf * 2 >= body.count("\n")
    return body[: at[0]] + (right.replace("\n", "\r\n") if mostly else right) + body[at[1] :]


def _place(body: str, wanted: int) -> int:
    at = seen = 0
    while seen < wanted:
        at += 2 if body.startswith("\r\n", at) else 1
        seen += 1
    return at


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))
