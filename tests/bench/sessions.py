"""`python -m tests.bench.sessions`: what a session costs beside 10,000 memories, and its journal once it is long."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from personakit.config import Launch
from personakit.model.revision import revision
from personakit.model.trace import Serving
from personakit.services import converse
from personakit.services.clock import SystemClock
from personakit.services.desk import Desk
from personakit.services.ledger import sessions
from personakit.services.opened import OpenVault
from personakit.services.trace import lines_of, servings
from personakit.vault.journal import SERVED
from personakit.vault.watch import watch_for
from tests.bench.vaults import make_vault, questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.services.talk import Talk

ROUNDS = 200
EVENTS = 1_000
RULES = 20
CALLS = 20  # in one session


def milliseconds(work: Callable[[int], object], rounds: int = ROUNDS) -> dict[str, float]:
    """Give the median and the 95th hundredth of the wall time of a piece of work."""
    found = []
    for number in range(rounds):
        begun = time.perf_counter()
        work(number)
        found.append((time.perf_counter() - begun) * 1_000)
    found.sort()
    return {"p50_ms": round(found[rounds // 2], 2), "p95_ms": round(found[rounds * 95 // 100], 2)}


def desk_on(root: Path) -> Desk:
    """Open a desk."""
    desk = Desk(Launch(vault=str(root), assistant="alpha"), OpenVault(str(root), SystemClock(), watch_for))
    desk.load()
    return desk.for_tool("memory_recall")


def make(root: Path, count: int) -> None:
    """Make a vault of many memories, some of them rules."""
    rules = 0
    for path in make_vault(root, count):
        text = (root / path).read_text()
        if "category: constraints" in text and "state: approved" in text:
            rules += 1
            if rules > RULES:
                (root / path).write_text(text.replace("category: constraints", "category: other"))
                os.utime(root / path, (1_790_000_000, 1_790_000_000))
    time.sleep(3)  # what was written just now is read twice: a vault at rest is what calls meet


def long_journal(vault: OpenVault, lines: int) -> str:
    """Write a long journal of many sessions, and give the id of one."""
    notes = [note for note in vault.library.notes() if note.id.startswith("m_")][:2_000]
    ids = [[note.id, revision(note)] for note in notes]
    source = random.Random(3)
    rows = [
        {"at": f"2026-11-{day % 28 + 1:02}T09:30:00Z", "to": "alpha", "tool": "memory_recall"}
        | {"session": f"s_{number % 500:016}", "ids": source.choices(ids, k=3), "query": f"{number:016x}"}
        | ({"opened": True} if number < 500 else {})
        for number, day in zip(range(lines), range(lines), strict=True)
    ]
    assert vault.recorder.journal.add(SERVED, rows)
    return f"s_{7:016}"


def cpu(work: Callable[[], object]) -> float:
    """Give the CPU seconds of a piece of work."""
    begun = time.process_time()
    work()
    return round(time.process_time() - begun, 3)


def git(root: Path, *words: str) -> None:
    """Run git as nobody in particular."""
    who = {f"GIT_{role}_{part}": "x@fictiva.example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    kept = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, check=True, env=kept, capture_output=True)


def traced(root: Path) -> dict[str, float]:
    """Measure a trace of many commits and as many servings: all of it, our own part, and one `git log` beside it."""
    path = root / "memories" / "traced.md"
    path.parent.mkdir(parents=True)
    (root / "personakit.yaml").write_text("format: 1\n")
    (root / ".gitignore").write_text(".personakit/\n")
    git(root, "init", "-q", "-b", "main")
    stream = bytearray()
    for number in range(EVENTS):
        state = ("unconfirmed", "approved")[number % 2]
        data = f"---\nid: m_0123456789ab\nstate: {state}\n---\nLikes tea\n".encode()
        who = f"A <a@fictiva.example> {1_600_000_000 + number * 600} +0000"
        stream += f"commit refs/heads/main\ncommitter {who}\n".encode()
        stream += (
            b"data 6\nChange\nM 100644 inline memories/traced.md\n" + f"data {len(data)}\n".encode() + data + b"\n"
        )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=bytes(stream), check=True)
    git(root, "reset", "-q", "--hard")
    vault = desk_on(root)._vault
    row = {"to": "alpha", "ids": [["m_0123456789ab", "r"]]}
    rows = [{"at": f"2026-11-{number % 28 + 1:02}T09:30:00Z", **row} for number in range(EVENTS)]
    vault.recorder.journal.add(SERVED, rows)

    def whole(_: int) -> None:
        assert len(lines_of(vault, "m_0123456789ab", lambda _: "")[0]) >= EVENTS

    def log(_: int) -> None:
        words = ["git", "log", "--format=%H", "--raw", "--", "memories/traced.md"]
        subprocess.run(words, cwd=root, check=True, capture_output=True)

    def journal(_: int) -> None:
        found: list[Serving] = list(servings(vault, "m_0123456789ab"))
        assert len(found) == EVENTS

    return {
        "trace_ms": milliseconds(whole, 10)["p50_ms"],
        "trace_own_cpu_ms": sorted(cpu(lambda: whole(0)) for _ in range(10))[5] * 1_000,
        "git_log_ms": milliseconds(log, 10)["p50_ms"],
        "its_servings_ms": milliseconds(journal, 10)["p50_ms"],
    }


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=100_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "vault"
        make(root, wanted.memories)
        desk = desk_on(root)
        asked = questions(ROUNDS)
        ids = [
            desk.talk(lambda talk: converse.start(talk, asked[0], "", "", "")).session for _ in range(ROUNDS // CALLS)
        ]

        def recall(number: int) -> object:
            def verb(talk: Talk) -> object:
                return converse.recall(talk, asked[number], "what comes next", ids[number // CALLS])

            return desk.talk(verb)

        def start(number: int) -> object:
            return desk.talk(lambda talk: converse.start(talk, asked[number], "", "", ""))

        found = {"memory_start": milliseconds(start), "memory_recall": milliseconds(recall)}
        id_ = long_journal(desk._vault, wanted.lines)
        other = desk_on(root)
        again = cpu(lambda: other.talk(lambda talk: converse.close(talk, id_)))
        ledger = cpu(lambda: sessions(other._vault))
        more = traced(Path(folder).resolve() / "traced")
    sizes = {"memories": wanted.memories, "rules": RULES, "lines": wanted.lines}
    cost = {"session_made_again_cpu_s": again, "all_sessions_cpu_s": ledger}
    print(json.dumps({**sizes, **found, **cost, **more}, indent=2))


if __name__ == "__main__":
    main()
