"""The scoped search: the published schemas, every answer of many generated calls, and what bad input comes to."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.config import Launch
from personakit.errors import ArgumentError
from personakit.server import Opening, call
from personakit.services.clock import today
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.catalogue import offered, published
from personakit.tools.kaeru import SEARCH
from personakit.tools.kaeru.calls import wanted_of
from personakit.tools.toolset import parse
from personakit.vault.watch import watch_for
from tests.rpc import ERAS, Client, Era
from tests.searching import Reference, fill, request
from tests.support import SetClock, make_vault, put

SEED = json.loads((Path(__file__).parent.parent / "kaeru_schemas.json").read_text("utf-8"))
ACCEPTS = jsonschema.Draft202012Validator(SEED["input"])
ANSWERS = jsonschema.Draft202012Validator(SEED["output"])
LISTED = jsonschema.Draft202012Validator(published(SEARCH)["inputSchema"])


class Searching:
    """One assistant's searches in a vault, each answer checked against the published schema."""

    def __init__(
        self, root: Path, *, assistant: str = "alpha", project: str = "", clock: SetClock | None = None
    ) -> None:
        self.vault = OpenVault(str(root.resolve()), clock or SetClock(), watch_for)
        self.desk = Desk(Launch(vault=str(root), assistant=assistant, project=project), self.vault)
        self.desk.load()

    def __call__(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Search and give the envelope."""
        result = call(SEARCH, Opening(lambda: self.desk), arguments)
        content = result.structured_content
        assert isinstance(content, dict)
        ANSWERS.validate(content)
        assert content["api_version"] == 1 and content["operation"] == "search" and content["replayed"] is False
        assert result.is_error is (content["state"] == "rejected")
        assert json.loads(result.content[0].text) == content  # type: ignore[union-attr]
        return content


def ids(content: dict[str, Any]) -> list[str]:
    """Give the ids of the hits."""
    return [hit["id"] for hit in content["data"]["hits"]]


def left(content: dict[str, Any], reason: str) -> int:
    """Give how many are left out for a reason."""
    return sum(one["count"] for one in content["coverage"]["omitted"] if one["reason"] == reason)


def check(searching: Searching, reference: Reference, arguments: dict[str, Any], pages: int) -> tuple[bool, bool, bool]:
    """Require the first pages of a search to be what the reference finds, in its order, within limit and budget.

    Give whether anything was found, left out for a successor, and withheld.
    """
    wanted, content = reference.find(arguments), searching(arguments)
    if wanted is None:
        assert content["state"] == "rejected" and content["coverage"] is None and content["continuation"] is None
        return False, False, False
    told: list[str] = []
    whole = False
    for _ in range(pages):
        page = content["data"]["hits"]
        assert content["data"]["total"] == len(wanted.ids), arguments
        assert left(content, "superseded") == wanted.superseded and left(content, "restricted") == wanted.restricted
        told += ids(content)
        assert len(page) <= arguments.get("limit", 10)
        size = len(json.dumps(page, ensure_ascii=False, separators=(",", ":")))
        assert size <= arguments.get("budget_chars", 8_000) or (len(page) == 1 and page[0]["body"] is None)
        rest = left(content, "limit") + left(content, "budget")
        assert rest == len(wanted.ids) - len(told) and bool(rest) is (content["continuation"] is not None)
        whole = content["continuation"] is None
        if whole:
            break
        content = searching(content["continuation"]["next_arguments"])
        assert not [one for one in content["issues"] if one["code"] == "index_changed"]
    assert told == (wanted.ids if whole else wanted.ids[: len(told)]), (arguments, told[:10], wanted.ids[:10])
    return bool(told), bool(wanted.superseded), bool(wanted.restricted)


def play(tmp_path: Path, calls: int, size: int, seed: int) -> None:
    """Make calls in a random vault, which changes now and then."""
    source = random.Random(seed)
    root = fill(tmp_path / "vault", source, size)
    for path in sorted(root.rglob("*.md")):
        at = source.choice((1_700_000_000, 1_750_000_000, 1_780_000_000))
        os.utime(path, (at, at))
    searching = Searching(root)
    what = [0, 0, 0]
    for number in range(calls):
        if number % 50 == 49:
            path = source.choice(sorted((root / "memories").glob("*.md")))
            path.write_text(path.read_text().replace("state: approved", "state: rejected") + "\nheron\n")
            searching({"initiatives": ["*"], "text": "x"})
        reference = Reference(searching.vault, "alpha", today(searching.vault.clock))
        pages = 2_000 if number % 4 == 0 else 2
        found = check(searching, reference, request(source), pages)
        what = [one + more for one, more in zip(what, found, strict=True)]
    searching.desk.close()
    assert min(what) > calls // 25, what


@pytest.mark.timeout(300)
def test_generated_calls(tmp_path: Path) -> None:
    """Every answer has the published form, and its hits are those of the rules in their order."""
    play(tmp_path, 420, 40, 11)
    play(tmp_path / "larger", 80, 120, 12)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_generated_calls(tmp_path: Path) -> None:
    """The same for ten thousand calls."""
    play(tmp_path, 10_000, 120, 12)


JUNK = st.none() | st.booleans() | st.integers(-5, 70_000) | st.floats(allow_nan=False) | st.text(max_size=3)
TEXTS = st.text(alphabet="ab *", max_size=3)
ENUMS = st.sampled_from(["idea", "task", "core", "warm", "archival", "operational", "any", "all", "preferred", "x", ""])
LISTS = st.lists(ENUMS | TEXTS, max_size=3) | st.lists(JUNK, max_size=2) | JUNK
FILTERS = st.dictionaries(
    st.sampled_from(["current", "layers", "statuses", "tags", "tiers", "types", "more"]), LISTS | ENUMS, max_size=3
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "initiatives": st.lists(TEXTS, min_size=1, max_size=2, unique=True) | LISTS,
        "text": TEXTS | JUNK,
        "filters": FILTERS | JUNK,
        "match": ENUMS | JUNK,
        "prefix": st.booleans() | JUNK,
        "limit": st.integers(0, 52) | st.sampled_from([10.0, 10.5, True]) | JUNK,
        "budget_chars": st.sampled_from([511, 512, 64_000, 64_001, 8000.0]) | JUNK,
        "cursor": TEXTS | JUNK,
        "more": JUNK,
    },
)


@settings(max_examples=3_000, deadline=None)
@given(ARGUMENTS)
def test_what_is_accepted_is_what_the_seed_accepts(arguments: dict[str, Any]) -> None:
    """The flat schema and the check of the call together take exactly what the published one takes."""
    try:
        wanted = wanted_of(parse(SEARCH, arguments))  # type: ignore[arg-type]
        taken = wanted.text is not None or wanted.filters is not None
    except ArgumentError:
        taken = False
    assert taken is ACCEPTS.is_valid(arguments), arguments
    if ACCEPTS.is_valid(arguments):
        assert LISTED.is_valid(arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with a few memories in two projects."""
    root = make_vault(tmp_path / "vault")
    for number, (text, project) in enumerate(
        [("Watches herons", "garden"), ("Prefers release-plan names", "Release Plan"), ("Reads topic:x AND NOT y", "")]
    ):
        more = {"projects": [project]} if project else {}
        put(root, f"{number}.md", text, id=f"m_{number:012x}", state="approved", tags=["bird"], **more)
    put(root, "r.md", "Fears herons", id="m_0000000000ff", state="restricted", projects=["garden"])
    return root


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"initiatives": ["*"]}, "no_selector", "text"),
        ({"initiatives": ["*"], "text": "  "}, "empty_text", "text"),
        ({"initiatives": ["*"], "text": "*"}, "empty_text", "text"),
        ({"initiatives": ["*"], "text": ""}, "invalid_argument", "text"),
        ({"initiatives": ["*"], "text": None}, "invalid_argument", "text"),
        ({"initiatives": ["*"], "filters": {}}, "invalid_argument", "filters"),
        ({"initiatives": ["*"], "filters": {"more": ["x"]}}, "invalid_argument", "filters"),
        ({"initiatives": ["*"], "filters": {"types": ["bird"]}}, "invalid_argument", "filters"),
        ({"initiatives": [], "text": "x"}, "invalid_argument", "initiatives"),
        ({"initiatives": ["a", "a"], "text": "x"}, "invalid_argument", "initiatives"),
        ({"text": "x"}, "invalid_argument", "initiatives"),
        ({"initiatives": ["*"], "text": "x", "budget_chars": 511}, "invalid_argument", "budget_chars"),
        ({"initiatives": ["*"], "text": "x", "limit": 51}, "invalid_argument", "limit"),
        ({"initiatives": ["*"], "text": "x", "prefix": "yes"}, "invalid_argument", "prefix"),
        ({"initiatives": ["*"], "text": "x\ud800"}, "invalid_argument", "text"),
        ({"initiatives": ["*"], "filters": {"tags": ["\ud800"]}}, "invalid_argument", "filters"),
        ({"initiatives": ["*"], "text": "x", "query": "y"}, "invalid_argument", "query"),
        ({"cursor": "x"}, "invalid_argument", "initiatives"),
        ({"initiatives": ["*"], "text": "x", "cursor": "x"}, "bad_cursor", "cursor"),
        ({"initiatives": ["*"], "text": "x", "cursor": "W10"}, "bad_cursor", "cursor"),
        ({"initiatives": ["*"], "text": "x", "cursor": "WzEsMl0=" * 400}, "bad_cursor", "cursor"),
        ({"initiatives": ["nowhere"], "text": "x"}, "unknown_initiative", "initiatives"),
    ],
)
def test_bad_input(root: Path, arguments: dict[str, Any], code: str, field: str) -> None:
    """What is wrong is told in the envelope, by a code and the argument."""
    content = Searching(root)(arguments)
    (issue,) = content["issues"]
    assert (content["state"], issue["code"], issue["field"], issue["retryable"]) == ("rejected", code, field, False)
    assert content["data"] == {"hits": [], "total": 0}


