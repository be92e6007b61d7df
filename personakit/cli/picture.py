"""Pictures in the terminal: the vault as one bar for each state and each category, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from personakit.cli.terminal import COLORS, one_line
from personakit.model.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from personakit.services.browse import Status

# Also without colours the states of a category can be told apart.
_FILLS = {State.APPROVED: "█", State.UNCONFIRMED: "▒", State.RESTRICTED: "▓", State.REJECTED: "░"}
_PLAIN_FILLS = {State.APPROVED: "#", State.UNCONFIRMED: "?", State.RESTRICTED: "=", State.REJECTED: "-"}
_NAME = 15
# The blank, the figure, and the cells that rounding may add to a bar of four parts.
_NUMBER = 10
_WIDEST = 100


def draw(root: str, found: Status) -> None:
    """Draw the figures on stdout, as wide as the terminal but never wider than 100 columns."""
    console = Console(highlight=False)
    width = min(console.width, _WIDEST)
    room = max(8, width - _NAME - _NUMBER)
    fills = _FILLS if console.encoding.startswith("utf") else _PLAIN_FILLS
    total = sum(found.states.values())
    console.print(Text(f"{one_line(root)}  {total} {'memory' if total == 1 else 'memories'}", "bold"), soft_wrap=True)
    console.print()
    most = max(found.states.values())
    for state in COLORS:
        one = {state: found.states[state]}
        console.print(_row(state.value, one, most, room, fills))
    used = {name: counts for name, counts in found.categories.items() if any(counts.values())}
    if used:
        console.print()
    most = max((sum(counts.values()) for counts in used.values()), default=0)
    for name, counts in used.items():
        console.print(_row(name, {state: counts[state] for state in COLORS}, most, room, fills))
    console.print()


def _row(name: str, counts: Mapping[State, int], most: int, room: int, fills: Mapping[State, str]) -> Text:
    row = Text(f"{name:<{_NAME}}", no_wrap=True)
    for (state, _), cells in zip(counts.items(), _cells(list(counts.values()), most, room), strict=True):
        row.append(fills[state] * cells, COLORS[state])
    return row.append(f" {sum(counts.values())}", "bold")


def _cells(numbers: Sequence[int], most: int, room: int) -> list[int]:
    """Share out a bar's cells; what is there at all gets at least one."""
    return [0 if number == 0 else max(1, round(number * room / most)) for number in numbers]


def table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Draw rows of text that is safe already; nothing in it is markup."""
    found = Table(title=Text(title) if title else None, box=None, title_justify="left", pad_edge=False)
    for head in heads:
        found.add_column(head, overflow="fold")
    for row in rows:
        found.add_row(*map(Text, row))
    Console(highlight=False).print(found)
