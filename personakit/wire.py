"""Lines of bytes on this process's stdin and stdout, and threads, for a loop that a signal may end at any moment."""

from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    _Job: TypeAlias = tuple[Callable[[], object], asyncio.AbstractEventLoop, asyncio.Future[Any]]

T = TypeVar("T")

# A thread without a call for so long ends.
REST_SECONDS = 30.0
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
        self._writers = Workers()
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
                await self._writers.run(self._write_all, data)

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


class Workers:
    """Threads for calls that block. They are daemons: when the loop ends, the process waits for none of them.

    What such a call was writing is then as after a kill: whole, or not there.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._idle = 0
        self._counting = threading.Lock()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a thread and give what it gives, or raise what it raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._counting:
            self._jobs.put((lambda: function(*arguments), loop, future))
            wanted = self._idle < self._jobs.qsize()
        if wanted:
            threading.Thread(target=self._work, name="call", daemon=True).start()
        return await future

    def _work(self) -> None:
        while (found := self._next()) is not None:
            job, loop, future = found
            outcome: Any
            try:
                outcome, failed = job(), False
            except BaseException as fault:  # noqa: BLE001 - raised again where the call waits
                outcome, failed = fault, True
            try:
                loop.call_soon_threadsafe(_settle, future, outcome, failed)
            except RuntimeError:
                return  # the loop has ended; nobody waits

    def _next(self) -> _Job | None:
        """Wait for a job; None when none has come for long, so that the thread may end."""
        with self._counting:
            self._idle += 1
        while True:
            try:
                found = self._jobs.get(timeout=REST_SECONDS)
            except queue.Empty:
                with self._counting:
                    if self._jobs.empty():
                        self._idle -= 1
                        return None
            else:
                with self._counting:
                    self._idle -= 1
                return found


def _settle(future: asyncio.Future[Any], outcome: Any, failed: bool) -> None:
    if future.done():
        return
    if failed:
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
