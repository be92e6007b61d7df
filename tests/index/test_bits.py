"""Sets of slots, one bit each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.index.bits import Bits, SlotsOf, number_of, slots_in

slots = st.sets(st.integers(0, 3_000), max_size=60)


@given(slots)
def test_a_number_and_its_slots_are_one(wanted: set[int]) -> None:
    """Slots make a number, and the number gives the slots back."""
    number = number_of(wanted)
    assert sorted(slots_in(number)) == sorted(SlotsOf(number)) == sorted(Bits(wanted)) == sorted(wanted)
    assert Bits(wanted).number == number


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=60))
def test_changes(changes: list[tuple[bool, int]]) -> None:
    """After any changes it holds what a set would."""
    bits, wanted = Bits(), set[int]()
    for adding, slot in changes:
        if adding:
            bits.add(slot)
            wanted.add(slot)
        elif slot in wanted:
            bits.remove(slot)
            wanted.remove(slot)
        assert (len(bits), slot in bits, bits.number) == (len(wanted), slot in wanted, number_of(wanted))


def test_what_is_not_there_cannot_be_taken_out() -> None:
    """Taking out a slot that is not there is a fault, also beyond the end."""
    for slot in (3, 300):
        with pytest.raises(KeyError):
            Bits([2]).remove(slot)
