"""Two clones of a vault, random edits, proposals and decisions on both, and a sync now and then."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from personakit.model.memory import memory_id
from personakit.model.note import Kind
from personakit.model.states import CAUTION, State
from personakit.vault.lines import NoSafeEdit, add_item, set_key
from personakit.vault.reading import Condition, Reading, read_file
from tests.services.machines import QUIET, WHO, Machine, git, two_machines
from tests.support import text_of, tree_hash

WORDS = ("tea", "coffee", "night", "morning", "music", "silence", "paper", "screens", "walks", "trains")


@dataclass
class Life:
    """What the owner and the assistants did, as far as the end is judged by it."""

    chance: random.Random
    proposed: set[str] = field(default_factory=set)
    quotes: set[str] = field(default_factory=set)
    number: int = 0

    def unique(self) -> str:
        """Give words that nothing else holds."""
        self.number += 1
        return f"{self.chance.choice(WORDS)} number {self.number}"


def read(machine: Machine, path: str) -> Reading:
    """Read a memory of a machine."""
    return read_file(path, Kind.MEMORY, (machine.root / path).read_bytes())


def paths(machine: Machine) -> list[str]:
    """Give the memories of a machine that can be edited."""
    found = sorted(path.relative_to(machine.root).as_posix() for path in (machine.root / "memories").rglob("*.md"))
    return [path for path in found if read(machine, path).condition is Condition.READ]


def propose(life: Life, machine: Machine) -> None:
    """Have an assistant propose something."""
    words = life.unique()
    statement, quote = f"Prefers {words}", f"I like {words}"
    id_ = memory_id(statement)
    life.proposed.add(id_)
    life.quotes.add(quote)
    text = text_of(statement, type="memory", id=id_, state="unconfirmed", category="tools", evidence=[quote])
    machine.commit(f"memories/{id_}.md", text)


def edit(life: Life, machine: Machine, change: str) -> None:
    """Change one memory, as an owner or an assistant may."""
    path = life.chance.choice(paths(machine))
    file = machine.root / path
    raw = file.read_bytes()
    try:
        file.write_bytes(_changed(life, raw, change))
    except NoSafeEdit:
        return
    if machine.status():
        machine.commit()


def _changed(life: Life, raw: bytes, change: str) -> bytes:
    if change == "quote":
        quote = f"I said {life.unique()}"
        life.quotes.add(quote)
        return add_item(raw, "evidence", quote)
    if change == "audience":
        return add_item(raw, "assistants", life.chance.choice(["robin", "kit", "ana"]))
    if change == "category":
        return set_key(raw, "category", life.chance.choice(["tools", "preferences", "constraints"]))
    if change == "own key":
        return set_key(raw, life.chance.choice(["mood", "place"]), life.chance.choice(WORDS))
    if change == "note":
        return raw + f"\n\nA note of {life.unique()}.\n".encode()
    return re.sub(rb"\nPrefers [^\n]*", b"\nPrefers " + life.unique().encode(), raw)


def decide(life: Life, machine: Machine) -> None:
    """Have the owner decide on one memory."""
    path = life.chance.choice(paths(machine))
    state = life.chance.choice(list(State))
    raw = (machine.root / path).read_bytes()
    changed = set_key(raw, "state", state.value)
    if changed != raw:
        (machine.root / path).write_bytes(changed)
        machine.commit()


def together(machine: Machine) -> None:
    """Sync one machine, mend what it asks for, and judge the states that came of it."""
    done = machine.sync()
    for path in done.open:
        assert read(machine, path).problems[0].code == "merge_conflict"
        assert "approved" not in _clean_state(machine, path)
        mend(machine, path)
    if done.open:
        machine.go_on()
    parents = git(machine.top, "log", "-1", "--format=%P").split()
    if len(parents) == 2:
        judge_states(machine, *parents)


def judge_states(machine: Machine, one: str, other: str) -> None:
    """No state of a merge is more permissive than what was decided on either side since their base."""
    base = git(machine.top, "merge-base", one, other).strip()
    changed = {path for side in (one, other) for path in git(machine.top, "diff", "--name-only", base, side).split()}
    for path in changed:
        before, *sides = [_state_at(machine, commit, path) for commit in (base, one, other)]
        now = _state_at(machine, "HEAD", path)
        decided = [state for state in sides if state is not None and state is not before]
        if now is not None and None not in sides:
            allowed = decided or [state for state in sides if state is not None]
            assert all(CAUTION.index(now) <= CAUTION.index(state) for state in allowed), path


def _state_at(machine: Machine, commit: str, path: str) -> State | None:
    reading = read_file(path, Kind.MEMORY, git(machine.top, "show", f"{commit}:{path}", ok=False).encode())
    return reading.notes[0].state if reading.notes else None


def _clean_state(machine: Machine, path: str) -> str:
    return "".join(re.findall(r"^state: .*$", (machine.root / path).read_text(), re.MULTILINE))


def mend(machine: Machine, path: str) -> None:
    """Choose the first side of every conflict, as an owner may."""
    text = (machine.root / path).read_text()
    text = re.sub(r"<<<<<<< one side\n(.*?)=======\n.*?>>>>>>> other side\n", r"\1", text, flags=re.DOTALL)
    (machine.root / path).write_text(text)
    assert read(machine, path).condition is Condition.READ, text


def live(folder: Path, seed: int, steps: int) -> None:
    """Let two machines live, and judge the end."""
    life = Life(random.Random(seed))
    laptop, desk, _ = two_machines(folder)
    changes = ["quote", "quote", "audience", "category", "own key", "note", "statement"]
    for _ in range(steps):
        machine = life.chance.choice((laptop, desk))
        what = life.chance.choice(["propose", "decide", "decide", "edit", "edit", "edit", "sync"])
        if what == "propose":
            propose(life, machine)
        elif what == "decide":
            decide(life, machine)
        elif what == "edit":
            edit(life, machine, life.chance.choice(changes))
        else:
            together(machine)
    for machine in (laptop, desk, laptop):
        together(machine)
    assert laptop.head() == desk.head()
    assert tree_hash(laptop.root) == tree_hash(desk.root)
    assert laptop.status() == desk.status() == ""
    judge(life, laptop)


def judge(life: Life, machine: Machine) -> None:
    """Every proposal and every quote is there, and every file can be read or is held."""
    everything = ""
    for path in sorted((machine.root / "memories").rglob("*.md")):
        reading = read_file(path.name, Kind.MEMORY, path.read_bytes())
        assert reading.condition is Condition.READ or any(problem.holds for problem in reading.problems)
        everything += path.read_text()
    assert {id_ for id_ in life.proposed if f"id: {id_}" not in everything} == set()
    assert {quote for quote in life.quotes if quote not in everything} == set()


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give git an identity and no settings of this machine."""
    for name, value in {**WHO, **QUIET}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_few_days(tmp_path: Path, seed: int) -> None:
    """After 25 steps both machines are equal, with every proposal and quote."""
    live(tmp_path, seed, 25)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [10, 11, 12])
def test_months(tmp_path: Path, seed: int) -> None:
    """After 200 steps both machines are equal, with every proposal and quote."""
    live(tmp_path, seed, 200)
