"""Match: which nodes hold the words, pass the filters and hold today, and in which order they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, NamedTuple

from personakit.index.words import literals
from personakit.model.memory import Memory
from personakit.model.node import LAYERS, facets_of
from personakit.model.note import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from personakit.index.literal import LiteralIndex
    from personakit.index.table import Table
    from personakit.model.node import Facets
    from personakit.services.seek.asked import Wanted
    from personakit.services.seek.scopes import Scopes

K1, B = 1.2, 0.75
DIGITS = 9


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
        scores: doc -> its score, rounded and negated; 0.0 where no words were asked.
        past: those of them that are told after all the others.
        by_layer: whether their layers decide before the time, since no words were asked.
        left_out: how many are left out for a current successor, and which these are.
        withheld: how many match of which nothing else may be told.
        successors: id -> the ids of the memories that replace it, as far as they are seen.
    """

    scores: dict[int, float] = field(default_factory=dict)
    past: set[int] = field(default_factory=set)
    by_layer: bool = False
    left_out: tuple[int, tuple[str, ...]] = (0, ())
    withheld: int = 0
    successors: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Matcher:
    """One search in one index, on one day."""

    def __init__(self, index: LiteralIndex, table: Table, scopes: Scopes, day: str) -> None:
        self._index = index
        self._scopes = scopes
        self._day = day
        self._served = frozenset(scopes.served)
        self.successors = self._find_successors(table)

    def matches(self, wanted: Wanted) -> Matches:
        """Find what is wanted."""
        found = Matches(by_layer=wanted.text is None, successors=self.successors)
        terms = list(dict.fromkeys(literals(wanted.text or "", asked=True)))
        scores = self._scored(terms, wanted) if terms else dict.fromkeys(self._index.in_groups(self._served), 0.0)
        filters = wanted.filters
        if filters is not None and not filters.is_open:
            scores = {doc: score for doc, score in scores.items() if filters.take(self.facets(doc))}
        past = {doc for doc in self._maybe_past() if doc in scores and not self.facets(doc).is_current}
        if filters is None or not filters.everything:
            found.past = past
            successors = {doc: self._current_successor(doc) for doc in past}
            gone = {doc: id_ for doc, id_ in successors.items() if id_}
            found.left_out = (len(gone), tuple(sorted(set(gone.values()))))
            found.past = past - gone.keys()
            scores = {doc: score for doc, score in scores.items() if doc not in gone} if gone else scores
        found.scores = scores
        found.withheld = self._withheld(terms, wanted)
        return found

    def facets(self, doc: int) -> Facets:
        """Give what filters look at."""
        note = self._index.notes[doc]
        assert note is not None
        return facets_of(note, self._day, superseded=note.id in self.successors)

    def place_of(self, found: Matches, recorded: Callable[[int], int]) -> Callable[[int], Place]:
        """Give what a hit's place is told by."""

        def place(doc: int) -> Place:
            note = self._index.notes[doc]
            layer = LAYERS.index(self.facets(doc).layer) if found.by_layer else 0
            return Place(doc in found.past, layer, found.scores[doc], -recorded(doc), "" if note is None else note.id)

        return place

    def _scored(self, terms: list[str], wanted: Wanted) -> dict[int, float]:
        index = self._index
        number = sum(index.sizes[group] for group in self._served)
        if not number:
            return {}
        average = sum(index.lengths[group] for group in self._served) / number
        held = [self._holding(term, self._served, prefix=wanted.prefix) for term in terms]
        held = [docs for docs in held if docs or wanted.match_all]
        docs = self._joined(held, every=wanted.match_all)
        base, slope, lengths = K1 * (1 - B), K1 * B / (average or 1.0), index.length
        scores = dict.fromkeys(docs, 0.0)
        for one in held:
            weight = log(1 + (number - len(one) + 0.5) / (len(one) + 0.5)) * (K1 + 1)
            for doc, times in one.items():
                if doc in scores:
                    scores[doc] += weight * times / (times + base + slope * lengths[doc])
        return {doc: -round(score, DIGITS) for doc, score in scores.items()}

    def _holding(self, term: str, groups: frozenset[int], *, prefix: bool) -> dict[int, int]:
        if not prefix:
            return self._index.holding(term, groups)
        found: dict[int, int] = {}
        for word in self._index.beginning(term):
            for doc, times in self._index.holding(word, groups).items():
                found[doc] = found.get(doc, 0) + times
        return found

    @staticmethod
    def _joined(held: list[dict[int, int]], *, every: bool) -> Iterable[int]:
        if not held:
            return ()
        if every:
            first, *others = sorted(held, key=len)
            return [doc for doc in first if all(doc in one for one in others)]
        return set().union(*held)

    def _withheld(self, terms: list[str], wanted: Wanted) -> int:
        groups = self._scopes.withheld
        if not groups:
            return 0
        if terms:
            docs = self._joined(
                [self._holding(term, groups, prefix=wanted.prefix) for term in terms], every=wanted.match_all
            )
        else:
            docs = self._index.in_groups(groups)
        filters = wanted.filters
        if filters is None or filters.is_open:
            return sum(1 for _ in docs)
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
        return {old: tuple(sorted(set(new))) for old, new in found.items()}

    def _sees(self, memory: Memory) -> bool:
        doc = self._index.doc_of(memory.id)
        return memory.kind is Kind.MEMORY and doc is not None and self._index.group[doc] in self._served

    def _current_successor(self, doc: int) -> str:
        """Give the first memory along the chains of those that replace a node that holds itself, "" for none."""
        note = self._index.notes[doc]
        queue = list(self.successors.get("" if note is None else note.id, ()))
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
