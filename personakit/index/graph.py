"""The palace as a graph: rooms are nodes, by name alone; rooms that share a wing are joined; a room in two is a tunnel.

Source: docs/ARCHITECTURE.md, "The palace's graph".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.model.drawer import Drawer

MOST_ROWS = 50
MOST_TUNNELS = 10
MOST_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class Room:
    """A node: the wings a room of this name is in, the halls its drawers name, how many there are, the latest one."""

    name: str
    wings: tuple[str, ...]
    halls: tuple[str, ...]
    count: int
    recent: str


@dataclass(frozen=True, slots=True)
class Step:
    """A room as a walk comes to it: after so many hops, through the wings shared with the room before it."""

    room: Room
    hop: int
    through: tuple[str, ...]


class Graph:
    """The rooms of some drawers."""

    def __init__(self, drawers: Iterable[Drawer]) -> None:
        wings: defaultdict[str, set[str]] = defaultdict(set)
        halls: defaultdict[str, set[str]] = defaultdict(set)
        counts: Counter[str] = Counter()
        recent: dict[str, str] = {}
        for drawer in drawers:
            wings[drawer.room].add(drawer.wing)
            counts[drawer.room] += 1
            if drawer.hall:
                halls[drawer.room].add(drawer.hall)
            recent[drawer.room] = max(recent.get(drawer.room, ""), drawer.filed_at)
        self.rooms = {
            name: Room(name, tuple(sorted(wings[name])), tuple(sorted(halls[name])), counts[name], recent[name])
            for name in sorted(counts)
        }
        self._in: defaultdict[str, list[str]] = defaultdict(list)
        for name, room in self.rooms.items():
            for wing in room.wings:
                self._in[wing].append(name)

    def walk(self, start: str, hops: int) -> list[Step]:
        """Give the rooms within so many hops, the start first; nearest first, then fullest, then by name.

        Raises:
            KeyError: there is no such room.
        """
        found = {start: Step(self.rooms[start], 0, ())}
        front = [start]
        for hop in range(1, hops + 1):
            reached: dict[str, Step] = {}
            for name in front:
                for wing in self.rooms[name].wings:
                    for other in self._in[wing]:
                        if other not in found and other not in reached:
                            shared = set(self.rooms[name].wings) & set(self.rooms[other].wings)
                            reached[other] = Step(self.rooms[other], hop, tuple(sorted(shared)))
            if not reached:
                break
            found |= reached
            front = sorted(reached)
        return sorted(found.values(), key=lambda step: (step.hop, -step.room.count, step.room.name))

    def tunnels(self, *wings: str) -> list[Room]:
        """Give the rooms that are in two wings or more, all of these among them; fullest first, then by name."""
        found = (room for room in self.rooms.values() if len(room.wings) > 1 and set(wings) <= set(room.wings))
        return sorted(found, key=lambda room: (-room.count, room.name))

    def edges(self) -> int:
        """Give how many pairs of wings are bridged, each room counting its own."""
        return sum(1 for room in self.rooms.values() for _ in combinations(room.wings, 2))

    def rooms_per_wing(self) -> dict[str, int]:
        """Give how many rooms each wing has, most first, then by name."""
        return dict(sorted(((wing, len(names)) for wing, names in self._in.items()), key=lambda row: (-row[1], row[0])))

    def like(self, name: str) -> list[str]:
        """Give up to five rooms whose names hold this one, or a part of it between hyphens and blanks."""
        wanted = name.casefold()
        parts = [part for part in wanted.replace("-", " ").split() if part]
        near = [room for room in self.rooms if wanted and wanted in room.casefold()]
        near += [room for room in self.rooms if room not in near and any(part in room.casefold() for part in parts)]
        return near[:MOST_SUGGESTIONS]
