"""A node: anything the vault holds, as a scoped search tells it. A projection of notes; nothing is stored for it.

Source: the published `search` tool's output schema, `NodeData`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from personakit.model.correction import Correction
from personakit.model.days import lies_in
from personakit.model.diary import DiaryEntry
from personakit.model.document import Passage, Place
from personakit.model.drawer import Drawer
from personakit.model.fact import Fact, shown_entity
from personakit.model.memory import Memory
from personakit.model.note import Kind, label_key
from personakit.model.privacy import quote_to_serve
from personakit.model.states import State

if TYPE_CHECKING:
    from personakit.model.note import Note

SEARCHED = frozenset({Kind.MEMORY, Kind.DRAWER, Kind.PASSAGE, Kind.FACT, Kind.DIARY, Kind.PROPOSAL})
TYPES = (
    *("task", "checklist", "roadmap", "experiment", "hypothesis", "scratch", "draft", "episode", "audit_event"),
    *("chain", "board", "idea", "outcome", "reference", "concept", "entity", "summary"),
)
TIERS = ("operational", "archival")
LAYERS = ("core", "hot", "warm", "cold", "frozen")
PERSONAL = "personal"
LONGEST_NAME = 80
QUOTES = 2

CURRENT, SUPERSEDED, EXPIRED, NOT_YET, WITHDRAWN = (
    *("current", "superseded", "expired", "not_yet_in_effect"),
    "withdrawn",
)
_ARCHIVAL = frozenset({"idea", "outcome", "reference"})
_TYPE_OF = {
    Kind.DRAWER: "reference",
    Kind.PASSAGE: "reference",
    Kind.FACT: "entity",
    Kind.DIARY: "episode",
    Kind.PROPOSAL: "draft",
}
_PLACES = {Place.NOT_YET: NOT_YET, Place.EXPIRED: EXPIRED, Place.WITHDRAWN: WITHDRAWN}


class Facets(NamedTuple):
    """What filters look at: all but the words of a node. `tags` are casefolded; `status` is "" for none."""

    node_type: str
    tier: str
    layer: str
    status: str
    tags: tuple[str, ...]
    currentness: str

    @property
    def is_current(self) -> bool:
        """Whether it holds today and nothing has taken its place."""
        return self.currentness == CURRENT


@dataclass(frozen=True, slots=True)
class Node:
    """One node as it leaves; `initiatives` are those of the asked ones that it is in."""

    note: Note
    facets: Facets
    initiatives: tuple[str, ...]
    successors: tuple[str, ...]
    revision: str
    recorded_at: str

    def data(self, body: str | None, start: int, end: int) -> dict[str, Any]:
        """Give it under the published keys, with a part of its body: code points from `start` to before `end`."""
        facets = self.facets
        return {
            "initiatives": list(self.initiatives),
            "id": self.note.id,
            "revision": self.revision,
            "node_type": facets.node_type,
            "tier": facets.tier,
            "name": name_of(self.note),
            "body": body,
            "body_range": {"start": start, "end": end, "total": len(body_of(self.note))},
            "tags": list(facets.tags),
            "layer": facets.layer,
            "status": facets.status or None,
            "visibility": "local",
            "currentness": facets.currentness,
            "successors": list(self.successors),
            "metadata_is_current": True,
            "created_at": self.note.created or None,
            "recorded_at": self.recorded_at or None,
            "properties": properties_of(self.note),
        }


def name_of(note: Note) -> str:
    """Give what a node is called: a memory's statement, a fact's subject, else its title or its first line."""
    if isinstance(note, Memory):
        return note.text
    if isinstance(note, Fact):
        return shown_entity(note.subject)
    if isinstance(note, Passage):
        return note.section[-1] if note.section else note.about.title or _first_line(note.text)
    if isinstance(note, DiaryEntry):
        return note.topic or _first_line(note.text)
    return _first_line(note.text)


def body_of(note: Note) -> str:
    """Give the words of a node."""
    if isinstance(note, Fact):
        return " ".join(map(shown_entity, (note.subject, note.predicate, note.object)))
    return note.text


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"


def facets_of(note: Note, day: str, *, superseded: bool) -> Facets:
    """Give what filters look at, on a day, YYYY-MM-DD."""
    currentness = SUPERSEDED if superseded else _currentness(note, day)
    kind = _TYPE_OF.get(note.kind) or ("idea" if isinstance(note, Memory) and note.confirmed else "draft")
    lasting = kind in _ARCHIVAL or (kind == "entity" and note.state is State.APPROVED)
    tier = "archival" if lasting else "operational"
    if isinstance(note, Memory) and note.is_rule:
        layer = "core"
    else:
        layer = "warm" if currentness in (CURRENT, NOT_YET) else "cold"
    return Facets(kind, tier, layer, _status(note, day), _tags(note), currentness)


def may_age(note: Note) -> bool:
    """Say whether the day may decide on a note's currentness."""
    if isinstance(note, Memory):
        return bool(note.stale_after)
    if isinstance(note, Passage):
        return note.about.place_on("") is not Place.LIVE or bool(note.about.effective_until)
    return isinstance(note, Fact) and bool(note.valid_from or note.valid_to)


