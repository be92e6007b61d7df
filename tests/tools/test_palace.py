"""The nineteen palace tools through the real server, call by call as their users know them.

Shapes, keys and orders are those of the older release of the vocabulary's own server. What differs, and why:

- ids of drawers hash the whole text, so that two texts with one beginning are two drawers; of facts, the fact alone.
- `already_exists` also gives wing and room; search hits also give `drawer_id`; similarity is 0 to 1 and of words.
- limits and hops are clamped; a direction, a date or a name that is none is refused; failures are `isError`.
- mempalace_kg_invalidate gives the day, not the word "today", and fails with `matched: 0` where nothing matched.
- mempalace_kg_add says `already` for an open equal fact, and names `conflicts`.
- `current` means that today lies inside; mempalace_kg_timeline gives `total`, and `truncated` past a hundred rows.
- counts are exact and names in listings sorted; "general" is a room, and diaries are none.
- edges are pairs of wings bridged, whatever the halls; two equal diary entries are two.
- a match that is no duplicate after all says the `reason`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from personakit.model.drawer import drawer_id
from personakit.tools.catalogue import published
from personakit.tools.palace import PALACE
from tests.rpc import ERAS, Client, Era
from tests.safety.owner import contents
from tests.support import make_vault

SCHEMAS = {tool.name: published(tool)["outputSchema"] for tool in PALACE.tools}
LISTS = {"mempalace_traverse", "mempalace_find_tunnels"}


class Palace:
    """A client that calls by short names and checks each result's form."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.calls = 0

    def result(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give its whole result, whose text must say the same as its structure."""
        self.calls += 1
        result = self.client.call(f"mempalace_{name}", arguments)
        content, text = result["structuredContent"], json.loads(result["content"][0]["text"])
        if result.get("isError"):
            assert text == content
        else:
            jsonschema.validate(content, SCHEMAS[f"mempalace_{name}"])
            assert text == (content["result"] if f"mempalace_{name}" in LISTS else content)
        return result

    def __call__(self, name: str, **arguments: Any) -> Any:
        """Call a tool that must succeed and give what its text says."""
        result = self.result(name, **arguments)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])

    def fails(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail and give what it says."""
        result = self.result(name, **arguments)
        assert result["isError"] is True, result
        content: dict[str, Any] = result["structuredContent"]
        return content


@pytest.fixture(params=ERAS)
def palace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Palace]:
    """Serve an empty vault."""
    era: Era = request.param
    with Client(make_vault(tmp_path / "vault"), era, options=("--toolsets", "palace", "--as", "alpha")) as client:
        yield Palace(client)


def test_the_list_is_short_and_in_order(palace: Palace) -> None:
    """All nineteen, in the published order, in at most 16,000 bytes."""
    listed = palace.client.request("tools/list")["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in PALACE.tools]
    assert len(listed) == 19
    assert len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode()) <= 16_000


