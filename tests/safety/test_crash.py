"""`kill -9` at any moment: what was acknowledged is there, nothing is half there, and nothing needs a repair."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from personakit.model.memory import Memory
from personakit.model.note import Kind
from personakit.model.states import State
from personakit.vault.reading import Condition, read_file
from tests.rpc import ERAS, Client
from tests.safety.dying import QUOTE, TEXT
from tests.support import LONG_AGO, make_vault, open_desk, put, texts, wait_for

REPOSITORY = Path(__file__).parents[2]
MOST_QUOTES = 10


def memories_in(root: Path) -> dict[str, Memory]:
    """Give every memory file's content by the id it declares; each file must be whole."""
    found: dict[str, Memory] = {}
    for path in sorted((root / "memories").rglob("*.md")):
        reading = read_file(path.relative_to(root).as_posix(), Kind.MEMORY, path.read_bytes())
        assert reading.condition is Condition.READ, path
        (note,) = reading.notes
        assert isinstance(note, Memory) and note.id not in found, path
        found[note.id] = note
    return found


def litter_in(*folders: Path) -> list[Path]:
    """Give every temporary file below some folders."""
    return [path for folder in folders for path in folder.rglob("*") if path.name.endswith(".tmp")]


@dataclass
class Ledger:
    """What was acknowledged.

    Attributes:
        quotes: id -> the quotes that were taken as evidence for it.
        states: id -> the states that its file may say: the last one decided, and the one that was being decided.
        texts: id -> its statement.
    """

    quotes: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    states: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(lambda: {"unconfirmed"}))
    texts: dict[str, str] = field(default_factory=dict)
    acknowledged: int = 0
    decided: int = 0

    def propose_until_killed(self, client: Client, by: str, begin: int) -> None:
        """Propose new statements, and each second time what the other server may just propose, until the end."""
        number = begin
        with contextlib.suppress(EOFError, OSError):
            while True:
                number += 1
                text = f"Likes tea number{number // 2}x"
                quote = f"{by} said so, time {number}"
                stored = client.propose(text, quote)
                self.texts[stored["id"]] = text
                if stored["state"] == "unconfirmed":
                    self.quotes[stored["id"]].add(quote)
                self.acknowledged += 1

    def decide_until_killed(self, decider: subprocess.Popen[str]) -> None:
        """Write down what the owner's process says."""
        assert decider.stdout is not None
        for line in decider.stdout:
            what, id_, state = line.rstrip("\n").split(" ") if line.endswith("\n") else ("", "", "")
            if what == "try":
                self.states[id_].add(state)
            elif what == "did":
                self.states[id_] = {state}
                self.decided += 1

    def check(self, root: Path) -> None:
        """Nothing acknowledged is lost."""
        found = memories_in(root)
        for id_, text in self.texts.items():
            assert found[id_].text == text
            evidence = found[id_].evidence
            assert self.quotes[id_] <= set(evidence) or len(evidence) == MOST_QUOTES
        for id_, states in self.states.items():
            assert found[id_].state in states


