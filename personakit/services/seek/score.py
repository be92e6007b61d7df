"""Score: BM25 over words as they are spelt, and the best of many without a look at all of them."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.index.literal import LiteralIndex, Segment

K1, B = 1.2, 0.75
DIGITS = 9
# So many docs are scored one by one sooner than sought out.
_FEW = 50


@dataclass(frozen=True, slots=True)
class Term:
    """One word that is asked for: the words of the index it stands for, what holds them, and what they weigh."""

    words: tuple[str, ...]
    segments: tuple[Segment, ...]
    docs: frozenset[int]
    weight: float
    most: int

    def held(self) -> Iterable[tuple[int, int]]:
        """Give the docs that hold it, each once, and how often."""
        pairs = (zip(one.docs, one.times, strict=True) for one in self.segments)
        if len(self.words) == 1:
            return chain.from_iterable(pairs)
        found: Counter[int] = Counter()
        for doc, times in chain.from_iterable(pairs):
            found[doc] += times
        return found.items()


class Scorer:
    """Scores of the docs of some groups for some terms, as if there were no others."""

    def __init__(self, index: LiteralIndex, groups: frozenset[int], asked: list[str], *, prefix: bool) -> None:
        self._index = index
        self._number = sum(index.sizes[group] for group in groups)
        average = sum(index.lengths[group] for group in groups) / self._number if self._number else 1.0
        self._base, self._slope = K1 * (1 - B), K1 * B / (average or 1.0)
        self.terms = [self._term(word, groups, prefix=prefix) for word in asked]

    def _term(self, asked: str, groups: frozenset[int], *, prefix: bool) -> Term:
        words = tuple(self._index.beginning(asked)) if prefix else (asked,)
        segments = tuple(segment for word in words for segment in self._index.holding(word, groups))
        docs = frozenset().union(*(segment.docs for segment in segments))
        weight = log(1 + (self._number - len(docs) + 0.5) / (len(docs) + 0.5)) * (K1 + 1)
        most = sum(max(segment.times) for segment in segments) if len(words) > 1 else 0
        return Term(words, segments, docs, weight, most or max((max(one.times) for one in segments), default=0))

    def docs(self, *, every: bool) -> set[int]:
        """Give the docs that hold any of the terms, or every one."""
        if not self.terms:
            return set()
        if every:
            return set(frozenset.intersection(*(term.docs for term in self.terms)))
        return set().union(*(term.docs for term in self.terms))

    def score(self, doc: int) -> float:
        """Give one doc's score, rounded."""
        length, found = self._index.length[doc], 0.0
        for term in self.terms:
            if doc in term.docs:
                times = sum(self._index.times_in(word, doc) for word in term.words)
                found += term.weight * times / (times + self._base + self._slope * length)
        return round(found, DIGITS)

    def scored(self, docs: Iterable[int]) -> dict[int, float]:
        """Give the scores of some docs."""
        return {doc: self.score(doc) for doc in docs}

    def best(self, docs: set[int], number: int) -> dict[int, float]:
        """Give the scores of so many docs that none of the others has a higher one, and of all that equal the last."""
        scores = self.scored(docs if len(docs) <= _FEW else self._candidates(docs, number))
        if len(scores) <= number:
            return scores
        worst = heapq.nlargest(number, scores.values())[-1]
        return {doc: score for doc, score in scores.items() if score >= worst}

    def _candidates(self, docs: set[int], number: int) -> list[int]:
        """Give the docs that may be among the best: words that weigh most first, until the rest can change nothing."""
        terms = sorted((term for term in self.terms if term.docs), key=lambda term: -term.weight)
        base, slope, lengths = self._base, self._slope, self._index.length
        sums: dict[int, float] = {}
        for at, term in enumerate(terms):
            weight = term.weight
            for doc, times in term.held():
                sums[doc] = sums.get(doc, 0.0) + weight * times / (times + base + slope * lengths[doc])
            rest = sum(one.weight * one.most / (one.most + base) for one in terms[at + 1 :])
            held = [total for doc, total in sums.items() if doc in docs]
            worst = heapq.nlargest(number, held)[-1] if len(held) >= number else 0.0
            if worst > rest:
                bound = worst - rest - 10**-DIGITS
                return [doc for doc, total in sums.items() if total >= bound and doc in docs]
        return [doc for doc, total in sums.items() if total >= worst - 10**-DIGITS and doc in docs]