def test_drawers(palace: Palace) -> None:  # noqa: PLR0915 - one story
    """Filing, listing, searching and deleting, key by key."""
    empty = palace("status")
    assert list(empty) == ["total_drawers", "wings", "rooms", "palace_path", "protocol", "aaak_dialect"]
    assert (empty["total_drawers"], empty["wings"], empty["rooms"]) == (0, {}, {})
    assert empty["palace_path"] == str(palace.client.vault) and "mempalace_search" in empty["protocol"]
    assert palace("get_aaak_spec") == {"aaak_spec": empty["aaak_dialect"]}
    assert palace("list_wings") == {"wings": {}} and palace("get_taxonomy") == {"taxonomy": {}}
    assert palace("list_rooms") == {"wing": "all", "rooms": {}}
    assert palace("search", query="anything") == {
        "query": "anything",
        "filters": {"wing": None, "room": None},
        "results": [],
    }
    first = palace("add_drawer", wing="garden", room="decisions", content="We plant quinces by the wall")
    id_ = drawer_id("garden", "decisions", "We plant quinces by the wall")
    assert first == {"success": True, "drawer_id": id_, "wing": "garden", "room": "decisions"}
    assert list(first) == ["success", "drawer_id", "wing", "room"]
    again = palace("add_drawer", wing=" garden ", room="decisions", content="We plant quinces by the wall")
    assert again == {
        "success": True,
        "reason": "already_exists",
        "drawer_id": id_,
        "wing": "garden",
        "room": "decisions",
    }
    for wing, room, content in (
        ("garden", "backend", "The kettle boils at nine"),
        ("Haus & Hof", "decisions", "Der Kessel kocht um neun"),
        ("日本", "general", "庭に木を植える"),
        ("garden", "decisions", "x" * 100 + " one"),
        ("garden", "decisions", "x" * 100 + " two"),
    ):
        assert palace("add_drawer", wing=wing, room=room, content=content, source_file="notes.md")["success"]
    status = palace("status")
    assert status["total_drawers"] == 6
    assert list(status["wings"].items()) == [("Haus & Hof", 1), ("garden", 4), ("日本", 1)]
    assert list(status["rooms"].items()) == [("backend", 1), ("decisions", 4), ("general", 1)]
    assert palace("list_wings") == {"wings": status["wings"]}
    assert palace("list_rooms", wing="garden") == {"wing": "garden", "rooms": {"backend": 1, "decisions": 3}}
    assert palace("list_rooms", wing="Garden") == {"wing": "Garden", "rooms": {}}
    assert palace("list_rooms", wing=None)["wing"] == "all"
    assert palace("get_taxonomy")["taxonomy"]["garden"] == {"backend": 1, "decisions": 3}
    (hit,) = palace("search", query="quinces")["results"]
    assert list(hit) == ["text", "wing", "room", "source_file", "similarity", "drawer_id"]
    assert hit == {
        "text": "We plant quinces by the wall",
        "wing": "garden",
        "room": "decisions",
        "source_file": "",
        "similarity": 1.0,
        "drawer_id": id_,
    }
    assert palace("search", query="木")["results"][0]["wing"] == "日本"
    assert palace("search", query="kettle", wing="garden", room="backend")["results"][0]["source_file"] == "notes.md"
    assert palace("search", query="kettle", wing="garden", room="decisions")["results"] == []
    assert palace("search", query="kettle", wing="", room="")["filters"] == {"wing": "", "room": ""}
    assert palace("search", query="zebra")["results"] == [] and palace("search", query="")["results"] == []
    for limit, number in ((1, 1), (0, 1), (-5, 1), ("2", 2), (1000, 3), (2.9, 2)):
        assert len(palace("search", query="x plant kettle one two", limit=limit)["results"]) <= max(number, 4)
    assert palace("delete_drawer", drawer_id=id_) == {"success": True, "drawer_id": id_}
    assert palace.fails("delete_drawer", drawer_id=id_) == {"success": False, "error": f"Drawer not found: {id_}"}
    assert palace("search", query="quinces")["results"] == [] and palace("status")["total_drawers"] == 5


def test_duplicates(palace: Palace) -> None:
    """Likeness, the five most alike, cut texts, and what makes a like text say something else."""
    text = "The release goes out on 12 May after Ana has read the notes twice and signed them"
    id_ = palace("add_drawer", wing="work", room="plans", content=text)["drawer_id"]
    same = palace("check_duplicate", content=text)
    assert same == {
        "is_duplicate": True,
        "matches": [{"id": id_, "wing": "work", "room": "plans", "similarity": 1.0, "content": text}],
    }
    assert palace("check_duplicate", content=text.upper() + " ")["is_duplicate"] is True
    for changed, reason in (
        (text.replace("goes", "never goes"), "negation"),
        (text.replace("12 May", "13 May"), "number"),
        (text.replace("Ana", "Bob"), "name"),
    ):
        found = palace("check_duplicate", content=changed, threshold=0.7)
        assert found["is_duplicate"] is False and found["matches"][0]["reason"] == reason
    assert palace("check_duplicate", content="nothing like it") == {"is_duplicate": False, "matches": []}
    assert palace("check_duplicate", content="") == {"is_duplicate": False, "matches": []}
    for number in range(7):
        palace("add_drawer", wing="work", room=f"r{number}", content="word " * 80)
    found = palace("check_duplicate", content="word " * 80)
    assert len(found["matches"]) == 5
    assert all(len(match["content"]) == 201 and match["content"].endswith("…") for match in found["matches"])
    assert "threshold" in palace.fails("check_duplicate", content="x", threshold=2)["error"]["message"]


