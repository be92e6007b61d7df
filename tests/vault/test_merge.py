"""Merging three versions of a file: the laws that hold for any, and the cases that a reader would ask about."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.memory import statement_of
from personakit.model.merging import wider
from personakit.model.note import Kind, Note
from personakit.model.states import State
from personakit.vault.frontmatter import TextHandler
from personakit.vault.merge import Merged, both_versions, merge_file
from personakit.vault.reading import Condition, keys_of, read_file
from personakit.vault.textmerge import GitTextMerge

FOLDER = tempfile.TemporaryDirectory(prefix="pk-merge-")
TEXT = GitTextMerge(FOLDER.name)


@pytest.fixture(scope="module", autouse=True)
def no_folder_stays() -> Iterator[None]:
    """Take the folder of the text merges away."""
    yield
    FOLDER.cleanup()


def page(body: str = "Prefers tea.\n", **keys: object) -> bytes:
    """Give a memory's bytes."""
    lines = ["---"]
    for key, value in keys.items():
        lines += [f"{key}:", *(f"  - {item}" for item in value)] if isinstance(value, list) else [f"{key}: {value}"]
    return "\n".join([*lines, "---", body]).encode()


def merge(base: bytes | None, one: bytes, other: bytes, kind: Kind | None = Kind.MEMORY) -> Merged:
    """Merge, and show that it comes to the same bytes from either side."""
    merged = merge_file(kind, base, one, other, TEXT)
    assert merge_file(kind, base, other, one, TEXT) == merged
    return merged


def note_of(data: bytes, kind: Kind = Kind.MEMORY) -> Note | None:
    """Give what a file serves."""
    reading = read_file("memories/a.md", kind, data)
    return reading.notes[0] if reading.condition is Condition.READ else None


def words_of(data: bytes) -> str:
    """Give a file's statement."""
    return statement_of(TextHandler().page(data.decode().replace("\r\n", "\n")).body)


STATES = [state.value for state in State]
LINES = st.lists(
    st.sampled_from(["Prefers tea.", "Drinks coffee.", "", "A note.", "Works at night.", "<!-- mine -->"]),
    min_size=1,
    max_size=4,
).map(lambda lines: "\n".join(lines) + "\n")
SOME = st.lists(st.sampled_from(["mint", "no sugar", "a: b"]).map(lambda item: f'"{item}"'), max_size=3)
NAMES = st.lists(st.sampled_from(["robin", "ana", "kit", '""']), max_size=3)
KEYS: dict[str, st.SearchStrategy[object]] = {
    "id": st.sampled_from(["m_000000000001", "m_000000000002"]),
    "state": st.sampled_from([*STATES, "Approved", "", "maybe"]),
    "created": st.sampled_from(["2026-01-01", "2026-02-01T10:00:00Z", "soon"]),
    "category": st.sampled_from(["tools", "constraints", "cooking"]),
    "rule": st.sampled_from(["true", "false", "no # for now"]),
    "evidence": SOME,
    "tags": SOME | st.sampled_from(["tea, cup"]),
    "aliases": SOME,
    "assistants": NAMES | st.sampled_from(["robin, ana", "[kit]"]),
    "projects": NAMES,
    "proposed_by": st.sampled_from(["robin", '"ana"']),
    "stale_after": st.sampled_from(["2027-01-01", "2028-01-01"]),
    "mood": st.sampled_from(["calm", "{a: 1}", "2026-01-01", "2026-05-05"]) | SOME,
}


@st.composite
def versions(draw: st.DrawFn) -> bytes:
    """Give a memory file as an owner, an assistant or a plug-in may leave it."""
    names = draw(st.lists(st.sampled_from(sorted(KEYS)), unique=True, max_size=7))
    keys = {name: draw(KEYS[name]) for name in names}
    data = page(draw(LINES), **keys)
    if draw(st.integers(0, 5)) == 0:
        data = data.replace(b"state:", b"# looked at\nstate:")
    if draw(st.integers(0, 11)) == 0:
        data = data.replace(b"\n", b"\r\n")
    if draw(st.integers(0, 15)) == 0:
        data = data.replace(b"created:", b"state: approved\ncreated:")
    return data


@st.composite
def triples(draw: st.DrawFn) -> tuple[bytes | None, bytes, bytes]:
    """Give a base and two versions, which often keep much of it."""
    base, one, other = draw(versions()), draw(versions()), draw(versions())
    if draw(st.booleans()):
        one, other = (
            base.replace(*draw(st.sampled_from(CHANGES))).replace(*draw(st.sampled_from(CHANGES))) for _ in "12"
        )
    return (None if draw(st.integers(0, 5)) == 0 else base), one, other


