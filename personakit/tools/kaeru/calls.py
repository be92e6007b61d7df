"""The call of the scoped search: arguments to a search of the service, and what it came to into the envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from personakit.model.node import body_of
from personakit.services.seek.asked import REJECTED, RESTRICTED, SUPERSEDED, Filters, Wanted
from personakit.services.seek.verb import nothing, seeker_of
from personakit.tools.kaeru.shapes import API_VERSION, SearchResult, refusal

if TYPE_CHECKING:
    from personakit.services.desk import Desk
    from personakit.services.seek.asked import Issue, Omission, Sought
    from personakit.tools.kaeru.shapes import FiltersShape, SearchRequest

NODES, HITS = "nodes", "hits"


def search(desk: Desk, request: SearchRequest) -> SearchResult:
    """Run search."""
    wanted = wanted_of(request)
    found = desk.look(
        lambda one: seeker_of(one.vault).seek(one.vault, one.viewer, wanted), None, asked=request.text or ""
    )
    return _envelope(request, nothing(wanted) if found is None else found)


def wanted_of(request: SearchRequest) -> Wanted:
    """Give the search that the arguments ask for."""
    return Wanted(
        tuple(request.initiatives),
        request.text,
        request.match == "all",
        request.prefix,
        None if request.filters is None else _filters(request.filters),
        request.limit,
        request.budget_chars,
        request.cursor,
    )


def _filters(shape: FiltersShape) -> Filters:
    return Filters(
        tuple(shape.types or ()),
        tuple(one.casefold() for one in shape.statuses or ()),
        tuple(one.casefold() for one in shape.tags or ()),
        tuple(shape.tiers or ()),
        tuple(shape.layers or ()),
        shape.current == "all",
    )


def _envelope(request: SearchRequest, found: Sought) -> SearchResult:
    issues = [_issue(one) for one in found.issues]
    if found.state == REJECTED:
        return refusal(issues)
    arguments = request.model_dump(exclude_unset=True)
    return SearchResult(
        api_version=API_VERSION,
        operation="search",
        state=found.state,
        replayed=False,
        request_id=None,
        data={"hits": [hit.data(body_of(hit.node.note)) for hit in found.hits], "total": found.total},
        coverage={
            "initiatives": list(found.initiatives),
            "complete": True,
            "rules_complete": True,
            "omitted": [_omission(one) for one in found.omitted],
        },
        issues=issues,
        continuation=None
        if found.cursor is None
        else {"cursor": found.cursor, "next_arguments": {**arguments, "cursor": found.cursor}},
    )


def _issue(one: Issue) -> dict[str, Any]:
    return {"code": one.code, "field": one.field, "message": one.message, "retryable": one.retryable}


def _omission(one: Omission) -> dict[str, Any]:
    section = NODES if one.reason in (SUPERSEDED, RESTRICTED) else HITS
    more = {"successors": list(one.successors)} if one.successors else {}
    return {"section": section, "count": one.number, "reason": one.reason, **more}