def test_facts(palace: Palace) -> None:  # noqa: PLR0915 - one story
    """Facts added, asked, ended and laid out in time."""
    stats = {"entities": 0, "triples": 0, "current_facts": 0, "expired_facts": 0, "relationship_types": []}
    assert palace("kg_stats") == stats
    assert palace("kg_query", entity="Max") == {"entity": "Max", "as_of": None, "facts": [], "count": 0}
    added = palace("kg_add", subject="Max", predicate="works at", object="ACME", valid_from="2020-03-01")
    assert list(added) == ["success", "triple_id", "fact"] and added["fact"] == "Max → works at → ACME"
    equal = palace("kg_add", subject="MAX", predicate="works_at", object="acme", valid_from="2021-01-01")
    assert equal == {**added, "fact": "MAX → works_at → acme", "already": True}
    other = palace("kg_add", subject="max", predicate="works at", object="Fictiva", source_closet="closet 7")
    assert other["conflicts"] == [{"triple_id": added["triple_id"], "fact": "Max → works at → ACME"}]
    palace("kg_add", subject="Pēteris", predicate="knows", object="Max", valid_from="2019")
    palace("kg_add", subject="Max", predicate="visits", object="Riga", valid_from="2999-01")
    asked = palace("kg_query", entity="max")
    assert list(asked) == ["entity", "as_of", "facts", "count"] and asked["count"] == len(asked["facts"]) == 4
    row = asked["facts"][0]
    assert list(row) == [
        *("direction", "subject", "predicate", "object", "valid_from", "valid_to", "confidence", "source_closet"),
        "current",
    ]
    assert row == {
        "direction": "outgoing",
        "subject": "max",
        "predicate": "works at",
        "object": "ACME",
        "valid_from": "2020-03-01",
        "valid_to": None,
        "confidence": 1.0,
        "source_closet": None,
        "current": True,
    }
    assert [(one["direction"], one["object"]) for one in asked["facts"]] == [
        ("outgoing", "ACME"),
        ("outgoing", "Riga"),
        ("outgoing", "Fictiva"),
        ("incoming", "max"),
    ]
    assert [one["current"] for one in asked["facts"]] == [True, False, True, True]
    assert asked["facts"][2]["source_closet"] == "closet 7" and asked["facts"][3]["subject"] == "Pēteris"
    assert palace("kg_query", entity="Max", direction="incoming")["count"] == 1
    assert palace("kg_query", entity="Max", direction="outgoing")["count"] == 3
    for day, number in (("2019-06-01", 2), ("2020-03-01", 3), ("2018-12-31", 1), ("2999-01-01", 4)):
        assert palace("kg_query", entity="Max", as_of=day)["count"] == number, day
    ended = palace("kg_invalidate", subject="max", predicate="Works at", object="Acme", ended="2024-06-30")
    assert ended == {"success": True, "fact": "max → Works at → Acme", "ended": "2024-06-30", "matched": 1}
    for day, there in (("2024-06-30", True), ("2024-07-01", False)):
        facts = palace("kg_query", entity="acme", as_of=day)["facts"]
        assert bool(facts) is there, day
    gone = palace.fails("kg_invalidate", subject="Max", predicate="works at", object="ACME")
    assert (gone["success"], gone["matched"]) == (False, 0) and "open" in gone["error"]
    new = palace("kg_add", subject="Max", predicate="works at", object="ACME", valid_from="2020-03-01")
    assert new["triple_id"] != added["triple_id"]
    early = palace.fails("kg_invalidate", subject="Max", predicate="works at", object="ACME", ended="2019-01-01")
    assert early["error"]["field"] == "ended"
    assert len(palace("kg_invalidate", subject="Max", predicate="works at", object="ACME")["ended"]) == 10
    timeline = palace("kg_timeline", entity="Max")
    assert list(timeline) == ["entity", "timeline", "count", "total"]
    assert list(timeline["timeline"][0]) == ["subject", "predicate", "object", "valid_from", "valid_to", "current"]
    starts = [one["valid_from"] for one in timeline["timeline"]]
    assert starts == ["2019", "2020-03-01", "2020-03-01", "2999-01", None]
    assert palace("kg_timeline")["entity"] == "all" and palace("kg_timeline", entity="Nobody")["timeline"] == []
    assert palace("kg_stats") == {
        "entities": 5,
        "triples": 5,
        "current_facts": 3,
        "expired_facts": 2,
        "relationship_types": ["knows", "visits", "works at"],
    }