def test_words_are_plain(root: Path) -> None:
    """Hyphens, colons, AND, quotes and stars mean nothing; stems and neighbours neither."""
    search = Searching(root)
    for text, found in (
        ("release-plan", [1]),
        ("topic:x", [2]),
        ('"AND" NOT', [2]),
        ("herons*", [0]),
        ("heron", []),
        ("HERONS", [0]),
        ("watch", []),
    ):
        assert ids(search({"initiatives": ["*"], "text": text})) == [f"m_{n:012x}" for n in found], text
    assert ids(search({"initiatives": ["*"], "text": "Heron", "prefix": True})) == ["m_000000000000"]
    hint = search({"initiatives": ["*"], "text": "tag:fish"})
    assert [one["code"] for one in hint["issues"]] == ["hint"] and hint["state"] == "ok"
    assert len(ids(search({"initiatives": ["*"], "filters": {"tags": ["BIRD"]}}))) == 3


def test_scopes(root: Path) -> None:
    """A name in any spelling, near names for an unknown one, a partial answer, and a launch for one project."""
    search = Searching(root)
    content = search({"initiatives": ["GARDEN", "gardn", "personal"], "filters": {"current": "all"}})
    assert content["state"] == "partial" and content["coverage"]["initiatives"] == ["GARDEN", "personal"]
    (issue,) = content["issues"]
    assert issue["code"] == "unknown_initiative" and "near it are garden" in issue["message"]
    assert {tuple(hit["initiatives"]) for hit in content["data"]["hits"]} == {("GARDEN",), ("personal",)}
    assert left(search({"initiatives": ["garden"], "text": "herons"}), "restricted") == 1
    assert left(search({"initiatives": ["release plan"], "text": "herons"}), "restricted") == 0
    narrow = Searching(root, project="garden")
    assert narrow({"initiatives": ["Release Plan"], "text": "names"})["state"] == "rejected"
    assert sorted(ids(narrow({"initiatives": ["*"], "filters": {"current": "all"}}))) == [
        "m_000000000000",
        "m_000000000002",
    ]
    assert narrow({"initiatives": ["*"], "text": "names"})["data"]["total"] == 0


