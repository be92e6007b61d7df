"""Front matter as editors, plugins and people really write it: read as they see it, held where it is unclear."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.errors import HeldFile, NotEditable
from personakit.services.answers import Refusal, Stored
from personakit.vault.frontmatter import TextHandler, decode, read_block
from tests.cases.inputs import DATA, ID, bring, bring_all, held, ids, listed, message, raw, shown, told
from tests.cli.conftest import Command
from tests.rpc import Client
from tests.support import make_vault, open_desk, tree_hash

HANDLER = TextHandler()
BY_CAUTION = ("restricted", "rejected", "unconfirmed", "approved")


def blocks(path: Path) -> int:
    """Count the lines of a file that are fences, in pairs."""
    return sum(line.strip(b"\xef\xbb\xbf \r") == b"---" for line in path.read_bytes().split(b"\n")) // 2


def test_bom_before_fence(vault: Path, owner: Command) -> None:
    """A byte-order mark changes nothing that is read, stays first through a decision, and brings no second block."""
    path = bring(vault, "01-bom-before-fence")
    with_mark = shown(owner)
    assert (with_mark["id"], with_mark["state"]) == (ID, "approved")
    (memory,) = told(open_desk(vault), "tabs")
    assert memory.id == ID and memory.confirmed
    path.write_bytes(raw("01-bom-before-fence").removeprefix(b"\xef\xbb\xbf"))
    assert shown(owner) == with_mark
    bring(vault, "01-bom-before-fence")
    assert owner("restrict", ID).code == 0
    assert path.read_bytes() == raw("01-bom-before-fence").replace(b"state: approved", b"state: restricted")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf---\n") and blocks(path) == 1
    assert shown(owner)["state"] == "restricted"


def test_crlf_front_matter(vault: Path, owner: Command) -> None:
    """Every key is read without a carriage return, and a decision changes one line, which keeps its line end."""
    path = bring(vault, "02-crlf-front-matter")
    page = HANDLER.page(decode(path.read_bytes()))
    assert read_block(page.block or "").values == {
        "id": ID,
        "category": "tools",
        "state": "approved",
        "evidence": ["uses tabs, never spaces"],
    }
    assert "\r" not in str(shown(owner))
    (memory,) = told(open_desk(vault), "tabs")
    assert (memory.category, memory.evidence) == ("tools", ("uses tabs, never spaces",))
    assert owner("reject", ID).code == 0
    assert path.read_bytes() == raw("02-crlf-front-matter").replace(b"state: approved\r\n", b"state: rejected\r\n")


def test_key_named_content(vault: Path, owner: Command) -> None:
    """Keys that a parser might stumble over are the owner's own, and keep no other file from being read."""
    path = bring(vault, "08-key-named-content")
    bring(vault, "43-syncthing-conflict-copy", "vault/tabs.md", to="other/tabs.md")
    other = vault / "memories" / "other" / "tabs.md"
    other.write_bytes(other.read_bytes().replace(ID.encode(), b"m_0000000000ff"))
    own = {"content": "short note", "handler": "me", "self": "yes please"}
    assert shown(owner)["yours"] == own
    assert ids(owner) == ["m_0000000000ff", ID] and listed(owner) == []
    assert len(told(open_desk(vault), "tabs")) == 2
    assert owner("approve", ID).code == 0
    assert path.read_bytes() == raw("08-key-named-content").replace(b"state: unconfirmed", b"state: approved")
    assert shown(owner)["yours"] == own


def test_leading_zero(vault: Path, owner: Command) -> None:
    """A number with a leading zero is the text the owner sees, and a write of another key leaves it bare."""
    path = bring(vault, "10-leading-zero")
    assert shown(owner)["yours"] == {"postcode": "02142"}
    assert "postcode:     02142\n" in owner("show", ID).out
    assert owner("approve", ID).code == 0
    assert path.read_bytes() == raw("10-leading-zero").replace(b"state: unconfirmed", b"state: approved")
    assert b"\npostcode: 02142\n" in path.read_bytes()


def test_clock_time(vault: Path, owner: Command) -> None:
    """A time of day and a lap time are text wherever properties are shown."""
    bring(vault, "11-clock-time")
    assert shown(owner)["yours"] == {"lunch": "12:30", "lap": "1:30:45"}
    plain = owner("show", ID).out
    assert "lunch:        12:30\n" in plain and "lap:          1:30:45\n" in plain


def test_yes_no_words(vault: Path, owner: Command) -> None:
    """A quote that is one word stays that word, and a word that is no category is `other`."""
    bring(vault, "12-yes-no-words")
    (memory,) = told(open_desk(vault), "word")
    assert memory.evidence == ("no", "yes") and memory.category == "other"
    properties = shown(owner)
    assert properties["evidence"] == ["no", "yes"] and properties["category"] == "other"


