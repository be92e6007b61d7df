"""A server process under measurement: when it answers, and what it has used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

_TICK = os.sysconf("SC_CLK_TCK")
_HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


@dataclass
class Process:
    """A server started from `command`; `started` is the time before it was."""

    command: list[str]
    environment: dict[str, str]

    def __enter__(self) -> Self:
        self._next = 0
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self.environment},
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def greet(self) -> float:
        """Do the handshake and give the seconds from the start to its answer."""
        self.request("initialize", _HANDSHAKE)
        seconds = time.perf_counter() - self.started
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return seconds

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def cpu(self) -> float:
        """Give the CPU-seconds used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def memory(self) -> float:
        """Give the resident memory now, in MB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS")


def server(vault: Path, cache: Path) -> Process:
    """Give our server on a vault."""
    command = [sys.executable, "-m", "personakit", "serve", "--vault", str(vault)]
    return Process(command, {"XDG_CACHE_HOME": str(cache)})


def empty_server() -> Process:
    """Give the SDK's server with nothing in it."""
    return Process([sys.executable, str(Path(__file__).parent / "empty_server.py")], {})
