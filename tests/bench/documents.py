"""`python -m tests.bench.documents`: how fast documents are found, answered, read anew and recounted; prints JSON.

Wall and CPU in milliseconds, of this process and of the git commands that it waits for.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from personakit.services.clock import SystemClock
from personakit.services.knowledge.ask import ask
from personakit.services.knowledge.changes import changes
from personakit.services.knowledge.inquiry import owners_inquiry
from personakit.services.knowledge.opening import open_passage
from personakit.services.knowledge.search import search
from personakit.services.opened import OpenVault
from personakit.vault.history.documents import passages_of
from personakit.vault.watch import watch_for
from tests.bench.vaults import vocabulary
from tests.cases.inputs import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DAY = 24 * 3600
BEGUN = 1_700_000_000
# As many words of the vocabulary are taken to be as common as those of a stop list.
STOPPED = 100
SINCE = "2023-11-15T00:00:00Z"


class Corpus:
    """Documents of so many sections of 40 to 120 words, frequent words frequent; the same on every machine."""

    def __init__(self, documents: int, sections: int) -> None:
        words = vocabulary()
        weights = list(itertools.accumulate(1 / (rank + 3) ** 1.05 for rank in range(len(words))))
        self._stop = frozenset(words[:STOPPED])
        self.source = random.Random(5)
        self._words, self._weights = words, weights
        self.files = {f"knowledge/{n:03}.md": [self.section() for _ in range(sections)] for n in range(documents)}

    def section(self) -> str:
        """Give the words of one section, in sentences."""
        lengths = [self.source.randint(8, 16) for _ in range(self.source.randint(5, 8))]
        draw = self.source.choices
        sentences = (
            " ".join(draw(self._words, cum_weights=self._weights, k=length)).capitalize() for length in lengths
        )
        return ". ".join(sentences) + "."

    def text(self, path: str) -> str:
        """Give a document."""
        parts = (f"## Part {number}\n{words}\n" for number, words in enumerate(self.files[path]))
        return f"# Book {path[10:13]}\n" + "\n".join(parts)

    def edit(self, number: int) -> str:
        """Write one section of one document anew, and give its path."""
        path = list(self.files)[number * 7 % len(self.files)]
        sections = self.files[path]
        sections[number * 13 % len(sections)] = self.section()
        return path

    def questions(self, count: int) -> list[str]:
        """Give questions in four to nine words of one section each, without those that stand for a stop list's."""
        sections = [words for some in self.files.values() for words in some]
        asked = []
        for _ in range(count):
            words = [
                word for word in self.source.choice(sections).lower().replace(".", "").split() if word not in self._stop
            ]
            asked.append(f"What is {' '.join(self.source.sample(words, self.source.randint(4, 9)))}?")
        return asked

    def commits(self, count: int) -> Iterator[tuple[int, list[str]]]:
        """Give the times of commits and what each changed: first everything, then a section of one document each."""
        yield BEGUN, list(self.files)
        for number in range(count):
            yield BEGUN + (number + 1) * DAY // 2, [self.edit(number)]


def repository(root: Path, corpus: Corpus, commits: int) -> dict[str, str]:
    """Make a vault whose documents have a past of so many commits, and give their first texts."""
    root.mkdir()
    (root / "personakit.yaml").write_text("format: 1\ncache: off\n")
    git(root, "init", "-q", "-b", "main")
    firsts = {path: corpus.text(path) for path in corpus.files}
    stream = (line for at, paths in corpus.commits(commits) for line in imported(at, corpus, paths))
    git(root, "fast-import", "--quiet", stdin=b"".join(stream))
    git(root, "reset", "-q", "--hard", "main")
    for path in corpus.files:  # what was saved this very moment would be read twice
        os.utime(root / path, (BEGUN, BEGUN))
    return firsts


def imported(at: int, corpus: Corpus, paths: Iterable[str]) -> Iterator[bytes]:
    """Give a commit as `git fast-import` reads it."""
    yield f"commit refs/heads/main\ncommitter Ada <ada@fictiva.example> {at} +0000\ndata 1\nx\n".encode()
    for path in paths:
        text = corpus.text(path).encode()
        yield f"M 100644 inline {path}\ndata {len(text)}\n".encode() + text + b"\n"


def git(root: Path, *words: str, stdin: bytes = b"") -> None:
    """Run git."""
    subprocess.run(
        ["git", *words], cwd=root, input=stdin, check=True, capture_output=True, env={**os.environ, **NOBODY}
    )


