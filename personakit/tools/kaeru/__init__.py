"""The kaeru vocabulary: one literal search over everything, in named scopes."""

from __future__ import annotations

from personakit.tools.kaeru.shapes import SearchRequest, SearchResult, refused
from personakit.tools.toolset import Hints, Tool, Toolset, later

SEARCH = Tool(
    name="search",
    title="Search everything",
    description=(
        "Search all that the vault holds (memories, drawers, documents, facts, diaries, corrections) for the literal "
        "words of `text`, or browse by `filters`, or both, within named `initiatives`: projects and wings, `personal` "
        "for what belongs to none, `*` for all. No stems and no synonyms; for a question in words use personakit_read "
        "or knowledge_ask. Reads only. Each hit says whether it is current; what another has replaced is left out and "
        "counted in `coverage.omitted`. Pages hold `limit` hits and `budget_chars` characters; go on with the "
        "arguments in `continuation.next_arguments`."
    ),
    request=SearchRequest,
    result=SearchResult,
    hints=Hints(read_only=True),
    run=later("personakit.tools.kaeru.calls.search"),
    refuse=refused,
    takes_null=False,
)

KAERU = Toolset("kaeru", (SEARCH,))
