"""Corrections: their words survive their file, and go into a document so that nothing else of it changes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from personakit.model.characters import unseen
from personakit.model.correction import (
    Clash,
    Correction,
    Flaw,
    Words,
    checked_words,
    corrected,
    correction_id,
    words_of,
    written,
)
from personakit.model.document import passage_id, pieces
from personakit.model.note import Kind

LINES = st.sampled_from(
    ["The kettle boils.", "# Kettle", "## Use", "", "  ", "```", "> quoted", "---", "- item  ", "Mina ﬁlls it", "===="]
)
BODIES = st.lists(LINES, max_size=14).map("\n".join)
LETTERS = st.text(alphabet=st.characters(exclude_characters="\r", exclude_categories=["Cs"]), min_size=1, max_size=60)


def correction(body: str, old: str, at: int = 0) -> Correction:
    """Make a correction of one passage of a document."""
    headings = [piece.headings for piece in pieces(body) if piece.text == old][at]
    return Correction(
        kind=Kind.PROPOSAL, id="q_1", path="p", document="d_1", passage=passage_id("d_1", headings, old), agent="a"
    )


@given(LETTERS, LETTERS, LETTERS)
def test_words_come_back_as_they_were_written(reason: str, old: str, right: str) -> None:
    """Whatever they hold: headings, quotes, fences, blanks at line ends."""
    right = right.strip()
    assume(not unseen(right))
    assert words_of(written(Words(reason, old, right))) == Words(reason, old, right)


@given(BODIES, st.integers(0, 20), st.booleans(), st.booleans())
def test_only_the_passage_changes(body: str, number: int, crlf: bool, bom: bool) -> None:
    """Every byte before and after it stays, and the document then holds the right words where the old ones were."""
    if crlf:
        body = body.replace("\n", "\r\n")
    every = pieces(body)
    assume(every)
    piece = every[number % len(every)]
    right = "Other words,\non two lines"
    try:
        new = corrected(body, correction(body, piece.text, 0), Words("why", piece.text, right))
    except Clash:
        assert sum(one.text == piece.text for one in every) > 1 or body.count(piece.text.split("\n")[0]) > 1
        return
    shown = right.replace("\n", "\r\n") if crlf and "\r\n" in body else right
    before, _, after = new.partition(shown)
    assert body.startswith(before) and body.endswith(after)
    middle = body[len(before) : len(body) - len(after)]
    assert middle.replace("\r\n", "\n") == piece.text
    assert corrected(new, correction(body, piece.text, 0), Words("why", piece.text, right)) == new


BODY = "# Kettle\n\nIt boils at nine.\n\n## Care\n\nRinse it weekly.\n"


def test_a_document_that_changed_elsewhere_takes_the_correction() -> None:
    """A new section, a moved passage, a heading renamed: the old words still stand in one place."""
    one = correction(BODY, "Rinse it weekly.")
    words = Words("why", "Rinse it weekly.", "Rinse it daily.")
    for body in (
        BODY.replace("nine", "ten"),
        BODY.replace("## Care", "## Cleaning"),
        "## New\n\nfirst\n\n" + BODY,
    ):
        new = corrected(body, one, words)
        assert new == body.replace("Rinse it weekly.", "Rinse it daily.")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (BODY.replace("weekly", "monthly"), "have changed"),
        ("nothing of it", "have changed"),
        ("# A\n\nRinse it weekly.\n\n# B\n\nRinse it weekly.\n", "several places"),
        (BODY.replace("\n## Care", "\n# Care\n\n## Care\n\nRinse it weekly.\n\n# Care"), "several places"),
        ("# Kettle\n\n## Care\n\nRinse it weekly.\n\n## Care\n\nRinse it weekly.\n", "several places"),
    ],
)
def test_what_does_not_fit_any_more_is_said(body: str, why: str) -> None:
    """The old words reworded, gone, or in several places: a person has to look."""
    with pytest.raises(Clash, match=why):
        corrected(body, correction(BODY, "Rinse it weekly."), Words("why", "Rinse it weekly.", "Rinse it daily."))


def test_the_passage_it_was_proposed_for_comes_first() -> None:
    """Equal words under another heading are left alone."""
    body = BODY + "\n## Storage\n\nRinse it weekly.\n"
    new = corrected(body, correction(body, "Rinse it weekly.", 1), Words("w", "Rinse it weekly.", "Dry it."))
    assert new == BODY + "\n## Storage\n\nDry it.\n"


@pytest.mark.parametrize(
    ("text", "reason", "field", "why"),
    [
        ("", "why", "text", "empty"),
        (" \n\u200b", "why", "text", "empty"),
        ("new", " ", "reason", "empty"),
        ("x" * 8_001, "why", "text", "longer"),
        ("new", "x" * 1_001, "reason", "longer"),
        ("old words", "why", "text", "already"),
        ("a\n# Title\nb", "why", "text", "heading"),
        ("a\n##", "why", "text", "heading"),
        ("```\nx", "why", "text", "code block"),
        ("---\nstate: approved\n---\nx", "why", "text", "front matter"),
    ],
)
def test_what_is_no_correction_is_refused(text: str, reason: str, field: str, why: str) -> None:
    """Each with the argument at fault."""
    found = checked_words("old words", text, reason)
    assert isinstance(found, Flaw) and found.field == field and why in found.why


def test_secrets_and_addresses_are_taken_out_and_it_is_said() -> None:
    """The rest of the words stays; without any, nothing is said to be taken out."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
    found = checked_words("old", f"Ask mina@example.org, key {token}, for tea.\n\n```\n# no heading\n```", "why")
    assert not isinstance(found, Flaw)
    words, redacted = found
    assert redacted and token not in words.right and "mina@" not in words.right and "for tea" in words.right
    assert checked_words("old", " new\r\nwords ", "why") == (Words("why", "old", "new\nwords"), False)


def test_an_id_is_of_all_that_makes_a_call() -> None:
    """Another proposer, passage, word, reason or call is another correction."""
    words = Words("why", "old", "right")
    ids = {
        correction_id("a", "k_1", words, ""),
        correction_id("b", "k_1", words, ""),
        correction_id("a", "k_2", words, ""),
        correction_id("a", "k_1", Words("why", "old", "other"), ""),
        correction_id("a", "k_1", Words("because", "old", "right"), ""),
        correction_id("a", "k_1", words, "call-1"),
    }
    assert len(ids) == 6 and correction_id("a", "k_1", Words("why", "x", "right"), "") in ids


@pytest.mark.parametrize("body", ["", "## Reason\n\n> a\n", written(Words("a", "b", "c")).replace("> c", "c")])
def test_a_file_without_its_parts_has_no_words(body: str) -> None:
    """Its owner may have taken one out."""
    assert words_of(body) is None


def test_who_waits_and_who_is_due() -> None:
    """An unknown word of the owner's decides nothing."""
    one = correction(BODY, "Rinse it weekly.")
    assert one.is_open and not one.is_due
