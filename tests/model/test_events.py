"""What happened, in fixed words: exactly the changes that were made, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.events import OWNER, Change, Event, Happening, events
from personakit.model.memory import Memory
from personakit.model.note import Kind
from personakit.model.past import Commit, Standing, Step, Version, utc
from personakit.model.states import State

H = Happening
ID = "m_0123456789ab"


def memory(**said: Any) -> Memory:
    """Make a memory that waits."""
    plain = {"state": State.UNCONFIRMED, "text": "Likes tea"}
    return Memory(kind=Kind.MEMORY, id=ID, path="memories/a.md", **{**plain, **said})


def version(one: Memory | None, standing: Standing = Standing.READ, path: str = "memories/a.md") -> Version:
    """Make a version whose digest tells its content, as a file's does."""
    return Version(standing, one, path, repr(one) if standing is Standing.READ else "?")


def commit(number: int, assistant: str = "") -> Commit:
    """Make a commit."""
    return Commit(f"{number:040x}", (), 1_790_000_000 + number, 0, "Rosalind Fictiva", assistant=assistant)


def told(*versions: Version) -> list[tuple[Happening, str, str]]:
    """Give what happened from each version to the next; the first is the birth."""
    steps = [Step(commit(n), versions[max(0, n - 1) : n], one) for n, one in enumerate(versions)]
    return [(event.kind, event.change.was, event.change.now) for event in events(steps)]


def between(before: Memory, after: Memory) -> list[Happening]:
    """Give what happened between two versions."""
    return [kind for kind, _, _ in told(version(before), version(after))[len(told(version(before))) :]]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"proposed_by": "claude-code"}, ["proposed by claude-code"]),
        ({"proposed_by": "claude-code", "state": State.APPROVED}, ["proposed by claude-code", "approved by the owner"]),
        ({"source": "notes.txt"}, ["imported"]),
        ({"source": "notes.txt", "state": State.REJECTED}, ["imported", "rejected by the owner"]),
        ({}, ["written by the owner"]),
        ({"state": State.APPROVED}, ["written by the owner"]),
        ({"state": State.RESTRICTED}, ["written by the owner", "restricted by the owner"]),
    ],
)
def test_how_a_memory_came_to_be(said: dict[str, Any], expected: list[str]) -> None:
    """Its front matter says who proposed it, whoever committed it; what it was decided before that is told too."""
    assert [event.words for event in events([Step(None, (), version(memory(**said)))])] == expected


U, A, R, X = State.UNCONFIRMED, State.APPROVED, State.RESTRICTED, State.REJECTED
DECIDED = {
    (U, A): H.APPROVED,
    (X, A): H.APPROVED,
    (R, A): H.LIFTED,
    (R, U): H.LIFTED,
    (R, X): H.REJECTED,
    (U, X): H.REJECTED,
    (A, X): H.REJECTED,
    (U, R): H.RESTRICTED,
    (A, R): H.RESTRICTED,
    (X, R): H.RESTRICTED,
    (A, U): H.REOPENED,
    (X, U): H.REOPENED,
}


@pytest.mark.parametrize(("before", "after"), DECIDED)
def test_decisions(before: State, after: State) -> None:
    """Each step between two states has one word; what ends a restriction without a rejection lifts it."""
    assert between(memory(state=before), memory(state=after)) == [DECIDED[before, after]]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"text": "Likes coffee"}, [H.WORDS_EDITED]),
        ({"evidence": ("a",)}, {"evidence": ("b", "a", "a")}, [H.QUOTE_ADDED, H.QUOTE_ADDED]),
        ({"evidence": ("a", "b")}, {"evidence": ("b",)}, [H.QUOTE_REMOVED]),
        ({"evidence": ("a", "b")}, {"evidence": ("b", "a")}, [H.EDITED]),
        ({}, {"category": "tools"}, [H.CATEGORY_CHANGED]),
        ({}, {"category": "constraints"}, [H.CATEGORY_CHANGED, H.BECAME_RULE]),
        ({"rule": True}, {"rule": False}, [H.NO_RULE]),
        ({}, {"assistants": ("codex",)}, [H.AUDIENCE_CHANGED]),
        ({"supersedes": ("m_1",)}, {"supersedes": ("m_1", "m_2", ID)}, [H.REPLACED]),
        ({}, {"tags": ("drinks",)}, [H.EDITED]),
        ({}, {"state": A, "text": "x", "category": "tools"}, [H.APPROVED, H.WORDS_EDITED, H.CATEGORY_CHANGED]),
        ({}, {}, []),
    ],
)
def test_edits(before: dict[str, Any], after: dict[str, Any], expected: list[Happening]) -> None:
    """Each property has its own word; what has none is told as an edit; nothing changed is no event."""
    assert between(memory(**before), memory(**after)) == expected


def test_line_ends_alone_are_no_event() -> None:
    """Two files that differ in what their digest leaves out are one version."""
    same = Version(Standing.READ, memory(), "memories/a.md", "digest")
    assert events([Step(None, (same,), replace(same, memory=memory()))]) == []


