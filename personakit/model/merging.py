"""The merge rule: what the keys of a file say after both of two machines changed it. It never decides for the owner.

Source: docs/FORMAT.md, "Merging". Key by key against the common base; where both sides changed a key, the careful
reading counts. The two sides come in one fixed order, so that either machine comes to the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from personakit.model.memory import rule_of
from personakit.model.note import Kind, Note, label_key, moment
from personakit.model.states import CAUTION, State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value = str | list["Value"] | dict[str, "Value"]

LISTS = frozenset({"aliases", "tags", "supersedes"})
AUDIENCES = ("assistants", "projects")
# What an object of a kind says beside its body: an approval has seen these, and no other side may change them under it.
_WORD_KEYS: dict[Kind, tuple[str, ...]] = {
    Kind.FACT: ("subject", "predicate", "object", "valid_from", "valid_to"),
    Kind.PROPOSAL: ("passage", "document", "base"),
}
_NAMELESS = frozenset({"id", "subject", "predicate", "object", "valid_from", "passage", "document", "base"})
_STATUS = ("declined", "waiting", "accepted")
# From the most cautious; a kind that needs no state is served without one.
_ORDER: tuple[State | None, ...] = (*CAUTION, None)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a file.

    Attributes:
        keys: its front matter, key to value.
        note: what it says.
        words: its statement, or the body where that is what is served.
    """

    keys: Mapping[str, Value]
    note: Note
    words: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Two values of one key, neither of which may be taken for the other; the owner chooses."""

    one: Value
    other: Value


Result = Value | Clash | None
Names = frozenset[str] | None  # None: everybody


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two values of a key that both sides changed, each with its whole version. None: the key is not there."""

    key: str
    one: Version
    other: Version

    @property
    def values(self) -> tuple[Value, Value]:
        return self.one.keys[self.key], self.other.keys[self.key]


def merge_keys(base: Version | None, one: Version, other: Version, words: str) -> dict[str, Value | Clash]:
    """Give the keys of the merged file. `words` is what the merged body says, "" where its sides conflict."""
    merged: dict[str, Value | Clash] = {}
    for key in dict.fromkeys([*one.keys, *other.keys]):
        if key != "state" and key not in AUDIENCES:
            _put(merged, key, _merged(key, base, one, other))
    state = _state(base, one, other)
    if state is State.APPROVED and not any(_has_seen(side, merged, words) for side in (one, other)):
        state = State.UNCONFIRMED
    _put(merged, "state", _state_word(state, base, one, other))
    for key, value in _audiences(state, base, one, other).items():
        _put(merged, key, value)
    if merged.get("status") == "accepted" and not any(_accepts(side, merged, words) for side in (one, other)):
        merged["status"] = "waiting"
    return merged


def wider(note: Note, than: Note) -> bool:
    """Say whether a note is more permissive than another: a less cautious state, or an audience that is no part of its.

    So no viewer gets from one that is not wider what the other keeps from them.
    """
    return _rank(note.state) > _rank(than.state) or not (
        _within(audience(note.assistants), audience(than.assistants))
        and _within(audience(note.projects), audience(than.projects))
    )


def may_leave(note: Note, words: str, one: Version, other: Version) -> bool:
    """Say whether a merged file that nobody judged key by key may be served.

    It is no wider than any side, and an approval has seen its words.
    """
    evidence = set(getattr(note, "evidence", ()))
    if wider(note, one.note) or wider(note, other.note):
        return False
    return note.state is not State.APPROVED or any(
        side.note.state is State.APPROVED
        and side.words == words
        and set(getattr(side.note, "evidence", ())) == evidence
        and (getattr(side.note, "is_rule", False) or not getattr(note, "is_rule", False))
        for side in (one, other)
    )


def audience(names: tuple[str, ...]) -> Names:
    """Give the names of an audience list as the gate compares them. None: everybody."""
    return frozenset(key for name in names if (key := label_key(name))) if names else None


