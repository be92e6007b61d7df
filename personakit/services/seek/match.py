"""Match: which nodes hold the words, pass the filters and hold today, and in which order they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from personakit.index.words import literals
from personakit.model.memory import Memory
from personakit.model.node import LAYERS, facets_of
from personakit.model.note import Kind
from personakit.services.seek.score import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.index.literal import LiteralIndex
    from personakit.index.table import Table
    from personakit.model.node import Facets
    from personakit.services.seek.asked import Wanted
    from personakit.services.seek.scopes import Scopes


class Place(NamedTuple):
    """What decides where a hit stands; smaller comes first. Times are nanoseconds, negated."""

    is_past: bool
    layer: int
    score: float
    recorded: int
    id: str


@dataclass(slots=True)
class Matches:
    """What a search finds.

    Attributes:
        docs: all that is found.
        past: those of them that are told after all the others.
        left_out: how many are left out for a current successor, and which these are.
        withheld: how many match of which nothing else may be told.
    """

    docs: set[int]
    past: set[int] = field(default_factory=set)
    left_out: tuple[int, tuple[str, ...]] = (0, ())
    withheld: int = 0


class Matcher:
    """One search in one index, on one day."""

    def __init__(
        self, index: LiteralIndex, table: Table, scopes: Scopes, day: str, recorded: Callable[[str], int]
    ) -> None:
        """Search as of a day; `recorded` says when a file was last written, in nanoseconds."""
        self._index = index
        self._scopes = scopes
        self._day = day
        self._recorded = recorded
        self._served = frozenset(scopes.served)
        self._scorer: Scorer | None = None
        self.successors = self._index.successors.get(self._served) or self._find_successors(table)
        self.found = Matches(set())

    def run(self, wanted: Wanted) -> None:
        """Find what is wanted."""
        terms = list(dict.fromkeys(literals(wanted.text or "", asked=True)))
        if terms:
            self._scorer = Scorer(self._index, self._served, terms, prefix=wanted.prefix)
            docs = self._scorer.docs(every=wanted.match_all)
        else:
            docs = set(self._index.in_groups(self._served))
        filters = wanted.filters
        if filters is not None and not filters.is_open:
            docs = {doc for doc in docs if filters.take(self.facets(doc))}
        found = self.found = Matches(docs)
        if filters is None or not filters.everything:
            past = {doc for doc in self._maybe_past() if doc in docs and not self.facets(doc).is_current}
            successors = {doc: self._current_successor(doc) for doc in past}
            gone = {doc: id_ for doc, id_ in successors.items() if id_}
            found.left_out = (len(gone), tuple(sorted(set(gone.values()))))
            found.past = past - gone.keys()
            docs.difference_update(gone)
        found.withheld = self._withheld(terms, wanted)

    def place(self, doc: int) -> Place:
        """Give what a hit's place is told by."""
        score = -self._scorer.score(doc) if self._scorer is not None else 0.0
        return self._place(doc, score)

    def _place(self, doc: int, score: float) -> Place:
        note = self._index.notes[doc]
        layer = 0 if self._scorer is not None else LAYERS.index(self.facets(doc).layer)
        return Place(doc in self.found.past, layer, score, -self._recorded(note.path), note.id)

    def first(self, number: int) -> list[str]:
        """Give the ids of the first hits in their order, at least so many where there are."""
        docs, scorer = self.found.docs, self._scorer
        if scorer is None or len(docs) <= number:
            return self.whole()
        current = docs - self.found.past
        scores = scorer.best(current, number)
        if len(scores) < number:
            scores |= scorer.best(docs & self.found.past, number)
        return [one.id for one in sorted(self._place(doc, -score) for doc, score in scores.items())]

    def whole(self) -> list[str]:
        """Give the ids of all hits in their order."""
        return [one.id for one in sorted(map(self.place, self.found.docs))]

    def has(self, id_: str) -> bool:
        """Say whether a note is among what was found."""
        return self._index.doc_of(id_) in self.found.docs

    def stands(self, place: Place) -> bool:
        """Say whether what stood at a place was found again, in a file that was not written since."""
        doc = self._index.doc_of(place.id)
        return doc is not None and doc in self.found.docs and self.place(doc).recorded == place.recorded

    def place_of(self, id_: str) -> Place:
        """Give the place of a note that was found."""
        doc = self._index.doc_of(id_)
        if doc is None:
            raise LookupError(id_)
        return self.place(doc)

    def facets(self, doc: int) -> Facets:
        """Give what filters look at."""
        note = self._index.notes[doc]
        superseded = note.id in self.successors
        known = self._index.facets.get(doc)
        if known is not None and known[:2] == (self._day, superseded):
            return known[2]
        found = facets_of(note, self._day, superseded=superseded)
        self._index.facets[doc] = (self._day, superseded, found)
        return found

    def _withheld(self, terms: list[str], wanted: Wanted) -> int:
        groups = self._scopes.withheld
        if not groups:
            return 0
        if terms:
            docs = Scorer(self._index, groups, terms, prefix=wanted.prefix).docs(every=wanted.match_all)
        else:
            docs = set(self._index.in_groups(groups))
        filters = wanted.filters
        if filters is None or filters.is_open:
            return len(docs)
        return sum(filters.take(self.facets(doc)) for doc in docs)

    def _maybe_past(self) -> set[int]:
        replaced = {doc for id_ in self.successors if (doc := self._index.doc_of(id_)) is not None}
        return replaced | self._index.aging

    def _find_successors(self, table: Table) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for memory in table.superseding:
            if memory.confirmed and self._sees(memory):
                for old in memory.supersedes:
                    if old != memory.id:
                        found.setdefault(old, []).append(memory.id)
        kept = self._index.successors[self._served] = {old: tuple(sorted(set(new))) for old, new in found.items()}
        return kept

    def _sees(self, memory: Memory) -> bool:
        doc = self._index.doc_of(memory.id)
        return memory.kind is Kind.MEMORY and doc is not None and self._index.group[doc] in self._served

    def _current_successor(self, doc: int) -> str:
        """Give the first memory along the chains of those that replace a node that holds itself, "" for none."""
        queue = list(self.successors.get(self._index.notes[doc].id, ()))
        seen = set(queue)
        while queue:
            id_ = queue.pop(0)
            found = self._index.doc_of(id_)
            if found is not None and self.facets(found).is_current:
                return id_
            new = [one for one in self.successors.get(id_, ()) if one not in seen]
            seen.update(new)
            queue += new
        return ""