CHANGES = [
    (b"state: unconfirmed", b"state: approved"),
    (b"state: approved", b"state: unconfirmed"),
    (b"state: restricted", b"state: approved"),
    (b"Prefers", b"Loves"),
    (b"evidence:\n", b'evidence:\n  - "fresh"\n'),
    (b"  - ana\n", b""),
    (b"  - robin\n", b""),
    (b"category: tools", b"category: constraints"),
    (b"A note.", b"Another note."),
    (b"\n---\n", b"\nextra: 1\n---\n"),
]


@settings(max_examples=250, deadline=None)
@given(triples())
def test_the_laws(three: tuple[bytes | None, bytes, bytes]) -> None:
    """Same bytes from either side; nothing more permissive than both; no approval of unseen words; no quote lost."""
    base, one, other = three
    merged = merge(base, one, other)
    assert merge_file(Kind.MEMORY, base, one, one, TEXT) == Merged(one)
    if base is not None:
        assert merge_file(Kind.MEMORY, base, base, one, TEXT) == Merged(one)
    if base in (one, other) or one == other:
        return
    _check_served(merged, one, other)
    for data in (one, other):
        own = _items(keys_of(data).get("mood")) if base is None else []
        for item in [*_items(keys_of(data).get("evidence")), *own]:
            assert item.encode() in merged.data
    if merged.clashes:
        assert read_file("memories/a.md", Kind.MEMORY, merged.data).condition is Condition.HELD


def _check_served(merged: Merged, one: bytes, other: bytes) -> None:
    result = note_of(merged.data)
    if result is None:
        return
    sides = [(note, data) for data in (one, other) if (note := note_of(data)) is not None]
    assert not merged.clashes
    assert any(not wider(result, note) for note, _ in sides)
    if result.state is State.APPROVED:
        assert any(
            note.state is State.APPROVED
            and words_of(data) == words_of(merged.data)
            and set(getattr(note, "evidence", ())) == set(getattr(result, "evidence", ()))
            for note, data in sides
        )


def _items(value: object) -> list[str]:
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return []


def test_each_side_keeps_what_it_changed() -> None:
    """Comments, quoting and order of whoever changed a key stay, and no line of another key is touched."""
    base = b"---\nid: m_000000000001\nstate: unconfirmed # new\ncategory: 'tools'\n---\nPrefers tea.\n\nNotes.\n"
    one = base.replace(b"unconfirmed # new", b"restricted  # for me")
    other = base.replace(b"'tools'", b'"preferences" # mine').replace(b"Notes.", b"More notes.")
    assert merge(base, one, other) == Merged(
        b'---\nid: m_000000000001\nstate: restricted  # for me\ncategory: "preferences" # mine\n---\n'
        b"Prefers tea.\n\nMore notes.\n"
    )


def test_of_two_decisions_the_careful_one_counts() -> None:
    """Where both sides changed the state, the most cautious of both counts; where one did, its own."""
    base = page(state="unconfirmed", tags=["a"])
    approved, restricted = page(state="approved", tags=["a"]), page(state="restricted", tags=["a"])
    assert merge(base, approved, restricted).data == restricted
    assert merge(base, approved, page(state="unconfirmed", tags=["b"])).data == page(state="approved", tags=["b"])
    assert merge(None, approved, page(state="rejected", tags=["a"])).data == page(state="rejected", tags=["a"])


def test_a_merge_never_approves() -> None:
    """An approval ends where the other side changed the words or the quotes that it stood on."""
    base = page(state="unconfirmed", evidence=['"one"'])
    approved = page(state="approved", evidence=['"one"'])
    changed = page("Prefers coffee.\n", state="unconfirmed", evidence=['"one"'])
    assert merge(base, approved, changed).data == changed
    quoted = page(state="unconfirmed", evidence=['"one"', '"two"'])
    assert merge(base, approved, quoted).data == quoted
    noted = page("Prefers tea.\n\nA note.\n", state="unconfirmed", evidence=['"one"'])
    assert merge(base, approved, noted).data == noted.replace(b"unconfirmed", b"approved")


def test_an_approval_makes_no_standing_order_of_the_other_side() -> None:
    """A category that would make it one was not there when it was approved."""
    base = page(state="unconfirmed", category="tools")
    merged = merge(base, page(state="approved", category="tools"), page(state="unconfirmed", category="constraints"))
    assert merged.data == page(state="unconfirmed", category="constraints")


