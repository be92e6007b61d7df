"""Whether two texts say the same: by the runs of three letters they share, and by the few tokens that turn a meaning.

Source: docs/ARCHITECTURE.md, "Duplicates".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

SIZE = 3
_NEGATION = frozenset(
    {
        *("no", "not", "never", "none", "nothing", "nobody", "without", "cannot", "neither", "nor"),
        *("nicht", "kein", "keine", "nie", "ohne", "ne", "pas", "jamais", "sans", "nunca", "sin"),
    }
)
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|\n\s*[-*#>]*\s*)(\w+)")


def grams(text: str) -> Counter[str]:
    """Give how often each run of three characters occurs, without case and with blanks collapsed."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return Counter(plain[at : at + SIZE] for at in range(max(1, len(plain) - SIZE + 1)))


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """Give the Dice of two texts' runs, counted with repeats: 0 for nothing in common, 1 for all."""
    together = one.total() + other.total()
    return 2 * (one & other).total() / together if together else 0.0


def share_in(one: Counter[str], other: Counter[str]) -> float:
    """Give which part of a text's runs another text holds as well, 0 to 1."""
    return (one & other).total() / one.total() if one else 0.0


def difference(one: str, other: str) -> str:
    """Name what makes two like texts say different things: `negation`, `number`, `name`; "" for nothing found."""
    if _negations(one) != _negations(other):
        return "negation"
    if Counter(_NUMBER.findall(one)) != Counter(_NUMBER.findall(other)):
        return "number"
    return "name" if _names(one, other) else ""


def _negations(text: str) -> int:
    words = (word.casefold() for word in _WORD.findall(text))
    return sum(word in _NEGATION or word.endswith(("n't", "n\u2019t")) for word in words)


def _names(one: str, other: str) -> bool:
    """Say whether one text holds a capitalised word, not at a sentence's start, that the other has in no form."""
    return any(
        name.casefold() not in {word.casefold() for word in _WORD.findall(there)}
        for here, there in ((one, other), (other, one))
        for name in _capitalised(here)
    )


def _capitalised(text: str) -> set[str]:
    starts = {match.start(1) for match in _SENTENCE_START.finditer(text)}
    found = (match for match in _WORD.finditer(text) if match.start() not in starts)
    return {match[0] for match in found if match[0][:1].isupper()}
