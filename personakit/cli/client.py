"""A small MCP client: starts a server as any client does and speaks JSON-RPC lines over its pipes."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any

from personakit import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROTOCOL = "2025-11-25"
END_SECONDS = 5.0


class Client:
    """One connection to a server of its own, ended by `close`."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        """Start a server; each of its answers may take `seconds`.

        Raises:
            OSError: it cannot be started.
        """
        self._seconds = seconds
        self._number = 0
        pipe = subprocess.PIPE
        with contextlib.ExitStack() as opened:
            self._log = opened.enter_context(tempfile.TemporaryFile())
            self._server = subprocess.Popen(list(command), stdin=pipe, stdout=pipe, stderr=self._log, bufsize=0)
            opened.pop_all()
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="read-answers", daemon=True)
        self._reader.start()

    def initialize(self) -> str:
        """Shake hands and give the server's name.

        Raises:
            OSError: there is no answer.
        """
        about = {"name": "personakit-demo", "version": __version__}
        asked = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
        answer = self._request("initialize", asked)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return str(answer["serverInfo"]["name"])

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Call a tool and give its structured content.

        Raises:
            OSError: there is no answer, or it is an error.
        """
        answer = self._request("tools/call", {"name": tool, "arguments": arguments})
        content = answer.get("structuredContent")
        if answer.get("isError") or not isinstance(content, dict):
            raise ConnectionError(f"{tool} answered an error: {content}")
        return content

    def close(self) -> None:
        """End the connection as a client does, by closing the server's input."""
        assert self._server.stdin is not None
        with contextlib.suppress(OSError):
            self._server.stdin.close()
        try:
            self._server.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._reader.join(END_SECONDS)
        assert self._server.stdout is not None
        self._server.stdout.close()
        self._log.close()

    def _request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        until = time.monotonic() + self._seconds
        while True:
            message = self._next(until)
            if message.get("id") == self._number:
                result = message.get("result")
                if not isinstance(result, dict):
                    raise ConnectionError(f"{method} answered {message.get('error')}")
                return result

    def _next(self, until: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise TimeoutError(f"the server gave no answer in {self._seconds:.0f} seconds") from None
        if not line:
            raise ConnectionError(f"the server ended: {self._last_words()}")
        message = json.loads(line)
        return message if isinstance(message, dict) else {}

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message).encode() + b"\n")

    def _read(self) -> None:
        assert self._server.stdout is not None
        for line in self._server.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"