def test_evidence_is_united_and_never_lost() -> None:
    """Quotes of both sides stay, whichever side dropped one; other lists lose what a side took out."""
    base = page(evidence=['"one"'], tags=["a", "b"])
    one = page(evidence=['"one"', '"two"'], tags=["a"])
    other = page(evidence=['"three"'], tags=["a", "b", "c"])
    keys = keys_of(merge(base, one, other).data)
    assert set(_items(keys["evidence"])) == {"one", "two", "three"} and keys["tags"] == ["a", "c"]


@pytest.mark.parametrize(
    ("base", "one", "other", "names"),
    [
        (["ana", "kit"], ["ana"], ["kit"], ("",)),
        (["ana", "kit"], ["ana", "kit", "robin"], ["ana"], ("ana",)),
        ([], ["ana"], ["kit", "ana"], ("ana",)),
        (["ana"], [], ["ana", "kit"], ("ana", "kit")),
    ],
)
def test_audiences_meet(base: list[str], one: list[str], other: list[str], names: tuple[str, ...]) -> None:
    """Where both sides changed an audience, only whom both name is left, and nobody never means everybody."""
    before, *both = [page(assistants=side, x="1") if side else page(x="1") for side in (base, one, other)]
    note = note_of(merge(before, both[0], both[1]).data)
    assert note is not None and note.assistants == names


def test_a_state_and_an_audience_do_not_open_together() -> None:
    """What one side showed to one assistant and the other kept from all is not shown to all."""
    base = page(state="restricted", assistants=["ana"])
    merged = merge(base, page(state="approved", assistants=["ana"]), page(state="restricted"))
    note = note_of(merged.data)
    assert note is not None and note.assistants == ("ana",)


def test_words_that_conflict_both_stay_and_hold_the_file() -> None:
    """Both statements stand in the file between markers, and no approval with them."""
    base = page(state="unconfirmed")
    one, other = page("Prefers mint.\n", state="approved"), page("Prefers cola.\n", state="approved")
    merged = merge(base, one, other)
    assert merged.clashes and b"mint" in merged.data and b"cola" in merged.data
    assert b"state: unconfirmed" in merged.data and note_of(merged.data) is None


def test_own_keys_survive_and_clash_where_nothing_is_safe() -> None:
    """A key that one side made stays; two values of one are left to the owner; of two times the later counts."""
    base = page(mood="calm", updated="2026-01-01")
    one, other = page(mood="gay", updated="2026-02-01", cup="big"), page(mood="sad", updated="2026-03-01")
    merged = merge(base, one, other)
    assert merged.clashes and note_of(merged.data) is None
    assert b"mood: gay\n=======\nmood: sad\n" in merged.data
    assert b"cup: big" in merged.data and b"updated: 2026-03-01" in merged.data and b"2026-02-01" not in merged.data


def test_keys_beside_each_other_and_line_ends() -> None:
    """Neighbouring keys merge, and the line ends of whoever changed them stay."""
    base = page(state="unconfirmed", category="tools")
    one = page(state="rejected", category="tools").replace(b"\n", b"\r\n")
    merged = merge(base, one, page(state="unconfirmed", category="other"))
    assert merged.data == page(state="rejected", category="other").replace(b"\n", b"\r\n")


def test_comments_of_both_sides_stay() -> None:
    """Comment lines that both sides wrote at one place both stay."""
    base = page(state="unconfirmed")
    one, other = (base.replace(b"state", b"# %s\nstate" % word) for word in (b"mine", b"yours"))
    merged = merge(base, one, other)
    assert b"# mine" in merged.data and b"# yours" in merged.data and note_of(merged.data) is not None


def test_what_cannot_be_read_is_never_opened() -> None:
    """A text merge that would serve what a side kept back becomes a conflict, with both versions in the file."""
    base = page(state="maybe", a="1", b="1", c="1")
    one, other = base.replace(b"maybe", b"approved"), base.replace(b"c: 1", b"c: 2")
    merged = merge(base, one, other)
    assert merged.clashes and note_of(merged.data) is None and merged.data == both_versions(*sorted((one, other)))


