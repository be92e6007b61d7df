"""The best few of many notes."""

from __future__ import annotations

from random import Random

import pytest

from personakit.index.columns import asked_words
from personakit.index.contest import Contest
from personakit.index.entry import Entry
from personakit.index.masks import Masks
from personakit.index.table import Table
from personakit.model.note import Kind
from tests.index.notes import ANYONE, memory

# Word -> one note in so many holds it: from a word in nearly every note to words in a few. Some are alike.
HELD = {"often": 1.2, "oftener": 3, "half": 2, "third": 3, "fourth": 4, "fifth": 5, "sixthly": 6, "seventh": 7}
HELD |= {"eighth": 8, "ninthly": 9, "sevenths": 30, "rarely": 90, "rarer": 200, "scarcely": 400}
SIZE = 3_000


@pytest.fixture(scope="module")
def table() -> Table:
    """Give a table so large that frequent words are kept as bits."""
    random = Random(7)
    table = Table()
    for number in range(SIZE):
        words = sorted(word for word, one_in in HELD.items() if random.random() * one_in < 1)
        note = memory(f"m_{random.randrange(10**9):09d}{number}", projects=("p",) if number % 5 == 0 else ())
        table.add([Entry(note, tuple(words), (), len(words))])
    return table


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("limit", [1, 7, 50])
def test_the_best_are_those_of_counting_all(table: Table, seed: int, limit: int) -> None:
    """However frequent the words are, the best notes are those found by counting each note."""
    random = Random(seed)
    words = random.sample([*HELD, "scarcelyy", "unheard"], random.randint(1, 14))
    seen = table.shelves(Kind.MEMORY, ANYONE).served
    gone = set(random.sample(range(SIZE), random.choice([0, 40])))
    asked = asked_words(seen, table.vocabulary, words)
    masks = Masks(asked)
    ranked = []
    for slot in set().union(*(shelf.slots for shelf in seen)) - gone:
        mask = masks.of(table.entry(slot).words)
        if mask & masks.matching():
            ranked.append((masks.rank(mask), table.order(slot), slot))
    contest = Contest(asked, seen, table, limit=limit)
    best = contest.best(gone)
    assert best == [slot for *_, slot in sorted(ranked)[:limit]]
    assert [contest.score(slot) for slot in best] == [-score for (score, _), *_ in sorted(ranked)[:limit]]
    assert all(
        len(contest.parts(slot)) == -matched for slot, ((_, matched), *_) in zip(best, sorted(ranked), strict=False)
    )