def test_a_fact_that_ends_again_and_again_is_another_each_time(palace: Palace) -> None:
    """Three facts that all ended on one day have three ids, and each is its own file."""
    ids = set()
    for _ in range(4):
        ids.add(palace("kg_add", subject="Max", predicate="rents", object="a boat")["triple_id"])
        palace("kg_invalidate", subject="Max", predicate="rents", object="a boat", ended="2026-03-01")
    assert len(ids) == 4 and palace("kg_stats")["expired_facts"] == 4


def test_only_what_outlasts_a_new_facts_beginning_is_in_conflict_with_it(palace: Palace) -> None:
    """What ends before it, or has ended by today, is its past; what begins later is not."""
    for town, begins, ends in (("Bern", "2020", "2021"), ("Oslo", "2022", "2998"), ("Riga", "3001", "")):
        palace("kg_add", subject="Max", predicate="lives in", object=town, valid_from=begins)
        if ends:
            palace("kg_invalidate", subject="Max", predicate="lives in", object=town, ended=ends)
    later = palace("kg_add", subject="Max", predicate="lives in", object="Lima", valid_from="2999")
    assert [one["fact"] for one in later["conflicts"]] == ["Max → lives in → Riga"]
    early = palace("kg_add", subject="Max", predicate="lives in", object="Rome", valid_from="2000")
    assert [one["fact"].rpartition(" ")[2] for one in early["conflicts"]] == ["Oslo", "Lima", "Riga"]


def test_a_long_timeline_is_cut_and_says_so(palace: Palace) -> None:
    """A hundred rows at most, and how many there are."""
    for number in range(103):
        palace(
            "kg_add", subject="Ada", predicate="counts", object=f"n{number}", valid_from=f"2020-01-{number % 28 + 1:02}"
        )
    found = palace("kg_timeline")
    assert (found["count"], found["total"], found["truncated"]) == (100, 103, True)


def test_walks(palace: Palace) -> None:
    """Rooms joined by wings, tunnels, and numbers."""
    assert palace("find_tunnels") == []
    nothing = {"total_rooms": 0, "tunnel_rooms": 0, "total_edges": 0, "rooms_per_wing": {}, "top_tunnels": []}
    assert palace("graph_stats") == nothing
    for wing, room, number in (("a", "auth", 2), ("b", "auth", 1), ("b", "data-store", 3), ("c", "general", 1)):
        for each in range(number):
            palace("add_drawer", wing=wing, room=room, content=f"{wing} {room} {each}")
    palace("diary_write", agent_name="Ada", entry="no room of the palace")
    walk = palace("traverse", start_room="auth")
    assert [list(row) for row in walk] == [
        ["room", "wings", "halls", "count", "hop"],
        ["room", "wings", "halls", "count", "hop", "connected_via"],
    ]
    assert walk[0] == {"room": "auth", "wings": ["a", "b"], "halls": [], "count": 3, "hop": 0}
    assert walk[1] == {"room": "data-store", "wings": ["b"], "halls": [], "count": 3, "hop": 1, "connected_via": ["b"]}
    for hops, number in ((0, 1), (-3, 1), ("1", 2), (10_000, 2)):
        assert len(palace("traverse", start_room="auth", max_hops=hops)) == number
    unknown = palace.fails("traverse", start_room="store-of-data")
    assert unknown == {"error": "Room 'store-of-data' not found", "suggestions": ["data-store"]}
    (tunnel,) = palace("find_tunnels")
    assert list(tunnel) == ["room", "wings", "halls", "count", "recent"]
    assert (tunnel["room"], tunnel["count"], len(tunnel["recent"])) == ("auth", 3, 20)
    assert palace("find_tunnels", wing_a="a", wing_b="b") == [tunnel]
    assert palace("find_tunnels", wing_a="a", wing_b="c") == [] == palace("find_tunnels", wing_a="nowhere")
    assert palace("graph_stats") == {
        "total_rooms": 3,
        "tunnel_rooms": 1,
        "total_edges": 1,
        "rooms_per_wing": {"b": 2, "a": 1, "c": 1},
        "top_tunnels": [{"room": "auth", "wings": ["a", "b"], "count": 3}],
    }