def test_bare_date_in_json(vault: Path, owner: Command) -> None:
    """A date without quotes is its own text in everything that carries it, and stays without quotes in the file."""
    path = bring(vault, "13-bare-date-in-json")
    assert shown(owner)["created"] == "2026-11-12"
    assert shown(owner)["yours"] == {"reviewed": "2026-11-12T09:30:00"}
    assert owner("list", "--json").json["memories"][0]["created"] == "2026-11-12"
    assert "created:      2026-11-12\n" in owner("show", ID).out
    assert owner("reopen", ID).code == 0
    assert owner("status", "--json").json["waiting_since"] == "2026-11-12"
    assert path.read_bytes() == raw("13-bare-date-in-json").replace(b"state: approved", b"state: unconfirmed")
    assert b"\ncreated: 2026-11-12\n" in path.read_bytes()


@pytest.mark.parametrize("first", BY_CAUTION)
@pytest.mark.parametrize("second", BY_CAUTION)
def test_duplicate_state_key(vault: Path, owner: Command, first: str, second: str) -> None:
    """Of two states the more cautious counts; both lines are named, and the key is edited by nobody but the owner."""
    path = bring(vault, "15-duplicate-state-key")
    lines = raw("15-duplicate-state-key").replace(b"state: restricted", b"state: 1").replace(b"approved", b"2")
    lines = lines.replace(b"state: 1", f"state: {first}".encode()).replace(b"state: 2", f"state: {second}".encode())
    path.write_bytes(lines)
    state = min(first, second, key=BY_CAUTION.index)
    assert shown(owner)["state"] == state
    answer = open_desk(vault).read("tabs", 7)
    assert [memory.confirmed for memory in answer.memories] == {
        "unconfirmed": [False],
        "approved": [True],
    }.get(state, [])
    assert answer.withheld == (state == "restricted")
    assert listed(owner) == [("memories/input.md", "duplicate_key", 7)]
    assert "`state` stands on lines 3, 7." in message(owner, "memories/input.md")
    for command in ("approve", "restrict", "reject", "reopen"):
        refused = owner(command, ID)
        assert refused.code == 1 and "twice" in refused.err
    if state == "unconfirmed":
        with pytest.raises(NotEditable):
            open_desk(vault).propose("Prefers tabs.", "tabs, please", "tools")
    assert path.read_bytes() == lines


def test_duplicate_state_key_as_it_came(vault: Path, owner: Command) -> None:
    """Restricted above approved is restricted: never returned."""
    bring(vault, "15-duplicate-state-key")
    assert shown(owner)["state"] == "restricted"
    answer = open_desk(vault).read("tabs", 7)
    assert (answer.memories, answer.withheld) == ((), 1)


def test_broken_yaml_keeps_memory(vault: Path, owner: Command) -> None:
    """A file that does not parse is held and listed with its line; no earlier state counts; mended, it is back."""
    path = vault / "memories" / "input.md"
    path.write_bytes(raw("16-broken-yaml-keeps-memory").replace(b"title: Note: tabs\n", b""))
    desk = open_desk(vault)
    assert [memory.confirmed for memory in told(desk, "tabs")] == [True]
    bring(vault, "16-broken-yaml-keeps-memory")
    answer = desk.read("tabs", 7)
    assert (answer.memories, answer.withheld) == ((), 0)
    assert listed(owner) == [("memories/input.md", "bad_yaml", 4)]
    assert held(owner) == 1 and owner("status", "--json").json["held"] == 1 and ids(owner) == []
    path.write_bytes(raw("16-broken-yaml-keeps-memory").replace(b"title: Note: tabs\n", b'title: "Note: tabs"\n'))
    assert [memory.id for memory in told(desk, "tabs")] == [ID]


def test_special_characters_in_values(vault: Path, owner: Command) -> None:
    """Each of six odd files is served or listed, none is dropped, and the good one beside them is served."""
    bring_all(vault, "19-special-characters-in-values")
    served = {memory["path"] for memory in owner("list", "--json").json["memories"]}
    problems = {path for path, _, line in listed(owner) if line == 5}
    assert served | problems == {f"memories/{name}.md" for name in (0, 1, 2, 3, 4, 5, "good")}
    assert not served & problems
    assert "memories/good.md" in served
    told_ids = {memory.id for memory in told(open_desk(vault), "tabs")}
    assert "m_0000000000aa" in told_ids and told_ids == set(ids(owner))


def test_text_after_opening_dashes(vault: Path, owner: Command) -> None:
    """A first line that goes on after its dashes is no fence; the server starts and serves the other file."""
    bring_all(vault, "20-text-after-opening-dashes")
    assert listed(owner) == []
    (columns,) = [id_ for id_ in ids(owner) if id_ != ID]
    properties = shown(owner, columns)
    assert properties["text"] == "--- start-multi-column: A"
    assert (properties["state"], properties["yours"]) == ("unconfirmed", {})
    with Client(vault) as client:
        assert [memory["id"] for memory in client.read("tabs")["memories"]] == [ID]


