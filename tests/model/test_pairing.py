"""What became of the passages of a document between two of its versions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.document import Document, Passage, passage_id, pieces
from personakit.model.note import Kind
from personakit.model.pairing import Became, Pair, differ_in_figures, hard_tokens, pair


def passages(body: str, document: str = "handbook") -> list[Passage]:
    """Give a body's passages."""
    about = Document(document)
    return [
        Passage(
            kind=Kind.PASSAGE,
            id=passage_id(document, part.headings, part.text),
            path="",
            text=part.text,
            about=about,
            section=part.headings,
            at=number,
        )
        for number, part in enumerate(pieces(body), 1)
    ]


def told(old: str, new: str) -> list[tuple[str, str, str]]:
    """Give what became of each passage, with its old and new words."""
    found = pair(passages(old), passages(new), lambda text: text.casefold().split())
    return [(one.kind, one.old.text if one.old else "", one.new.text if one.new else "") for one in found]


RULE = "All guests must sign the book at the front desk"


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (RULE, ""),
        ("All visitors must sign the book at the front desk", "reworded"),
        ("All guests may sign the book at the front desk", "changed"),
        ("All guests must not sign the book at the front desk", "changed"),
        ("All guests must sign the book at the front desk 2 times", "changed"),
        ("All guests must sign the `book` at the front desk", "changed"),
        ("All guests must sign the book at the rear gate of https://x.example", "changed"),
        ("All guests must sign the register at one of our two doors", "changed"),
    ],
)
def test_reworded_or_changed(new: str, kind: str) -> None:
    """Other words alone reword; a number, a code, an address or a word that turns the meaning changes."""
    found = told(f"# A\n{RULE}", f"# A\n{new}")
    assert [one[0] for one in found] == ([kind] if kind else [])


def test_what_is_added_removed_and_moved() -> None:
    """Equal words under another heading moved; words that have no like were added or removed."""
    old = f"# A\n{RULE}\n# B\nBikes stand in the yard behind the house"
    new = f"# C\n{RULE}\n# B\nLunch is at noon"
    assert told(old, new) == [
        ("moved", RULE, RULE),
        ("added", "", "Lunch is at noon"),
        ("removed", "Bikes stand in the yard behind the house", ""),
    ]


def test_likeness_elsewhere_takes_more() -> None:
    """Half the words make one passage under the same heading, and two under others."""
    old, new = "one two three four five six", "one two three four seven eight nine"
    assert told(f"# A\n{old}", f"# A\n{new}") == [("changed", old, new)]
    assert [one[0] for one in told(f"# A\n{old}", f"# B\n{new}")] == ["added", "removed"]


def test_a_document_that_moved_takes_its_passages_with_it() -> None:
    """With another document's id equal words in equal places are the same passage."""
    old, new = passages("# A\none\n# B\ntwo"), passages("# A\none\n# C\ntwo", "other")
    found = pair(old, new, str.split, moved=True)
    assert found == [Pair(old[0], new[0], Became.SAME), Pair(old[1], new[1], Became.MOVED)]


def test_hard_tokens() -> None:
    """Numbers, dates, code, addresses and words that turn a meaning are hard; all others are soft."""
    text = "Pay 1,000 by 2026-05-01 via `pay` or https://pay.example, don't only wait"
    assert sorted(hard_tokens(text)) == ["1,000", "2026-05-01", "`pay`", "don't", "https://pay.example,", "only"]
    assert differ_in_figures("It costs 5 crowns", "It costs 6 crowns")
    assert differ_in_figures("It is open", "It is not open") and not differ_in_figures("Ada sings", "Bob sings")


WORDS = st.lists(
    st.sampled_from(["tea", "milk", "not", "5", "must", "cup", "jam", "rye", "oat", "nut"]), min_size=1, max_size=6
)
BODIES = st.lists(st.tuples(st.sampled_from("ABC"), WORDS.map(" ".join)), max_size=8).map(
    lambda parts: "\n".join(f"# {heading}\n{text}" for heading, text in parts)
)


@settings(max_examples=200, deadline=None)
@given(BODIES, BODIES)
def test_every_passage_has_one_fate(one: str, other: str) -> None:
    """Each old passage stayed, became one new one or was removed, and each new one stayed, came of one or was added."""
    old, new = passages(one), passages(other)
    found = pair(old, new, str.split)
    stayed = {each.id for each in old} & {each.id for each in new}
    olds = [each.old.id for each in found if each.old]
    news = [each.new.id for each in found if each.new]
    assert sorted(olds) == sorted({each.id for each in old} - stayed)
    assert sorted(news) == sorted({each.id for each in new} - stayed)
    assert pair(old, old, str.split) == []
    for each in found:
        if each.old is None or each.new is None:
            assert each.kind is (Became.ADDED if each.old is None else Became.REMOVED)
        else:
            assert (each.kind is Became.MOVED) == (each.old.text == each.new.text)
        if each.kind is Became.REWORDED:
            assert each.old and each.new and hard_tokens(each.old.text) == hard_tokens(each.new.text)


def test_a_document_rewritten_from_end_to_end_is_paired_in_time() -> None:
    """Beyond some hundreds of passages only neighbours are compared."""
    old = "\n".join(f"# H{n}\nrow {n} says something old here" for n in range(700))
    new = "\n".join(f"# H{n}\nrow {n} says something new here" for n in range(700))
    found = told(old, new)
    assert len(found) == 700 and {one[0] for one in found} == {"reworded"}
