"""A client of the real server over its pipes: raw JSON-RPC lines, in either protocol era."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, Self

Era = Literal["2025-11-25", "2026-07-28"]
ERAS: tuple[Era, ...] = ("2025-11-25", "2026-07-28")
MODERN: Era = "2026-07-28"


@dataclass
class Client:
    """One server process and the connection to it. Used as a context manager."""

    vault: Path
    era: Era = "2025-11-25"
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    deadline: float = 60.0
    greets: bool = True
    module: str = "personakit"

    def __enter__(self) -> Self:
        self._next = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module, "serve", "--vault", str(self.vault), *self.options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **self.environment},
        )
        self._buffer = b""
        if self.greets:
            self.greet()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def greet(self) -> dict[str, Any]:
        """Open the connection in its era and give the server's answer."""
        if self.era == MODERN:
            return self.request("server/discover")
        answer = self.request(
            "initialize",
            {
                "protocolVersion": self.era,
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "0"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """Write one line as it is."""
        stdin = self._stdin()
        stdin.write(line + b"\n")
        stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Read one message, within the deadline."""
        assert self.process.stdout is not None
        until = time.monotonic() + self.deadline
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise TimeoutError("the server did not answer")
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                raise EOFError("the server closed its output")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send one request and give the whole answer to it."""
        self._next += 1
        params = dict(params or {})
        if self.era == MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "0"},
            }
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        answer = self.receive()
        while answer.get("id") != self._next:
            answer = self.receive()
        return answer

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send one request and give its result."""
        answer = self.ask(method, params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """Call a tool and give its whole result."""
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}})

    def read(self, question: str, limit: int = 20) -> dict[str, Any]:
        """Call personakit_read and give its structured content."""
        result = self.call("personakit_read", {"question": question, "limit": limit})
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content

    def propose(self, text: str, quote: str, **more: str) -> dict[str, Any]:
        """Call personakit_propose and give its structured content."""
        result = self.call("personakit_propose", {"text": text, "quote": quote, **more})
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content

    def close(self, timeout: float = 10.0) -> int:
        """End the input and give the exit code."""
        stdin = self._stdin()
        if not stdin.closed:
            stdin.close()
        return self.process.wait(timeout)

    def _stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin
