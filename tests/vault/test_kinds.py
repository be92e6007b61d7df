"""What a file of each kind says."""

from __future__ import annotations

import pytest

from personakit.model.correction import Correction
from personakit.model.diary import DiaryEntry, diary_id
from personakit.model.document import Passage, document_id
from personakit.model.drawer import Drawer, drawer_id
from personakit.model.fact import Fact, fact_id
from personakit.model.memory import Memory, memory_id
from personakit.model.note import Kind, Note
from personakit.model.session import Transcript
from personakit.model.states import State
from personakit.vault.frontmatter import BlockError, read_block
from personakit.vault.kinds import Content, Draft, declared_id, read_content

PATHS = {
    Kind.MEMORY: "memories/a.md",
    Kind.DRAWER: "palace/garden/shed/a.md",
    Kind.FACT: "facts/2026-11/a.md",
    Kind.DIARY: "diary/claude/2026-11/a.md",
    Kind.PASSAGE: "knowledge/a.md",
    Kind.PROPOSAL: "proposals/a.md",
    Kind.SESSION: "sessions/2026-11/a.md",
}


def draft(kind: Kind, block: str = "", body: str = "Likes tea\n", path: str = "") -> Draft:
    """Make a draft of a file."""
    return Draft(path or PATHS[kind], kind, read_block(block), body)


def only(content: Content) -> Note:
    """Give the one note of a file."""
    (note,) = content.notes
    return note


def memory(block: str = "", body: str = "Likes tea\n") -> Memory:
    """Read a memory."""
    note = only(read_content(draft(Kind.MEMORY, block, body)))
    assert isinstance(note, Memory)
    return note


FULL = """\
type: memory
id: m_0123456789ab
state: " Approved "
created: 2026-11-12
category: Work_Style
proposed_by: "claude-code"
evidence: [no, "yes: it is"]
aliases:
- brew
tags: style, editor
projects: Alpha
assistants:
  - claude
  - "[[cursor]]"
rule: Yes
supersedes: m_ba9876543210
stale_after: 2027-01-01T00:00:00Z
source: import
own: kept
"""


def test_a_memory_says_all_its_keys() -> None:
    """Every key of the format is read, with the tolerance that the format promises."""
    assert memory(FULL, "# Likes tea\nand %%not%% toast\n\nnotes\n") == Memory(
        kind=Kind.MEMORY,
        id="m_0123456789ab",
        path="memories/a.md",
        state=State.APPROVED,
        created="2026-11-12",
        assistants=("claude", "cursor"),
        projects=("Alpha",),
        text="Likes tea and toast",
        aliases=("brew",),
        category="work-style",
        evidence=("no", "yes: it is"),
        tags=("style", "editor"),
        rule=True,
        supersedes=("m_ba9876543210",),
        stale_after="2027-01-01",
        proposed_by="claude-code",
        source="import",
        own_id=memory_id("Likes tea and toast"),
    )


def test_a_sentence_alone_is_an_unconfirmed_memory() -> None:
    """Without front matter a memory has the id its statement gives and is seen by all."""
    note = memory()
    assert (note.id, note.state, note.assistants, note.projects) == (memory_id("Likes tea"), State.UNCONFIRMED, (), ())
    assert (note.category, note.rule, note.evidence) == ("other", None, ())


def test_a_statement_is_served_up_to_a_thousand_characters_and_named_whole() -> None:
    """The id comes from the whole statement, the text from its first 1,000 characters."""
    note = memory(body="x" * 1_500)
    assert (len(note.text), note.id) == (1_000, memory_id("x" * 1_500))


@pytest.mark.parametrize("body", ["", "\n\n", "%% hidden %%\n", "<!-- hidden -->"])
def test_a_memory_without_a_statement_is_nothing(body: str) -> None:
    """A file that shows no words gives no memory."""
    assert read_content(draft(Kind.MEMORY, "state: approved\n", body)) == Content()


@pytest.mark.parametrize(
    ("written", "state"),
    [
        ("approved", State.APPROVED),
        ("RESTRICTED", State.RESTRICTED),
        ("' rejected '", State.REJECTED),
        ("unconfirmed # why", State.UNCONFIRMED),
        ("", State.UNCONFIRMED),
        ("null", State.UNCONFIRMED),
        ("~", State.UNCONFIRMED),
        ('" "', State.UNCONFIRMED),
    ],
)
def test_a_state_is_read_tolerantly(written: str, state: State) -> None:
    """Case, blanks and comments do not matter; an empty state is unconfirmed."""
    assert memory(f"state: {written}\n").state is state


