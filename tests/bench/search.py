"""`python -m tests.bench.search [NODES]`: how fast a scoped search is in a large vault of every kind."""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from personakit.model.visibility import viewer
from personakit.services.clock import SystemClock
from personakit.services.opened import OpenVault
from personakit.services.seek.asked import Filters, Wanted
from personakit.services.seek.verb import Seeker
from personakit.vault.watch import watch_for
from tests.bench.vaults import make_vault, questions
from tests.searching import fill

CALLS = 400
PAGED = 5_000


def quantiles(times: list[float], name: str) -> dict[str, float]:
    """Give the median and the 99th hundredth in milliseconds."""
    times = sorted(times)
    return {
        f"{name}_p50_ms": round(times[len(times) // 2], 2),
        f"{name}_p99_ms": round(times[len(times) * 99 // 100], 2),
    }


def made(root: Path, nodes: int) -> OpenVault:
    """Make a vault of memories for four fifths, and of every other kind for the rest, and open it."""
    make_vault(root, nodes * 4 // 5)
    # `fill` makes about 2.5 nodes for each of its memories.
    fill(root / "more", random.Random(5), nodes // 5 * 2 // 5)
    for kind in ("memories", "palace", "facts", "diary", "knowledge"):
        (root / kind).mkdir(exist_ok=True)
        (root / "more" / kind).rename(root / kind / "more")
    for path in (root / "more").iterdir():
        path.unlink()
    (root / "more").rmdir()
    time.sleep(3)  # what was written just now is read twice: a vault at rest is what calls meet
    vault = OpenVault(str(root), SystemClock(), watch_for)
    vault.load()
    return vault


def main() -> None:
    """Measure all of it."""
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as folder:
        vault = made(Path(folder).resolve() / "vault", nodes)
        seeker, seeing = Seeker(vault), viewer("alpha", repositories=frozenset({"r_knowledge"}))
        begun, before = time.perf_counter(), time.process_time()
        first = seeker.seek(vault, seeing, Wanted(("*",), "heron"))
        found: dict[str, Any] = {
            "nodes": len(vault.library.table),
            "first_call_s": round(time.perf_counter() - begun, 2),
            "first_call_cpu_s": round(time.process_time() - before, 2),
            "hits_of_first": first.total,
        }
        times: dict[str, list[float]] = {"any": [], "all": [], "rare": []}
        for number, question in enumerate(questions(CALLS)):
            for name, wanted in (
                ("any", Wanted(("*",), question)),
                ("all", Wanted(("*", "personal"), question, match_all=True)),
                (
                    "rare",
                    Wanted(("*",), f"heron {number}", prefix=number % 2 == 0, filters=Filters(tiers=("archival",))),
                ),
            ):
                begun = time.perf_counter()
                seeker.seek(vault, seeing, wanted)
                times[name].append((time.perf_counter() - begun) * 1_000)
        for name, some in times.items():
            found |= quantiles(some, name)
        found |= quantiles([one for some in times.values() for one in some], "each")
        found |= paging(vault, seeker)
        found["memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(json.dumps(found, indent=2))


def paging(vault: OpenVault, seeker: Seeker) -> dict[str, float]:
    """Page through many hits and give what a page takes; each hit must come once."""
    seeing = viewer(every_list=True, repositories=frozenset({"r_knowledge"}))
    wanted = Wanted(("*",), None, filters=Filters(types=("idea",), everything=True), limit=50, budget=64_000)
    told: list[str] = []
    times: list[float] = []
    while len(told) < PAGED:
        begun = time.perf_counter()
        page = seeker.seek(vault, seeing, wanted)
        times.append((time.perf_counter() - begun) * 1_000)
        told += [hit.node.note.id for hit in page.hits]
        if page.cursor is None:
            break
        wanted = Wanted(wanted.initiatives, None, filters=wanted.filters, limit=50, budget=64_000, cursor=page.cursor)
    if len(set(told)) != len(told):
        raise SystemExit("a hit came twice")
    return {"paged": len(told), **quantiles(times, "page")}


if __name__ == "__main__":
    main()
