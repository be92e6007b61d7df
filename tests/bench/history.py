"""`python -m tests.bench.history [--commits 10000]`: measure reading the past, and print JSON.

The repository is made with `git fast-import`: each commit edits one of the memories. What matters: the history of one
memory in under 0.5 s with and without git's commit-graph, and 300 files at a commit in under 0.3 s.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from personakit.errors import UnknownId
from personakit.services.clock import SystemClock
from personakit.services.opened import OpenVault
from personakit.services.recount import Recounter
from personakit.vault.history.health import troubles
from personakit.vault.history.past import Past
from personakit.vault.layout import MAX_MEMORY
from personakit.vault.watch import NoWatch

FILES_TO_COMMITS = 5
BEGIN = 1_700_000_000


def id_of(number: int) -> str:
    """Give the id of a memory of the bench."""
    return f"m_{number:012x}"


def page(number: int, version: int) -> bytes:
    """Give a memory's file."""
    state = ("unconfirmed", "approved")[version % 2]
    lines = ["---", "type: memory", f"id: {id_of(number)}", f"state: {state}", "evidence:", '  - "as I said"', "---"]
    return "\n".join([*lines, f"Likes the number {number} in version {version // 2}", ""]).encode()


def make(root: Path, commits: int) -> None:
    """Make a repository in which every commit edits one memory, and check it out."""
    files = max(1, commits // FILES_TO_COMMITS)
    stream = bytearray()
    for number in range(commits):
        memory, version = number % files, number // files
        data = page(memory, version)
        who = f"Rosalind Fictiva <rosalind@fictiva.example> {BEGIN + number * 600} +0000"
        stream += f"commit refs/heads/main\ncommitter {who}\ndata 6\nChange\n".encode()
        path = f"memories/{memory % 100:02}/{memory}.md"
        stream += f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "personakit.yaml").write_text("format: 1\n")
    git(root, "fast-import", "--quiet", data=bytes(stream))
    git(root, "reset", "-q", "--hard")


def git(root: Path, *words: str, data: bytes = b"") -> None:
    """Run git."""
    kept = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, input=data, check=True, env=kept)


def seconds(work: Callable[[], object], rounds: int = 5) -> float:
    """Give the median wall time of a piece of work."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return round(sorted(found)[rounds // 2], 3)


def measure(vault: OpenVault) -> dict[str, float]:
    """Measure every way of asking."""

    def one() -> None:
        with Recounter(vault) as past:
            assert len(past.account(id_of(7)).steps) == FILES_TO_COMMITS

    def then() -> None:
        with Recounter(vault) as past:
            past.then(id_of(7), "HEAD~5000" if len(vault.library.files) >= 2_000 else "HEAD")

    def contents() -> None:
        with Past(vault.root) as past:
            tree = past.tree("HEAD~100", "memories")
            assert len(past.contents(list(tree.values())[:300], MAX_MEMORY)) == min(300, len(tree))

    def whole() -> None:
        with Past(vault.root) as past:
            assert sum(len(record.files) for record in past.log("memories")) > 0

    def lately() -> None:
        with Recounter(vault) as past:
            past.lately(30)

    return {
        "history_of_one_s": seconds(one),
        "show_at_a_commit_s": seconds(then),
        "contents_of_300_s": seconds(contents),
        "latest_30_s": seconds(lately),
        "whole_folder_pass_s": seconds(whole, 3),
        "doctor_look_s": seconds(lambda: troubles(vault.root)),
    }


def unknown(vault: OpenVault) -> float:
    """Measure the dearest question: an id that nothing ever had."""

    def ask() -> None:
        with Recounter(vault) as past, contextlib.suppress(UnknownId):
            past.account("m_ffffffffffff")

    return seconds(ask, 1)


def main() -> None:
    """Measure with and without a commit-graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=10_000)
    commits = parser.parse_args().commits
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "vault"
        make(root, commits)
        vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
        vault.load()
        found: dict[str, Any] = {"commits": commits, "without_commit_graph": measure(vault)}
        found["without_commit_graph"]["unknown_id_s"] = unknown(vault)
        git(root, "commit-graph", "write", "--reachable", "--changed-paths", "--no-progress")
        found["with_commit_graph"] = measure(vault)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