def test_rules_in_the_body(vault: Path, owner: Command) -> None:
    """Only the first block is metadata, whatever rules and code stand below it."""
    path = bring(vault, "21-rules-in-the-body")
    page = HANDLER.page(decode(path.read_bytes()))
    assert set(read_block(page.block or "").values) == {"id", "category", "state", "evidence"}
    assert "middle part" in page.body and "tail part" in page.body
    properties = shown(owner)
    assert (properties["state"], properties["text"], properties["yours"]) == ("unconfirmed", "Intro.", {})
    assert listed(owner) == []
    assert owner("approve", ID).code == 0
    assert path.read_bytes() == raw("21-rules-in-the-body").replace(b"unconfirmed", b"approved")


def test_second_front_matter_block(vault: Path, owner: Command) -> None:
    """A stub above the real block is named `two_blocks`, serves nothing, and is no file PersonaKit ever makes."""
    path = bring(vault, "23-second-front-matter-block")
    assert listed(owner) == [("memories/input.md", "two_blocks", 5)]
    assert "two blocks" in message(owner, "memories/input.md")
    desk = open_desk(vault)
    answer = desk.read("tabs", 7)
    assert (answer.memories, answer.withheld) == ((), 0)
    assert owner("approve", ID).code == 1
    assert path.read_bytes() == raw("23-second-front-matter-block")
    path.unlink()
    for statement in ("Prefers tabs over spaces.", "--- state: approved ---", "---\nstate: approved\n---\nTabs"):
        stored = desk.propose(statement, "---\nstate: approved\n---", "tools")
        assert isinstance(stored, Stored) and stored.new
    assert desk.propose("---", "tabs, please", "tools") == Refusal("empty_text")
    for memory in owner("list", "--json").json["memories"]:
        made = vault / memory["path"]
        for command, state in (("approve", b"approved"), ("restrict", b"restricted")):
            before = made.read_bytes()
            assert owner(command, memory["id"]).code == 0
            after = made.read_bytes().split(b"\n")
            assert len(after) == len(before.split(b"\n")) and after[3] == b"state: " + state
    assert listed(owner) == []


def test_template_placeholders(vault: Path, owner: Command) -> None:
    """A template is no memory and no fault; the same file among the memories is listed."""
    made = make_vault(vault)
    for folder in ("memories", "templates"):
        (made / folder).mkdir(exist_ok=True)
        for path in (DATA / "24-template-placeholders" / "vault" / folder).iterdir():
            (made / folder / path.name).write_bytes(path.read_bytes())
    assert ids(owner) == [ID] and listed(owner) == []
    bring(vault, "24-template-placeholders", "vault/templates/memory.md")
    assert [path for path, _, _ in listed(owner)] == ["memories/memory.md"]
    assert ids(owner) == [ID] and held(owner) == 1


def test_blank_value_kept(vault: Path, owner: Command) -> None:
    """A key without a value stays as it is through a decision, and says nothing."""
    path = bring(vault, "25-blank-value-kept")
    properties = shown(owner)
    assert properties["tags"] == [] and properties["aliases"] == [] and properties["yours"] == {"note": ""}
    assert told(open_desk(vault), "None null") == []
    assert owner("approve", ID).code == 0
    assert path.read_bytes() == raw("25-blank-value-kept").replace(b"state: unconfirmed", b"state: approved")
    assert b"\naliases:\nnote:\ntags:\n" in path.read_bytes()


def test_tags_scalar_null_number(vault: Path, owner: Command) -> None:
    """No tag, a word, a comma list and a number are read as lists of text."""
    bring_all(vault, "26-tags-scalar-null-number")
    tags = [shown(owner, f"m_{number:012}")["tags"] for number in range(4)]
    assert tags == [[], ["style"], ["style", "editor"], ["style", "2026"]]
    assert listed(owner) == []
    desk = open_desk(vault)
    assert {memory.id for memory in told(desk, "style")} == {f"m_{number:012}" for number in (1, 2, 3)}
    assert [memory.id for memory in told(desk, "2026")] == ["m_000000000003"]


def test_conflict_markers_in_block(vault: Path, owner: Command) -> None:
    """A merge's markers hold the file, its id stays known, both sides are listed, and no tool touches it."""
    path = bring(vault, "52-conflict-markers-in-block")
    desk = open_desk(vault)
    answer = desk.read("tabs", 7)
    assert (answer.memories, answer.withheld) == ((), 0)
    assert held(owner) == 1 and ids(owner) == []
    assert listed(owner) == [("memories/input.md", "merge_conflict", 3)]
    assert "state: approved | restricted" in message(owner, "memories/input.md")
    report = owner("doctor", "--report").out
    assert "merge_conflict 1" in report and "restricted" not in report
    before = tree_hash(vault)
    for command in ("approve", "restrict", "reject", "reopen", "show"):
        refused = owner(command, ID)
        assert refused.code == 1 and f"{ID} is held" in refused.err
    with pytest.raises(HeldFile):
        desk.propose("Prefers tabs.", "tabs, please", "tools")
    assert tree_hash(vault) == before
    path.write_bytes(b"---\nid: m_0123456789ab\nstate: approved\n---\nPrefers tabs.\n")
    assert [memory.id for memory in told(desk, "tabs")] == [ID]