@pytest.mark.parametrize("kind", [Kind.DRAWER, Kind.DIARY, Kind.SESSION])
def test_verbatim_text_is_never_mixed(kind: Kind) -> None:
    """Of a drawer, a diary entry or a session both versions stay, and it is held."""
    base, one, other = b"a\n\nb\n\nc\n", b"A\n\nb\n\nc\n", b"a\n\nb\n\nC\n"
    merged = merge(base, one, other, kind)
    assert merged.clashes and one in merged.data and other in merged.data and note_of(merged.data, kind) is None
    assert merge(base, base, one, kind) == Merged(one)


def test_facts_and_proposals_go_by_the_same_rule() -> None:
    """Ends of a fact meet at the earlier; two objects are left to the owner; an acceptance stands on its words."""
    base = page(subject="Ana", predicate="likes", object="tea", x="1")
    ended = [
        page(subject="Ana", predicate="likes", object="tea", x="1", valid_to=day)
        for day in ("2026-05-01", "2026-04-01")
    ]
    assert merge(base, ended[0], ended[1], Kind.FACT).data == ended[1]
    other = [page(subject="Ana", predicate="likes", object=word, x="1") for word in ("mint", "cola")]
    assert merge(base, other[0], other[1], Kind.FACT).clashes
    waiting = page("Old and new.\n", id="q_000000000001", status="waiting")
    accepted = page("Old and new.\n", id="q_000000000001", status="accepted")
    changed = page("Old and newer.\n", id="q_000000000001", status="waiting")
    assert merge(waiting, accepted, changed, Kind.PROPOSAL).data == changed


def test_other_files_are_merged_by_line() -> None:
    """Documents and files outside the vault go by git's text merge; of other bytes one side stays, as a conflict."""
    base = b"a\n\nb\n\nc\n"
    assert merge(base, b"A\n\nb\n\nc\n", b"a\n\nb\n\nC\n", Kind.PASSAGE) == Merged(b"A\n\nb\n\nC\n")
    assert merge(base, b"A\n\nb\n\nc\n", b"a\n\nb\n\nC\n", None) == Merged(b"A\n\nb\n\nC\n")
    assert merge(base, b"x\n", b"y\n", None).clashes
    assert merge(b"\0a", b"\0b", b"\0c", None) == Merged(b"\0b", clashes=True)


def test_the_folder_is_all_that_it_needs(tmp_path: Path) -> None:
    """A text merge without git is no merge: both versions stay."""
    assert GitTextMerge(str(tmp_path))(b"a\n", b"", b"a\n") == (b"a\n", False)


def test_front_matter_that_has_no_lines_of_its_own() -> None:
    """A block in braces cannot be merged by line: it goes as text, and never opens what a side keeps back."""
    base = b"---\n{state: unconfirmed, category: tools}\n---\nPrefers tea.\n"
    merged = merge(base, base.replace(b"unconfirmed", b"approved"), base.replace(b"tea", b"mint"))
    assert merged.clashes and note_of(merged.data) is None
    assert merge(base, base.replace(b"tools", b"other"), base + b"\n\n\nNotes.\n").data.endswith(b"Notes.\n")


def test_keys_in_another_order_and_no_front_matter() -> None:
    """Keys that each side put in another order stay whole; a file gets front matter where a side has some."""
    base = page(a="1", b="2", c="3", state="unconfirmed")
    merged = merge(base, page(b="2", a="1", c="3", state="rejected"), page(c="3", b="2", a="4", state="unconfirmed"))
    assert keys_of(merged.data) == {"a": "4", "b": "2", "c": "3", "state": "rejected"}
    plain = b"Prefers tea.\n\n\nNotes.\n"
    merged = merge(plain, page("Prefers tea.\n\n\nNotes.\n", state="rejected"), plain + b"\n\nMore.\n")
    assert merged.data == page("Prefers tea.\n\n\nNotes.\n\n\nMore.\n", state="rejected")


def test_lists_are_written_as_they_stand() -> None:
    """A united list keeps the style of the file; one that no side has as it is gets one item a line."""
    base = b'---\nevidence: ["a"]\n---\nPrefers tea.\n'
    merged = merge(base, base.replace(b'"a"', b'"a", "b"'), base.replace(b'"a"', b'"a", "c"'))
    assert merged.data == b'---\nevidence: ["a", "b", "c"]\n---\nPrefers tea.\n'
    base = b"---\ntags: a, b, c\n---\nPrefers tea.\n"
    merged = merge(base, base.replace(b"a, b, c", b"b, c, d"), base.replace(b"a, b, c", b"a, b"))
    assert merged.data == b'---\ntags:\n  - "b"\n  - "d"\n---\nPrefers tea.\n'
