"""A session's transcript, kept only where the owner's consent is full. No tool serves it.

Its body is for a person to read: each turn is a block quote under a heading that says when, who and which turn. Since
every line of words begins with `> `, no word can pass for a heading. Source: docs/FORMAT.md, "Sessions".
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.model.note import Note

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(
    r"## (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC, (?P<speaker>person|agent), "
    r"(?P<kind>prompt|reply) (?P<id>p_[0-9a-z]{16})(?: to (?P<to>p_[0-9a-z]{16}))?"
)
# How quotation marks are typed says nothing of who said the words between them.
_MARKS = re.compile(r"[\"'`´‘’‚‛“”„‟«»‹›「」『』]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript(Note):
    """A file of sessions/. Times are as written."""

    agent: str = ""
    project: str = ""
    parent: str = ""
    started: str = ""
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One turn: when (YYYY-MM-DD HH:MM:SS, UTC), who, what, its id, the prompt it answers ("" for none), words."""

    at: str
    speaker: str
    kind: str
    id: str
    to: str
    words: str


def written(turn: Spoken) -> str:
    """Give a turn as its file has it."""
    to = f" to {turn.to}" if turn.to else ""
    quote = "\n".join(f"> {line}".rstrip() for line in turn.words.split("\n"))
    return f"## {turn.at} UTC, {turn.speaker}, {turn.kind} {turn.id}{to}\n\n{quote}\n"


def turns_of(body: str) -> Iterator[Spoken]:
    """Give the turns that a transcript's body holds, in its order; what the owner wrote between them is passed over."""
    heading: re.Match[str] | None = None
    words: list[str] = []
    for line in [*body.replace("\r\n", "\n").split("\n"), "## "]:
        if line.startswith("## "):
            if heading is not None:
                at, speaker, kind, id_, to = heading.group("at", "speaker", "kind", "id", "to")
                yield Spoken(at, speaker, kind, id_, to or "", "\n".join(words))
            heading, words = _HEADING.fullmatch(line.rstrip()), []
        elif line.startswith(">"):
            words.append(line[1:].removeprefix(" "))


def says(words: str, quote: str) -> bool:
    """Say whether a quote stands in some words; blanks, quotation marks and case do not matter."""
    wanted = _spoken(quote)
    return bool(wanted) and wanted in _spoken(words)


def _spoken(text: str) -> str:
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(plain.split())
