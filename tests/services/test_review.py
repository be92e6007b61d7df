"""What a review does is bound to the bytes that were shown, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.errors import ArgumentError, Conflict, NotEditable
from personakit.model.states import State
from personakit.services.review.cards import Card, Wanted, card_of, waiting
from personakit.services.review.changes import decide_shown, rewrite, set_category, take_back
from personakit.services.review.sitting import Sitting
from tests.support import open_vault, put

ID, OTHER = "m_0000000000aa", "m_0000000000bb"


def shown(vault: Path) -> Card:
    """Give the card of the first memory."""
    card = card_of(open_vault(vault), ID)
    assert card is not None
    return card


@pytest.fixture(autouse=True)
def two(vault: Path) -> None:
    """Put two memories into the vault that wait."""
    put(vault, "a.md", "Knows herons", id=ID, state="unconfirmed", created="2026-02-01", proposed_by="Alpha")
    put(vault, "b.md", "Knows 2 herons", id=OTHER, state="unconfirmed", created="2026-01-01", category="tools")


def test_a_decision_counts_for_what_was_shown(vault: Path) -> None:
    """A file that has changed since is left as it is."""
    opened, card = open_vault(vault), shown(vault)
    path = vault / "memories/a.md"
    path.write_text(path.read_text().replace("herons", "storks"))
    with pytest.raises(Conflict):
        decide_shown(opened, card, State.APPROVED)
    assert "state: unconfirmed" in path.read_text() and "storks" in path.read_text()


def test_an_edit_keeps_the_id(vault: Path) -> None:
    """And leaves a memory that can be read."""
    opened, card = open_vault(vault), shown(vault)
    before = (vault / "memories/a.md").read_bytes()
    for new in (
        card.raw.replace(ID.encode(), OTHER.encode()),
        b"",
        b"---\n- [\n---\nx",
        card.raw.replace(b"Knows herons", b""),
    ):
        with pytest.raises(NotEditable):
            rewrite(opened, card, new)
    assert (vault / "memories/a.md").read_bytes() == before
    done = rewrite(opened, card, card.raw.replace(b"herons", b"storks"))
    take_back(opened, done)
    assert (vault / "memories/a.md").read_bytes() == before


def test_what_waits(vault: Path) -> None:
    """Oldest first, and only what is asked for; the memories like one are told with what makes them differ."""
    opened = open_vault(vault)
    assert waiting(opened, Wanted()) == [OTHER, ID]
    assert waiting(opened, Wanted(since="2026-01-15").checked()) == [ID]
    assert waiting(opened, Wanted(category="Tools").checked()) == [OTHER]
    assert waiting(opened, Wanted(proposer="ALPHA")) == [ID]
    for wrong in (Wanted(category="birds"), Wanted(since="soon")):
        with pytest.raises(ArgumentError):
            wrong.checked()
    (near,) = shown(vault).near
    assert (near.memory.id, near.differs_in) == (OTHER, "number") and near.alike > 0.8
    with pytest.raises(ArgumentError):
        set_category(opened, shown(vault), "birds")


def test_a_sitting_passes_over_what_is_gone(vault: Path) -> None:
    """What was deleted since it began is passed over; nothing done is nothing to take back."""
    opened = open_vault(vault)
    sitting = Sitting(opened, Wanted())
    (vault / "memories/b.md").unlink()
    card = sitting.card()
    assert card is not None and card.memory.id == ID and sitting.number == 2 and len(sitting) == 2
    assert sitting.undo() is None
    sitting.skip()
    assert sitting.card() is None
    sitting.end()
    assert len(Sitting(open_vault(vault), Wanted())) == 1
