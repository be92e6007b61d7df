"""Documents of the owner, and the passages they are cut into: at their headings, and long sections at blank lines."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from personakit.model.days import span_of
from personakit.model.memory import normalised
from personakit.model.note import Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# A section longer than this is cut at its blank lines; a paragraph longer than the second, at a line end.
LONG = 1_500
LONGEST = 6_000
LONGEST_TITLE = 200
WITHDRAWN = "withdrawn"
STATUSES = ("draft", "approved", WITHDRAWN)

# Every line that may be a heading, or begin or end a stretch of code, with the line end before it.
_MARK = re.compile(r"\n(?:(#{1,6})[ \t]| {0,3}(?:`{3}|~{3}))[^\n]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ID = re.compile(r"[^\W_][\w.:-]{0,99}")


class Place(StrEnum):
    """Where a passage stands in time, as its reader is told. The list is closed."""

    LIVE = "live"
    NOT_YET = "not yet in effect"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"
    REMOVED = "removed"


class Document(NamedTuple):
    """What the passages of one version of a document have in common. Texts that the file does not give are "".

    Attributes:
        id: what its front matter says, else `d_` and 12 hex digits of its path.
        title: what its front matter says, else its first heading of the highest level.
        status: draft, approved or withdrawn.
        authority: who answers for it, in the owner's words.
        effective_from: the first day on which it holds, YYYY-MM-DD.
        effective_until: the first day on which it holds no longer.
        link: where else it can be read, in the owner's words.
        version: the name git gives to the file's bytes.
        parts: how many passages it has.
    """

    id: str
    title: str = ""
    status: str = ""
    authority: str = ""
    effective_from: str = ""
    effective_until: str = ""
    link: str = ""
    version: str = ""
    parts: int = 0

    def place_on(self, day: str) -> Place:
        """Say where its passages stand on a day, YYYY-MM-DD, when this is its version of then."""
        if self.status == WITHDRAWN:
            return Place.WITHDRAWN
        if self.effective_until and day >= self.effective_until:
            return Place.EXPIRED
        return Place.NOT_YET if self.effective_from and day < self.effective_from else Place.LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Note):
    """One passage: `text` is what stands under the headings `section`, outermost first; `at` its place, from 1."""

    about: Document
    section: tuple[str, ...] = ()
    at: int = 1


@dataclass(frozen=True, slots=True)
class Section:
    """Where a piece of a body stands and what it says; `start` and `end` are characters of the body with LF ends."""

    headings: tuple[str, ...]
    text: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


def document_id(path: str) -> str:
    """Give the id of a document that has none of its own: `d_` and 12 hex digits over its path in the vault."""
    return "d_" + hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def own_id(written: str) -> str:
    """Give the id that a document's front matter declares, "" when it is none that a document may have."""
    taken = written[:2].casefold() in ("m_", "d_", "k_", "q_", "r_", "a_", "s_")
    return written if _ID.fullmatch(written) and not taken else ""


@lru_cache(maxsize=1 << 14)  # versions of a document say mostly the same
def passage_id(document: str, headings: tuple[str, ...], text: str) -> str:
    """Give a passage's id: `k_` and 12 hex digits over its document's id, headings and normalised text."""
    parts = "\0".join((document, *headings, normalised(text)))
    return "k_" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def day_of(written: str) -> str | None:
    """Give the first day of a written date, month or year; "" for nothing written, None for what is no day."""
    if written.strip() in ("", "null", "~"):
        return ""
    span = span_of(written)
    return None if span is None else span[0]


def described(id_: str, keys: Mapping[str, str], body: str) -> Document:
    """Give what a document's front matter says of it: title, status, authority, link and its two days."""
    status = keys.get("status", "").strip().casefold()
    return Document(
        id=id_,
        title=" ".join((keys.get("title") or first_title(body)).split())[:LONGEST_TITLE],
        status=status if status in STATUSES else "",
        authority=" ".join(keys.get("authority", "").split())[:LONGEST_TITLE],
        effective_from=day_of(keys.get("effective_from", "")) or "",
        effective_until=day_of(keys.get("effective_until", "")) or "",
        link=keys.get("link", "").strip()[:2_000],
    )


def first_title(body: str) -> str:
    """Give the first heading of the highest level that a body has, "" for none."""
    best: tuple[int, str] | None = None
    for level, title in _titles(body):
        if best is None or level < best[0]:
            best = (level, title)
            if level == 1:
                break
    return "" if best is None else best[1]


