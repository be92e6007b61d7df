"""Ranking of long texts, held against the formula worked out the long way."""

from __future__ import annotations

from collections import Counter
from math import log

from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.index.bm25 import K1, B, rank
from personakit.index.entry import entry_for
from personakit.index.table import Table
from personakit.model.drawer import Drawer
from personakit.model.note import Kind
from personakit.model.states import State
from personakit.model.visibility import Viewer, viewer
from tests.index.notes import ENGLISH

WORDS = ["tea", "kettle", "garden", "oboe", "dawn", "quince", "2018", "c++"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), max_size=25)
ANYONE = viewer("alpha")


def drawer(number: int, text: str, wing: str = "house", room: str = "attic", state: State | None = None) -> Drawer:
    """Make a drawer."""
    return Drawer(
        kind=Kind.DRAWER, id=f"d{number:03}", path=f"palace/{number}.md", text=text, wing=wing, room=room, state=state
    )


def table_of(notes: list[Drawer]) -> Table:
    """Make a table."""
    table = Table()
    table.add([entry_for(note, ENGLISH) for note in notes])
    return table


def found(table: Table, question: str, limit: int = 100, who: Viewer = ANYONE) -> list[tuple[str, float]]:
    """Rank all drawers for a question."""
    shelves = table.shelves(Kind.DRAWER, who).served
    return [(one.note.id, one.score) for one in rank(table, shelves, ENGLISH.words(question), limit=limit)]


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True), st.integers(1, 8))
def test_scores_follow_the_formula(texts: list[list[str]], asked: list[str], limit: int) -> None:
    """Every score is BM25's, the best come first, ties go by id, and a limit only cuts."""
    table = table_of([drawer(number, " ".join(text)) for number, text in enumerate(texts)])
    average = sum(map(len, texts)) / len(texts) if texts else 0
    wanted = []
    for number, text in enumerate(texts):
        counts, score = Counter(text), 0.0
        for word in asked:
            holders = sum(word in other for other in texts)
            idf = log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            often = counts[word]
            score += idf * often * (K1 + 1) / (often + K1 * (1 - B + B * len(text) / average))
        if score:
            wanted.append((f"d{number:03}", round(score, 9)))
    wanted.sort(key=lambda pair: (-pair[1], pair[0]))
    got = found(table, " ".join(asked))
    assert [id_ for id_, _ in got] == [id_ for id_, _ in wanted]
    assert all(abs(mine - theirs) < 2e-9 for (_, mine), (_, theirs) in zip(got, wanted, strict=True))
    assert found(table, " ".join(asked), limit) == got[:limit]


def test_whole_words_come_before_near_ones() -> None:
    """A drawer with the very word outranks every one that holds only a word like it, however often."""
    table = table_of([drawer(1, "the gardn gate " + "and much else " * 40), drawer(2, "garden garden garden")])
    assert [id_ for id_, _ in found(table, "gardn")] == ["d001"]
    both = table_of([drawer(1, "the café of old " + "and much else " * 40), drawer(2, "cafe cafe cafe")])
    assert [id_ for id_, _ in found(both, "café")] == ["d001", "d002"]


def test_a_share_is_the_part_of_the_questions_weight() -> None:
    """All words make 1, a part makes less, and words that nobody holds weigh most."""
    table = table_of([drawer(1, "tea kettle"), drawer(2, "tea"), drawer(3, "oboe")])
    shelves = table.shelves(Kind.DRAWER, ANYONE).served

    def shares(question: str) -> dict[str, float]:
        return {one.note.id: one.share for one in rank(table, shelves, ENGLISH.words(question), limit=9)}

    assert shares("tea kettle")["d001"] == 1.0
    assert 0 < shares("tea kettle")["d002"] < 0.5
    assert 0 < shares("tea zzyzx")["d002"] < 0.5


def test_what_is_hidden_leaves_no_trace() -> None:
    """Scores are the same whatever hidden drawers hold, and a wing outside a ceiling is hidden."""
    seen = [drawer(1, "tea kettle"), drawer(2, "tea tea garden")]
    hidden = [drawer(number, "tea oboe " * number, state=State.REJECTED) for number in range(3, 9)]
    assert found(table_of(seen), "tea kettle oboe") == found(table_of([*seen, *hidden]), "tea kettle oboe")
    other = drawer(9, "tea kettle", wing="Garden")
    under = viewer("alpha", "house", ceiling="House")
    assert found(table_of([*seen, other]), "tea", who=under) == found(table_of(seen), "tea", who=under)
    assert len(found(table_of([*seen, other]), "tea")) == 3


def test_a_filter_cuts_notes_and_changes_no_score() -> None:
    """Notes that are not wanted are left out; the weights are those of all."""
    table = table_of([drawer(1, "tea kettle", room="attic"), drawer(2, "tea", room="cellar")])
    shelves = table.shelves(Kind.DRAWER, ANYONE).served
    words = ENGLISH.words("tea")
    whole = {one.note.id: one.score for one in rank(table, shelves, words, limit=9)}
    (one,) = rank(
        table, shelves, words, limit=9, wanted=lambda note: isinstance(note, Drawer) and note.room == "cellar"
    )
    assert (one.note.id, one.score) == ("d002", whole["d002"])
