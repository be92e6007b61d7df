"""What the fact tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.model.days import checked_day
from personakit.model.fact import entity_key
from personakit.services.facts import Added, Numbers, about, add_fact, end_fact, facts_seen, numbers
from personakit.tools.palace.facts import (
    AddResult,
    Conflict,
    EndResult,
    FactRow,
    NotEnded,
    QueryResult,
    StatsResult,
    TimelineResult,
)

if TYPE_CHECKING:
    from personakit.services.desk import Desk
    from personakit.services.facts import SeenFact
    from personakit.tools.palace.facts import AddRequest, EndRequest, QueryRequest, TimelineRequest
    from personakit.tools.toolset import NoRequest

_MOST = 100


def query(desk: Desk, request: QueryRequest) -> QueryResult:
    """Run mempalace_kg_query."""
    day = checked_day("as_of", request.as_of, whole=True) if request.as_of else ""
    key = entity_key(request.entity)
    found: list[SeenFact] = desk.look(
        lambda asking: facts_seen(asking.vault, asking.viewer, about(request.entity, day, request.direction)), []
    )
    out = [_row(one, "outgoing", request.entity) for one in found if entity_key(one.fact.subject) == key]
    into = [_row(one, "incoming", request.entity) for one in found if entity_key(one.fact.object) == key]
    rows = (out if request.direction != "incoming" else []) + (into if request.direction != "outgoing" else [])
    return QueryResult(entity=request.entity, as_of=request.as_of, facts=rows, count=len(rows))


def _row(one: SeenFact, direction: str, asked: str) -> FactRow:
    """Give a fact as seen from an entity, which keeps the spelling it was asked in."""
    outgoing = direction == "outgoing"
    return FactRow(
        direction=direction,
        subject=asked if outgoing else one.subject,
        predicate=one.predicate,
        object=one.object if outgoing else asked,
        valid_from=one.fact.valid_from or None,
        valid_to=one.fact.valid_to or None,
        confidence=1.0,
        source_closet=one.fact.source or None,
        current=one.current,
    )


def add(desk: Desk, request: AddRequest) -> AddResult:
    """Run mempalace_kg_add."""
    added: Added = desk.write(
        lambda asking: add_fact(
            asking,
            request.subject,
            request.predicate,
            request.object,
            valid_from=request.valid_from or "",
            source=request.source_closet or "",
        )
    )
    more: dict[str, object] = {"already": True} if added.already else {}
    if added.conflicts:
        more["conflicts"] = [
            Conflict(triple_id=one.fact.id, fact=_arrows(one.subject, one.predicate, one.object))
            for one in added.conflicts
        ]
    fact = _arrows(request.subject, request.predicate, request.object)
    return AddResult.model_validate({"success": True, "triple_id": added.id, "fact": fact, **more})


def end(desk: Desk, request: EndRequest) -> EndResult:
    """Run mempalace_kg_invalidate."""
    number, day = desk.write(
        lambda asking: end_fact(asking, request.subject, request.predicate, request.object, request.ended or "")
    )
    fact = _arrows(request.subject, request.predicate, request.object)
    if not number:
        return NotEnded(success=False, fact=fact, matched=0, error="There is no open fact of these three parts.")
    return EndResult(success=True, fact=fact, ended=day, matched=number)


def timeline(desk: Desk, request: TimelineRequest) -> TimelineResult:
    """Run mempalace_kg_timeline."""
    wanted = about(request.entity) if request.entity else lambda _fact: True
    found: list[SeenFact] = desk.look(lambda asking: facts_seen(asking.vault, asking.viewer, wanted), [])
    rows = [
        FactRow(
            subject=one.subject,
            predicate=one.predicate,
            object=one.object,
            valid_from=one.fact.valid_from or None,
            valid_to=one.fact.valid_to or None,
            current=one.current,
        )
        for one in found[:_MOST]
    ]
    cut = {"truncated": True} if len(found) > _MOST else {}
    return TimelineResult(entity=request.entity or "all", timeline=rows, count=len(rows), total=len(found), **cut)


def stats(desk: Desk, _request: NoRequest) -> StatsResult:
    """Run mempalace_kg_stats."""
    found = desk.look(lambda asking: numbers(asking.vault, asking.viewer), Numbers(0, 0, 0, ()))
    return StatsResult(
        entities=found.entities,
        triples=found.facts,
        current_facts=found.current,
        expired_facts=found.facts - found.current,
        relationship_types=list(found.predicates),
    )


def _arrows(subject: str, predicate: str, obj: str) -> str:
    return f"{subject} \u2192 {predicate} \u2192 {obj}"
