"""What the graph tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.services.walks import MOST_ROWS, MOST_TUNNELS, Graph, graph
from personakit.tools.palace.walks import NoSuchRoom, StatsResult, StepRow, TraverseResult, TunnelRow, TunnelsResult

if TYPE_CHECKING:
    from personakit.services.desk import Desk
    from personakit.tools.palace.walks import TraverseRequest, TunnelsRequest
    from personakit.tools.toolset import NoRequest


def _graph(desk: Desk) -> Graph:
    return desk.look(lambda asking: graph(asking.vault, asking.viewer), Graph(()))


def traverse(desk: Desk, request: TraverseRequest) -> TraverseResult | NoSuchRoom:
    """Run mempalace_traverse."""
    found = _graph(desk)
    if request.start_room not in found.rooms:
        return NoSuchRoom(error=f"Room '{request.start_room}' not found", suggestions=found.like(request.start_room))
    steps = found.walk(request.start_room, request.max_hops)[:MOST_ROWS]
    return TraverseResult(
        result=[
            StepRow(
                room=step.room.name,
                wings=list(step.room.wings),
                halls=list(step.room.halls),
                count=step.room.count,
                hop=step.hop,
                **({"connected_via": list(step.through)} if step.hop else {}),
            )
            for step in steps
        ]
    )


def find_tunnels(desk: Desk, request: TunnelsRequest) -> TunnelsResult:
    """Run mempalace_find_tunnels."""
    wings = [wing for wing in (request.wing_a, request.wing_b) if wing]
    return TunnelsResult(
        result=[
            TunnelRow(
                room=room.name, wings=list(room.wings), halls=list(room.halls), count=room.count, recent=room.recent
            )
            for room in _graph(desk).tunnels(*wings)[:MOST_ROWS]
        ]
    )


def stats(desk: Desk, _request: NoRequest) -> StatsResult:
    """Run mempalace_graph_stats."""
    found = _graph(desk)
    tunnels = found.tunnels()
    return StatsResult(
        total_rooms=len(found.rooms),
        tunnel_rooms=len(tunnels),
        total_edges=found.edges(),
        rooms_per_wing=found.rooms_per_wing(),
        top_tunnels=[
            TunnelRow(room=room.name, wings=list(room.wings), count=room.count) for room in tunnels[:MOST_TUNNELS]
        ],
    )
