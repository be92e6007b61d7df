"""A trace: what happened to one memory, line by line, oldest first, in fixed words; never a word it said or says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.model.block import tame, tokens
from personakit.model.events import Happening
from personakit.model.note import moment
from personakit.model.past import utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from personakit.model.events import Event

MOST_TOKENS = 1_900
# What the tag, the notice and the line that says where to go on are taken to cost.
_AROUND = 120
_SERVED = "served"
_BIRTHS = (Happening.PROPOSED, Happening.WRITTEN, Happening.IMPORTED)


@dataclass(frozen=True, slots=True)
class Serving:
    """One time that a memory was served: when (as PersonaKit writes times) and to which assistant."""

    at: str
    to: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `at` is "" for what is on the disk alone, at no known time; `details` are numbers and short names."""

    n: int
    at: str
    kind: str
    words: str
    details: tuple[tuple[str, str | int], ...] = ()

    @property
    def told(self) -> str:
        """The line as a person or a model reads it."""
        return f"{self.n}. {self.at or 'not committed yet'}: {self.words}"

    @property
    def told_details(self) -> str:
        """Its details, on one line."""
        return f"{self.n}: {', '.join(f'{name} {value}' for name, value in self.details)}"


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of a trace, how they are told, and the number of the next line; None at the end."""

    lines: tuple[Line, ...]
    text: str
    more: int | None


def trace_of(
    events: Iterable[Event], servings: Iterable[Serving], created: str, name: Callable[[str], str]
) -> list[Line]:
    """Join history and servings, oldest first; history keeps its own order, whatever its clocks say.

    `name` gives how a replaced memory is called, "" for one that is not to be named.
    """
    served = _served(servings)
    said: dict[str, str] = {}
    lines: list[Line] = []
    reached, after = 0.0, 0
    for event in events:
        one = _of_event(event, created, name, said)
        # What is on the disk alone came last, but for how it came to be.
        last = float("inf") if event.kind not in _BIRTHS else moment(one.at) or 0.0
        reached = max(reached, last if event.commit is None else event.commit.at)
        while after < len(served) and served[after][0] < reached:
            lines.append(served[after][1])
            after += 1
        lines.append(one)
    lines += [line for _, line in served[after:]]
    return [replace(line, n=n) for n, line in enumerate(lines, 1)]


def _of_event(event: Event, created: str, name: Callable[[str], str], said: dict[str, str]) -> Line:
    words = event.words
    if event.kind is Happening.REPLACED:
        words = f"replaced {name(event.change.now) or 'another memory'}"
    if words not in said:
        said[words] = tame(words)
    if event.commit is not None:
        return Line(0, utc(event.commit.at), event.kind.value, said[words], (("commit", event.commit.short),))
    known = moment(created) if event.kind in _BIRTHS else None
    return Line(0, "" if known is None else utc(int(known)), event.kind.value, said[words], (("committed", "no"),))


def _served(servings: Iterable[Serving]) -> list[tuple[float, Line]]:
    """Give one line for each assistant and day, with the time of its first serving, in the order of these."""
    firsts: dict[tuple[str, str], str] = {}
    times: Counter[tuple[str, str]] = Counter()
    for one in servings:
        key = (one.at[:10], one.to)
        firsts[key] = min(firsts.get(key, one.at), one.at)
        times[key] += 1
    lines = []
    for (day, to), at in firsts.items():
        number = times[day, to]
        words = f"served to {tame(to)} ({'once' if number == 1 else f'{number} times'} on {day})"
        lines.append((moment(at) or 0.0, Line(0, at, _SERVED, words, (("times", number),))))
    return sorted(lines, key=lambda one: (one[0], one[1].words))


def page_of(lines: Sequence[Line], start: int, tool: str) -> Page:
    """Give as many lines from a number on as are within the limit, at least one, and with which tool to go on where."""
    room = MOST_TOKENS - _AROUND
    shown: list[Line] = []
    for line in lines[start - 1 :]:
        room -= tokens(f"{line.told}\n{line.told_details}\n")
        if shown and room < 0:
            break
        shown.append(line)
    after = start + len(shown)
    more = after if shown and after <= len(lines) else None
    said = [line.told for line in shown]
    said += ["Details:", *(line.told_details for line in shown)] if shown else []
    if not shown:
        said = [f"There is no line {start}; the last is {len(lines)}."]
    if more is not None:
        said.append(f"More: lines {more} to {len(lines)}. Call {tool} with from {more}.")
    return Page(tuple(shown), "\n".join(said), more)
