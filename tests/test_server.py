"""The server as clients meet it: the real process, raw lines, both protocol eras."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from personakit import server
from personakit.services.desk import Desk
from personakit.tools.catalogue import toolsets
from personakit.tools.persona import READ
from tests.rpc import ERAS, Client, Era
from tests.support import make_vault, open_desk, put, text_of, tree_hash, wait_for

NOTE = "Unconfirmed: extracted from the owner's conversations but not yet reviewed by them."

PEER = {"name": "p", "version": "0"}
GREEN: dict[str, Any] = {
    "id": "m_0000000000aa",
    "state": "approved",
    "category": "preferences",
    "evidence": ["tea"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with a memory in each state."""
    root = make_vault(tmp_path / "vault")
    put(
        root, "a.md", "Likes green tea", id="m_0000000000aa", state="approved", category="preferences", evidence=["tea"]
    )
    put(root, "b.md", "Likes black tea", id="m_0000000000bb", state="unconfirmed")
    put(root, "c.md", "Likes white tea", id="m_0000000000cc", state="restricted")
    return root


@pytest.mark.parametrize("era", ERAS)
def test_results_are_the_seeds_to_the_key(root: Path, era: Era) -> None:
    """A raw client gets personakit_read and personakit_propose exactly as published, as structure and as text."""
    with Client(root, era) as client:
        result = client.call("personakit_read", {"question": "green tea", "limit": 7})
        assert result["structuredContent"] == {
            "memories": [
                {
                    "id": "m_0000000000aa",
                    "text": "Likes green tea",
                    "category": "preferences",
                    "confirmed": True,
                    "evidence": ["tea"],
                },
                {
                    "id": "m_0000000000bb",
                    "text": "Likes black tea",
                    "category": "other",
                    "confirmed": False,
                    "evidence": [],
                },
            ],
            "withheld": 1,
            "note": NOTE,
        }
        (content,) = result["content"]
        assert json.loads(content["text"]) == result["structuredContent"]
        assert content["text"] == json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))
        stored = client.propose("Plays the oboe", "I play the oboe", category="background")
        assert list(stored) == ["stored", "id", "new", "state"]
        assert stored["new"] is True and stored["state"] == "unconfirmed"
        assert client.propose("", "q") == {"stored": False, "reason": "empty_text"}
        assert "note" not in client.call("personakit_read", {"question": "green", "limit": 1})["structuredContent"]


@pytest.mark.parametrize("era", ERAS)
def test_listing(root: Path, era: Era) -> None:
    """tools/list gives the committed schemas and at most 2,800 bytes of them."""
    with Client(root, era) as client:
        tools = client.request("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["personakit_read", "personakit_propose"]
    assert len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode()) <= 2_800
    for tool in tools:
        committed = json.loads(Path(f"personakit/tools/schemas/{tool['name']}.json").read_text())
        assert tool == committed


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("personakit_read", {}, "question"),
    ("personakit_read", {"question": None}, "question"),
    ("personakit_read", {"question": 5}, "question"),
    ("personakit_read", {"question": ["x"]}, "question"),
    ("personakit_read", {"question": "a" * 100_001}, "question"),
    ("personakit_read", {"question": "\ud83d"}, "question"),
    ("personakit_read", {"question": "x", "limit": "many"}, "limit"),
    ("personakit_read", {"question": "x", "limit": True}, "limit"),
    ("personakit_read", {"question": "x", "limit": {}}, "limit"),
    ("personakit_read", {"question": "x", "bogus": 1}, "bogus"),
    ("personakit_propose", {"quote": "q"}, "text"),
    ("personakit_propose", {"text": "t"}, "quote"),
    ("personakit_propose", {"text": "t", "quote": None}, "quote"),
    ("personakit_propose", {"text": "t", "quote": "q", "category": 4}, "category"),
    ("personakit_propose", {"text": "t", "quote": "\udc00q"}, "quote"),
    ("personakit_propose", {"text": "t" * 100_001, "quote": "q"}, "text"),
    ("personakit_propose", {"text": "t", "quote": "q", "state": "approved"}, "state"),
]


