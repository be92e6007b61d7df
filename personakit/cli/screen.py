"""The review's screen: one memory with all that helps to judge it, for a terminal of any width or for a pipe."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from personakit.cli.terminal import COLORS, audience, one_line
from personakit.model.characters import reveal
from personakit.model.memory import statement_of
from personakit.model.states import State

if TYPE_CHECKING:
    from rich.console import RenderableType

    from personakit.services.review.cards import Card, Near

KEYS = "a:approve  r:restrict  x:reject  s:skip  e:edit  c:category  f:for-whom  p:supersedes  v:effect  u:undo  q:quit"
# Two texts that have less in common are shown each as it is: word by word they would be a riddle.
_COMPARED = 0.6
_NOTE_LINES = 12
_WIDEST = 120
_INDENT = 2


def console() -> Console:
    """Give a console on stdout, at most 120 columns wide, that marks nothing up by itself."""
    found = Console(highlight=False, markup=False, emoji=False)
    found.width = min(found.width, _WIDEST)
    return found


def card(one: Card, number: int, of: int, said: str) -> RenderableType:
    """Lay out a card: whose it is, the statement, its quotes and notes, and the memories like it."""
    memory = one.memory
    parts: list[RenderableType] = [
        Text(" · ".join(filter(None, [f"{number} of {of}", memory.id, *_origin(one)])), "dim"),
        Text(),
        Padding(Text(one_line(memory.text), "bold"), (0, 0, 0, _INDENT), expand=False),
        Text(),
    ]
    for quote in memory.evidence:
        parts.append(Padding(Text(f'"{one_line(quote)}"', "italic"), (0, 0, 0, _INDENT), expand=False))
    if said:
        parts.append(Padding(Text(said, "dim"), (0, 0, 0, _INDENT), expand=False))
    notes = _notes(one)
    if notes:
        parts += [Text(), Padding(Text("\n".join(notes)), (0, 0, 0, _INDENT), expand=False)]
    if one.near:
        parts += [Text(), Text("Like it:", "dim")]
        for place, near in enumerate(one.near, 1):
            parts += _near(place, near, memory.text)
    return Group(*parts)


def _origin(one: Card) -> list[str]:
    memory = one.memory
    by = f"proposed by {one_line(memory.proposed_by)}" if memory.proposed_by else ""
    when = memory.created[:10]
    return [f"{by} on {when}" if by and when else by or when, memory.category, audience(memory) or "for everybody"]


def _notes(one: Card) -> list[str]:
    """Give what stands below the statement, line by line, as far as a screen has room for it."""
    lines = one.body.splitlines()
    begun = [number for number, line in enumerate(lines) if line.strip()]
    if not begun or statement_of(one.body) == " ".join(" ".join(lines).split()):
        return []
    end = next((number for number in range(begun[0], len(lines)) if not lines[number].strip()), len(lines))
    rest = [reveal(line)[:400] for line in lines[end:] if line.strip()]
    more = len(rest) - _NOTE_LINES
    return rest if more <= 0 else [*rest[:_NOTE_LINES], f"({more} more lines; e opens the file)"]


def _near(place: int, near: Near, text: str) -> list[RenderableType]:
    other = near.memory
    state = other.state or State.UNCONFIRMED
    head = Text(f"{place} ", "bold")
    head.append(state.value, COLORS[state])
    head.append(f"  {other.id}  {near.alike:.2f} alike", "dim")
    if near.differs_in:
        head.append(f"  another {near.differs_in}: they may contradict each other", "red")
    said = difference(text, other.text) if near.alike >= _COMPARED else Text(one_line(other.text))
    return [Padding(head, (0, 0, 0, _INDENT), expand=False), Padding(said, (0, 0, 0, _INDENT + 2), expand=False)]


def difference(new: str, old: str) -> Text:
    """Give an old text with what the new one says otherwise: [-words that are not in the new-]{+words that are+}."""
    one, other = one_line(old).split(), one_line(new).split()
    found = Text()
    for how, begin, end, start, stop in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if how == "equal":
            found.append(" ".join(one[begin:end]) + " ")
            continue
        if end > begin:
            found.append(f"[-{' '.join(one[begin:end])}-]", "red")
        if stop > start:
            found.append(f"{{+{' '.join(other[start:stop])}+}}", "green")
        found.append(" ")
    found.rstrip()
    return found
