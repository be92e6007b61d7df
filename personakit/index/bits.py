"""Sets of slots, one bit each: for words that many notes hold, where a set of numbers costs thirty times as much."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# With so few bits set, taking the lowest again and again is quicker than writing the number out.
_SPARSE = 12


class Bits:
    """A set of slots that can be changed, and read as one number whose set bits are the slots."""

    __slots__ = ("_number", "_raw", "_size")

    def __init__(self, slots: Iterable[int] = ()) -> None:
        self._raw = bytearray()
        self._number: int | None = None
        self._size = 0
        for slot in slots:
            self.add(slot)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        return iter(slots_in(self.number))

    def __contains__(self, slot: int) -> bool:
        at = slot >> 3
        return at < len(self._raw) and bool(self._raw[at] >> (slot & 7) & 1)

    @property
    def number(self) -> int:
        """The set as a number; made when asked for, kept until the set changes."""
        if self._number is None:
            self._number = int.from_bytes(self._raw, "little")
        return self._number

    def add(self, slot: int) -> None:
        """Put a slot in."""
        raw, at, bit = self._raw, slot >> 3, 1 << (slot & 7)
        if at >= len(raw):
            raw.extend(bytes(at + 1 - len(raw)))
        if not raw[at] & bit:
            raw[at] |= bit
            self._size += 1
            self._number = None

    def remove(self, slot: int) -> None:
        """Take a slot out.

        Raises:
            KeyError: it is not there.
        """
        if slot not in self:
            raise KeyError(slot)
        self._raw[slot >> 3] ^= 1 << (slot & 7)
        self._size -= 1
        self._number = None


def number_of(slots: Collection[int]) -> int:
    """Give the number whose set bits are some slots."""
    raw = bytearray((max(slots, default=-1) >> 3) + 1)
    for slot in slots:
        raw[slot >> 3] |= 1 << (slot & 7)
    return int.from_bytes(raw, "little")


def slots_in(number: int) -> list[int]:
    """Give the set bits of a number, sorted."""
    found: list[int] = []
    if number.bit_count() <= _SPARSE:
        while number:
            lowest = number & -number
            found.append(lowest.bit_length() - 1)
            number ^= lowest
        return found
    digits = bin(number)
    last = len(digits) - 1
    at = digits.rfind("1")
    while at >= 0:
        found.append(last - at)
        at = digits.rfind("1", 0, at)
    return found


class SlotsOf:
    """The set bits of a number, written out only when gone through."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __iter__(self) -> Iterator[int]:
        return iter(slots_in(self._number))
