"""Which file keeps an id, which copies are never served, and that no order of reading changes it."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.identity import Claim, Verdict, original_of, possible_original, settle
from personakit.model.states import State

INF = float("inf")
ONE, TWO, THREE = "m_1", "m_2", "m_3"


def claim(
    path: str,
    declared: str = "",
    own: str = ONE,
    *,
    words: str | None = None,
    state: State | None = None,
    created: float = INF,
) -> Claim:
    """Make a claim; its words are those of its own id."""
    return Claim(path, declared, own, own if words is None else words, state, created)


def served(*claims: Claim) -> dict[str, str]:
    """Give path -> id of the files that are served."""
    return {path: verdict.id for path, verdict in settle(claims).items() if verdict.id}


PATHS = [
    "a.md",
    "a 1.md",
    "a (1).md",
    "a 1 2.md",
    "a.sync-conflict-20261121-101010-AAAAAAA.md",
    "a.sync-conflict-1.sync-conflict-2.md",
    "a (Max's conflicted copy 2026-11-21).md",
    "a 1 (conflicted copy 1).md",
    "b.md",
    "b (2).md",
    "c.md",
    "d.md",
]
CLAIMS = st.lists(
    st.builds(
        Claim,
        path=st.sampled_from(PATHS),
        declared=st.sampled_from(["", ONE, TWO, THREE]),
        own=st.sampled_from(["", ONE, TWO, THREE]),
        words=st.sampled_from(["", "w", "x"]),
        state=st.sampled_from([None, *State]),
        created=st.sampled_from([INF, 1.0, 2.0]),
    ),
    unique_by=lambda one: one.path,
    max_size=10,
)


def components(claims: list[Claim]) -> list[list[Claim]]:
    """Group the claims that share an id, or are copy and original, by whatever steps."""
    links = defaultdict(set)
    for one in claims:
        links[f"path {one.path}"].add(one.path)
        links[f"path {possible_original(one.path)}"].add(one.path)
        for id_ in {one.declared, one.own} - {""}:
            links[f"id {id_}"].add(one.path)
    groups: list[set[str]] = []
    for paths in links.values():
        touching = [group for group in groups if group & paths]
        groups = [group for group in groups if not group & paths] + [set.union(set(paths), *touching)]
    return [[one for one in claims if one.path in group] for group in groups]


@settings(max_examples=200, deadline=None)
@given(st.data(), CLAIMS)
def test_no_order_changes_a_verdict(data: st.DataObject, claims: list[Claim]) -> None:
    """Claims in any order are decided in the same way."""
    assert settle(data.draw(st.permutations(claims))) == settle(claims)


@settings(max_examples=200, deadline=None)
@given(CLAIMS)
def test_what_cannot_touch_is_decided_apart(claims: list[Claim]) -> None:
    """Deciding all claims at once is deciding each group that can touch."""
    apart: dict[str, Verdict] = {}
    for group in components(claims):
        apart.update(settle(group))
    assert apart == settle(claims)


@settings(max_examples=200, deadline=None)
@given(CLAIMS)
def test_every_verdict_keeps_the_laws(claims: list[Claim]) -> None:
    """One file for an id; a served file asks for its id; who is behind is behind a file that is not behind another."""
    verdicts = settle(claims)
    by_path = {one.path: one for one in claims}
    assert verdicts.keys() == by_path.keys()
    ids = [verdict.id for verdict in verdicts.values() if verdict.id]
    assert len(ids) == len(set(ids))
    for path, verdict in verdicts.items():
        one = by_path[path]
        if verdict.id:
            assert verdict.id in (one.declared, one.own)
            assert verdict.behind == ""
            assert verdict.why == ("duplicate_id" if one.declared not in ("", verdict.id) else verdict.why)
        else:
            assert verdict.behind or not (one.declared or one.own)
            assert verdict.states == frozenset() or not (one.declared or one.own)
        if verdict.behind:
            assert verdict.why in ("duplicate_id", "conflict_copy")
            assert verdicts[verdict.behind].behind == ""
            if one.words == by_path[verdict.behind].words and one.state is not None:
                assert one.state in verdicts[verdict.behind].states
        if original_of(path) in by_path:
            assert (verdict.id, verdict.why) == ("", "conflict_copy")


@settings(max_examples=200, deadline=None)
@given(CLAIMS)
def test_every_id_that_content_gives_is_served(claims: list[Claim]) -> None:
    """No statement is lost: the words of a file that is not a copy are served by it or by one with that id."""
    verdicts = settle(claims)
    ids = {verdict.id for verdict in verdicts.values()}
    for one in claims:
        if verdicts[one.path].why == "duplicate_id" and one.own:
            assert one.own in ids


def test_the_content_that_gives_an_id_keeps_it() -> None:
    """A file whose words make the id wins over one that declares it, however old; the other gets its own."""
    assert served(claim("a.md", ONE, TWO, created=1), claim("z.md", ONE, ONE)) == {"z.md": ONE, "a.md": TWO}
    assert served(claim("a.md", ONE, TWO, created=1), claim("z.md", "", ONE)) == {"z.md": ONE, "a.md": TWO}


def test_then_the_plain_name_then_the_earlier_then_the_first_path() -> None:
    """Between files that only declare an id: no copy's name, the earlier `created`, the first path."""
    assert served(claim("a 1.md", THREE, ONE, created=1), claim("b.md", THREE, TWO)) == {"b.md": THREE, "a 1.md": ONE}
    assert served(claim("a.md", THREE, ONE, created=2), claim("b.md", THREE, TWO, created=1)) == {
        "b.md": THREE,
        "a.md": ONE,
    }
    assert served(claim("b.md", THREE, TWO), claim("a.md", THREE, ONE)) == {"a.md": THREE, "b.md": TWO}


