"""The best few of many notes, found without looking at each.

Words that few notes hold are gone through note by note. Words that many hold are numbers with one bit a note, and the
notes that hold nothing rarer are sorted out by intersecting those. Both stop where no note that is left can reach the
worst of the best so far (MaxScore; Turtle and Flood, "Query evaluation: strategies and optimizations", 1995).
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappush, heappushpop, nsmallest
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from personakit.index.bits import Bits, SlotsOf, number_of, slots_in
from personakit.index.masks import DIGITS, Masks
from personakit.index.shelf import holding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from personakit.index.columns import Asked, Column
    from personakit.index.shelf import Shelf
    from personakit.index.table import Table

# What is nearer than this may come out equal once rounded.
_MARGIN = 4 * 10**-DIGITS
# Parting notes doubles with each word, so only the most frequent ones do; of the others the notes are gone through.
_MOST_FREQUENT = 8


class Contest:
    """One search among the notes of some shelves, for at most `limit` of them."""

    def __init__(self, asked: Sequence[Asked], shelves: Sequence[Shelf], table: Table, *, limit: int) -> None:
        self._limit = limit
        self._table = table
        self._masks = Masks(asked)
        self._matching = self._masks.matching()
        self._rare: list[tuple[int, Iterable[int]]] = []
        # For each asked word that is frequent: its frequent columns, the heaviest first.
        self._frequent: list[list[tuple[int, int]]] = []
        self._divide(asked, shelves)
        # The best scores so far, the worst first, and the notes that may have them, by rank.
        self._top: list[float] = []
        self._found: defaultdict[tuple[float, int], list[Iterable[int]]] = defaultdict(list)

    def best(self, gone: Set[int]) -> list[int]:
        """Give the slots of the best notes in order, without those in `gone`. To be called once."""
        masks: dict[int, int] = {}
        for bit, slots in self._rare:
            for slot in slots:
                masks[slot] = masks.get(slot, 0) | bit
        for slot in gone:
            masks.pop(slot, None)
        held = number_of(masks.keys())
        for columns in self._frequent:
            for bit, number in columns:
                for slot in slots_in(held & number):
                    masks[slot] |= bit
        self._take_rare(masks)
        self._take_frequent(held | number_of(gone))
        return self._first_of_all()

    def parts(self, slot: int) -> list[tuple[Asked, Column]]:
        """Give the columns through which a note counts, one for each asked word that it holds."""
        return self._masks.parts(self._mask(slot))

    def score(self, slot: int) -> float:
        """Give the score of a note, rounded."""
        return round(self._masks.score(self._mask(slot)), DIGITS)

    def _mask(self, slot: int) -> int:
        return self._masks.of(self._table.entry(slot).words)

    def _divide(self, asked: Sequence[Asked], shelves: Sequence[Shelf]) -> None:
        """Lay the columns out by how many notes hold them."""
        frequent: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
        for bit, each, column in self._masks:
            for slots in holding(shelves, column.word):
                if isinstance(slots, Bits):
                    frequent[each.word][bit] |= slots.number
                else:
                    self._rare.append((bit, slots))
        waiting = sorted((each for each in asked if each.word in frequent), key=lambda each: each.size)
        for each in waiting[:-_MOST_FREQUENT]:
            self._rare += [(bit, slots_in(number)) for bit, number in frequent[each.word].items()]
        for each in waiting[-_MOST_FREQUENT:]:
            self._frequent.append(list(frequent[each.word].items()))

    def _take_rare(self, masks: dict[int, int]) -> None:
        """Take in the notes that hold a rare word, as far as they can be among the best."""
        alike: defaultdict[int, list[int]] = defaultdict(list)
        for slot, mask in masks.items():
            alike[mask].append(slot)
        for mask, slots in alike.items():
            self._take(mask, slots, len(slots))

    def _take_frequent(self, out: int) -> None:
        """Take in the notes that hold no rare word, as far as they can be among the best; none of those in `out`."""
        everyone = 0
        for columns in self._frequent:
            for bit, number in columns:
                if bit & self._matching:
                    everyone |= number
        most = (self._masks.weight(columns[0][0]) for columns in reversed(self._frequent))
        # What the frequent asked words from each one on can still add.
        reach = [*accumulate(most, initial=0.0)][::-1]
        waiting = [(everyone & ~out, 0, 0, 0.0)]
        while waiting:
            slots, at, mask, score = waiting.pop()
            if not slots or self._is_lost(score + reach[at]):
                continue
            if at == len(self._frequent):
                self._take(mask, SlotsOf(slots), slots.bit_count())
                continue
            parts = []
            for bit, number in self._frequent[at]:
                inside = slots & number
                slots ^= inside
                parts.append((inside, at + 1, mask | bit, score + self._masks.weight(bit)))
            # The heaviest part comes last on the pile and so first off it: the best are found early.
            waiting.append((slots, at + 1, mask, score))
            waiting += reversed(parts)

    def _take(self, mask: int, slots: Iterable[int], size: int) -> None:
        """Take in the notes of one mask."""
        score = self._masks.score(mask)
        if self._is_lost(score) or not mask & self._matching:
            return
        self._found[self._masks.rank(mask)].append(slots)
        for _ in range(min(size, self._limit)):
            if len(self._top) < self._limit:
                heappush(self._top, score)
            else:
                heappushpop(self._top, score)

    def _is_lost(self, promise: float) -> bool:
        return len(self._top) == self._limit and promise + _MARGIN < self._top[0]

    def _first_of_all(self) -> list[int]:
        best: list[int] = []
        for rank in sorted(self._found):
            equals = chain.from_iterable(self._found[rank])
            best += nsmallest(self._limit - len(best), equals, key=self._table.order)
            if len(best) == self._limit:
                break
        return best