@pytest.mark.parametrize("written", ["restrictd", "yes", "[approved]", "{a: b}", "approved rejected", "[]"])
@pytest.mark.parametrize("kind", list(Kind))
def test_an_unknown_state_holds_any_kind(kind: Kind, written: str) -> None:
    """A word that is none of the four holds the file, at the line it stands on."""
    block = f"a: b\nstate: {written}\nid: q_0123456789ab\nsubject: a\npredicate: b\nobject: c\n"
    with pytest.raises(BlockError) as caught:
        read_content(draft(kind, block))
    assert (caught.value.code, caught.value.line) == ("unknown_state", 3)


@pytest.mark.parametrize(
    ("first", "second", "state"),
    [
        ("approved", "restricted", State.RESTRICTED),
        ("restricted", "rejected", State.RESTRICTED),
        ("rejected", "unconfirmed", State.REJECTED),
        ("approved", "", State.UNCONFIRMED),
        ("approved", "approved", State.APPROVED),
    ],
)
def test_of_two_states_the_most_cautious_counts(first: str, second: str, state: State) -> None:
    """A state that stands twice is the more cautious one, in either order, and is listed."""
    for one, other in ((first, second), (second, first)):
        read = draft(Kind.MEMORY, f"state: {one}\nid: x\nState: {other}\n")
        assert only(read_content(read)).state is state
        assert [(problem.code, problem.line) for problem in read.problems] == [("duplicate_key", 4)]
        assert "lines 2, 4" in read.problems[0].message


def test_an_unknown_word_among_two_states_holds_the_file() -> None:
    """A state that stands twice is held when one of its values cannot be read."""
    with pytest.raises(BlockError) as caught:
        read_content(draft(Kind.MEMORY, "state: approved\nstate: secret\n"))
    assert caught.value.line == 3


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.MEMORY])
@pytest.mark.parametrize("block", ["", "state:\n", "state: null\n", "state: ''\nstate: ~\n"])
def test_other_kinds_need_no_state(kind: Kind, block: str) -> None:
    """A kind that the owner does not decide on has no state when none is written."""
    keys = "id: q_0123456789ab\nsubject: a\npredicate: b\nobject: c\n"
    assert only(read_content(draft(kind, block + keys))).state is None


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_honours_state_and_audience(kind: Kind) -> None:
    """`state`, `assistants` and `projects` are read for every kind."""
    block = (
        "id: q_0123456789ab\nsubject: a\npredicate: b\nobject: c\nstate: restricted\nassistants: [x]\nprojects: y, z\n"
    )
    note = only(read_content(draft(kind, block)))
    assert (note.kind, note.state, note.assistants, note.projects) == (kind, State.RESTRICTED, ("x",), ("y", "z"))


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("", ()),
        ("assistants:\n", ()),
        ("assistants: null\n", ()),
        ("assistants: []\n", ()),
        ("assistants: a\n", ("a",)),
        ("assistants: a, b ,\n", ("a", "b")),
        ("assistants: [[a]]\n", ("a",)),
        ("assistants: [a, {x: y}]\n", ("a",)),
        ("assistants: [[]]\n", ("",)),
        ("assistants: [null]\n", ("null",)),
        ("assistants: {x: y}\n", ("",)),
        ("assistants: ','\n", ("",)),
        ("assistants: ['']\n", ("",)),
    ],
)
def test_a_list_that_names_nobody_opens_nothing(block: str, names: tuple[str, ...]) -> None:
    """An empty audience is everyone; one that says something unreadable is nobody."""
    assert memory(block).assistants == names


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("projects: [a, b]\nprojects: [B, c]\n", ("b",)),
        ("projects: [a_x, b]\nprojects: [c, A-X]\nprojects: a x\n", ("a_x",)),
        ("projects: a\nprojects: b\n", ("",)),
        ("projects: a\nprojects:\n", ("a",)),
        ("projects:\nprojects: []\n", ()),
        ("projects: {x: y}\nprojects: a\n", ("",)),
    ],
)
def test_an_audience_that_stands_twice_is_what_all_have_in_common(block: str, names: tuple[str, ...]) -> None:
    """Of several lists only names in all of them count, compared as names compare."""
    assert memory(block).projects == names