def test_moves_deletions_and_returns() -> None:
    """A move is one change, also one of case alone; what is back is compared with what it last said."""
    one, other = memory(), memory(text="Likes coffee")
    assert told(version(one), version(one, path="memories/A.md"))[1:] == [(H.MOVED, "memories/a.md", "memories/A.md")]
    gone = version(one, Standing.GONE)
    assert [kind for kind, _, _ in told(version(one), gone, gone, version(other))] == [
        H.WRITTEN,
        H.DELETED,
        H.RETURNED,
        H.WORDS_EDITED,
    ]


def test_files_that_cannot_be_read() -> None:
    """A held version is told once, and so is the mending; edits made under it are told when it can be read."""
    one, other = memory(), memory(text="Likes coffee")
    held = version(one, Standing.HELD)
    assert [kind for kind, _, _ in told(version(one), held, held, version(other))] == [
        H.WRITTEN,
        H.HELD,
        H.MENDED,
        H.WORDS_EDITED,
    ]
    assert [kind for kind, _, _ in told(version(one), held, version(one))] == [H.WRITTEN, H.HELD, H.MENDED]
    nothing = version(None, Standing.HELD)
    assert [kind for kind, _, _ in told(nothing, version(one))] == [H.HELD, H.MENDED, H.WRITTEN]


def test_a_merge_counts_for_what_is_in_no_parent() -> None:
    """A merge's own decision is an event; what it took from one side happened there."""
    ours, theirs = version(memory(state=A)), version(memory(text="Likes coffee"))
    took = Step(commit(3), (ours, theirs), version(memory(state=A, text="Likes coffee")))
    assert events([took]) == []
    own = Step(commit(3), (ours, theirs), version(memory(state=R, text="Likes coffee")))
    assert [event.words for event in events([own])] == ["restricted by the owner"]


def test_who_did_it() -> None:
    """A commit with an assistant's name is that assistant's; without one, and on disk, it is the owner's."""
    before, after = version(memory()), version(memory(evidence=("a",), state=A))
    (decided, quoted) = events([Step(commit(1, "codex"), (before,), after)])
    assert (decided.who, decided.words, quoted.who, quoted.words) == (
        "codex",
        "approved by codex",
        "codex",
        "quote added",
    )
    assert [event.who for event in events([Step(None, (before,), after)])] == [OWNER, OWNER]


def test_what_a_shallow_clone_lacks() -> None:
    """The first commit that is here is no birth."""
    assert [event.words for event in events([Step(commit(1), (), version(memory()), is_cut=True)])] == [
        "earlier history is not here"
    ]


def test_every_happening_has_words() -> None:
    """The list is closed, and each of it can be told."""
    for kind in Happening:
        assert Event(Change(kind, "was", "now"), "codex", None).words


def test_times() -> None:
    """Times are told in UTC; one that no calendar holds is told by nothing."""
    assert utc(1_790_000_000) == "2026-09-21T14:13:20Z"
    assert utc(10**18) == ""


ACTIONS = st.lists(
    st.one_of(
        st.sampled_from(list(State)),
        st.sampled_from(["words", "quote", "category", "move", "delete", "break", "touch", "nothing"]),
    ),
    max_size=30,
)


@given(ACTIONS)
def test_random_pasts_are_told_exactly(actions: list[Any]) -> None:
    """Whatever is done to a memory in whatever order, what is told is what was done."""
    now = version(memory())
    versions, expected = [now], [H.WRITTEN]
    for number, action in enumerate(actions):
        now, happened = _done(now, action, number)
        versions.append(now)
        expected += happened
    assert [kind for kind, _, _ in told(*versions)] == expected


def _done(now: Version, action: Any, number: int) -> tuple[Version, list[Happening]]:
    """Do one thing to a memory; give its new version and what must be told of it."""
    assert now.memory is not None
    before, path = now.memory, now.path
    if action == "delete":
        return version(before, Standing.GONE, path), [] if now.standing is Standing.GONE else [H.DELETED]
    back = {Standing.GONE: [H.RETURNED], Standing.HELD: [H.MENDED], Standing.READ: []}[now.standing]
    if action == "break":
        held = [*back, H.HELD] if now.standing is not Standing.HELD else []
        return version(before, Standing.HELD, path), held
    if action == "move":
        moved = version(before, path=f"memories/{number}.md")
        return moved, [*back, H.MOVED] if H.RETURNED in back else [H.MOVED, *back]
    other = "tools" if before.category == "other" else "other"
    edits: dict[Any, tuple[Memory, list[Happening]]] = {
        "words": (replace(before, text=f"Likes tea number {number}"), [H.WORDS_EDITED]),
        "quote": (replace(before, evidence=(*before.evidence, str(number))), [H.QUOTE_ADDED]),
        "category": (replace(before, category=other), [H.CATEGORY_CHANGED]),
        "touch": (replace(before, tags=(str(number),)), [] if back else [H.EDITED]),
        "nothing": (before, []),
        before.state: (before, []),
    }
    decided = [DECIDED[before.state or U, action]] if isinstance(action, State) and action is not before.state else []
    after, happened = edits[action] if action in edits else (replace(before, state=action), decided)
    return version(after, path=path), [*back, *happened]
