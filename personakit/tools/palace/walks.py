"""The palace's graph: from room to room through the wings they share."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from personakit.tools.arguments import clamped
from personakit.tools.toolset import Exact, Hints, Listing, NoRequest, Request, Tool, later

_NAME = 1_000


class TraverseRequest(Request):
    """Arguments of mempalace_traverse."""

    start_room: str = Field(max_length=_NAME, description="The room to start from, by its exact name")
    max_hops: clamped(0, 10, 2, "How many steps to go")  # type: ignore[valid-type]


class StepRow(Exact):
    """One room of a walk."""

    room: str
    wings: list[str]
    halls: list[str]
    count: int
    hop: int
    connected_via: list[str] | None = None


class TraverseResult(Listing):
    """Structured content of mempalace_traverse."""

    result: list[StepRow]


class NoSuchRoom(Exact):
    """There is no room to start from."""

    failed: ClassVar[bool] = True
    error: str
    suggestions: list[str]


class TunnelsRequest(Request):
    """Arguments of mempalace_find_tunnels."""

    wing_a: str | None = Field(default=None, max_length=_NAME, description="A wing the room must be in")
    wing_b: str | None = Field(default=None, max_length=_NAME, description="Another wing it must be in")


class TunnelRow(Exact):
    """One room in two wings or more."""

    room: str
    wings: list[str]
    halls: list[str] | None = None
    count: int
    recent: str | None = None


class TunnelsResult(Listing):
    """Structured content of mempalace_find_tunnels."""

    result: list[TunnelRow]


class StatsResult(Exact):
    """Structured content of mempalace_graph_stats."""

    total_rooms: int
    tunnel_rooms: int
    total_edges: int
    rooms_per_wing: dict[str, int]
    top_tunnels: list[TunnelRow]


_READS = Hints(read_only=True)

TOOLS = (
    Tool(
        name="mempalace_traverse",
        title="Walk the palace",
        description=(
            "Rooms within some hops of a room, where two rooms are joined by a wing they share; nearest first, then "
            "fullest, at most 50. Use it to find what belongs together across wings; for rooms in two wings use "
            "mempalace_find_tunnels. An error: no such room; `suggestions` names like ones."
        ),
        request=TraverseRequest,
        result=TraverseResult,
        hints=_READS,
        run=later("personakit.tools.palace.walks_calls.traverse"),
    ),
    Tool(
        name="mempalace_find_tunnels",
        title="Find tunnels",
        description=(
            "Rooms that stand in two wings or more, and so join them; with wings named, in those. Fullest first, at "
            "most 50. Empty: nothing joins them."
        ),
        request=TunnelsRequest,
        result=TunnelsResult,
        hints=_READS,
        run=later("personakit.tools.palace.walks_calls.find_tunnels"),
    ),
    Tool(
        name="mempalace_graph_stats",
        title="Count the graph",
        description=(
            "How many rooms there are, how many are tunnels, how many pairs of wings they bridge, the rooms of each "
            "wing, and the ten fullest tunnels."
        ),
        request=NoRequest,
        result=StatsResult,
        hints=_READS,
        run=later("personakit.tools.palace.walks_calls.stats"),
    ),
)