def test_what_is_replaced_names_its_successor(root: Path) -> None:
    """Along the chain, where the caller sees it; else the old one stays, marked, after the others."""
    put(root, "b.md", "Watches herons at dawn", id="m_0000000000b0", state="approved", supersedes=["m_000000000000"])
    put(root, "c.md", "Watches kites", id="m_0000000000c0", state="approved", supersedes=["m_0000000000b0"])
    put(root, "d.md", "Watches herons daily", id="m_0000000000d0", state="unconfirmed", supersedes=["m_0000000000c0"])
    search = Searching(root)
    content = search({"initiatives": ["*"], "text": "herons"})
    assert ids(content) == ["m_0000000000d0"]
    (omitted,) = [one for one in content["coverage"]["omitted"] if one["reason"] == "superseded"]
    assert (omitted["count"], omitted["successors"]) == (2, ["m_0000000000c0"])
    alone = search({"initiatives": ["garden"], "text": "herons"})
    assert ids(alone) == ["m_000000000000"] and alone["data"]["hits"][0]["currentness"] == "current"
    whole = search({"initiatives": ["*"], "text": "herons", "filters": {"current": "all"}})
    old = next(hit for hit in whole["data"]["hits"] if hit["id"] == "m_000000000000")
    assert (old["currentness"], old["layer"], old["successors"]) == ("superseded", "cold", ["m_0000000000b0"])


def test_a_small_budget_cuts_the_first_body(root: Path) -> None:
    """The first hit always comes; its body says which part of it is there."""
    put(root, "long.md", "Knows otters\n\n" + "x", id="m_0000000000aa", state="approved")
    (root / "palace/w").mkdir(parents=True)
    (root / "palace/w/l.md").write_text("---\nwing: w\nroom: r\n---\n" + "otter line\n" * 500)
    search = Searching(root)
    content = search({"initiatives": ["*"], "text": "otter", "budget_chars": 2_000})
    (hit,) = content["data"]["hits"]
    assert hit["body"] == ("otter line\n" * 500)[: hit["body_range"]["end"]] and hit["body_range"]["start"] == 0
    assert 1_000 < hit["body_range"]["end"] < hit["body_range"]["total"] == len("otter line\n" * 500)
    (bare,) = search({"initiatives": ["*"], "text": "otter", "budget_chars": 512})["data"]["hits"]
    assert len(json.dumps([bare], ensure_ascii=False, separators=(",", ":"))) <= 512 or bare["body"] is None