def test_any_other_key_that_stands_twice_counts_first() -> None:
    """A repeated key is its first value; the message names it only when it is short and plain."""
    read = draft(Kind.MEMORY, f"category: tools\ncategory: background\nü: 1\nü: 2\n{'k' * 41}: 1\n{'k' * 41}: 2\n")
    note = only(read_content(read))
    assert isinstance(note, Memory)
    assert note.category == "tools"
    assert [problem.message.split(" stands")[0] for problem in read.problems] == [
        "`category`",
        "`one key`",
        "`one key`",
    ]


@pytest.mark.parametrize(
    ("block", "tags"),
    [
        ("tags:\n", ()),
        ("tags: null\n", ()),
        ("tags: style\n", ("style",)),
        ("tags: style, editor\n", ("style", "editor")),
        ("tags: [style, 2026]\n", ("style", "2026")),
    ],
)
def test_tags_read_in_every_form(block: str, tags: tuple[str, ...]) -> None:
    """Null, a word, a comma list and a number are tags as the owner means them."""
    assert memory(block).tags == tags


@pytest.mark.parametrize(
    ("written", "rule"), [("true", True), ("No", False), ("on", True), ("OFF", False), ("1", None), ("[true]", None)]
)
def test_a_rule_is_yes_no_or_unsaid(written: str, rule: bool | None) -> None:
    """The words for yes and no that YAML readers know are understood; anything else says nothing."""
    assert memory(f"rule: {written}\n").rule is rule


@pytest.mark.parametrize(
    ("kind", "id_"),
    [
        (Kind.MEMORY, "m_0123456789ab"),
        (Kind.DRAWER, "drawer_garden_ü x_0123456789abcdef01234567"),
        (Kind.FACT, "t_0123456789ab"),
        (Kind.DIARY, "e_0123456789ab"),
        (Kind.PROPOSAL, "q_0123456789ab"),
        (Kind.SESSION, "s_0123456789abcdef"),
    ],
)
def test_an_id_counts_in_its_kinds_shape_only(kind: Kind, id_: str) -> None:
    """A well-formed id is declared; any other is listed and counts as none; a missing one is no problem."""
    assert declared_id(draft(kind, f"id: ' {id_} '\n")) == id_
    assert declared_id(draft(kind)) == ""
    for wrong in (f"{id_}0", id_.upper(), "0123", ""):
        read = draft(kind, f"a: b\nid: '{wrong}'\n")
        assert declared_id(read) == ""
        assert [(problem.code, problem.line) for problem in read.problems] == [("bad_id", 3)]
        assert wrong == "" or wrong not in read.problems[0].message


def test_a_memory_with_a_bad_id_has_the_one_its_statement_gives() -> None:
    """An id of another shape is none."""
    assert memory("id: 0123\n").id == memory_id("Likes tea")


def test_a_drawer_is_its_body_byte_for_byte() -> None:
    """A drawer's text is the whole body; wing and room come from the front matter in any script."""
    body = "  indented\r\n\r\n--- \n<<<<<<< x\n\x00 end  \n\n"
    block = "wing: Сад\nroom: 'x_y'\nhall: h\nsource_file: s.py\nadded_by: claude\nfiled_at: 2026\n"
    content = read_content(draft(Kind.DRAWER, block, body))
    own = drawer_id("Сад", "x_y", body)
    assert only(content) == Drawer(
        kind=Kind.DRAWER,
        id=own,
        path=PATHS[Kind.DRAWER],
        text=body,
        wing="Сад",
        room="x_y",
        hall="h",
        source_file="s.py",
        added_by="claude",
        filed_at="2026",
    )
    assert (content.own, content.words) == (own, own)


@pytest.mark.parametrize(
    ("path", "wing", "room"),
    [
        ("palace/garden/shed/a.md", "garden", "shed"),
        ("palace/garden/a.md", "garden", "general"),
        ("palace/a.md", "general", "general"),
        ("palace/garden/shed/deep/a.md", "garden", "shed"),
    ],
)
def test_a_drawer_without_front_matter_belongs_to_its_folder(path: str, wing: str, room: str) -> None:
    """A file dropped into a folder leaves its names to whose folder that is; its id goes by the folder's own."""
    content = read_content(draft(Kind.DRAWER, path=path))
    note = only(content)
    assert isinstance(note, Drawer)
    assert (note.wing, note.room) == ("", "")
    assert content.own == note.id == drawer_id(wing, room, note.text)


