"""`python -m tests.bench [--sizes 1000,10000] [--idle SECONDS]`: measure, and print JSON.

Ratios are taken beside their floor in the same run; CPU-seconds come from the process, not from the wall.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from personakit.config import Launch
from personakit.services.clock import SystemClock
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.vault.watch import watch_for
from tests.bench.processes import empty_server, server
from tests.bench.vaults import make_vault, questions


def median(values: list[float]) -> float:
    """Give the median, rounded to what a timer can tell."""
    return round(statistics.median(values), 5)


def p99(values: list[float]) -> float:
    """Give the value that 99 of 100 do not pass."""
    return round(sorted(values)[int(len(values) * 0.99)], 5)


def floor(vault: Path) -> dict[str, float]:
    """Measure this machine as it is now: a bare loop, and reading, splitting and counting every file of a vault."""
    begun = time.process_time()
    for _ in range(100):
        sum(range(100_000))
    loop = time.process_time() - begun
    begun = time.process_time()
    words: Counter[str] = Counter()
    for path in vault.rglob("*.md"):
        words.update(path.read_text("utf-8").split())
    return {
        "ten_million_additions_cpu_s": round(loop, 3),
        "read_split_count_cpu_s": round(time.process_time() - begun, 3),
    }


def start(vault: Path, cache: Path, rounds: int) -> dict[str, float]:
    """Measure start to `initialize`, each round beside the empty server."""
    ours, floor = [], []
    for _ in range(rounds):
        with empty_server() as process:
            floor.append(process.greet())
        with server(vault, cache) as process:
            ours.append(process.greet())
    ratio = median([a / b for a, b in zip(ours, floor, strict=True)])
    return {"ours_s": median(ours), "empty_sdk_s": median(floor), "ratio": ratio}


def usage(vault: Path, cache: Path, rounds: int, *, cold: bool) -> tuple[float, float]:
    """Give CPU-seconds and MB of a server that has answered its first read."""
    cpu, memory = [], []
    for _ in range(rounds):
        if cold:
            for file in cache.rglob("*.jsonl"):
                file.unlink()
        with server(vault, cache) as process:
            process.greet()
            process.call("personakit_read", {"question": "anything"})
            cpu.append(process.cpu())
            memory.append(process.memory())
    return median(cpu), median(memory)


def starts(vault: Path, empty: Path, cache: Path, rounds: int) -> dict[str, float]:
    """Measure cold and cached starts beyond an empty vault."""
    base_cpu, base_memory = usage(empty, cache, rounds, cold=True)
    cold_cpu, cold_memory = usage(vault, cache, rounds, cold=True)
    usage(vault, cache, 1, cold=False)
    warm_cpu, warm_memory = usage(vault, cache, rounds, cold=False)
    return {
        "empty_cpu_s": base_cpu,
        "cold_cpu_s": round(cold_cpu - base_cpu, 3),
        "cached_cpu_s": round(warm_cpu - base_cpu, 3),
        "cold_mb": round(cold_memory - base_memory, 1),
        "cached_mb": round(warm_memory - base_memory, 1),
    }


def opened(vault: Path) -> Desk:
    """Open a desk in this process."""
    launch = Launch(vault=str(vault), assistant="bench")
    desk = Desk(launch, OpenVault(str(vault), SystemClock(), watch_for))
    desk.load()
    return desk


def reads(vault: Path, cache: Path, count: int) -> dict[str, float]:
    """Measure reads in the service and over stdio."""
    desk = opened(vault)
    asked = questions(count)
    desk.read(asked[0], 7)
    seconds = []
    for question in asked:
        begun = time.perf_counter()
        desk.read(question, 7)
        seconds.append((time.perf_counter() - begun) * 1000)
    desk.close()
    wire = []
    with server(vault, cache) as process:
        process.greet()
        process.call("personakit_read", {"question": asked[0]})
        for question in asked[: count // 2]:
            begun = time.perf_counter()
            process.call("personakit_read", {"question": question})
            wire.append((time.perf_counter() - begun) * 1000)
    return {
        "service_p50_ms": median(seconds),
        "service_p99_ms": p99(seconds),
        "stdio_p50_ms": median(wire),
        "stdio_p99_ms": p99(wire),
    }


def bare_write(folder: Path, number: int) -> None:
    """Write one file as carefully as a proposal must: temp, fsync, link, folder fsync."""
    temp = folder / f".{number}.tmp"
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    os.write(descriptor, b"x" * 300)
    os.fsync(descriptor)
    os.close(descriptor)
    os.link(temp, folder / f"{number}.md")
    temp.unlink()
    at = os.open(folder, os.O_RDONLY)
    os.fsync(at)
    os.close(at)


def proposals(vault: Path, scratch: Path, count: int) -> dict[str, float]:
    """Measure propose in turns with a bare loop of the same system calls."""
    (vault / "personakit.yaml").write_text(
        "format: 1\nproposals_per_minute: 1000000\nunconfirmed_per_proposer: 1000000\n"
    )
    desk = opened(vault)
    scratch.mkdir()
    ours, bare = [], []
    for number in range(count):
        begun = time.perf_counter()
        bare_write(scratch, number)
        bare.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        desk.propose(f"Counts to {number} before breakfast", f"I count to {number}", "other")
        ours.append((time.perf_counter() - begun) * 1000)
    desk.close()
    return {"propose_p50_ms": median(ours), "bare_p50_ms": median(bare), "ratio": round(median(ours) / median(bare), 2)}


def edits(vault: Path, cache: Path, paths: list[str], count: int) -> dict[str, Any]:
    """Edit files from outside and ask at once; then replace a thousand."""
    stale, seconds = 0, []
    with server(vault, cache) as process:
        process.greet()
        process.call("personakit_read", {"question": "anything"})
        for number in range(count):
            word = f"zebrafinch{number}"
            (vault / f"memories/2026-01/bench-{number}.md").write_text(f"---\nstate: approved\n---\nLikes {word}\n")
            begun = time.perf_counter()
            answer = process.call("personakit_read", {"question": word, "limit": 1})
            seconds.append((time.perf_counter() - begun) * 1000)
            stale += word not in json.dumps(answer["result"]["structuredContent"])
        before = process.cpu()
        for number, path in enumerate(paths[:1000]):
            temp = vault / f".bench{number}.tmp"
            temp.write_text(f"---\nstate: approved\n---\nReplaced quokkatext number{number}x\n")
            temp.replace(vault / path)
        process.call("personakit_read", {"question": "quokkatext"})
        used = process.cpu() - before
        missing = sum(
            f"number{number}x" not in json.dumps(process.call("personakit_read", {"question": f"number{number}x"}))
            for number in range(0, min(1000, len(paths)), 25)
        )
    return {
        "edit_to_served_p50_ms": median(seconds),
        "stale_answers": stale,
        "replaced_1000_cpu_s": round(used, 3),
        "replaced_missing": missing,
    }


class _MovedClock(SystemClock):
    """The machine's clock, set forward at will."""

    ahead = 0.0

    def monotonic(self) -> float:
        """Give seconds that never go back."""
        return super().monotonic() + self.ahead


