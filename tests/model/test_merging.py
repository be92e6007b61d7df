"""The merge rule for each key that both sides changed."""

from __future__ import annotations

from typing import Any

import pytest

from personakit.model.fact import Fact
from personakit.model.memory import Memory
from personakit.model.merging import Clash, Value, Version, audience, items_of, may_leave, merge_keys, wider
from personakit.model.note import Kind
from personakit.model.states import State


def memory(*, state: State = State.UNCONFIRMED, **keys: Any) -> Version:
    """Give a version of a memory."""
    created = keys.get("created", "")
    rule = {"true": True, "false": False}.get(str(keys.get("rule")))
    note = Memory(
        kind=Kind.MEMORY,
        id="m_000000000001",
        path="",
        state=state,
        created=created if isinstance(created, str) else "",
        evidence=tuple(items_of("evidence", keys.get("evidence")) or ()),
        category=str(keys.get("category", "other")),
        rule=rule,
        assistants=tuple(items_of("assistants", keys.get("assistants")) or ()),
    )
    return Version({"state": state.value, **keys}, note, "Prefers tea")


def merged(key: str, base: Value | None, one: Value | None, other: Value | None) -> Value | Clash | None:
    """Give what a key becomes."""
    given: list[dict[str, Any]] = [{} if value is None else {key: value} for value in (base, one, other)]
    sides = [memory(**keys) for keys in given]
    found = merge_keys(sides[0], sides[1], sides[2], "Prefers tea")
    assert merge_keys(sides[0], sides[1], sides[2], "Prefers tea") == found
    return found.get(key)


@pytest.mark.parametrize(
    ("key", "base", "one", "other", "wanted"),
    [
        ("mood", "a", "a", "b", "b"),
        ("mood", "a", "b", "a", "b"),
        ("mood", "a", "b", "b", "b"),
        ("mood", "a", None, "a", None),
        ("mood", "a", None, "b", "b"),
        ("mood", None, "a", "b", Clash("a", "b")),
        ("mood", "a", ["b"], ["c"], ["b", "c"]),
        ("mood", "a", [["b"]], ["c"], Clash([["b"]], ["c"])),
        ("updated", None, "2026-01-02", "2026-01-03", "2026-01-03"),
        ("id", "a", "2026-01-02", "2026-01-03", Clash("2026-01-02", "2026-01-03")),
        ("created", None, "2026-02-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("created", "2026-03-01", "soon", "2026-04-01", "2026-04-01"),
        ("stale_after", None, "2026-02-01", "2026-01-01", "2026-01-01"),
        ("category", "tools", "constraints", "other", "other"),
        ("category", "tools", "preferences", "other", "other"),
        ("rule", "false", "true", None, None),
        ("rule", None, "true", "false", "false"),
        ("status", "waiting", "accepted", "declined", "declined"),
        ("status", None, "accepted", "waiting", "waiting"),
        ("redacted", None, "false", "true", "true"),
        ("type", None, "memory", "fact", "fact"),
        ("source", None, "", "import", "import"),
        ("proposed_by", None, "kit", "ana", "ana"),
        ("evidence", ["a", "b"], ["a"], ["a", "b", "c"], ["a", "b", "c"]),
        ("evidence", ["a"], [], ["a"], ["a"]),
        ("evidence", [["a"]], [["b"]], ["c"], Clash([["b"]], ["c"])),
        ("tags", "a, b", "a", "a, b, c", ["a", "c"]),
        ("tags", "a", "a, b", "b, a", "a, b"),
        ("supersedes", None, "null", ["m_1"], ["m_1"]),
    ],
)
def test_each_key(key: str, base: Value | None, one: Value | None, other: Value | None, wanted: object) -> None:
    """Three-way where one side changed it, else what the table of the format says."""
    assert merged(key, base, one, other) == wanted


def test_the_first_proposer_counts() -> None:
    """Of two proposals of one statement the earlier one's proposer stays."""
    one = memory(created="2026-02-01", proposed_by="ana")
    other = memory(created="2026-01-01", proposed_by="kit")
    assert merge_keys(None, one, other, "Prefers tea")["proposed_by"] == "kit"


def test_a_clash_of_quotes_ends_an_approval() -> None:
    """Where nobody can say which quotes count, no approval has seen them."""
    base = memory(evidence=[["a"]])
    approved = memory(state=State.APPROVED, evidence=[["b"]])
    assert merge_keys(base, approved, memory(evidence=["c"]), "Prefers tea")["state"] == "unconfirmed"


def test_a_fact_is_approved_with_its_parts() -> None:
    """What the other side changed of a fact was not approved."""
    notes = [Fact(kind=Kind.FACT, id="t", path="", state=state) for state in (None, State.APPROVED, None)]
    keys: list[dict[str, Value]] = [{"object": "tea"}, {"object": "tea", "state": "approved"}, {"object": "mint"}]
    sides = [Version(words, note, "") for words, note in zip(keys, notes, strict=True)]
    assert merge_keys(sides[0], sides[1], sides[2], "") == {"object": "mint", "state": "unconfirmed"}


def test_what_is_wider() -> None:
    """A less cautious state or a larger audience; nobody is less than anybody, everybody more."""
    plain, mine = memory(), memory(assistants=["ana"])
    assert wider(plain.note, mine.note) and not wider(mine.note, plain.note)
    assert wider(memory(state=State.APPROVED).note, plain.note)
    assert audience(()) is None and audience(("",)) == frozenset() and audience(("A na",)) == frozenset({"a-na"})


def test_what_a_text_merge_may_show() -> None:
    """Nothing wider than either side, and an approval only of what it saw."""
    approved = memory(state=State.APPROVED)
    assert may_leave(approved.note, "Prefers tea", approved, approved)
    assert not may_leave(approved.note, "Prefers mint", approved, approved)
    assert not may_leave(approved.note, "Prefers tea", approved, memory())
    assert may_leave(memory().note, "Prefers mint", memory(), memory())
    order = memory(state=State.APPROVED, rule="true")
    assert not may_leave(order.note, "Prefers tea", approved, approved)