@pytest.mark.parametrize("era", ERAS)
def test_wrong_arguments_are_named(root: Path, era: Era) -> None:
    """Each wrong argument gets an error that names it, nothing is written, and the server goes on."""
    before = tree_hash(root)
    with Client(root, era) as client:
        for tool, arguments, field in WRONG:
            result = client.call(tool, arguments)
            error = result["structuredContent"]["error"]
            assert result["isError"] is True
            assert error["code"] == "invalid_argument" and error["field"] == field and field in error["message"]
            assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert tree_hash(root) == before
        assert len(client.read("tea")["memories"]) == 2


@pytest.mark.parametrize("era", ERAS)
def test_limits_are_brought_into_range(root: Path, era: Era) -> None:
    """Limits are clamped, fractions rounded down, numbers in text read; null counts as absent."""
    with Client(root, era) as client:
        for limit, count in ((0, 1), (-5, 1), (1.9, 1), ("2", 2), (1e300, 2), (None, 2), (999, 2)):
            content = client.call("personakit_read", {"question": "tea", "limit": limit})["structuredContent"]
            assert len(content["memories"]) == count, limit


@pytest.mark.parametrize("era", ERAS)
def test_every_line_gets_an_answer(root: Path, era: Era) -> None:
    """Broken lines, unknown tools and requests with lone surrogates are answered, and the server goes on."""
    with Client(root, era) as client:
        client.send_line(b"{not json")
        assert client.receive()["error"]["code"] == -32700
        client.send_line(b"\xff\xfe")
        assert client.receive()["error"]["code"] == -32700
        client.send_line(b"[1]")
        assert client.receive()["error"]["code"] == -32600
        client.send_line(b"[" * 100_000)
        assert client.receive()["error"]["code"] == -32700
        client.send_line(b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "x"}')
        assert client.receive()["error"]["code"] == -32600
        client.send_line(b"")
        assert client.call("personakit_decide")["isError"] is True
        assert client.ask("no/such\udc00method")["error"]
        assert client.read("tea")["withheld"] == 1


def test_a_line_that_never_ends_is_dropped(root: Path) -> None:
    """A line over 32 MiB is answered with an error and forgotten; the next is read."""
    with Client(root) as client:
        client.send_line(b"x" * (33 * 1024 * 1024))
        assert client.receive()["error"]["code"] == -32700
        assert client.read("tea")["withheld"] == 1


@pytest.mark.parametrize("era", ERAS)
def test_an_edit_counts_in_the_next_call(root: Path, era: Era) -> None:
    """The owner's save counts in the very next call, while a second client watches the same vault."""
    path = root / "memories" / "a.md"
    with Client(root, era) as client, Client(root, era, ("--as", "codex")) as other:
        for state, served in (("restricted", False), ("approved", True)) * 5:
            path.write_text(text_of("Likes green tea", id="m_0000000000aa", state=state))
            for each in (client, other):
                found = [memory["id"] for memory in each.read("green")["memories"]]
                assert ("m_0000000000aa" in found) is served


def test_two_servers_store_a_hundred(tmp_path: Path) -> None:
    """Two servers that store 50 proposals each at the same moment leave 100 files and answer from all of them."""
    root = make_vault(tmp_path / "vault")
    with Client(root) as one, Client(root) as two, ThreadPoolExecutor(2) as pool:

        def store(client: Client, name: str) -> int:
            done = [client.propose(f"Likes {name} number {n}", f"{name} {n}") for n in range(50)]
            return sum(answer["stored"] and answer["new"] for answer in done)

        assert list(pool.map(store, (one, two), ("tea", "coffee"))) == [50, 50]
        assert len(list((root / "memories").rglob("*.md"))) == 100
        for client in (one, two):
            for name in ("tea", "coffee"):
                found = {memory["text"] for n in range(50) for memory in client.read(f"{name} {n}")["memories"]}
                assert len({text for text in found if name in text}) == 50


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_cleanly(root: Path, number: signal.Signals) -> None:
    """SIGTERM and SIGINT end the server at once with code 0 and no word on stderr."""
    with Client(root) as client:
        client.read("tea")
        client.process.send_signal(number)
        assert client.process.wait(5) == 0
        assert client.process.stderr is not None and client.process.stderr.read() == b""