def _titles(body: str) -> Iterator[tuple[int, str]]:
    for level, written, _, _ in _headings(body.replace("\r\n", "\n")):
        if title := title_of(written):
            yield level, title


def _headings(body: str) -> Iterator[tuple[int, str, int, int]]:
    """Give each heading of a body with LF ends: its level, what is written, and where its line starts and ends."""
    fence = ""
    for mark in _MARK.finditer("\n" + body):
        level = 0 if mark[1] is None else len(mark[1])
        if not level:
            fence = fence_after(fence, mark[0][1:])
        elif not fence:
            yield level, mark[0][level + 2 :], mark.start(), mark.end() - 1


def pieces(body: str) -> list[Section]:
    """Cut a body into what becomes its passages, in its order; what stands twice in one place is one of them."""
    every = [piece for section in sections(body) for piece in _cut(section)]
    often = Counter(piece.headings for piece in every)
    found: dict[tuple[tuple[str, ...], str], Section] = {}
    for piece in every:
        # Most places have one piece, and nothing there to compare it with.
        found.setdefault((piece.headings, normalised(piece.text) if often[piece.headings] > 1 else ""), piece)
    return list(found.values())


def sections(body: str) -> list[Section]:
    """Cut a Markdown body at its headings. Headings inside fenced code are text. Empty sections are left out."""
    body = body.replace("\r\n", "\n")
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    headings: tuple[str, ...] = ()
    begun = 0
    for level, written, start, end in [*_headings(body), (0, "", len(body), len(body))]:
        piece = _trimmed(body, begun, start, headings)
        if piece is not None:
            found.append(piece)
        path = [*(step for step in path if step[0] < level), (level, title_of(written))]
        headings, begun = tuple(title for _, title in path), end + 1
    return found


def _trimmed(body: str, start: int, end: int, headings: tuple[str, ...]) -> Section | None:
    """Give what stands between two places without the blanks around it; None for nothing."""
    raw = body[start:end]
    text = raw.strip()
    if not text:
        return None
    start += raw.find(text)
    return Section(headings, text, start, start + len(text))


def _cut(section: Section) -> Iterator[Section]:
    """Cut a long section at blank lines outside code, as rarely as its length allows."""
    text = section.text
    if len(text) <= LONG:
        yield section
        return
    begun = 0
    ends = [*_paragraph_ends(text), len(text)]
    for number, end in enumerate(ends):
        following = ends[number + 1] if number + 1 < len(ends) else None
        if following is None or following - begun > LONG:
            yield from _cut_hard(section, begun, end)
            begun = end


def _paragraph_ends(text: str) -> Iterator[int]:
    """Give where each paragraph but the last ends; fenced code has no end within."""
    fence, at, blank = "", 0, True
    for line in text.split("\n"):
        inside = bool(fence)
        fence = fence_after(fence, line)
        if not line.strip() and not inside and not blank:
            yield at
        blank = not line.strip() and not inside
        at += len(line) + 1


def _cut_hard(section: Section, start: int, end: int) -> Iterator[Section]:
    """Give a stretch of a section; one that no blank line makes short is cut at line ends, else at blanks, else."""
    text = section.text
    while end - start > LONGEST:
        window = text[start : start + LONGEST]
        cut = max(window.rfind("\n"), 0) or max(window.rfind(" "), 0) or LONGEST
        yield from _stretch(section, start, start + cut)
        start += cut
    yield from _stretch(section, start, end)


def _stretch(section: Section, start: int, end: int) -> Iterator[Section]:
    piece = _trimmed(section.text, start, end, section.headings)
    if piece is not None:
        yield Section(piece.headings, piece.text, section.start + piece.start, section.start + piece.end)


def title_of(written: str) -> str:
    """Give the title that a heading shows, at most 200 characters of it."""
    # A closing row of # counts only after a blank: the title of "# C#" is C#.
    title = written.strip(" \t")
    bare = title.rstrip("#")
    title = title if bare and bare[-1] not in " \t" else bare.rstrip(" \t")
    return title[:LONGEST_TITLE].rstrip(" \t")


def fence_after(fence: str, line: str) -> str:
    """Give the code fence that is open after a line, "" for none; `fence` is the one open before it."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and not line[mark.end() :].strip() else fence


def below(section: tuple[str, ...], asked: Iterable[str]) -> bool:
    """Say whether a section is the one asked for, by its headings from the outermost on, or lies in it."""
    wanted = tuple(asked)
    return section[: len(wanted)] == wanted
