"""`python -m tests.bench.palace`: measure drawers, and print JSON."""

from __future__ import annotations

import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from personakit.config import Launch
from personakit.services.clock import SystemClock
from personakit.services.desk import Desk
from personakit.services.file_drawer import NewDrawer, file_drawer
from personakit.services.opened import OpenVault
from personakit.services.palace import FoundDrawer, Taxonomy, find_drawers, taxonomy
from personakit.services.walks import Graph, graph
from personakit.vault.watch import watch_for
from tests.bench.__main__ import bare_write, median
from tests.bench.vaults import vocabulary

EMPTY: Taxonomy = {}
NONE: tuple[FoundDrawer, ...] = ()


def texts(count: int) -> list[str]:
    """Give texts of 60 to 240 words, frequent words frequent."""
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) ** 1.05 for rank in range(len(words))))
    source = random.Random(5)
    return [" ".join(source.choices(words, cum_weights=weights, k=source.randint(60, 240))) for _ in range(count)]


def filled(root: Path, count: int) -> Desk:
    """Make a vault of drawers and open it."""
    (root / "palace").mkdir(parents=True)
    (root / "personakit.yaml").write_text("format: 1\ncache: off\n")
    for number, text in enumerate(texts(count) if count <= 10_000 else itertools.repeat("a short note", count)):
        folder = root / f"palace/w{number % 40}/r{number % 97}"
        folder.mkdir(parents=True, exist_ok=True)
        keys = f"wing: w{number % 40}\nroom: r{number % 97}\nfiled_at: 2026-01-02"
        (folder / f"{number}.md").write_text(f"---\n{keys}\n---\n{text} {number}")
    desk = Desk(Launch(vault=str(root), assistant="bench"), OpenVault(str(root), SystemClock(), watch_for))
    desk.load()
    return desk


def milliseconds(work: Any, count: int) -> list[float]:
    """Time some calls, one by one."""
    found = []
    for number in range(count):
        begun = time.perf_counter()
        work(number)
        found.append((time.perf_counter() - begun) * 1000)
    return found


def searching(work: Path) -> dict[str, float]:
    """Measure search among 5,000 drawers."""
    desk = filled(work / "five", 5_000)
    source = random.Random(3)
    asked = [" ".join(source.sample(sorted(set(text.split())), 6)) for text in texts(400)]
    times = milliseconds(
        lambda number: desk.look(lambda one: find_drawers(one.vault, one.viewer, asked[number], limit=5), NONE), 400
    )
    desk.close()
    return {"search_5000_p50_ms": median(times), "search_5000_p95_ms": round(statistics.quantiles(times, n=20)[-1], 3)}


def counting(work: Path) -> dict[str, float]:
    """Measure the numbers of 50,000 drawers."""
    desk = filled(work / "fifty", 50_000)
    status = milliseconds(lambda _n: desk.look(lambda one: taxonomy(one.vault, one.viewer), EMPTY), 50)
    walks = milliseconds(lambda _n: desk.look(lambda one: graph(one.vault, one.viewer), Graph(())), 20)
    desk.close()
    return {
        "status_50000_p50_ms": median(status),
        "graph_50000_first_ms": round(walks[0], 3),
        "graph_50000_p50_ms": median(walks[1:]),
    }


def filing(work: Path) -> dict[str, float]:
    """Measure filing a thousand drawers one by one, in turns with a bare loop of the same system calls."""
    desk = filled(work / "none", 0)
    bare = work / "bare"
    bare.mkdir()
    kept = texts(1_000)
    floor = milliseconds(lambda number: bare_write(bare, number), 200)
    begun = time.process_time()
    times = milliseconds(
        lambda number: desk.write(lambda one: file_drawer(one, NewDrawer("work", f"r{number % 20}", kept[number]))),
        1_000,
    )
    used = time.process_time() - begun
    desk.close()
    return {
        "add_p50_ms": median(times),
        "bare_p50_ms": median(floor),
        "ratio": round(median(times) / median(floor), 2),
        "add_1000_cpu_s": round(used, 2),
    }


def main() -> None:
    """Run and print."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        found = {**filing(work), **searching(work), **counting(work)}
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
