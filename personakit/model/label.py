"""Labels: the short name by which a told memory can be asked after, such as #k3x9vq.

The Crockford base32 (lower case) of an id's 48 bits, from its left: six characters, more for the younger of two
memories that begin alike. Whose labels collide is judged among what one viewer may see, so that nothing hidden leaves
a mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHORTEST = 6
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID = re.compile(r"m_([0-9a-f]{12})")
# People read these letters as digits, and Crockford's base32 takes them so.
_MISREAD = str.maketrans("ilo", "110")


def code_of(id_: str) -> str:
    """Give all ten characters of a memory's id."""
    bits = int(id_.removeprefix("m_"), 16) << 2
    return "".join(_ALPHABET[(bits >> shift) & 31] for shift in range(45, -5, -5))


def start_of(id_: str) -> int:
    """Give a number that ids share exactly when their shortest labels do."""
    return int(id_.removeprefix("m_")[:8], 16) >> 2


def label_among(id_: str, older: Iterable[str]) -> str:
    """Give a memory's label beside the older ones of the same start: long enough to be none of their beginnings."""
    code = code_of(id_)
    others = [code_of(one) for one in older]
    length = SHORTEST
    while length < len(code) and any(one.startswith(code[:length]) for one in others):
        length += 1
    return code[:length]


def asked_code(given: str) -> str | None:
    """Give the code, or its beginning, that a person or a model means; None: it can be no label and no id."""
    said = given.strip().casefold()
    whole = _ID.fullmatch(said)
    if whole is not None:
        return code_of(said)
    letters = said.removeprefix("#").translate(_MISREAD)
    fits = SHORTEST <= len(letters) <= 10 and all(letter in _ALPHABET for letter in letters)
    return letters if fits else None


def meant_by(code: str, oldest_first: Sequence[str]) -> str | None:
    """Give the id that a label means among those of the same start: the oldest for the shortest label."""
    for number, id_ in enumerate(oldest_first):
        if label_among(id_, oldest_first[:number]) == code:
            return id_
    longer = [id_ for id_ in oldest_first if len(code) > SHORTEST and code_of(id_).startswith(code)]
    return longer[0] if len(longer) == 1 else None


def start_of_code(code: str) -> int:
    """Give what `start_of` gives for the ids whose codes begin like this one."""
    number = 0
    for letter in code[:SHORTEST]:
        number = number * 32 + _ALPHABET.index(letter)
    return number