def test_a_loser_with_words_of_its_own_is_served_and_listed() -> None:
    """Who loses an id counts as having none, and is told why."""
    verdicts = settle([claim("a.md", THREE, ONE), claim("b.md", THREE, TWO)])
    assert verdicts["b.md"] == Verdict(TWO, why="duplicate_id")
    assert verdicts["a.md"] == Verdict(THREE)


def test_who_holds_an_id_by_declaration_gives_way_to_a_loser_whose_content_gives_it() -> None:
    """A loser asks for its own id; whoever only declared that one asks in turn, until all have one."""
    claims = [
        claim("a.md", ONE, ONE),
        claim("b.md", ONE, TWO),
        claim("c.md", TWO, THREE),
    ]
    for order in permutations(claims):
        assert served(*order) == {"a.md": ONE, "b.md": TWO, "c.md": THREE}
    assert settle(claims)["c.md"].why == "duplicate_id"


def test_a_file_without_an_id_does_not_take_one_that_is_declared() -> None:
    """A file without an id shares the one its words give with whoever declares it: the words win."""
    assert served(claim("a.md", "", ONE), claim("b.md", ONE, TWO)) == {"a.md": ONE, "b.md": TWO}


def test_equal_words_with_one_id_are_one_memory_in_the_most_cautious_state() -> None:
    """The loser stands behind the winner and its state counts there."""
    verdicts = settle(
        [
            claim("a.md", ONE, state=State.APPROVED),
            claim("b.md", ONE, state=State.RESTRICTED),
            claim("c.md", state=None),
        ]
    )
    assert verdicts == {
        "a.md": Verdict(ONE, states=frozenset({State.RESTRICTED})),
        "b.md": Verdict("", "a.md", why="duplicate_id"),
        "c.md": Verdict("", "a.md", why="duplicate_id"),
    }


def test_equal_words_with_two_ids_are_two_memories() -> None:
    """Two valid ids are two memories, whatever they say."""
    assert served(claim("a.md", ONE, THREE), claim("b.md", TWO, THREE)) == {"a.md": ONE, "b.md": TWO}


@pytest.mark.parametrize("copy", PATHS[4:7])
def test_a_sync_tools_copy_beside_its_original_is_never_served(copy: str) -> None:
    """Whatever a copy says, and whatever id it has, its original is served in its place."""
    for other in (claim(copy, TWO, THREE, state=State.REJECTED), claim(copy, ONE, ONE, created=1)):
        verdict = settle([claim("a.md", ONE, ONE), other])[copy]
        assert (verdict.id, verdict.behind, verdict.why) == ("", "a.md", "conflict_copy")


def test_a_copys_state_counts_when_its_words_are_equal() -> None:
    """With equal words the most cautious of all counts; with other words the original's own."""
    copy = PATHS[4]
    equal = settle([claim("a.md", ONE, state=State.APPROVED), claim(copy, ONE, state=State.RESTRICTED)])
    assert equal["a.md"].states == {State.RESTRICTED}
    other = settle([claim("a.md", ONE, state=State.APPROVED), claim(copy, ONE, TWO, state=State.RESTRICTED)])
    assert other["a.md"].states == frozenset()