def story(root: Path, ledger: Ledger, number: int) -> None:
    """Let two servers and a decider work on one vault, and kill all three somewhere in the middle."""
    chance = random.Random(number)
    with contextlib.ExitStack() as stack:
        clients = [
            stack.enter_context(Client(root, ERAS[number % 2], options=("--as", name))) for name in ("alpha", "beta")
        ]
        for client in clients:
            starts_without_repair(client, root, ledger, chance)
        decider = subprocess.Popen(
            [sys.executable, "-m", "tests.safety.decider", str(root), str(number)],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(decider.__exit__, None, None, None)
        before = ledger.acknowledged, ledger.decided
        begin = number * 10_000
        workers = [
            threading.Thread(target=ledger.propose_until_killed, args=(client, name, begin))
            for client, name in zip(clients, ("alpha", "beta"), strict=True)
        ]
        workers.append(threading.Thread(target=ledger.decide_until_killed, args=(decider,)))
        for worker in workers:
            worker.start()
        enough = chance.randrange(3, 30)
        try:
            wait_for(lambda: ledger.acknowledged >= before[0] + enough and ledger.decided > before[1], 60)
            victims: list[subprocess.Popen[Any]] = [decider, *(client.process for client in clients)]
            chance.shuffle(victims)
            for victim in victims:
                time.sleep(chance.uniform(0, 0.01))  # no wait for anything: the moment of the kill is what is random
                os.kill(victim.pid, signal.SIGKILL)
        finally:
            decider.kill()
            for client in clients:
                client.process.kill()
            for worker in workers:
                worker.join()
        for victim in victims:
            victim.wait()


def starts_without_repair(client: Client, root: Path, ledger: Ledger, chance: random.Random) -> None:
    """The first call after a start is answered from all that is there, and the litter is gone by then."""
    if not ledger.texts:
        return
    found = memories_in(root)
    id_ = chance.choice(sorted(ledger.texts))
    served = [memory["id"] for memory in client.read(ledger.texts[id_].split()[-1])["memories"]]
    assert (id_ in served) is (found[id_].state in (State.APPROVED, State.UNCONFIRMED))
    assert not litter_in(root)


def tell_stories(root: Path, stories: int) -> None:
    """Kill so many times, and after each look at what is left."""
    ledger = Ledger()
    for number in range(stories):
        story(root, ledger, number)
        ledger.check(root)
        for path in litter_in(root):
            os.utime(path, (LONG_AGO, LONG_AGO))
    with Client(root) as client:
        starts_without_repair(client, root, ledger, random.Random(0))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty vault without limits."""
    return make_vault(tmp_path / "vault", "format: 1\nproposals_per_minute: 99999\nunconfirmed_per_proposer: 99999\n")


def test_six_kills(root: Path) -> None:
    """Two servers and a decider killed six times at random: nothing acknowledged is lost, nothing is half written."""
    tell_stories(root, 6)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_kills(root: Path) -> None:
    """The same a hundred times."""
    tell_stories(root, 100)


@pytest.mark.parametrize("action", ["propose", "repeat", "decide", "look", "load"])
def test_any_step_of_a_write_may_be_the_last(tmp_path: Path, cache_home: Path, action: str) -> None:
    """A write that is killed before each of its steps in turn leaves the old file or the new one, whole."""
    start = make_vault(tmp_path / "start")
    put(start, "b.md", "Likes coffee", state="approved")
    if action != "propose":
        put(start, "a.md", TEXT, id="m_0000000000aa", state="unconfirmed", evidence=["first"])
    (start / ".personakit").mkdir()
    (start / ".personakit" / "seen.jsonl").write_text('{"id":"m_0000000000aa","state":"approved","words":"m"}\n')
    done = subprocess.run(
        [sys.executable, "-m", "tests.safety.dying", str(tmp_path), action],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folders = sorted(tmp_path.iterdir())
    old, new = said_in(start), said_in(tmp_path / str(len(folders) - 1))
    kills = 0
    for root in folders:
        found = said_in(root)
        assert found in (old, new)
        kills += 1
        for path in litter_in(root, cache_home):
            os.utime(path, (LONG_AGO, LONG_AGO))
        desk = open_desk(root, assistant="alpha")
        assert "Likes coffee" in texts(desk, "coffee")
        assert not litter_in(root, cache_home), "a start removes what a killed process left"
        stored = desk.propose(TEXT, QUOTE, "other")
        desk.close()
        assert stored and len(memories_in(root)) == 2
    assert kills > 5


def said_in(root: Path) -> list[tuple[object, ...]]:
    """Give what the memories in a vault say; the time at which they were made may differ."""
    return [(note.id, note.text, note.state, note.evidence) for note in memories_in(root).values()]
