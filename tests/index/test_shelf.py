"""Shelves: slots by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.index.bits import Bits
from personakit.index.entry import Entry
from personakit.index.shelf import Shelf, holding
from personakit.model.note import Kind
from tests.index.notes import memory

if TYPE_CHECKING:
    from random import Random

    from personakit.index.shelf import FillKey


def entry(slot: int) -> Entry:
    """Make an entry for a slot."""
    return Entry(memory(f"m_{slot}"), ("all", "even" if slot % 2 == 0 else "odd", f"own{slot}"), (), 3)


def key(slot: int) -> FillKey:
    """Make a place in the fill for a slot."""
    return slot % 3 > 0, float(-slot), f"m_{slot}", slot


def shelf_of(slots: list[int]) -> Shelf:
    """Make a shelf with entries in these slots."""
    shelf = Shelf((Kind.MEMORY, None, (), (), "", ""))
    for slot in slots:
        shelf.add([(slot, entry(slot), key(slot))])
    return shelf


def content(shelf: Shelf) -> object:
    """Give what two equal shelves have in common."""
    return shelf.slots, {word: sorted(slots) for word, slots in shelf.postings.items()}, shelf.length


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 600))
def test_a_changed_shelf_equals_a_new_one(random: Random, kept: int) -> None:
    """However many notes a word is held by, and however many go, the shelf holds what is left."""
    order = random.sample(range(600), 600)
    shelf = shelf_of(order)
    assert isinstance(shelf.postings["all"], Bits)
    for slot in order[kept:]:
        shelf.remove(slot, entry(slot), key(slot))
    assert content(shelf) == content(shelf_of(sorted(order[:kept])))


def test_the_fill_order_is_kept() -> None:
    """Once sorted, the order of the fill stays right under additions and removals."""
    shelf = shelf_of([1, 2, 3])
    assert [slot for *_, slot in shelf.newest(key)] == [3, 2, 1]
    shelf.add([(6, entry(6), key(6))])
    shelf.add([(4, entry(4), key(4))])
    shelf.remove(2, entry(2), key(2))
    assert [slot for *_, slot in shelf.newest(key)] == [6, 3, 4, 1]


def test_holding() -> None:
    """Only shelves that hold the word give slots."""
    shelves = [shelf_of([1]), shelf_of([2])]
    assert [list(slots) for slots in holding(shelves, "even")] == [[2]]