def items_of(key: str, value: Value | None) -> list[str] | None:
    """Give a value as the items of a list. None: it holds something that is no text."""
    if value is None or (isinstance(value, str) and value.strip() in ("", "null", "~")):
        return []
    parts = value if isinstance(value, list) else [value]
    found: list[str] = []
    for part in parts:
        if not isinstance(part, str):
            return None
        found += [name for each in part.split(",") if (name := each.strip(" \t\n[]"))] if key == "tags" else [part]
    return list(dict.fromkeys(found))


def _put(merged: dict[str, Value | Clash], key: str, value: Result) -> None:
    if value is not None:
        merged[key] = value


def _merged(key: str, base: Version | None, one: Version, other: Version) -> Result:
    before, mine, yours = (None if side is None else side.keys.get(key) for side in (base, one, other))
    if mine == yours:
        return mine
    if key == "evidence" or key in LISTS:
        # Quotes are never lost, even where one side dropped them: the owner can drop them again, nobody can say anew.
        united = _united(key, None if key == "evidence" else before, mine, yours)
        if united is not None:
            return united
    if base is not None and mine == before:
        return yours
    if base is not None and yours == before:
        return mine
    if key == "rule":
        return min((mine, yours), key=_caution_of_rule)
    if mine is None or yours is None:
        return yours if mine is None else mine
    return _CHOICES.get(key, _other_key)(_Pair(key, one, other))


def _united(key: str, before: Value | None, mine: Value | None, yours: Value | None) -> Value | None:
    old, first, second = items_of(key, before), items_of(key, mine), items_of(key, yours)
    if old is None or first is None or second is None:
        return None
    gone = {item for item in old if item not in first or item not in second}
    wanted = [item for item in dict.fromkeys([*first, *second]) if item not in gone]
    for value, items in ((mine, first), (yours, second)):
        if value is not None and sorted(items) == sorted(wanted):
            return value
    return list(wanted)


def _earliest_created(pair: _Pair) -> Value:
    return min(pair.values, key=lambda value: (_time(value), str(value)))


def _of_the_first(pair: _Pair) -> Value:
    """Take the value of the version that was made first."""
    first = min((pair.one, pair.other), key=lambda side: (_time(side.note.created), str(side.keys[pair.key])))
    filled = [value for value in (first.keys[pair.key], *pair.values) if value not in ("", "null", "~")]
    return filled[0] if filled else first.keys[pair.key]


def _time(value: Value) -> float:
    when = moment(value) if isinstance(value, str) else None
    return float("inf") if when is None else when


def _category(pair: _Pair) -> Value:
    # A constraint is a standing order once it is approved: the other word promises less.
    return min(pair.values, key=lambda value: (value == "constraints", str(value)))


def _status(pair: _Pair) -> Value:
    def caution(value: Value) -> tuple[int, str]:
        word = value.strip().casefold() if isinstance(value, str) else ""
        return (_STATUS.index(word) if word in _STATUS else 0, str(value))

    return min(pair.values, key=caution)


def _redacted(pair: _Pair) -> Value:
    return min(pair.values, key=lambda value: (str(value).strip().casefold() != "true", str(value)))


def _least(pair: _Pair) -> Value:
    return min(pair.values, key=str)


def _other_key(pair: _Pair) -> Value | Clash:
    """Merge a key of the owner's own: lists are united, of two times the later counts, else the owner chooses."""
    mine, yours = pair.values
    if pair.key not in _NAMELESS:
        if isinstance(mine, list) and isinstance(yours, list):
            united = _united(pair.key, None, mine, yours)
            if united is not None:
                return united
        times = _time(mine), _time(yours)
        if float("inf") not in times:
            return max(zip(times, (str(mine), str(yours)), strict=True))[1]
    return Clash(mine, yours)


_CHOICES: dict[str, Callable[[_Pair], Value | Clash]] = {
    "created": _earliest_created,
    "proposed_by": _of_the_first,
    "source": _of_the_first,
    "category": _category,
    "stale_after": _earliest_created,
    "valid_to": _earliest_created,
    "status": _status,
    "redacted": _redacted,
    "type": _least,
}


def _caution_of_rule(value: Value | None) -> tuple[int, str]:
    return ((False, None, True).index(_rule(value)), str(value))


