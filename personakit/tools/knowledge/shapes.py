"""What the knowledge tools take and give."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr

from personakit.model.block import NOTICE, block
from personakit.tools.toolset import Exact, Request, Words

STATUS = 422
_ID = 100
_SESSION = "Your session's id from memory_start, if you have one"
_REPOSITORIES = "Ids of repositories to look in; none: all you may read"


def _whole(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value


Ids = Annotated[list[Annotated[str, Field(max_length=_ID)]], Field(max_length=20)]
Number = Annotated[int, BeforeValidator(_whole)]


class KnowledgeRequest(Request):
    """What every call of these tools may name."""

    session_id: str = Field(default="", max_length=_ID, description=_SESSION)


class ScopeRequest(KnowledgeRequest):
    """Arguments of knowledge_scope."""


class AskRequest(KnowledgeRequest):
    """Arguments of knowledge_ask."""

    question: str = Field(max_length=2_000, description="The question, in the words the documents may use")
    repositories: Ids = Field(default=[], description=_REPOSITORIES)
    as_of: str = Field(
        default="", max_length=_ID, description="YYYY-MM-DD, not after today; none: read from the question, else now"
    )


class SearchRequest(KnowledgeRequest):
    """Arguments of knowledge_search."""

    query: str = Field(max_length=2_000, description="The words to look for")
    repositories: Ids = Field(default=[], description=_REPOSITORIES)
    as_of: str = Field(default="", max_length=_ID, description="YYYY-MM-DD, not after today: what was in effect then")
    limit: Number = Field(default=10, ge=1, le=40, description="Most passages to give")


class OpenRequest(KnowledgeRequest):
    """Arguments of knowledge_open."""

    passage: str = Field(default="", max_length=_ID, description="A passage's id, also an old one; or give document")
    document: str = Field(default="", max_length=_ID, description="A document's id")
    section: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=10)] = Field(
        default=[], description="With document: headings from the outermost on; none: the whole document"
    )
    limit: Number = Field(default=50, ge=1, le=50, description="Most passages to give")
    cursor: str = Field(default="", max_length=1_000, description="From the previous answer")


class ChangesRequest(KnowledgeRequest):
    """Arguments of knowledge_changes."""

    since: str = Field(max_length=_ID, description="A date-time, such as 2026-11-12T09:30:00Z, not in the future")
    repositories: Ids = Field(default=[], description=_REPOSITORIES)
    limit: Number = Field(default=50, ge=1, le=50, description="Most changes to give")
    cursor: str = Field(default="", max_length=1_000, description="From the previous answer")


class ProposeRequest(KnowledgeRequest):
    """Arguments of knowledge_propose."""

    passage: str = Field(max_length=_ID, description="The passage's id, as an answer gave it")
    text: str = Field(max_length=8_000, description="The right words: all of the passage as it should read")
    reason: str = Field(max_length=1_000, description="Why, for the person who decides")
    request_id: str = Field(default="", max_length=64, description="Your name for this call: repeated, it counts once")


class TraceRequest(KnowledgeRequest):
    """Arguments of knowledge_trace."""

    answer: str = Field(max_length=_ID, description="An answer's id, from its `id` or the `answer` of its block")
    start: Number = Field(default=1, ge=1, le=1_000_000, alias="from", description="The line to start at")


class Answered(Exact):
    """What every answer of these tools holds; `text` is what a person or a model reads."""

    id: str
    consent: str
    records_notice: str
    text: str
    degraded: bool
    reason: str | None
    _session: str = PrivateAttr(default="")

    def said_in(self, session: str) -> None:
        """Let the block name the session that the call named."""
        self._session = session

    def shown(self) -> object:
        """Give the block."""
        fields = {
            "answer": self.id,
            "session": self._session,
            "consent": self.consent,
            "degraded": self.reason or "",
        }
        return Words(block("personakit-knowledge", fields, self.text.splitlines()))


def around(inquiry_id: str, consent: str, lines: list[str], reasons: tuple[str, ...]) -> dict[str, Any]:
    """Give the keys that every answer holds."""
    return {
        "id": inquiry_id,
        "consent": consent,
        "records_notice": NOTICE,
        "text": "\n".join(lines),
        "degraded": bool(reasons),
        "reason": " ".join(reasons) or None,
    }


class RepositoryItem(Exact):
    """One repository; `until` is its last day, null for none."""

    id: str
    name: str
    via: str
    until: str | None


class ScopeResult(Answered):
    """Structured content of knowledge_scope."""

    acting_for: str
    agent: str
    repositories: list[RepositoryItem]


class DocumentRef(Exact):
    """Which document it is."""

    id: str
    title: str | None


class Dates(Exact):
    """When the document changed last, and the days from and until which it holds."""

    changed: str | None
    effective_from: str | None
    effective_until: str | None


class PlaceInVersion(Exact):
    """Which passage of how many, in which version of the document."""

    n: int
    of: int
    version: str


class ReplacedBy(Exact):
    """The passage that came in its place."""

    passage: str
    when: str


class PassageItem(Exact):
    """One passage, word for word."""

    passage: str
    words: str
    highlights: list[str]
    document: DocumentRef
    section: list[str]
    dates: Dates
    status: str
    authority: str | None
    link: str | None
    place: PlaceInVersion
    replaced_by: ReplacedBy | None
    removed_at: str | None
    newer_waiting_since: str | None


class DocumentItem(Exact):
    """One document behind an answer."""

    id: str
    title: str | None
    status: str | None
    authority: str | None
    link: str | None
    dates: Dates


class ChangeItem(Exact):
    """One change; `old` and `new` are the words before and after, null where there are none to tell."""

    time: str
    document: DocumentRef
    kind: str
    section: list[str]
    old_passage: str | None
    old: str | None
    new_passage: str | None
    new: str | None
    withheld: bool
    served: bool = False


class AskResult(Answered):
    """Structured content of knowledge_ask."""

    outcome: str
    evidence: list[PassageItem]
    notes: list[str]
    related: list[PassageItem]
    documents: list[DocumentItem]
    changes: list[ChangeItem]
    search: str


class SearchResult(Answered):
    """Structured content of knowledge_search."""

    search: str
    passages: list[PassageItem]


class Reading(Exact):
    """What is being read: passages `from` to `to` of `of`, in one version of a document or of a section of it."""

    model_config = ConfigDict(serialize_by_alias=True)

    document: str
    title: str | None
    version: str
    changed: str | None
    section: list[str]
    first: int = Field(serialization_alias="from")
    to: int
    of: int


class OpenResult(Answered):
    """Structured content of knowledge_open."""

    passages: list[PassageItem]
    reading: Reading | None
    cursor: str | None


class ChangesResult(Answered):
    """Structured content of knowledge_changes."""

    changes: list[ChangeItem]
    until: str
    cursor: str | None


class ProposeResult(Answered):
    """Structured content of knowledge_propose."""

    received: bool
    proposal: str
    status: str
    redacted: bool


class TraceLine(Exact):
    """One line of a trace."""

    n: int
    at: str
    kind: str
    words: str
    details: dict[str, Any]


class TraceResult(Answered):
    """Structured content of knowledge_trace; `id` is the traced answer's, "" without one; `more` is the next line."""

    lines: list[TraceLine]
    more: int | None

    def shown(self) -> object:
        """Give the block; without a trace, the sentence alone."""
        return super().shown() if self.id else Words(self.text)