def opened(root: Path) -> OpenVault:
    """Open a vault as a server does."""
    vault = OpenVault(str(root.resolve()), SystemClock(), watch_for)
    vault.load()
    return vault


def cpu() -> float:
    """Give the CPU seconds of this process and of the children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(work: Callable[[int], object], count: int) -> dict[str, float]:
    """Do something so often and give the median and the slowest but one in a hundred, and what it cost."""
    walls, costs = [], []
    for number in range(count):
        begun, used = time.perf_counter(), cpu()
        work(number)
        walls.append((time.perf_counter() - begun) * 1000)
        costs.append((cpu() - used) * 1000)
    found = {"wall_p50_ms": statistics.median(walls), "cpu_p50_ms": statistics.median(costs)}
    found |= {"wall_p99_ms": sorted(walls)[int(count * 0.99)]} if count > 99 else {}
    return {name: round(value, 2) for name, value in found.items()}


def finding(root: Path, count: int) -> dict[str, Any]:
    """Measure ask, search and reading anew over ten thousand passages."""
    corpus = Corpus(100, 100)
    repository(root, corpus, 0)
    vault = opened(root)
    questions = corpus.questions(count)
    ask(owners_inquiry(vault), questions[0], "")

    def reread(number: int) -> None:
        vault.freshness.before_call()
        assert len(vault.library.notes_of(paths[number])) == 100

    def edited(number: int) -> str:
        path = corpus.edit(number)
        (root / path).write_text(corpus.text(path))
        os.utime(root / path, (BEGUN, BEGUN + number))
        return path

    found: dict[str, Any] = {
        "passages": len(vault.library.table.entries),
        "search": timed(lambda n: search(owners_inquiry(vault), questions[n], "", 10), count),
        "ask": timed(lambda n: ask(owners_inquiry(vault), questions[n], ""), count),
    }
    paths: list[str] = []
    times = []
    for number in range(21):
        paths.append(edited(number))
        times.append(timed(lambda _, n=number: reread(n), 1))  # type: ignore[misc]
    found["reread_100_sections"] = {name: statistics.median(one[name] for one in times) for name in times[0]}
    found["ask_as_of_first"] = timed(lambda n: ask(owners_inquiry(vault), questions[n], "2024-01-01"), 1)
    found["ask_as_of_later"] = timed(lambda n: ask(owners_inquiry(vault), questions[n], "2024-01-01"), 21)
    vault.freshness.watch.close()
    return found


def recounting(root: Path, documents: int, sections: int, commits: int) -> dict[str, Any]:
    """Measure changes and ids of the past over so many commits; `first` is the first call after a start."""
    corpus = Corpus(documents, sections)
    firsts = repository(root, corpus, commits)
    path = next(path for path in firsts if firsts[path] != corpus.text(path))
    now = {one.id for one in passages_of(path, corpus.text(path).encode())}
    old = next(one.id for one in passages_of(path, firsts[path].encode()) if one.id not in now)
    recent = f"{time.strftime('%Y-%m-%d', time.gmtime(BEGUN + commits * DAY // 2 - 30 * DAY))}T00:00:00Z"
    found: dict[str, Any] = {"documents": documents, "sections": sections, "commits": commits}
    calls: dict[str, Callable[[OpenVault], object]] = {
        "changes_all": lambda vault: changes(owners_inquiry(vault), SINCE, 50, ""),
        "changes_month": lambda vault: changes(owners_inquiry(vault), recent, 50, ""),
        "open_old": lambda vault: open_passage(owners_inquiry(vault), old),
        "open_unknown": lambda vault: open_passage(owners_inquiry(vault), "k_000000000000"),
    }
    for name, work in calls.items():
        vault = opened(root)
        found[f"{name}_first"] = timed(lambda _: work(vault), 1)  # noqa: B023
        found[f"{name}_later"] = timed(lambda _: work(vault), 5)  # noqa: B023
        vault.freshness.watch.close()
    return found


def speed(count: int = 400) -> dict[str, Any]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        os.environ.update({"XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder, **NOBODY})
        return {
            **finding(root / "found", count),
            "past": recounting(root / "past", 50, 20, 1_000),
            "large_past": recounting(root / "large", 100, 100, 1_000),
        }


def main() -> None:
    """Print the figures as JSON."""
    print(json.dumps(speed(), indent=1))


if __name__ == "__main__":
    main()
