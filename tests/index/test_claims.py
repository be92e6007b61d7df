"""A change decides anew the claims it can touch, and that is the same as deciding all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.index.claims import Claims
from personakit.model.identity import Claim, Verdict, settle
from personakit.model.states import State

PATHS = [
    *("a.md", "a 1.md", "a (1).md", "a 1 2.md", "a.sync-conflict-1.md", "a.sync-conflict-1.sync-conflict-2.md"),
    *("a 1 (conflicted copy 1).md", "b.md", "b (2).md", "c.md", "d.md", "e.md"),
]
IDS = ["", "m_1", "m_2", "m_3"]
MADE = st.builds(
    Claim,
    path=st.sampled_from(PATHS),
    declared=st.sampled_from(IDS),
    own=st.sampled_from(IDS),
    words=st.sampled_from(["", "w", "x"]),
    state=st.sampled_from([None, *State]),
    created=st.sampled_from([float("inf"), 1.0]),
)
STEPS = st.lists(MADE | st.sampled_from(PATHS), max_size=25)


def do(claims: Claims, known: dict[str, Claim], step: Claim | str) -> str:
    """Put a claim or drop a path, in both, and give the path."""
    if isinstance(step, Claim):
        claims.put(step)
        known[step.path] = step
        return step.path
    claims.drop(step)
    known.pop(step, None)
    return step


@settings(max_examples=200, deadline=None)
@given(STEPS, st.lists(st.sampled_from(PATHS), max_size=4))
def test_deciding_what_is_touched_agrees_with_deciding_all(steps: list[Claim | str], asked: list[str]) -> None:
    """After any puts and drops, the claims touched by some files are closed and settled as among all claims."""
    claims, known = Claims(), dict[str, Claim]()
    for step in steps:
        do(claims, known, step)
    every = settle(known.values())
    touched = claims.touched_by(asked)
    assert touched <= known.keys()
    assert touched >= known.keys() & set(asked)
    assert claims.touched_by(touched) == touched
    assert claims.settle(touched) == {path: every[path] for path in touched}


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_verdicts_kept_step_by_step_are_those_of_a_fresh_start(steps: list[Claim | str]) -> None:
    """Settling at each step only what it touches, before and after, keeps every verdict right."""
    claims, known, kept = Claims(), dict[str, Claim](), dict[str, Verdict]()
    for step in steps:
        path = step.path if isinstance(step, Claim) else step
        group = claims.touched_by([path])
        do(claims, known, step)
        group |= claims.touched_by([path])
        kept.pop(path, None)
        kept.update(claims.settle(group & known.keys()))
        assert kept == settle(known.values())


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_what_is_dropped_leaves_nothing(steps: list[Claim | str]) -> None:
    """When every claim is dropped, in any way they were made, nobody claims anything and nothing is kept of them."""
    claims, known = Claims(), dict[str, Claim]()
    for step in steps:
        do(claims, known, step)
    for path in PATHS:
        claims.drop(path)
    assert claims.touched_by(PATHS) == set()
    assert all(claims.claiming(id_) == frozenset() for id_ in IDS)
    assert not claims._by_id
    assert not claims._copies


def test_who_claims_an_id_is_known() -> None:
    """A file claims the id it declares and the id its content gives; a new claim of a file replaces its old one."""
    claims = Claims()
    claims.put(Claim("a.md", "m_1", "m_2", "", None))
    claims.put(Claim("b.md", "", "m_2", "", None))
    assert "a.md" in claims
    assert "c.md" not in claims
    assert claims.claiming("m_1") == {"a.md"}
    assert claims.claiming("m_2") == {"a.md", "b.md"}
    assert claims.claiming("") == claims.claiming("m_3") == frozenset()
    claims.put(Claim("a.md", "m_3", "m_3", "", None))
    assert (claims.claiming("m_1"), claims.claiming("m_2"), claims.claiming("m_3")) == (
        frozenset(),
        frozenset({"b.md"}),
        frozenset({"a.md"}),
    )


def test_a_change_reaches_no_farther_than_it_can_matter() -> None:
    """Among many unrelated files a change touches only those that share an id or are copies."""
    claims = Claims()
    for number in range(1_000):
        claims.put(Claim(f"{number}.md", f"m_{number}", f"m_{number}", "", None))
    claims.put(Claim("7.sync-conflict-1.md", "m_x", "m_y", "", None))
    assert claims.touched_by(["7.md"]) == {"7.md", "7.sync-conflict-1.md"}
    assert claims.touched_by(["gone.md"]) == set()