def test_the_end_of_input_ends_it(root: Path) -> None:
    """The end of stdin ends the server with code 0 after what was asked is answered."""
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "p", "version": "0"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "personakit_read", "arguments": {"question": "tea"}},
        },
    ]
    done = subprocess.run(
        [sys.executable, "-m", "personakit", "serve", "--vault", str(root)],
        input="\n".join(map(json.dumps, lines)).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0 and done.stderr == b""
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[2]["result"]["structuredContent"]["withheld"] == 1


def test_input_from_a_file_works(root: Path, tmp_path: Path) -> None:
    """Stdin may be a regular file."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "p", "version": "0"}},
    }
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(request) + "\n")
    with file.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "personakit", "serve", "--vault", str(root)],
            stdin=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "personakit"


def test_read_only_and_chosen_tools(root: Path) -> None:
    """--read-only, --tools and --exclude-tools decide what is listed; an unknown name is one sentence and code 2."""
    for options, names in (
        (("--read-only",), ["personakit_read"]),
        (("--tools", "personakit_propose"), ["personakit_propose"]),
        (("--tools", "personakit_propose", "--read-only"), []),
        (("--exclude-tools", "personakit_read"), ["personakit_propose"]),
        (("--toolsets", "all"), [tool.name for toolset in toolsets() for tool in toolset.tools]),
    ):
        with Client(root, options=options) as client:
            assert [tool["name"] for tool in client.request("tools/list")["tools"]] == names
    for option in ("--toolsets", "--tools", "--exclude-tools"):
        done = subprocess.run(
            [sys.executable, "-m", "personakit", "serve", "--vault", str(root), option, "nonsense"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2 and b"nonsense is unknown" in done.stderr and b"Traceback" not in done.stderr


def test_a_broken_setting_is_told_and_mended(root: Path) -> None:
    """A wrong value in personakit.yaml answers each call with one sentence; mending it needs no restart."""
    (root / "personakit.yaml").write_text("format: 1\nconsent: maybe\n")
    with Client(root) as client:
        for _ in range(2):
            error = client.call("personakit_read", {"question": "tea"})["structuredContent"]["error"]
            assert error["code"] == "settings" and "cannot be used" in error["message"]
        (root / "personakit.yaml").write_text("format: 1\n")
        assert client.read("tea")["withheld"] == 1


def test_initialize_is_answered_before_the_vault_is_read(root: Path) -> None:
    """Until its first answer the server has not even loaded what reads a vault."""
    with Client(root, greets=False) as client:
        proc = Path(f"/proc/{client.process.pid}")
        wait_for(lambda: "pydantic_core" in (proc / "maps").read_text() and len(list((proc / "task").iterdir())) > 1)
        assert "_yaml" not in (proc / "maps").read_text()
        assert client.greet()["serverInfo"]["name"] == "personakit"
        client.read("tea")
        assert "_yaml" in (proc / "maps").read_text()


def test_no_vault_is_one_sentence(tmp_path: Path) -> None:
    """Without a vault nothing is served or created, and the sentence says what to do."""
    for arguments, code in ((["--vault", str(tmp_path)], 2), (["--vault", str(tmp_path / "none")], 2), ([], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "personakit", "serve", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=tmp_path,
            timeout=60,
            check=False,
            env={name: value for name, value in os.environ.items() if name != "PERSONAKIT_VAULT"},
        )
        assert done.returncode == code
        assert len(done.stderr.splitlines()) == 1 and b"personakit init" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_scan_that_takes_long_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that waits too long for the first scan says that the index is building; when it is done, calls answer."""
    go = threading.Event()

    def slowly() -> Desk:
        go.wait(30)
        return open_desk(root)

    monkeypatch.setattr(server, "WAIT_SECONDS", 0.01)
    opening = server.Opening(slowly)
    told = server.call(READ, opening, {"question": "tea"})
    assert told.structured_content is not None and told.structured_content["error"]["code"] == "index_building"
    monkeypatch.setattr(server, "WAIT_SECONDS", 30)
    go.set()
    answered = server.call(READ, opening, {"question": "tea"})
    assert answered.structured_content is not None and answered.structured_content["withheld"] == 1


def test_a_crash_says_nothing_of_its_inside(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A fault of ours is one fixed sentence for the assistant and a traceback in the log; the next call works."""
    desk = open_desk(root)
    opening = server.Opening(lambda: desk)
    broken = replace(READ, run=lambda _desk, _request: 1 / 0)  # type: ignore[arg-type, return-value]
    result = server.call(broken, opening, {"question": "tea"})
    assert result.is_error and "division" not in str(result.content) and "division" in caplog.text
    assert not server.call(READ, opening, {"question": "tea"}).is_error
