"""How long a commit of one file takes in a large vault: `python -m tests.bench.commits [MEMORIES]`."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from personakit.model.states import State
from personakit.services.clock import SystemClock
from personakit.services.decide import decide
from personakit.services.opened import OpenVault
from personakit.vault.history.commits import Commits, Message
from personakit.vault.history.waits import why_waiting
from personakit.vault.watch import NoWatch
from tests.bench.vaults import make_vault
from tests.cases.inputs import NOBODY, git

MEMORIES = 10_000
ROUNDS = 11


def make_repository(root: Path, memories: int) -> Path:
    """Make a vault of so many memories whose last commit holds them all."""
    make_vault(root, memories)
    (root / "personakit.yaml").write_text("format: 1\ncommit: auto\n")
    (root / ".gitignore").write_text(".personakit/\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    return root


def commit_one(root: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Measure a look at what is in the way and a commit of one changed, then of one new, file."""
    commits, message = Commits(str(root)), Message("propose m_0123456789ab", "propose", "bench", ("m_0123456789ab",))
    (known, *_) = sorted(root.glob("memories/**/*.md"))
    times: dict[str, list[float]] = {"changed": [], "new": [], "look": []}
    for number in range(rounds):
        for name, path in (("changed", known), ("new", root / f"memories/new-{number}.md")):
            with path.open("a") as file:
                file.write(f"\n{number}\n")
            begun = time.perf_counter()
            assert why_waiting(str(root)) is None
            times["look"].append(time.perf_counter() - begun)
            assert commits.commit([str(path.relative_to(root))], message).commit
            times[name].append(time.perf_counter() - begun)
    return {f"{name}_median_s": round(statistics.median(values), 4) for name, values in times.items()}


def decide_and_commit(root: Path, rounds: int = ROUNDS) -> float:
    """Measure a decision and its commit as `personakit approve` makes them, once the vault is open."""
    vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
    vault.load()
    ids = [note.id for note in vault.library.notes()]
    times = []
    for number in range(rounds):
        begun = time.perf_counter()
        vault.recorder.flush(())
        decide(vault, ids[number], State.REJECTED)
        assert vault.recorder.flush() is None
        times.append(time.perf_counter() - begun)
    return round(statistics.median(times), 4)


def main() -> None:
    """Print the figures as one line of JSON."""
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    os.environ.update(NOBODY)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder})
        root = make_repository(Path(folder).resolve() / "vault", memories)
        figures = {"memories": memories, **commit_one(root), "decide_and_commit_median_s": decide_and_commit(root)}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
