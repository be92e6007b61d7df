"""The shapes of the scoped search: its flat arguments, and its envelope for answers and refusals alike.

Source: the published `search` tool, its input and output schema. The seed's top-level `anyOf` makes clients drop the
tool, so that one of `text` and `filters` has to be there is checked in the call; the accepted set is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from personakit.errors import ArgumentError, IndexBuilding
from personakit.services.seek.asked import INVALID_ARGUMENT, REJECTED
from personakit.tools.toolset import Exact, Request

if TYPE_CHECKING:
    from personakit.errors import PersonaKitError

API_VERSION = 1
INDEX_BUILDING, UNAVAILABLE = "index_building", "unavailable"

NodeType = Literal[
    "task",
    "checklist",
    "roadmap",
    "experiment",
    "hypothesis",
    "scratch",
    "draft",
    "episode",
    "audit_event",
    "chain",
    "board",
    "idea",
    "outcome",
    "reference",
    "concept",
    "entity",
    "summary",
]
Tier = Literal["operational", "archival"]
Layer = Literal["core", "hot", "warm", "cold", "frozen"]


def _whole(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a whole number")
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError("must be a whole number")
        return int(value)
    return value


def _given(value: object) -> object:
    if value is None:
        raise ValueError("is null; leave it out instead")
    return value


def _distinct(value: object) -> object:
    _given(value)
    if isinstance(value, list) and any(one in value[:at] for at, one in enumerate(value)):
        raise ValueError("names something twice")
    return value


Number = Annotated[int, BeforeValidator(_whole)]
Name = Annotated[str, Field(min_length=1)]
_ONCE: dict[str, Any] = {"uniqueItems": True}


def _filled(value: object) -> object:
    _given(value)
    if value == {}:
        raise ValueError("is empty; give a filter, or leave it out")
    return value


class FiltersShape(BaseModel):
    """What nodes are wanted: all keys have to hold, each by one of its values."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    current: Literal["preferred", "all"] = "preferred"
    layers: Annotated[list[Layer] | None, BeforeValidator(_distinct)] = Field(
        default=None, min_length=1, json_schema_extra=_ONCE
    )
    statuses: Annotated[list[Name] | None, BeforeValidator(_distinct)] = Field(
        default=None, min_length=1, json_schema_extra=_ONCE
    )
    tags: Annotated[list[Name] | None, BeforeValidator(_distinct)] = Field(
        default=None, min_length=1, json_schema_extra=_ONCE
    )
    tiers: Annotated[list[Tier] | None, BeforeValidator(_distinct)] = Field(
        default=None, min_length=1, json_schema_extra=_ONCE
    )
    types: Annotated[list[NodeType] | None, BeforeValidator(_distinct)] = Field(
        default=None, min_length=1, json_schema_extra=_ONCE
    )


class SearchRequest(Request):
    """Arguments of search."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    initiatives: Annotated[list[Name], BeforeValidator(_distinct)] = Field(
        min_length=1, json_schema_extra=_ONCE, description="Scopes: projects or wings, `personal`, or `*` for all"
    )
    text: Annotated[str | None, BeforeValidator(_given)] = Field(
        default=None, min_length=1, description="Words to find, as they are spelt"
    )
    filters: Annotated[FiltersShape | None, BeforeValidator(_filled)] = Field(
        default=None, json_schema_extra={"minProperties": 1}, description="Instead of text, or beside it"
    )
    match: Literal["any", "all"] = Field(default="any", description="Whether any or all words must be there")
    prefix: bool = Field(default=False, description="Take each word as the beginning of one")
    limit: Number = Field(default=10, ge=1, le=50, description="Most hits on a page")
    budget_chars: Number = Field(default=8_000, ge=512, le=64_000, description="Most characters of a page's hits")
    cursor: Annotated[str | None, BeforeValidator(_given)] = Field(
        default=None, min_length=1, description="From continuation, with the same arguments"
    )


class SearchResult(Exact):
    """The envelope. `data` holds hits and total; `coverage` what was searched and left out; `issues` what to know."""

    api_version: int
    operation: str
    state: str
    replayed: bool
    request_id: str | None
    data: dict[str, Any]
    coverage: dict[str, Any] | None
    issues: list[dict[str, Any]]
    continuation: dict[str, Any] | None


class Refusal(SearchResult):
    """The envelope of a search that could not be made."""

    failed: ClassVar[bool] = True


def refusal(issues: list[dict[str, Any]]) -> Refusal:
    """Give the envelope of a refusal."""
    return Refusal(
        api_version=API_VERSION,
        operation="search",
        state=REJECTED,
        replayed=False,
        request_id=None,
        data={"hits": [], "total": 0},
        coverage=None,
        issues=issues,
        continuation=None,
    )


def refused(error: PersonaKitError) -> Refusal:
    """Word a fault as this vocabulary does."""
    if isinstance(error, ArgumentError):
        return refusal([{"code": INVALID_ARGUMENT, "field": error.field, "message": str(error), "retryable": False}])
    code = INDEX_BUILDING if isinstance(error, IndexBuilding) else UNAVAILABLE
    return refusal([{"code": code, "field": None, "message": error.told, "retryable": True}])