def _rule(value: Value | Clash | None) -> bool | None:
    return rule_of(value) if isinstance(value, str) else None


def _state(base: Version | None, one: Version, other: Version) -> State | None:
    mine, yours = one.note.state, other.note.state
    if base is not None and mine is base.note.state:
        return yours
    if base is not None and yours is base.note.state:
        return mine
    return min(mine, yours, key=_rank)


def _rank(state: State | None) -> int:
    return _ORDER.index(state)


def _state_word(state: State | None, base: Version | None, one: Version, other: Version) -> Value | None:
    """Give the state as a side that has it wrote it, rather the side that changed how it is written."""
    before = None if base is None else base.keys.get("state")
    said = [side.keys.get("state") for side in (one, other) if side.note.state is state]
    if not said:
        return None if state is None else state.value
    return next((word for word in said if word != before), said[0])


def _has_seen(side: Version, merged: Mapping[str, Value | Clash], words: str) -> bool:
    """Say whether a side's approval stood on what the merged file says."""
    if side.note.state is not State.APPROVED or side.words != words:
        return False
    if any(side.keys.get(key) != merged.get(key) for key in _WORD_KEYS.get(side.note.kind, ())):
        return False
    evidence = merged.get("evidence")
    quotes = None if isinstance(evidence, Clash) else items_of("evidence", evidence)
    if quotes is None or set(quotes) != set(items_of("evidence", side.keys.get("evidence")) or ()):
        return False
    return getattr(side.note, "is_rule", False) or not _orders(merged)


def _orders(merged: Mapping[str, Value | Clash]) -> bool:
    """Say whether an approval would make these keys a standing order."""
    said = _rule(merged.get("rule"))
    category = merged.get("category")
    return said is True or (said is None and isinstance(category, str) and label_key(category) == "constraints")


def _accepts(side: Version, merged: Mapping[str, Value | Clash], words: str) -> bool:
    keys = _WORD_KEYS.get(side.note.kind, ())
    return (
        side.keys.get("status") == "accepted"
        and side.words == words
        and all(side.keys.get(key) == merged.get(key) for key in keys)
    )


def _audiences(state: State | None, base: Version | None, one: Version, other: Version) -> dict[str, Value | None]:
    merged = {key: _audience(key, base, one, other) for key in AUDIENCES}
    names = [names for _, names in merged.values()]

    def is_wider_than(side: Version) -> bool:
        theirs = [audience(_names(side, key)) for key in AUDIENCES]
        return _rank(state) > _rank(side.note.state) or not all(map(_within, names, theirs))

    if is_wider_than(one) and is_wider_than(other):
        # A state that one side opened and an audience that the other opened would show what neither shows.
        merged = {key: _common(key, one, other) for key in AUDIENCES}
    return {key: value for key, (value, _) in merged.items()}


def _audience(key: str, base: Version | None, one: Version, other: Version) -> tuple[Value | None, Names]:
    mine, yours = audience(_names(one, key)), audience(_names(other, key))
    before = None if base is None else base.keys.get(key)
    if base is not None and mine != yours:
        old = audience(_names(base, key))
        if mine == old:
            return other.keys.get(key), yours
        if yours == old:
            return one.keys.get(key), mine
    if mine == yours and one.keys.get(key) == before:
        return other.keys.get(key), yours
    return _common(key, one, other)


def _common(key: str, one: Version, other: Version) -> tuple[Value | None, Names]:
    """Give whom both sides name. Where that is nobody, the list says so: an empty one would name everybody."""
    mine, yours = audience(_names(one, key)), audience(_names(other, key))
    if _within(mine, yours):
        return one.keys.get(key), mine
    if _within(yours, mine):
        return other.keys.get(key), yours
    both = (mine or frozenset()) & (yours or frozenset())
    kept: list[Value] = [name for name in _names(one, key) if label_key(name) in both]
    return kept or [""], both


def _names(side: Version, key: str) -> tuple[str, ...]:
    return side.note.assistants if key == "assistants" else side.note.projects


def _within(names: Names, others: Names) -> bool:
    return others is None or (names is not None and names <= others)
