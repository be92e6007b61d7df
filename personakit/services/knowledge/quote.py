"""A quote: one passage as it leaves, verbatim, with its place and time; and the lines in which it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.model.block import tame, tokens
from personakit.model.document import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from personakit.model.document import Document, Passage

MOST_TOKENS = 1_900
# What the tag, the notice and the lines around quotes are taken to cost.
AROUND = 150
UNTITLED = "(untitled)"


@dataclass(frozen=True, slots=True)
class Quote:
    """One passage as it leaves. Texts that there is nothing for are "".

    Attributes:
        passage: the words, and the document they stand in.
        place: where it stands in time.
        changed: when its document last changed, UTC.
        highlights: the sentences of it that answer best, in its order.
        replaced_by: the passage that the next version has instead, and when that came.
        removed_at: when it was removed.
        waiting_since: since when a correction of it waits for a person.
    """

    passage: Passage
    place: Place
    changed: str = ""
    highlights: tuple[str, ...] = ()
    replaced_by: tuple[str, str] | None = None
    removed_at: str = ""
    waiting_since: str = ""

    @property
    def told(self) -> str:
        """What it is, on one line."""
        about = self.passage.about
        days = [("effective from", about.effective_from), ("effective until", about.effective_until)]
        parts = [
            self.place.value,
            f"changed {self.changed[:10]}" if self.changed else "",
            *(f"{word} {day}" for word, day in days if day),
            about.status if about.status == "draft" else "",
            f"authority {tame(about.authority)}" if about.authority else "",
            f"replaced by {self.replaced_by[0]} on {self.replaced_by[1][:10]}" if self.replaced_by else "",
            f"removed on {self.removed_at[:10]}" if self.removed_at else "",
            f"a correction waits since {self.waiting_since[:10]}" if self.waiting_since else "",
        ]
        return f"{place_of(about, self.passage.section)} ({'; '.join(filter(None, parts))}) {self.passage.id}"


def place_of(about: Document, section: tuple[str, ...]) -> str:
    """Give a document's title and a section's headings on one line."""
    names = [about.title or UNTITLED, *section]
    if section and section[0] == about.title:
        names = list(section)
    return " › ".join(tame(name) or "-" for name in names)


def quoted_lines(words: str) -> Iterator[str]:
    """Give words as lines that nobody can take for ours: each behind `> `."""
    for line in words.split("\n"):
        yield f"> {_indent(line)}{tame(line)}".rstrip()


def _indent(line: str) -> str:
    return " " * min(len(line) - len(line.lstrip(" ")), 12)


def lines_of(quotes: Iterable[Quote], room: int, start: int = 1) -> tuple[list[str], int, int]:
    """Tell quotes in a number of tokens: whole, else by their best sentences, else by their place alone.

    Gives the lines, the room that is left, and how many are told by less than their words.
    """
    lines: list[str] = []
    short = 0
    for number, quote in enumerate(quotes, start):
        head = f"[{number}] {quote.told}"
        best = [part for one in quote.highlights for part in quoted_lines(one)]
        candidates = [list(quoted_lines(quote.passage.text)), best]
        body = next((one for one in candidates if one and _cost([head, *one]) <= room), None)
        if body is None:
            short += 1
            body = []
            if _cost([head]) > room:
                continue
        elif body is best:
            short += 1
        lines += [head, *body]
        room -= _cost([head, *body])
    return lines, room, short


def _cost(lines: list[str]) -> int:
    return tokens("\n".join(lines) + "\n")