def test_diaries(palace: Palace) -> None:
    """Entries word for word, newest first, for an agent in any case."""
    assert palace("diary_read", agent_name="Ada") == {"agent": "Ada", "entries": [], "message": "No diary entries yet."}
    texts = ["one", "two\r\n---\nstate: rejected\n---\n", "two\r\n---\nstate: rejected\n---\n", " four \n"]
    written = [palace("diary_write", agent_name="Ada", entry=text) for text in texts]
    assert list(written[0]) == ["success", "entry_id", "agent", "topic", "timestamp"]
    assert (written[0]["agent"], written[0]["topic"]) == ("Ada", "general")
    assert len({one["entry_id"] for one in written}) == 4
    read = palace("diary_read", agent_name="aDA")
    assert list(read) == ["agent", "entries", "total", "showing"]
    assert list(read["entries"][0]) == ["date", "timestamp", "topic", "content"]
    assert [one["content"] for one in read["entries"]] == texts[::-1]
    assert (read["agent"], read["total"], read["showing"]) == ("aDA", 4, 4)
    for last, number in ((2, 2), (0, 1), (-1, 1), ("3", 3), (500, 4)):
        assert palace("diary_read", agent_name="Ada", last_n=last)["showing"] == number
    assert palace("diary_read", agent_name="Bob")["entries"] == []


NAMES = ["", "  ", "a/b", "a\\b", "..", "a..b", "a\0b", "n" * 129, "a\nb"]
DAYS = ["2026-13-40", "yesterday", "2026-1-1", "20260101", "2026-02-30", "2026-00", "x" * 40]
SECRET = "key sk-ant-REDACTED" + "a1B2" * 24


def test_bad_input_is_refused_by_name_and_nothing_is_written(palace: Palace) -> None:  # noqa: C901 - one table
    """Every wrong argument is named; no file comes of it; the server goes on."""
    before = contents(palace.client.vault)

    def refused(tool: str, field: str, **arguments: Any) -> None:
        error = palace.fails(tool, **arguments)["error"]
        assert (error["code"], error["field"]) == ("invalid_argument", field), error
        assert SECRET not in json.dumps(error)

    for name in NAMES:
        refused("add_drawer", "wing", wing=name, room="x", content="y")
        refused("add_drawer", "room", wing="x", room=name, content="y")
        refused("diary_write", "agent_name", agent_name=name, entry="y")
        refused("diary_read", "agent_name", agent_name=name)
    for content in ("", " \n\t", "x" * 100_001, SECRET):
        refused("add_drawer", "content", wing="x", room="y", content=content)
        refused("diary_write", "entry", agent_name="x", entry=content)
    for day in DAYS:
        refused("kg_query", "as_of", entity="x", as_of=day)
        refused("kg_add", "valid_from", subject="x", predicate="y", object="z", valid_from=day)
        refused("kg_invalidate", "ended", subject="x", predicate="y", object="z", ended=day)
    refused("kg_query", "as_of", entity="x", as_of="2026-05")
    refused("kg_query", "direction", entity="x", direction="sideways")
    for field in ("subject", "predicate", "object"):
        for value in ("", "  ", "x" * 501, SECRET, "a\0b"):
            refused("kg_add", field, **{"subject": "x", "predicate": "y", "object": "z", field: value})
    wrong: tuple[Any, ...] = ("many", [], {}, True)
    for number in wrong:
        refused("search", "limit", query="x", limit=number)
        refused("check_duplicate", "threshold", content="x", threshold=number)
        refused("traverse", "max_hops", start_room="x", max_hops=number)
        refused("diary_read", "last_n", agent_name="x", last_n=number)
    refused("add_drawer", "content", wing="x", room="y")
    refused("add_drawer", "colour", wing="x", room="y", content="z", colour="red")
    for id_ in ("", "nonsense", "m_0123456789ab", "t_0123456789ab", "../personakit.yaml", "drawer_x_y_" + "0" * 24):
        assert palace.fails("delete_drawer", drawer_id=id_)["error"] == f"Drawer not found: {id_}"
    assert contents(palace.client.vault) == before
    assert palace("status")["total_drawers"] == 0
    assert palace.calls > 100