def idle(vault: Path, cache: Path, seconds: float) -> dict[str, float]:
    """Measure a server before its first call, and a desk that has had none for ten minutes."""
    with server(vault, cache) as process:
        process.greet()
        time.sleep(5)
        before = process.cpu()
        time.sleep(seconds)
        waiting = process.cpu() - before
    clock = _MovedClock()
    desk = Desk(Launch(vault=str(vault)), OpenVault(str(vault), clock, watch_for))
    desk.load()
    desk.read("anything", 7)
    clock.ahead = 700.0
    time.sleep(17)  # the last round wakes, sees that calls have stopped, and ends
    begun = time.process_time()
    time.sleep(seconds)
    return {"no_call_cpu_s": round(waiting, 3), "past_ten_minutes_cpu_s": round(time.process_time() - begun, 3)}


def measure(size: int, work: Path, rounds: int, idle_seconds: float) -> dict[str, Any]:
    """Measure everything on one size of vault."""
    vault, empty, cache = work / f"vault-{size}", work / "empty", work / "cache"
    os.environ["XDG_CACHE_HOME"] = str(cache)
    paths = make_vault(vault, size)
    make_vault(empty, 0)
    found: dict[str, Any] = {"floor": floor(vault), "start": start(vault, cache, rounds)}
    found["starts"] = starts(vault, empty, cache, rounds)
    found["read"] = reads(vault, cache, 1000)
    found["edits"] = edits(vault, cache, paths, 50)
    found["propose"] = proposals(vault, work / f"bare-{size}", 100)
    if idle_seconds:
        found["idle"] = idle(vault, cache, idle_seconds)
    return found


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default="1000,10000")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--idle", type=float, default=60.0)
    given = options.parse_args()
    found: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    with tempfile.TemporaryDirectory() as work:
        sizes = [int(size) for size in given.sizes.split(",")]
        for size in sizes:
            found[str(size)] = measure(size, Path(work), given.rounds, given.idle if size == sizes[0] else 0.0)
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
