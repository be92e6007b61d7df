"""The palace's graph, held against what it means."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personakit.index.graph import Graph
from personakit.model.drawer import Drawer
from personakit.model.note import Kind

PLACES = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("uvwxyz")), max_size=14)


def drawers(places: list[tuple[str, str]]) -> list[Drawer]:
    """Make a drawer in each place."""
    return [
        Drawer(
            kind=Kind.DRAWER, id=f"d{n}", path="palace/x.md", wing=wing, room=room, hall=f"h{n % 3}" if n % 2 else ""
        )
        for n, (wing, room) in enumerate(places)
    ]


@given(PLACES, st.integers(0, 4))
def test_a_walk_finds_each_room_at_its_distance(places: list[tuple[str, str]], hops: int) -> None:
    """A room's hop is the shortest way through shared wings, worked out the long way."""
    graph = Graph(drawers(places))
    wings = {room: {wing for wing, other in places if other == room} for _, room in places}
    for start in wings:
        distance = {start: 0}
        for hop in range(1, hops + 1):
            for room in wings:
                near = any(wings[room] & wings[other] for other, at in distance.items() if at == hop - 1)
                if room not in distance and near:
                    distance[room] = hop
        steps = graph.walk(start, hops)
        assert {step.room.name: step.hop for step in steps} == distance
        assert steps == sorted(steps, key=lambda step: (step.hop, -step.room.count, step.room.name))
        for step in steps[1:]:
            before = [other for other, at in distance.items() if at == step.hop - 1]
            assert any(set(step.through) == wings[step.room.name] & wings[other] for other in before) and step.through


@given(PLACES)
def test_tunnels_and_numbers(places: list[tuple[str, str]]) -> None:
    """Tunnels are the rooms in two wings; edges are the pairs of wings they bridge."""
    graph = Graph(drawers(places))
    wings = {room: {wing for wing, other in places if other == room} for _, room in places}
    assert {room.name for room in graph.tunnels()} == {room for room, there in wings.items() if len(there) > 1}
    assert {room.name for room in graph.tunnels("a", "b")} == {r for r, there in wings.items() if {"a", "b"} <= there}
    assert graph.edges() == sum(len(there) * (len(there) - 1) // 2 for there in wings.values())
    per_wing = {wing: len({room for other, room in places if other == wing}) for wing, _ in places}
    assert graph.rooms_per_wing() == per_wing
    assert list(graph.rooms_per_wing().values()) == sorted(per_wing.values(), reverse=True)
    assert sum(room.count for room in graph.rooms.values()) == len(places)


def test_like_names() -> None:
    """A part of a name, or of one between hyphens, is enough; five at most."""
    graph = Graph(drawers([("a", room) for room in ("data-store", "store", "auth", *(f"store{n}" for n in range(9)))]))
    assert graph.like("auth-x") == ["auth"]
    assert len(graph.like("store")) == 5 and graph.like("zebra") == [] == graph.like("")
