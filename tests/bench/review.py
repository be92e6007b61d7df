"""`python -m tests.bench.review [COUNT]`: how long a review takes to open, and to show the next memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from personakit.model.states import State
from personakit.services.clock import SystemClock
from personakit.services.opened import OpenVault
from personakit.services.review.cards import Wanted, card_of, waiting
from personakit.services.review.changes import decide_shown
from personakit.services.transcripts import where_said
from personakit.vault.watch import watch_for
from tests.bench.vaults import make_vault

ROUNDS = 5


def opening(root: Path) -> dict[str, float]:
    """Give the median wall and CPU seconds of a whole review that is left at once; the vault is cached."""
    found = []
    for _ in range(ROUNDS + 1):
        before, begun = os.times(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "personakit", "review"], cwd=root, input=b"q\n", check=True, capture_output=True
        )
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        found.append((time.perf_counter() - begun, cpu))
    found = sorted(found[1:])
    return {"open_s": round(found[ROUNDS // 2][0], 3), "open_cpu_s": round(found[ROUNDS // 2][1], 3)}


def next_screen(root: Path) -> dict[str, float]:
    """Give the median milliseconds from a decision to all that the next screen shows."""
    vault = OpenVault(str(root), SystemClock(), watch_for)
    vault.load()
    ids = waiting(vault, Wanted())[:101]
    times = []
    for number, id_ in enumerate(ids[:-1]):
        card = card_of(vault, id_)
        assert card is not None
        begun = time.perf_counter()
        decide_shown(vault, card, State.APPROVED)
        following = card_of(vault, ids[number + 1])
        assert following is not None
        where_said(vault, following.memory)
        times.append((time.perf_counter() - begun) * 1_000)
    times.sort()
    return {"next_p50_ms": round(times[len(times) // 2], 1), "next_p95_ms": round(times[len(times) * 95 // 100], 1)}


def main() -> None:
    """Measure both."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "vault"
        make_vault(root, count)
        print(json.dumps({"memories": count, **opening(root), **next_screen(root)}, indent=2))


if __name__ == "__main__":
    main()