def test_a_fact_is_subject_predicate_and_object() -> None:
    """A fact's text and id come from its parts, not its body; its end makes other words."""
    block = 'subject: "[[Max]]"\npredicate: works_at\nobject: ACME\nvalid_from: 2020\nvalid_to: 2021\nsource: s\n'
    content = read_content(draft(Kind.FACT, block, "anything"))
    own = fact_id("Max", "works at", "acme", "2020")
    assert only(content) == Fact(
        kind=Kind.FACT,
        id=own,
        path=PATHS[Kind.FACT],
        text="[[Max]] works_at ACME",
        subject="[[Max]]",
        predicate="works_at",
        object="ACME",
        valid_from="2020",
        valid_to="2021",
        source="s",
    )
    assert (content.own, content.words) == (own, own + "2021")


@pytest.mark.parametrize("missing", ["subject", "predicate", "object"])
def test_a_fact_with_a_part_missing_is_nothing(missing: str) -> None:
    """A fact needs all three parts."""
    keys = {"subject": "a", "predicate": "b", "object": "c", missing: ""}
    block = "".join(f"{key}: {value}\n" for key, value in keys.items())
    assert read_content(draft(Kind.FACT, block)) == Content()


def test_a_diary_entry_is_verbatim() -> None:
    """An entry's text is its body; agent and time come from the front matter, else the folder and `created`."""
    block = "agent: claude\ntopic: t\ntimestamp: 2026-11-12T09:30:00.000001Z\n"
    content = read_content(draft(Kind.DIARY, block, " entry \n"))
    own = diary_id("claude", "2026-11-12T09:30:00.000001Z", " entry \n")
    assert only(content) == DiaryEntry(
        kind=Kind.DIARY,
        id=own,
        path=PATHS[Kind.DIARY],
        text=" entry \n",
        agent="claude",
        topic="t",
        timestamp="2026-11-12T09:30:00.000001Z",
    )
    assert content.own == own
    fallback = only(read_content(draft(Kind.DIARY, "created: 2026\n", "x")))
    assert fallback.id == diary_id("claude", "2026", "x")
    assert only(read_content(draft(Kind.DIARY, "", "x", "diary/x.md"))).id == diary_id("unnamed", "", "x")
    assert read_content(draft(Kind.DIARY, block, " \n")) == Content()


def test_a_document_is_its_passages() -> None:
    """Each section is a passage with its headings; one that stands twice is one."""
    body = "intro\n# A\ntext\n## B\nmore\n# A\ntext\n"
    notes = read_content(draft(Kind.PASSAGE, "", body)).notes
    found = [(note.about.id, note.section, note.text, note.at) for note in notes if isinstance(note, Passage)]
    id_ = document_id(PATHS[Kind.PASSAGE])
    assert found == [(id_, (), "intro", 1), (id_, ("A",), "text", 2), (id_, ("A", "B"), "more", 3)]
    assert len({note.id for note in notes}) == 3
    assert read_content(draft(Kind.PASSAGE, "", "# A\n")) == Content()


def test_a_proposal_says_what_it_corrects() -> None:
    """A proposal keeps the passage, document and base it was made against; without an id it is nothing."""
    block = (
        "id: q_0123456789ab\npassage: k_1\ndocument: knowledge/a.md\nbase: abc\nagent: claude\nsession: s\n"
        "request_id: r\nstatus: Declined\nredacted: True\n"
    )
    assert only(read_content(draft(Kind.PROPOSAL, block, "reason"))) == Correction(
        kind=Kind.PROPOSAL,
        id="q_0123456789ab",
        path=PATHS[Kind.PROPOSAL],
        text="reason",
        passage="k_1",
        document="knowledge/a.md",
        base="abc",
        agent="claude",
        session="s",
        request_id="r",
        status="declined",
        redacted=True,
    )
    bare = only(read_content(draft(Kind.PROPOSAL, "id: q_0123456789ab\n", "reason")))
    assert isinstance(bare, Correction)
    assert (bare.status, bare.redacted) == ("waiting", False)
    assert read_content(draft(Kind.PROPOSAL)).notes == ()


def test_a_session_says_whose_it_was() -> None:
    """A transcript keeps agent, project and times; without an id it is nothing."""
    block = "id: s_0123456789abcdef\nagent: claude\nproject: p\nparent: s_1\nstarted: 1\nended: 2\n"
    assert only(read_content(draft(Kind.SESSION, block, "> hi"))) == Transcript(
        kind=Kind.SESSION,
        id="s_0123456789abcdef",
        path=PATHS[Kind.SESSION],
        text="> hi",
        agent="claude",
        project="p",
        parent="s_1",
        started="1",
        ended="2",
    )
    assert read_content(draft(Kind.SESSION)).notes == ()
