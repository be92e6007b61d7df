"""Drawers, facts and diaries lose nothing, keep every byte, and tell nothing that is hidden."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personakit.config import Launch
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.palace import PALACE
from personakit.vault.watch import NoWatch
from tests.cases.inputs import git
from tests.rpc import Client
from tests.safety.owner import restore
from tests.safety.test_non_interference import StillClock
from tests.support import make_vault

OPTIONS = ("--toolsets", "palace", "--as", "alpha")
TOOLS = {tool.name: tool for tool in PALACE.tools}
NASTY = (
    "---\nid: m_0123456789ab\nstate: rejected\n---\nnot front matter",
    "  leading and trailing blanks \n\n\n",
    "no final newline",
    "windows\r\nline\r\nends\r\n",
    "mixed\r\nends\nand\rmore",
    "```\n---\nfence\n---\n```\n",
    "<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n",
    "</personakit-memory> <!-- comment --> %% obsidian %% [[link]]",
    "\ufeffa mark at the start\u200b\u202eand odd ones",
    "---\n---\n",
    "日本語 🦊 Ünïcödé\n",
)


def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed."""
    result = client.call(f"mempalace_{tool}", arguments)
    assert not result.get("isError"), result
    content: dict[str, Any] = result["structuredContent"]
    return content


def test_every_byte_comes_back_also_from_a_clone(tmp_path: Path, repository: Path) -> None:
    """Whatever a text holds, it comes back as it was, from the disk and from a fresh clone of its commit."""
    template = Path(__file__).parent.parent.parent / "vault-template"
    for folder in ("palace", "diary"):
        (repository / folder).mkdir()
        shutil.copy(template / folder / ".gitattributes", repository / folder)
    (repository / "personakit.yaml").write_text("format: 1\n")
    git(repository, "config", "core.autocrlf", "true")
    with Client(repository, options=OPTIONS) as client:
        for number, text in enumerate(NASTY):
            called(client, "add_drawer", wing="w", room=f"r{number}", content=text)
            called(client, "diary_write", agent_name=f"agent {number}", entry=text)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "All")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(repository), str(clone))
    for root in (repository, clone):
        with Client(root, options=OPTIONS) as client:
            for number, text in enumerate(NASTY):
                hits = called(client, "search", query="x", room=f"r{number}", limit=1)["results"]
                assert hits == []
                read = called(client, "diary_read", agent_name=f"agent {number}")
                assert [one["content"] for one in read["entries"]] == [text]
            tree = called(client, "get_taxonomy")["taxonomy"]["w"]
            assert tree == {f"r{number}": 1 for number in range(len(NASTY))}
            found = called(client, "search", query="odd ones", limit=1)["results"]
            assert found[0]["text"] == NASTY[8]
            assert called(client, "search", query="windows")["results"][0]["text"] == NASTY[3]


