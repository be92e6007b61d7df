"""Which passage of a new version of a document is which of the old one, and what became of it.

Source: docs/FORMAT.md, "Documents". Equal words are the same passage, wherever they stand. Of the others
the pairs with the most words in common belong together, if these are enough; what is left was removed or added.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from personakit.model.likeness import difference, likeness
from personakit.model.memory import normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from personakit.model.document import Passage

# So much of their words two passages must share to be one: under the same headings, and elsewhere.
SAME_PLACE = 0.5
ELSEWHERE = 0.65
# So alike, and equal in all that turns a meaning, is reworded; anything else that differs is changed.
REWORDED = 0.7
# Beyond so many pairs only neighbours in the document's order are compared.
_MOST_PAIRS = 250_000
_NEAR = 8

_HARD_WORDS = frozenset(
    {
        *("no", "not", "never", "none", "nothing", "nobody", "without", "cannot", "neither", "nor"),
        *("must", "shall", "may", "only", "unless", "except", "default", "always", "required", "optional", "should"),
        *("nicht", "kein", "keine", "nie", "ohne", "nur", "muss", "darf", "ausser", "außer"),
    }
)
_HARD = re.compile(r"`[^`\n]+`|https?://[^\s)>\]]+|\d+(?:[.,:/-]\d+)*%?|\w+(?:['\u2019]\w+)*")


class Became(StrEnum):
    """What became of a passage."""

    SAME = "same"
    REWORDED = "reworded"
    CHANGED = "changed"
    MOVED = "moved"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Pair:
    """A passage of the old version and the one it became; None where there is none."""

    old: Passage | None
    new: Passage | None
    kind: Became


def hard_tokens(text: str) -> Counter[str]:
    """Give what turns a text's meaning: numbers and dates, code, addresses, and words such as not, must or only."""
    found = (token.casefold() for token in _HARD.findall(text))
    return Counter(
        token
        for token in found
        if token[0] == "`"
        or token[0].isdigit()
        or token.startswith(("http:", "https:"))
        or token in _HARD_WORDS
        or token.endswith(("n't", "n\u2019t"))
    )


def differ_in_figures(one: str, other: str) -> bool:
    """Say whether two texts that answer one question give different numbers, or say yes and no."""
    return difference(one, other) in ("number", "negation")


def pair(
    old: Sequence[Passage], new: Sequence[Passage], words: Callable[[str], Iterable[str]], *, moved: bool = False
) -> list[Pair]:
    """Give what became of each passage, in the order of the new version, what was removed last.

    `words` makes a text's words; `moved`: the document has another id, so equal words in equal places moved with it.
    """
    known = {one.id for one in old}
    stayed = {one.id for one in new} & known
    left = [one for one in old if one.id not in stayed]
    came = [one for one in new if one.id not in stayed]
    pairs = _equal(left, came, moved=moved)
    done = {id(one) for each in pairs for one in (each.old, each.new)}
    pairs += _alike([one for one in left if id(one) not in done], [one for one in came if id(one) not in done], words)
    order = {one.id: number for number, one in enumerate(new)}
    last = len(order)
    places = {one.id: number for number, one in enumerate(old)}
    return sorted(
        pairs,
        key=lambda each: (
            order[each.new.id] if each.new is not None else last,
            places[each.old.id] if each.old is not None else 0,
        ),
    )


def _equal(left: Sequence[Passage], came: Sequence[Passage], *, moved: bool) -> list[Pair]:
    """Pair equal words: under equal headings first, then elsewhere, each in the document's order."""
    if not left or not came:
        return []
    waiting: defaultdict[str, list[Passage]] = defaultdict(list)
    for one in left:
        waiting[normalised(one.text)].append(one)
    found: list[Pair] = []
    rest: list[tuple[str, Passage]] = []
    for one in came:
        key = normalised(one.text)
        there = waiting.get(key)
        same = next((old for old in there or () if old.section == one.section), None)
        if there and same is not None:
            there.remove(same)
            found.append(Pair(same, one, Became.SAME if moved else Became.MOVED))
        else:
            rest.append((key, one))
    for key, one in rest:
        if waiting.get(key):
            found.append(Pair(waiting[key].pop(0), one, Became.MOVED))
    return found


def _alike(left: Sequence[Passage], came: Sequence[Passage], words: Callable[[str], Iterable[str]]) -> list[Pair]:
    olds, news = [Counter(words(one.text)) for one in left], [Counter(words(one.text)) for one in came]
    scored = []
    near = len(left) * len(came) > _MOST_PAIRS
    for n, new in enumerate(came):
        for o, old in enumerate(left):
            if near and abs(n - o) > _NEAR:
                continue
            same_place = old.section == new.section
            dice = likeness(olds[o], news[n])
            if dice >= (SAME_PLACE if same_place else ELSEWHERE):
                scored.append((-dice, not same_place, abs(n - o), n, o))
    taken_old, taken_new = set[int](), set[int]()
    found: list[Pair] = []
    for minus, _, _, n, o in sorted(scored):
        if n not in taken_new and o not in taken_old:
            taken_new.add(n)
            taken_old.add(o)
            found.append(Pair(left[o], came[n], _kind(left[o], came[n], -minus)))
    found += [Pair(None, one, Became.ADDED) for n, one in enumerate(came) if n not in taken_new]
    found += [Pair(one, None, Became.REMOVED) for o, one in enumerate(left) if o not in taken_old]
    return found


def _kind(old: Passage, new: Passage, dice: float) -> Became:
    if dice >= REWORDED and hard_tokens(old.text) == hard_tokens(new.text):
        return Became.REWORDED
    return Became.CHANGED
