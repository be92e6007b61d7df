"""Lines of bytes on this process's stdin and stdout, for a server loop that a signal may end at any moment."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

LONGEST_LINE = 32 * 1024 * 1024
# A pipe that polls as writable takes this much without blocking (POSIX PIPE_BUF).
_NEVER_BLOCKS = 4096


class Wire:
    """The process's stdin and stdout, taken over: what else reads or prints here meets nothing of the protocol."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self._turn = anyio.Lock()
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(self._out, select.POLLOUT)

    def lines(self) -> MemoryObjectReceiveStream[bytes | None]:
        """Give stdin's lines as they come, without their ends; None for one that is too long to be kept.

        A thread reads, since a pipe, a file and a terminal then behave alike; it dies with the process.
        """
        loop = asyncio.get_running_loop()
        send, receive = anyio.create_memory_object_stream[bytes | None](float("inf"))
        threading.Thread(target=self._read, args=(loop, send), name="read-stdin", daemon=True).start()
        return receive

    def _read(self, loop: asyncio.AbstractEventLoop, send: MemoryObjectSendStream[bytes | None]) -> None:
        lines = _Lines()
        try:
            while chunk := _read_some(self._in):
                for line in lines.split(chunk):
                    loop.call_soon_threadsafe(_deliver, send, line)
            if lines.rest:
                loop.call_soon_threadsafe(_deliver, send, lines.rest)
            loop.call_soon_threadsafe(send.close)
        except RuntimeError:
            return  # the loop has ended before its input did

    async def write(self, line: bytes) -> None:
        """Write one line whole; a slow reader never stalls the loop.

        Raises:
            OSError: nobody reads any more.
        """
        data = memoryview(line + b"\n")
        async with self._turn:
            if len(data) <= _NEVER_BLOCKS and self._poll is not None and self._poll.poll(0):
                data = data[os.write(self._out, data) :]
            if data:
                await anyio.to_thread.run_sync(self._write_all, data, abandon_on_cancel=True)

    def _write_all(self, data: memoryview) -> None:
        while data:
            data = data[os.write(self._out, data) :]


class _Lines:
    """Cuts chunks into lines and forgets a line that grows too long, up to its end."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def rest(self) -> bytes:
        """What came after the last line end."""
        return b"".join(self._parts)

    def split(self, chunk: bytes) -> list[bytes | None]:
        """Take a chunk and give the lines it completes."""
        *ended, last = chunk.split(b"\n")
        found: list[bytes | None] = []
        for piece in ended:
            self._add(piece)
            found.append(self.rest if self._size <= LONGEST_LINE else None)
            self._parts, self._size = [], 0
        self._add(last)
        return found

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > LONGEST_LINE:
            self._parts = []
        elif piece:
            self._parts.append(piece)


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


def _deliver(send: MemoryObjectSendStream[bytes | None], line: bytes | None) -> None:
    try:
        send.send_nowait(line)
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
