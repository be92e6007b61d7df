"""What a sync costs: CPU-seconds, children included, for memories that both machines changed.

Run as `python -m tests.bench.merging [NUMBER]`.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from tests.services.machines import QUIET, WHO, Machine, two_machines
from tests.support import text_of


def burnt() -> float:
    """Give the CPU-seconds of this process and its children so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def fill(machine: Machine, number: int, *, state: str, category: str, quote: str, note: str) -> None:
    """Write as many memories, in folders of a hundred."""
    for each in range(number):
        text = text_of(
            f"Prefers thing number {each}",
            type="memory",
            id=f"m_{each:012x}",
            state=state,
            created="2026-01-01",
            category=category,
            evidence=[f"thing {each}", *([quote] if quote else [])],
        )
        machine.write(f"memories/{each // 100}/{each}.md", f"{text}\n{note}\n\nThe last words.\n")
    machine.commit()


def main() -> None:
    """Measure, and print one line."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    os.environ.update(WHO)
    os.environ.update(QUIET)
    with tempfile.TemporaryDirectory() as folder:
        laptop, desk, _ = two_machines(Path(folder))
        fill(laptop, number, state="unconfirmed", category="tools", quote="", note="A note.")
        laptop.sync(), desk.sync()
        fill(laptop, number, state="approved", category="tools", quote="from the laptop", note="A note.")
        fill(desk, number, state="rejected", category="preferences", quote="from the desk", note="A changed note.")
        laptop.sync()
        before, began = burnt(), time.monotonic()
        done = desk.sync()
        assert done.merged == number and not done.open
        print(f"merged {number} memories: {burnt() - before:.1f} CPU-s, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
