"""Git's stored contents: read through one process, and named as git names them without asking it."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from typing import IO, TYPE_CHECKING

from personakit.errors import NoHistory

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from personakit.vault.history.git import Git

# Questions are written this many at a time: their bytes fit a pipe, so neither side waits for the other.
_AT_ONCE = 400
_PIECE = 1 << 16
# A damaged object ends the process that was asked for it.
_MOST_STARTS = 20


def blob_name(content: bytes, object_format: str = "sha1") -> str:
    """Give the name under which git keeps a content, in a repository of this object format (`sha1`, `sha256`)."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()


def blob_names(content: bytes, object_format: str = "sha1") -> tuple[str, ...]:
    """Give every name a file's content may be kept under: as it is, and with the line ends of `text eol=lf`."""
    names = [blob_name(content, object_format)]
    if b"\r\n" in content:
        names.append(blob_name(content.replace(b"\r\n", b"\n"), object_format))
    return tuple(names)


class Objects:
    """One `git cat-file --batch` process, started when it is first needed. A context that ends it."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._turn = threading.Lock()

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        with self._turn:
            self._end()

    def read(self, names: Iterable[str], most: int) -> Iterator[tuple[str, bytes | None]]:
        """Give the contents of blobs, each once and in the order asked for.

        None: it is not here (a shallow or partial clone, damage), is no blob, or has more than `most` bytes.

        Raises:
            NoHistory: git cannot be run, or dies again and again.
        """
        wanted = list(dict.fromkeys(names))
        for start in range(0, len(wanted), _AT_ONCE):
            with self._turn:
                found = self._batch(wanted[start : start + _AT_ONCE], most)
            yield from found

    def _batch(self, names: list[str], most: int) -> list[tuple[str, bytes | None]]:
        found: list[tuple[str, bytes | None]] = []
        while len(found) < len(names):
            asked = names[len(found) :]
            pipes = self._pipes()
            with contextlib.suppress(BrokenPipeError):
                pipes[0].write("".join(f"{name}\n" for name in asked).encode("ascii"))
                pipes[0].flush()
            for name in asked:
                answer = pipes[1].readline()
                if not answer.endswith(b"\n"):
                    # It died of this one; the others are asked for again.
                    self._end()
                    found.append((name, None))
                    break
                found.append((name, _content(answer, pipes[1], most)))
        return found

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            self._starts += 1
            if self._starts > _MOST_STARTS:
                raise NoHistory("broken", "many of its objects are damaged")
            try:
                self._process = self._git.start("cat-file", "--batch")
            except OSError as error:
                raise NoHistory("no_git") from error
        if self._process.stdin is None or self._process.stdout is None:
            raise NoHistory("broken", "git has no pipes")
        return self._process.stdin, self._process.stdout

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.kill()
        process.wait()


def _content(answer: bytes, pipe: IO[bytes], most: int) -> bytes | None:
    """Read what follows one answer's first line: `NAME TYPE SIZE`, or `NAME missing` and nothing."""
    words = answer.split()
    if len(words) != 3 or not words[2].isdigit():
        return None
    size = int(words[2])
    if size <= most:
        content = pipe.read(size + 1)
        return content[:-1] if words[1] == b"blob" and len(content) == size + 1 else None
    left = size + 1
    while left and (piece := pipe.read(min(left, _PIECE))):
        left -= len(piece)
    return None