def test_pages_while_files_change(root: Path) -> None:
    """Each hit comes once, also when some go, come and change between pages; the caller learns that they did."""
    for number in range(120):
        put(root, f"p{number}.md", f"Saw falcon number {number}", id=f"m_{number + 4096:012x}", state="approved")
    search = Searching(root)
    arguments = {"initiatives": ["*"], "text": "falcon", "limit": 10}
    content = search(arguments)
    told = ids(content)
    mismatch = search({**content["continuation"]["next_arguments"], "limit": 11})
    assert mismatch["issues"][0]["code"] == "cursor_mismatch" and mismatch["state"] == "rejected"
    changed = False
    for step in range(30):
        if step == 2:
            for number in (0, 60, 119):
                (root / f"memories/p{number}.md").unlink()
            put(root, "new.md", "Saw falcon falcon falcon", id="m_00000000ffff", state="approved")
            put(root, "p70.md", "Saw falcon falcon number 70", id=f"m_{70 + 4096:012x}", state="approved")
        if step == 4:  # another process goes on
            search = Searching(root)
        content = search(content["continuation"]["next_arguments"])
        changed |= "index_changed" in [one["code"] for one in content["issues"]]
        told += ids(content)
        if content["continuation"] is None:
            break
    assert changed and len(told) == len(set(told))
    assert {f"m_{number + 4096:012x}" for number in range(120) if number not in (0, 60, 119, 70)} <= set(told)


def test_a_hidden_change_between_pages_is_none(root: Path) -> None:
    """What a caller may not see comes, changes and goes, and no page of theirs says that anything has changed."""
    for number in range(9):
        put(root, f"p{number}.md", f"Saw falcon {number}", id=f"m_{number + 4096:012x}", state="approved")
    search = Searching(root)
    first = search({"initiatives": ["*"], "text": "falcon", "limit": 3})
    hidden = put(root, "hidden.md", "Saw falcon 99", id="m_00000000ffff", state="rejected")
    second = search(first["continuation"]["next_arguments"])
    hidden.unlink()
    third = search(second["continuation"]["next_arguments"])
    assert first["issues"] == second["issues"] == third["issues"] == [] and third["continuation"] is None
    assert len({*ids(first), *ids(second), *ids(third)}) == 9


def test_consent_none_is_an_empty_vault(root: Path, tmp_path: Path) -> None:
    """Byte for byte."""
    empty = make_vault(tmp_path / "empty", "format: 1\nconsent: none\n")
    (root / "personakit.yaml").write_text("format: 1\nconsent: none\n")
    for arguments in (
        {"initiatives": ["*"], "text": "herons"},
        {"initiatives": ["garden"], "text": "herons"},
        {"initiatives": ["personal"], "filters": {"current": "all"}},
        {"initiatives": ["*"], "text": "*"},
    ):
        assert Searching(root)(arguments) == Searching(empty)(arguments)


@pytest.mark.parametrize("era", ERAS)
def test_over_the_wire(root: Path, era: Era) -> None:
    """A real client in both eras, and the journal's row."""
    with Client(root, era, options=("--toolsets", "kaeru", "--as", "alpha")) as client:
        listed = client.request("tools/list")["tools"]
        assert [tool["name"] for tool in listed] == ["search"] and listed[0]["inputSchema"]["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf"} & listed[0]["inputSchema"].keys()
        result = client.call("search", {"initiatives": ["garden"], "text": "herons"})
        ANSWERS.validate(result["structuredContent"])
        assert ids(result["structuredContent"]) == ["m_000000000000"] and not result.get("isError")
        refused = client.call("search", {"initiatives": ["garden"], "text": None})
        ANSWERS.validate(refused["structuredContent"])
        assert refused["isError"] is True and refused["structuredContent"]["state"] == "rejected"
    journal = "".join(path.read_text() for path in (root / ".personakit/journal").glob("*"))
    (row,) = [json.loads(line) for line in journal.splitlines()]
    assert (row["to"], row["tool"], [one[0] for one in row["ids"]]) == ("alpha", "search", ["m_000000000000"])
    assert "heron" not in journal


def test_all_tools_are_listed_in_forty_thousand_bytes() -> None:
    """The whole list of every vocabulary stays within what a client can afford."""
    tools = offered(Launch(vault="x", toolsets=("all",)))
    size = len(json.dumps([published(tool) for tool in tools], separators=(",", ":")))
    assert len(tools) == 34 and size < 40_000
