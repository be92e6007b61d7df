"""The small MCP client of the demo, against servers that are not as they should be."""

from __future__ import annotations

import sys

import pytest

from personakit.cli.client import Client


def answering(*lines: str, then: str = "sys.stdin.read()") -> Client:
    """Start a server that reads one line and prints these."""
    script = f"import sys\nsys.stdin.readline()\nfor line in {lines!r}: print(line, flush=True)\n{then}"
    return Client([sys.executable, "-c", script], 20.0)


def test_other_messages_are_passed_over() -> None:
    """Notifications and what is no object are skipped until the answer comes."""
    client = answering(
        '{"jsonrpc":"2.0","method":"note"}', "[]", '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"x"}}}'
    )
    assert client.initialize() == "x"
    client.close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"jsonrpc":"2.0","id":1,"error":{"code":1}}', "tools/call answered {'code': 1}"),
        ('{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":{"e":1}}}', "t answered an error"),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', "t answered an error"),
    ],
)
def test_errors_are_faults(line: str, words: str) -> None:
    """An answer that is an error, or has no content, is told."""
    client = answering(line)
    with pytest.raises(ConnectionError, match=words.replace("{", r"\{")):
        client.call("t", {})
    client.close()


def test_a_server_that_ends() -> None:
    """A server that ends is told with its last words."""
    client = answering(then="sys.exit('no such vault')")
    with pytest.raises(ConnectionError, match="the server ended: no such vault"):
        client.call("t", {})
    client.close()


def test_a_server_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that gives no answer in time is told; closing ends one that will not end itself."""
    script = "import sys, time; sys.stdin.read(); time.sleep(60)"
    client = Client([sys.executable, "-c", script], 0.2)
    with pytest.raises(TimeoutError, match="no answer"):
        client.call("t", {})
    monkeypatch.setattr("personakit.cli.client.END_SECONDS", 0.1)
    client.close()