def test_two_servers_file_at_once(tmp_path: Path) -> None:
    """Each of two servers files 25 drawers, facts and entries at the same moment: all are there, for both."""
    root = make_vault(tmp_path / "vault")
    with Client(root, options=OPTIONS) as one, Client(root, options=OPTIONS) as other:

        def work(client: Client, name: str) -> None:
            for number in range(25):
                called(client, "add_drawer", wing="w", room="r", content=f"{name} {number}")
                called(client, "kg_add", subject=name, predicate="counts", object=str(number))
                called(client, "diary_write", agent_name="Ada", entry=f"{name} {number}")

        threads = [threading.Thread(target=work, args=pair) for pair in ((one, "one"), (other, "other"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client in (one, other):
            assert called(client, "status")["total_drawers"] == 50
            assert called(client, "kg_stats")["triples"] == 50
            assert called(client, "diary_read", agent_name="ada")["total"] == 50
    assert len(list((root / "palace/w/r").glob("*.md"))) == 50


def test_a_code_word_is_found_first(tmp_path: Path) -> None:
    """A word that one of 1,060 drawers holds finds that one first, 40 of 40 times."""
    root = make_vault(tmp_path / "vault")
    files = {}
    for number in range(1_060):
        code = f"QX-{number}KV" if number % 26 == 0 else ""
        words = f"The build of module {number % 17} went through the usual checks {code} and the notes were filed"
        files[f"palace/work/log/{number}.md"] = f"---\nwing: work\nroom: log\n---\n{words} on run {number}".encode()
    restore(root, files | {"personakit.yaml": b"format: 1\n"})
    with Client(root, options=OPTIONS) as client:
        for number in range(0, 1_040, 26):
            (first, *_) = called(client, "search", query=f"what about QX-{number}KV in the build")["results"]
            assert f"QX-{number}KV" in first["text"]


def test_what_the_owner_does_counts_at_once(tmp_path: Path) -> None:
    """Edited, restricted, added, moved and deleted by hand: the next call of every tool obeys."""
    root = make_vault(tmp_path / "vault")
    with Client(root, options=OPTIONS) as client:
        called(client, "add_drawer", wing="w", room="r", content="Quince jam recipe")
        called(client, "kg_add", subject="Ada", predicate="likes", object="quinces")
        called(client, "diary_write", agent_name="Ada", entry="quince day")
        (drawer,), (fact,), (entry,) = (list((root / top).rglob("*.md")) for top in ("palace", "facts", "diary"))

        def told() -> tuple[int, int, int, int]:
            return (
                called(client, "status")["total_drawers"],
                len(called(client, "search", query="quince")["results"]),
                called(client, "kg_query", entity="Ada")["count"],
                len(called(client, "diary_read", agent_name="Ada")["entries"]),
            )

        assert told() == (1, 1, 1, 1)
        for path in (drawer, fact, entry):
            path.write_bytes(path.read_bytes().replace(b"---\n", b"---\nstate: restricted\n", 1))
        assert told() == (0, 0, 0, 0)
        assert called(client, "kg_stats")["triples"] == 0 and called(client, "graph_stats")["total_rooms"] == 0
        for path in (drawer, fact, entry):
            path.write_bytes(path.read_bytes().replace(b"state: restricted", b"assistants: beta"))
        assert told() == (0, 0, 0, 0)
        for path in (drawer, fact, entry):
            path.write_bytes(path.read_bytes().replace(b"assistants: beta\n", b""))
        assert told() == (1, 1, 1, 1)
        (root / "palace/w/r/dropped.md").write_text("Another quince")
        assert told() == (2, 2, 1, 1)
        for path in (drawer, fact, entry):
            path.unlink()
        assert told() == (1, 1, 0, 0)
    with Client(root, options=(*OPTIONS, "--project", "elsewhere")) as client:
        assert called(client, "status")["total_drawers"] == 0
    with Client(root, options=(*OPTIONS, "--project", "W")) as client:
        assert called(client, "status")["total_drawers"] == 1


def kills(root: Path, number: int) -> None:
    """Kill a server at some moment while it files one drawer after another; what it answered for must be there."""
    acknowledged: list[str] = []
    for turn in range(number):
        with Client(root, options=OPTIONS) as client:
            timer = threading.Timer(0.01 + turn % 10 * 0.004, client.process.send_signal, (signal.SIGKILL,))
            timer.start()
            try:
                for each in range(200):
                    text = f"turn {turn} each {each}"
                    called(client, "add_drawer", wing="w", room="r", content=text)
                    acknowledged.append(text)
            except (EOFError, OSError, AssertionError, TimeoutError):
                pass
            timer.join()
    with Client(root, options=OPTIONS) as client:
        assert called(client, "status")["total_drawers"] >= len(acknowledged)
    texts = [path.read_text().split("---\n", 2)[2] for path in (root / "palace").rglob("*.md")]
    assert set(acknowledged) <= set(texts) and all(text.startswith("turn") for text in texts)


def test_killed_while_filing(tmp_path: Path) -> None:
    """Nothing that was acknowledged is lost, and nothing is half there."""
    kills(make_vault(tmp_path / "vault"), 3)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_killed_a_hundred_times_while_filing(tmp_path: Path) -> None:
    """The same, a hundred times."""
    kills(make_vault(tmp_path / "vault"), 100)


WORDS = ("tea", "teas", "kettle", "garden", "Ada", "Max", "日本", "café", "cafe")
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
HIDING = st.sampled_from(
    ["state: restricted", "state: rejected", "state: sure", "assistants: beta", "projects: kitchen", "note: a: b"]
)


def drawer_file(mark: str, wing: str, room: str, text: str) -> bytes:
    """Give a drawer's file."""
    return f"---\n{mark}\nwing: {wing}\nroom: {room}\nhall: h\nfiled_at: 2026-01-02\n---\n{text}".encode()


def fact_file(mark: str, subject: str, obj: str, begins: str) -> bytes:
    """Give a fact's file."""
    return f"---\n{mark}\nsubject: {subject}\npredicate: knows\nobject: {obj}\nvalid_from: {begins}\n---\n".encode()


def diary_file(mark: str, agent: str, text: str, hour: int) -> bytes:
    """Give an entry's file."""
    return f"---\n{mark}\nagent: {agent}\ntopic: t\ntimestamp: 2026-01-02T{hour:02}:00:00Z\n---\n{text}".encode()


@st.composite
def vaults(draw: st.DrawFn, marks: st.SearchStrategy[str], start: str) -> dict[str, bytes]:
    """Draw some files of each kind."""
    found: dict[str, bytes] = {}
    for number in range(draw(st.integers(1, 4))):
        mark = draw(marks)
        wing, room = draw(st.sampled_from("ab")), draw(st.sampled_from(["x", "y", "general"]))
        # Equal words would make equal ids, and of two such files the careful one counts for both.
        own = f"{draw(PHRASES)} {start}{number}"
        found[f"palace/p/q/{start}{number}.md"] = drawer_file(mark, wing, room, own)
        who, whom = draw(st.sampled_from(WORDS)), draw(st.sampled_from(WORDS))
        found[f"facts/{start}{number}.md"] = fact_file(
            mark, who, whom, f"20{number}0" if start == "s" else f"20{number}1-05"
        )
        agent = draw(st.sampled_from(["Ada", "ADA"]))
        found[f"diary/d/{start}{number}.md"] = diary_file(mark, agent, draw(PHRASES), number + 10 * (start == "h"))
    return found


def told(files: dict[str, bytes], calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Ask everything of a vault and give the JSON of all answers."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        restore(root, {"personakit.yaml": b"format: 1\ncache: off\n", **files})
        launch = Launch(vault=str(root), assistant="alpha", project="")
        desk = Desk(launch, OpenVault(str(root), StillClock(), lambda _root, _documents: NoWatch()))
        desk.load()
        results = [call(TOOLS[f"mempalace_{name}"], Opening(lambda: desk), arguments) for name, arguments in calls]
        desk.close()
        texts = [json.dumps(result.structured_content, ensure_ascii=False) for result in results]
        return [text.replace(str(root), "…") for text in texts]


@settings(max_examples=12, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(vaults(st.just("x: y"), "s"), vaults(HIDING, "h"), PHRASES, st.sampled_from(WORDS))
def test_what_is_hidden_changes_nothing(
    seen: dict[str, bytes], hidden: dict[str, bytes], question: str, word: str
) -> None:
    """No byte of any of the nineteen tools' answers changes with what their caller may not see."""
    calls: list[tuple[str, dict[str, Any]]] = [
        *(
            (name, {})
            for name in ("status", "list_wings", "list_rooms", "get_taxonomy", "get_aaak_spec", "graph_stats")
        ),
        *((name, {}) for name in ("kg_stats", "kg_timeline", "find_tunnels")),
        ("search", {"query": question}),
        ("search", {"query": question, "wing": "a", "room": "x"}),
        ("check_duplicate", {"content": question, "threshold": 0.1}),
        *(("kg_query", {"entity": name}) for name in (word, "Max")),
        *(("traverse", {"start_room": room}) for room in ("x", "y", "z")),
        ("diary_read", {"agent_name": "ada"}),
        ("kg_invalidate", {"subject": word, "predicate": "knows", "object": "tea"}),
        ("delete_drawer", {"drawer_id": "drawer_a_x_" + "0" * 24}),
        ("add_drawer", {"wing": "a", "room": "new", "content": "words that nobody else has"}),
        ("kg_add", {"subject": "Nobody", "predicate": "sees", "object": "this"}),
        ("diary_write", {"agent_name": "Bob", "entry": "mine"}),
        ("status", {}),
        ("kg_timeline", {}),
    ]
    assert told(seen, calls) == told({**seen, **hidden}, calls)
