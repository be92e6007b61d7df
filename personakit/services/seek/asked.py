"""What a scoped search asks for and what it comes to, in the terms of its vocabulary."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from personakit.model.node import Facets, Node

OK, PARTIAL, REJECTED = "ok", "partial", "rejected"
EMPTY_TEXT, NO_SELECTOR, UNKNOWN_INITIATIVE = "empty_text", "no_selector", "unknown_initiative"
BAD_CURSOR, CURSOR_MISMATCH, INDEX_CHANGED = "bad_cursor", "cursor_mismatch", "index_changed"
INVALID_ARGUMENT, HINT = "invalid_argument", "hint"
SUPERSEDED, RESTRICTED, LIMIT, BUDGET = "superseded", "restricted", "limit", "budget"


class Issue(NamedTuple):
    """Something the caller should know; `code` is of a closed list."""

    code: str
    message: str
    field: str | None = None
    retryable: bool = False


class Omission(NamedTuple):
    """Nodes that match and are not among the hits; `successors` are told in the place of superseded ones."""

    reason: str
    number: int
    successors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """Which nodes are wanted; () in a key: whatever. `everything`: superseded and past ones too, in plain order."""

    types: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    everything: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing but currentness is asked for."""
        return not (self.types or self.statuses or self.tags or self.tiers or self.layers)

    def take(self, facets: Facets) -> bool:
        """Say whether a node is wanted: every key has to hold, by one of its values."""
        return (
            (not self.types or facets.node_type in self.types)
            and (not self.statuses or facets.status.casefold() in self.statuses)
            and (not self.tags or not set(self.tags).isdisjoint(facets.tags))
            and (not self.tiers or facets.tier in self.tiers)
            and (not self.layers or facets.layer in self.layers)
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """One search. `text` None: nothing but filters. Statuses and tags of the filters are casefolded."""

    initiatives: tuple[str, ...]
    text: str | None = None
    match_all: bool = False
    prefix: bool = False
    filters: Filters | None = None
    limit: int = 10
    budget: int = 8_000
    cursor: str | None = None

    @property
    def digest(self) -> str:
        """What names all of it but the cursor."""
        plain = json.dumps(asdict(replace(self, cursor=None)), sort_keys=True)
        return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Hit:
    """A node on a page, and how much of its body there is room for: code points before `end`."""

    node: Node
    end: int
    has_body: bool = True

    def data(self, body: str) -> dict[str, Any]:
        """Give it under the published keys."""
        return self.node.data(body[: self.end] if self.has_body else None, 0, self.end)


@dataclass(frozen=True, slots=True)
class Sought:
    """What a search came to.

    Attributes:
        state: ok, partial when a scope is not there, rejected when nothing could be searched.
        hits: one page of them; total: how many there are on all pages.
        initiatives: the scopes that were searched, as they were asked for.
        omitted: what matches and is not among the hits.
        cursor: what goes on after this page, None at the end.
    """

    state: str
    hits: tuple[Hit, ...] = ()
    total: int = 0
    initiatives: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()
    issues: tuple[Issue, ...] = field(default=())
    cursor: str | None = None


def rejected(*issues: Issue) -> Sought:
    """Give what a search comes to that could not be made."""
    return Sought(REJECTED, issues=issues)