def test_a_copy_of_a_copy_stands_behind_the_first() -> None:
    """Copies of copies lead to the one file that is served."""
    verdicts = settle(
        [claim(path, ONE, state=State.REJECTED) for path in ("a.md", PATHS[4], PATHS[5])]
        + [claim("a.sync-conflict-1.md", ONE)]
    )
    assert {path: verdict.behind for path, verdict in verdicts.items()} == {
        "a.md": "",
        PATHS[4]: "a.md",
        "a.sync-conflict-1.md": "a.md",
        PATHS[5]: "a.md",
    }


def test_a_copy_alone_is_the_memory() -> None:
    """Without its original a copy is a file like any other."""
    assert served(claim(PATHS[4], ONE)) == {PATHS[4]: ONE}


def test_a_copy_beside_an_original_that_cannot_be_read_is_not_served() -> None:
    """A held original claims nothing, and its sync tool's copy still is a copy; a file manager's has other words."""
    silent = Claim("a.md", "", "", "", None)
    assert settle([silent, claim(PATHS[4], ONE, state=State.APPROVED)])[PATHS[4]] == Verdict(
        "", "a.md", why="conflict_copy"
    )
    assert settle([silent, claim(PATHS[4], ONE, state=State.APPROVED)])["a.md"] == Verdict("")
    assert served(silent, claim("a 1.md", ONE)) == {"a 1.md": ONE}


def test_files_without_any_id_do_not_meet() -> None:
    """Empty and held files are not each other's duplicates, nor copies for being equally empty."""
    claims = [Claim(path, "", "", "", None) for path in ("a.md", "a 1.md", "b.md")]
    assert set(settle(claims).values()) == {Verdict("")}


@pytest.mark.parametrize("copy", ["a 1.md", "a (1).md", "a 12.md", "a (999).md"])
def test_a_file_managers_copy_counts_by_its_words(copy: str) -> None:
    """With equal words it stands behind its original; with other words it is a file like any other."""
    equal = settle([claim("a.md", ONE), claim(copy, TWO, ONE, state=State.REJECTED)])
    assert equal[copy] == Verdict("", "a.md", why="conflict_copy")
    assert equal["a.md"].states == {State.REJECTED}
    assert served(claim("a.md", ONE), claim(copy, "", TWO)) == {"a.md": ONE, copy: TWO}


@pytest.mark.parametrize(
    ("path", "sync", "possible"),
    [
        ("m/a.sync-conflict-20261121-101010-ABCDEFG.md", "m/a.md", "m/a.md"),
        ("m/a (Max's conflicted copy 2026-11-21).md", "m/a.md", "m/a.md"),
        ("m/a (conflicted copy 2026-11-21 101010).md", "m/a.md", "m/a.md"),
        ("m/a (Conflicted Copy).MD", "m/a.MD", "m/a.MD"),
        ("m/a (1).md", None, "m/a.md"),
        ("m/a 1.md", None, "m/a.md"),
        ("m/a 1 (2).md", None, "m/a 1.md"),
        ("m/a.md", None, None),
        ("m/a1.md", None, None),
        ("m/a 2026.md", None, None),
        ("m/a (b).md", None, None),
        ("m (conflicted copy)/a.md", None, None),
        ("m 1/a.md", None, None),
        ("m/a (conflicted copy) b.md", None, None),
    ],
)
def test_copies_are_told_by_their_names(path: str, sync: str | None, possible: str | None) -> None:
    """Names of sync tools' and file managers' copies lead to their originals; a folder's name does not matter."""
    assert (original_of(path), possible_original(path)) == (sync, possible)


def test_a_long_chain_of_claims_ends() -> None:
    """A thousand files that each declare the next one's id are decided at once."""
    claims = [claim(f"{n:04}.md", f"m_{n}", f"m_{n + 1}") for n in range(1_000)] + [claim("z.md", "m_0", "m_0")]
    start = time.process_time()
    verdicts = settle(claims)
    assert time.process_time() - start < 2.0
    assert len({verdict.id for verdict in verdicts.values()} - {""}) == 1_001


def test_a_hostile_name_costs_no_more_than_its_length() -> None:
    """Names at the system's limit are read at once."""
    start = time.process_time()
    for part in (" 1", " (1)", ".sync-conflict-", " (conflicted copy", " ("):
        possible_original("m/" + part * (4_000 // len(part)) + ".md")
        possible_original("m/" + part * (4_000 // len(part)) + ".txt")
    assert time.process_time() - start < 1.0
