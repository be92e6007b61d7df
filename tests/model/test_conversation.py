"""A session's memory: told once, rules never missed, the window fixed, and the same again from its journal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personakit.model.conversation import IDLE_SECONDS, Conversation, Told, Turn, after, end
from personakit.model.label import code_of
from personakit.services.sessions import ids_of, made_again, row_of, turn_of
from personakit.vault.journal import ENDED, SERVED

ID = "s_aaaaaaaaaaaaaaaa"
NEW = Conversation(ID, "alpha", "garden", "", 0.0, 0.0)


def told(number: int, revision: str = "r1") -> Told:
    """Give a memory as told."""
    id_ = f"m_{number:012x}"
    return Told(id_, revision, code_of(id_)[:6])


TOLD = st.builds(told, st.integers(0, 5), st.sampled_from(["r1", "r2"]))
TURNS = st.lists(
    st.builds(
        lambda at, told, rules, gone, prompt, query: Turn(
            float(at), tuple(told), min(rules, len(told)), tuple(gone), prompt, query
        ),
        st.integers(0, 2_000_000_000),
        st.lists(TOLD, max_size=4),
        st.integers(0, 4),
        st.lists(st.tuples(st.sampled_from([told(n).id for n in range(3)]), st.just("000000")), max_size=2),
        st.sampled_from(["", "p_a", "p_b"]),
        st.sampled_from(["", "q1", "q2"]),
    ),
    max_size=8,
)


def test_rules_new_changed_and_withdrawn() -> None:
    """A rule is new until told, new again when it says something else, and withdrawn once when it is none."""
    one, two = told(1), told(2)
    session = after(NEW, Turn(1.0, (one,), 1))
    assert session.new_rules([one, two]) == [two]
    assert session.new_rules([told(1, "r2")]) == [told(1, "r2")]
    assert session.withdrawn([two]) == [(one.id, one.label)]
    session = after(session, Turn(2.0, (two,), 1, ((one.id, one.label),)))
    assert session.withdrawn([two]) == [] and session.new_rules([one, two]) == [one]


def test_nothing_is_told_twice() -> None:
    """A memory is known by its revision alone."""
    session = after(NEW, Turn(1.0, (told(1),)))
    assert session.knows(told(1).id, "r1")
    assert not session.knows(told(1).id, "r2") and not session.knows(told(2).id, "r1")


def test_the_window_does_not_move() -> None:
    """Ten minutes from the first answer; a repeat does not lengthen it, and the time before it is not in it."""
    session = after(NEW, Turn(100.0, (told(1),), query="q"))
    session = after(session, Turn(600.0, (told(1),), query="q", repeats=True))
    assert session.answered("q", 699.0) is not None and session.answered("q", 700.0) is None
    assert session.answered("q", 99.0) is None and session.answered("other", 150.0) is None


def test_a_day_of_silence_closes() -> None:
    """It is open for a day after its latest call, and closed when it is ended."""
    session = after(NEW, Turn(1_000.0))
    assert not session.is_closed(1_000.0 + IDLE_SECONDS) and session.is_closed(1_001.0 + IDLE_SECONDS)
    assert end(session).is_closed(1_000.0)


@given(TURNS, st.booleans())
def test_a_session_is_made_again(turns: list[Turn], ended: bool) -> None:
    """From the rows of its answers a session comes back as it was; a later time than now is now."""
    rows = [
        {"kind": SERVED, "session": ID, "to": "alpha", "tool": "memory_recall", "ids": ids_of(turn), **row_of(turn)}
        | {"query": turn.query, "at": turn.at}
        for turn in turns
    ]
    first = {"kind": SERVED, "session": ID, "to": "alpha", "opened": True, "project": "garden", "ids": []}
    lines = [first, *rows, *([{"kind": ENDED, "session": ID}] if ended else [])]
    made = made_again(ID, lines, 0.0)  # these times are numbers, which rows never hold: all count as the beginning
    wanted = NEW
    for turn in turns:
        wanted = after(wanted, turn_of(rows[turns.index(turn)], 0.0))
    assert made == (end(wanted) if ended else wanted)
    assert made is not None and dict(made.delivered) == {one.id: one.revision for turn in turns for one in turn.told}


@given(st.lists(st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)), st.lists)))
def test_a_spoilt_row_costs_little(spoilt: list[object]) -> None:
    """Whatever a row holds under its keys, reading it ends and the rest of the session stands."""
    first = {"kind": SERVED, "session": ID, "to": "alpha", "opened": True}
    rows = [
        {"kind": SERVED, "session": ID, "at": one, "ids": one, "rules": one, "withdrawn": one, "query": one}
        for one in spoilt
    ]
    assert made_again(ID, [first, *rows], 10.0) is not None
    assert made_again(ID, rows, 10.0) is None
