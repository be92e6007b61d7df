"""What the table keeps of one note: the note and its words."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from personakit.model.memory import Memory

if TYPE_CHECKING:
    from personakit.index.words import Tokeniser
    from personakit.model.note import Note


class Entry(NamedTuple):
    """A note with its words, as a cache may store them.

    Attributes:
        note: the note itself.
        words: its distinct words, sorted.
        counts: how often each of them occurs, in their order; () when each occurs once.
        length: the number of its words with repeats.
    """

    note: Note
    words: tuple[str, ...]
    counts: tuple[int, ...]
    length: int


def entry_for(note: Note, tokeniser: Tokeniser) -> Entry:
    """Make the entry of a note from its text and aliases, and a memory's tags."""
    fields = [note.text, *note.aliases]
    if isinstance(note, Memory):
        fields += note.tags
    found = Counter(chain.from_iterable(map(tokeniser.words, fields)))
    words = tuple(sorted(found))
    length = found.total()
    counts = () if length == len(words) else tuple(found[word] for word in words)
    return Entry(note=note, words=words, counts=counts, length=length)
