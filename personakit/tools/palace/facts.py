"""The palace's facts: what holds of an entity, when it began and ended."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from personakit.tools.toolset import Exact, Hints, NoRequest, Request, Tool, later

_LONG = 2_000
_MOST = 100
_ENTITY = "The entity's name"


class QueryRequest(Request):
    """Arguments of mempalace_kg_query."""

    entity: str = Field(max_length=_LONG, description=_ENTITY + ", such as a person or a project")
    as_of: str | None = Field(default=None, max_length=40, description="Only facts that hold on this date, YYYY-MM-DD")
    direction: Literal["outgoing", "incoming", "both"] = Field(default="both", description="The entity's side")


class FactRow(Exact):
    """One fact of an answer."""

    direction: str | None = None
    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None
    confidence: float | None = None
    source_closet: str | None = None
    current: bool


class QueryResult(Exact):
    """Structured content of mempalace_kg_query."""

    entity: str
    as_of: str | None
    facts: list[FactRow]
    count: int


class AddRequest(Request):
    """Arguments of mempalace_kg_add."""

    subject: str = Field(max_length=_LONG, description="Who or what the fact is about")
    predicate: str = Field(max_length=_LONG, description="The relationship, such as works_on")
    object: str = Field(max_length=_LONG, description="What it is related to")
    valid_from: str | None = Field(default=None, max_length=40, description="Since when: YYYY-MM-DD, YYYY-MM or YYYY")
    source_closet: str | None = Field(default=None, max_length=_LONG, description="Where the fact stands")


class Conflict(Exact):
    """Another object that the same subject and predicate have today."""

    triple_id: str
    fact: str


class AddResult(Exact):
    """Structured content of mempalace_kg_add."""

    success: bool
    triple_id: str
    fact: str
    already: bool | None = None
    conflicts: list[Conflict] | None = None


class EndRequest(Request):
    """Arguments of mempalace_kg_invalidate."""

    subject: str = Field(max_length=_LONG, description="Who or what the fact is about")
    predicate: str = Field(max_length=_LONG, description="The relationship")
    object: str = Field(max_length=_LONG, description="What it is related to")
    ended: str | None = Field(default=None, max_length=40, description="When it ended, as valid_from; default today")


class EndResult(Exact):
    """Structured content of mempalace_kg_invalidate."""

    success: bool
    fact: str
    ended: str | None = None
    matched: int
    error: str | None = None


class NotEnded(EndResult):
    """No open fact matched."""

    failed: ClassVar[bool] = True


class TimelineRequest(Request):
    """Arguments of mempalace_kg_timeline."""

    entity: str | None = Field(default=None, max_length=_LONG, description=_ENTITY + "; without: all")


class TimelineResult(Exact):
    """Structured content of mempalace_kg_timeline."""

    entity: str
    timeline: list[FactRow]
    count: int
    total: int
    truncated: bool | None = None


class StatsResult(Exact):
    """Structured content of mempalace_kg_stats."""

    entities: int
    triples: int
    current_facts: int
    expired_facts: int
    relationship_types: list[str]


_READS = Hints(read_only=True)

TOOLS = (
    Tool(
        name="mempalace_kg_query",
        title="Query facts",
        description=(
            "The facts that have an entity on either side, with the days between which they hold; without `as_of` "
            "ended ones too, `current` says which hold today. Names match without case. For what was said word for "
            "word use mempalace_search. Empty: nothing is known under that name."
        ),
        request=QueryRequest,
        result=QueryResult,
        hints=_READS,
        run=later("personakit.tools.palace.facts_calls.query"),
    ),
    Tool(
        name="mempalace_kg_add",
        title="Add a fact",
        description=(
            "Keep one fact: subject, predicate, object, and since when. An equal one that has not ended is kept once "
            "(`already`). Another object of the same subject and predicate is kept too and named in `conflicts`: end "
            "the old one first with mempalace_kg_invalidate."
        ),
        request=AddRequest,
        result=AddResult,
        hints=Hints(read_only=False),
        run=later("personakit.tools.palace.facts_calls.add"),
    ),
    Tool(
        name="mempalace_kg_invalidate",
        title="End a fact",
        description=(
            "Say that a fact no longer holds; it stays, with its last day. Ends every open fact of these three parts "
            "(`matched`). An error: none is open, or the day lies before it began."
        ),
        request=EndRequest,
        result=EndResult,
        hints=Hints(read_only=False, destructive=True),
        run=later("personakit.tools.palace.facts_calls.end"),
    ),
    Tool(
        name="mempalace_kg_timeline",
        title="Timeline of facts",
        description=(
            "Facts in the order in which they began, undated ones last; of one entity or of all. At most 100; `total` "
            "counts all, `truncated` says that some were cut."
        ),
        request=TimelineRequest,
        result=TimelineResult,
        hints=_READS,
        run=later("personakit.tools.palace.facts_calls.timeline"),
    ),
    Tool(
        name="mempalace_kg_stats",
        title="Count facts",
        description="How many entities and facts there are, how many hold today or do not, and every predicate.",
        request=NoRequest,
        result=StatsResult,
        hints=_READS,
        run=later("personakit.tools.palace.facts_calls.stats"),
    ),
)