def _currentness(note: Note, day: str) -> str:
    if isinstance(note, Memory):
        return EXPIRED if note.is_stale(day) else CURRENT
    if isinstance(note, Passage):
        return _PLACES.get(note.about.place_on(day), CURRENT)
    if isinstance(note, Fact) and not lies_in(day, note.valid_from, note.valid_to):
        return NOT_YET if lies_in(day, "", note.valid_to) else EXPIRED
    return CURRENT


def _status(note: Note, day: str) -> str:
    if isinstance(note, Fact):
        return "current" if lies_in(day, note.valid_from, note.valid_to) else "ended"
    if isinstance(note, Correction):
        return "waiting" if note.is_open else note.status
    if isinstance(note, Passage):
        return note.about.status
    return "" if note.state is None else note.state.value


def _tags(note: Note) -> tuple[str, ...]:
    if not isinstance(note, Memory):
        return ()
    return tuple(dict.fromkeys([*(tag.casefold() for tag in note.tags), f"category:{note.category}"]))


def scopes_of(note: Note) -> tuple[str, ...]:
    """Give the scopes a note is in, each in its first spelling: its projects and its wing, else the personal one."""
    names = {label_key(name): name for name in reversed((*note.projects, *([note.wing] if note.wing else [])))}
    return tuple(reversed(names.values())) or (PERSONAL,)


def revision_of(digest: str) -> str:
    """Give a node's revision from the name of its file's bytes, so that any edit of the file changes it."""
    return "r_" + hashlib.sha256(digest.encode()).hexdigest()[:12]


def properties_of(note: Note) -> dict[str, Any]:
    """Give what a kind says beyond the common keys; no path, and quotes masked as for every other answer."""
    if isinstance(note, Memory):
        quotes = [quote_to_serve(quote) for quote in note.evidence[:QUOTES]]
        return {"kind": "memory", "category": note.category, "confirmed": note.confirmed, "evidence": quotes}
    if isinstance(note, Drawer):
        return {"kind": "drawer", "wing": note.wing, "room": note.room, "hall": note.hall}
    if isinstance(note, Passage):
        about = note.about
        return {"kind": "passage", "document": about.id, "title": about.title, "section": list(note.section)}
    if isinstance(note, Fact):
        days = {"valid_from": note.valid_from or None, "valid_to": note.valid_to or None}
        parts = {"subject": note.subject, "predicate": note.predicate, "object": note.object}
        return {"kind": "fact", **{key: shown_entity(value) for key, value in parts.items()}, **days}
    if isinstance(note, DiaryEntry):
        return {"kind": "diary", "agent": note.agent, "topic": note.topic, "timestamp": note.timestamp}
    if isinstance(note, Correction):
        return {"kind": "proposal", "passage": note.passage, "document": note.document, "agent": note.agent}
    return {"kind": note.kind.value}
