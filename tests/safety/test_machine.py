"""One folder, two assistants, an owner, a sync tool, a killed process and lost events, in every order.

After each step: what each desk serves is what a fresh scan of the folder would serve; nothing that may not be seen is
served; no byte has changed that the step did not change; and every proposal that was acknowledged is on the disk.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from personakit.config import Launch
from personakit.errors import PersonaKitError, VaultEmptied, VaultMissing, WriteError
from personakit.index.words import Tokeniser
from personakit.model.memory import Memory, memory_id
from personakit.model.note import Kind
from personakit.model.proposal import Accepted
from personakit.model.states import State
from personakit.model.visibility import Sight, Viewer, viewer, visible
from personakit.services.answers import ReadAnswer, ServedMemory, Stored
from personakit.services.decide import decide
from personakit.services.desk import Desk
from personakit.services.find import find, served
from personakit.services.freshness import Freshness
from personakit.services.library import Library
from personakit.services.opened import OpenVault
from personakit.vault.layout import MAX_MEMORY, kind_at
from personakit.vault.reading import Condition, Reading, read_file
from personakit.vault.watch import KernelWatch, NoWatch
from tests.memory_vault import MemoryVault
from tests.safety.owner import LINK, SAVES, Save, contents, in_place, restore, saved
from tests.support import LONG_AGO, SetClock, wait_for


class Long(bytes):
    """Bytes that fill no report."""

    def __repr__(self) -> str:
        return "TOO_LARGE"


STATEMENTS = (
    "Likes tea",
    "likes TEA!",
    "Likes green tea with coffee",
    "Sails at dawn",
    "Sails at dawn with tea",
    "Plays the oboe",
    "Knows a quokka",
)
FOLDERS = ("memories", "memories/sub", "memories/sub/deep", "memories/other", "memories/Übung", "memories/.trash")
NAMES = (
    "a.md",
    "A.md",
    "a 1.md",
    "a (1).md",
    "a.sync-conflict-20261121-184717-5RQAITR.md",
    "a (Ana's conflicted copy 2026-11-21).md",
    "b.md",
    "caf\u00e9.md",
    "cafe\u0301.md",
    "Untitled.MD",
    "c.md~",
)
PATHS = tuple(f"{folder}/{name}" for folder in FOLDERS[:3] for name in NAMES)
IDS = ("m_00000000000a", "m_00000000000b", memory_id("Likes tea"), memory_id("Sails at dawn"), "nonsense", "")
STATES = ("approved", "unconfirmed", "restricted", "rejected", "Approved ", "sure", "")
AUDIENCES = ("", "", "", "assistants: alpha", "assistants: [beta, gamma]", "projects: garden", "assistants: gamma")
UNFINISHED = (b"", b"---\n", b"---\nstate: appro", b"---\nid: m_00000000000a\nstate: approved\n", b"\xef\xbb\xbf\n")
# What holds a zebra is held or withheld, whoever asks.
ODD = (
    b"Likes tea\n",
    b"---\nstate: approved\nstate: restricted\n---\nLikes tea with a zebra\n",
    b"---\nstate: approved\r\n---\r\nSails at dawn\r\n",
    b"---\na: b: c\n---\nLikes tea with a zebra\n",
    b"---\n- a\n---\nLikes tea with a zebra\n",
    b"\xff\xfeL\x00i\x00",
    b"---\nstate: approved\n---\nLikes \xe9t\xe9 tea\n",
    b"---\nstate: approved\n---\n---\nid: x\n---\nLikes tea with a zebra\n",
    b"---\nstate: sure\n---\nLikes tea with a zebra\n",
    b"---\nState : restricted\n---\nLikes tea with a zebra\n",
    b"---\nassistants: alpha\nassistants: beta\n---\nLikes tea with a zebra\n",
    b"<<<<<<< ours\nLikes tea with a zebra\n=======\nLikes coffee\n>>>>>>> theirs\n",
    b"---\nstate: approved\nassistants: *all\n---\nLikes tea with a zebra\n",
    b"---\nstate: approved\n---\n# \n%% nothing %%\n",
    b"\x00" * 10,
    b"---\rstate: approved\r---\rLikes tea with a zebra\r",
    Long(b"Likes tea with a zebra " * 3_000),
)
PROBES = (("tea cofee sails dawn oboes quokka zebra", 20), ("", 2))
SWEEP, SAVE = 16.0, 2.1


def written(id_: str, state: str, audience: str, more: str, statement: str) -> bytes:
    """Give a memory's file; empty parts are left out."""
    keys = [f"id: {id_}" if id_ else "", f"state: {state}" if state else "", audience, more]
    return "\n".join(["---", *filter(None, keys), "---", statement, ""]).encode()


FILES = st.one_of(
    st.builds(
        written,
        st.sampled_from(IDS),
        st.sampled_from(STATES),
        st.sampled_from(AUDIENCES),
        st.sampled_from(["", "", "created: 2026-01-02", "supersedes: m_00000000000a", 'evidence:\n  - "said so"']),
        st.sampled_from(STATEMENTS),
    ),
    st.sampled_from(ODD),
)
PICK = st.integers(0, 999)


class Anew(OpenVault):
    """A vault as a process reads it that has no cache and no past."""

    def load(self, tick: Callable[[int, int], None] | None = None) -> None:
        """Read every file."""
        self.freshness.load({}, tick)


class Imagined(OpenVault):
    """A vault with these files in it, on no disk."""

    def __init__(self, files: dict[str, bytes]) -> None:
        clock, store = SetClock(), MemoryVault()
        for path, data in files.items():
            if not data.startswith(LINK):
                store.put(path, data)
        self.library = Library(store, clock, Tokeniser())
        self.freshness = Freshness(self.library, NoWatch(), clock, "nowhere")
        self.left = {}
        self.freshness.load({})


def anew(root: Path) -> Anew:
    """Read a folder from scratch."""
    vault = Anew(str(root), SetClock(), lambda _root, _documents: NoWatch())
    vault.load()
    return vault


@lru_cache(maxsize=4096)
def reading_of(path: str, data: bytes) -> Reading | None:
    """Read one file for itself; None for what is no memory's file, or is too large."""
    skipped = any(part.startswith(".") for part in path.split("/")) or path.endswith("~")
    if kind_at(path) is not Kind.MEMORY or data.startswith(LINK) or skipped or path[-3:].lower() != ".md":
        return None
    return None if len(data) > MAX_MEMORY else read_file(path, Kind.MEMORY, data)


def is_unfinished(path: str, data: bytes) -> bool:
    """Say whether a file looks like a save that goes on."""
    reading = reading_of(path, data)
    return reading is not None and reading.condition is Condition.UNFINISHED


def is_good(path: str, data: bytes) -> bool:
    """Say whether a file says something."""
    reading = reading_of(path, data)
    return reading is not None and reading.condition is Condition.READ


def watching(root: Path) -> KernelWatch:
    """Watch a folder. The kernel has room for few watchers, and takes those that are closed back a little later."""
    made: list[KernelWatch] = []

    def make() -> bool:
        try:
            made.append(KernelWatch(str(root), ("knowledge",)))
        except OSError as error:
            if error.errno != errno.EMFILE:
                raise
        return bool(made)

    wait_for(make, 60)
    return made[0]


@dataclass
class Seat:
    """One server process, and what the design lets it remember.

    Attributes:
        good: the last good version of each file, which counts while a save of it goes on.
        since: for each unfinished file the span of time in which it was first seen so.
        limited: whether the kernel refuses it more watches, or did until the last step.
        doubting: whether it was told that every file has gone and has not believed it yet.
        known: the number of files when it last looked.
    """

    assistant: str
    project: str
    root: Path
    clock: SetClock
    good: dict[str, bytes] = field(default_factory=dict)
    since: dict[str, tuple[float, float]] = field(default_factory=dict)
    limited: bool = False
    doubting: bool = False
    known: int = 0

    def __post_init__(self) -> None:
        self.viewer: Viewer = viewer(self.assistant, self.project or None)
        self.watch = watching(self.root)
        launch = Launch(vault=str(self.root), assistant=self.assistant, project=self.project)
        self.desk = Desk(launch, OpenVault(str(self.root), self.clock, lambda _root, _documents: self.watch))
        self.desk.load()
        self.vault = self.desk._vault

    def end(self) -> None:
        """End the process; the system takes its descriptors back."""
        self.desk.close()
        self.watch.close()

    def refuse_watches(self, refuse: bool) -> None:
        """Let the kernel have no room for more watches, or have it again."""

        def full(*_: object) -> Any:
            raise OSError(errno.ENOSPC, "inotify watch limit reached")

        if refuse:
            self.watch._fd.add_callback = full  # type: ignore[assignment, method-assign]
        else:
            self.watch._fd.__dict__.pop("add_callback", None)
        self.limited = True

    def answers(self) -> list[ReadAnswer]:
        """Ask every probe."""
        return [self.desk.read(question, limit) for question, limit in PROBES]

    def expected(self, vault: OpenVault) -> list[ReadAnswer]:
        """Ask every probe of another reading of the vault, as this assistant."""
        return [served(find(vault, question, limit, self.viewer)) for question, limit in PROBES]

    def counting(self, files: dict[str, bytes], before: float, after: float) -> dict[str, bytes] | None:
        """Give the files as they count for this process at a time between two. None: it stands on a knife's edge."""
        counted = dict(files)
        for path in [path for path in self.good if is_unfinished(path, files.get(path, LINK))]:
            first, last = self.since.get(path, (before, after))
            if after - first < 2.0:
                counted[path] = self.good[path]
            elif before - last < 2.0:
                return None
        return counted

    def see(self, files: dict[str, bytes], before: float, after: float) -> None:
        """Note which unfinished files a call between two times has seen, and forget those that are whole or gone."""
        unfinished = {path for path, data in files.items() if is_unfinished(path, data)}
        self.since = {path: self.since.get(path, (before, after)) for path in unfinished}

    def remember(self, files: dict[str, bytes], counted: dict[str, bytes]) -> None:
        """Remember what a call has read."""
        self.doubting = False
        self.known = sum(self.is_file(path, data) for path, data in files.items())
        self.good = {path: data for path, data in counted.items() if is_good(path, data)}

    @staticmethod
    def is_file(path: str, data: bytes) -> bool:
        """Say whether the vault counts this among its files."""
        return reading_of(path, data) is not None or (len(data) > MAX_MEMORY and path.lower().endswith(".md"))


class Folder(RuleBasedStateMachine):
    """The folder and everybody who shares it. `files` are the bytes that must be there."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="pk-machine-")).resolve()
        self.root = self.home / "vault"
        self.clock = SetClock()
        self.files = {"personakit.yaml": b"format: 1\n"}
        self.aside: list[tuple[Path, dict[str, bytes]]] = []
        self.litter: set[str] = set()
        self.trouble = self.armed = ""
        self.numbers = 0
        self.tick_at = 0
        self.seats: list[Seat] = []
        self.scans: list[tuple[dict[str, bytes], dict[str, list[ReadAnswer]]]] = []

    @initialize(
        files=st.one_of(
            st.dictionaries(st.sampled_from(PATHS), FILES, max_size=5),
            st.dictionaries(st.sampled_from(PATHS), FILES, min_size=12, max_size=14),
        )
    )
    def begin(self, files: dict[str, bytes]) -> None:
        """Make the vault and start two servers on it."""
        self.files.update(files)
        restore(self.root, self.files)
        (self.root / "memories").mkdir(exist_ok=True)
        self.seats = [
            Seat("alpha", "", self.root, self.clock),
            Seat("beta", "garden", self.root, self.clock),
        ]

    def teardown(self) -> None:
        """Leave nothing behind."""
        for seat in self.seats:
            seat.end()
        shutil.rmtree(self.home)

    # What the owner does.

    @rule(path=st.sampled_from(PATHS), data=FILES, save=st.sampled_from(SAVES))
    def save(self, path: str, data: bytes, save: Save) -> None:
        """Write a file, new or old, in some editor's manner."""
        self.put(path, data, save)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, state=st.sampled_from(STATES), save=st.sampled_from(SAVES))
    def restate(self, pick: int, state: str, save: Save) -> None:
        """Write a state into a file by hand."""
        path = self.memory(pick)
        statement = STATEMENTS[pick % len(STATEMENTS)]
        reading = reading_of(path, self.files[path])
        if reading is not None and reading.notes and "zebra" not in reading.notes[0].text:
            statement = reading.notes[0].text
        self.put(path, written("", state, "", "", statement), save)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, data=st.sampled_from(UNFINISHED), save=st.sampled_from(SAVES))
    def pause_while_saving(self, pick: int, data: bytes, save: Save) -> None:
        """Write the beginning of a file and wait."""
        self.put(self.memory(pick), data, save)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, save=st.sampled_from(SAVES), later=st.sampled_from([0.5, 5.0]))
    def save_in_two_steps(self, pick: int, save: Save, later: float) -> None:
        """Truncate a file, let both servers look, and write the bytes that were there; then begin the next save."""
        path = self.memory(pick)
        data = self.files[path]
        for part in (b"", data):
            self.put(path, part, save)
            self.check()
            self.tick()
        self.clock.ahead += later
        self.put(path, b"", save)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        """Delete a file."""
        path = self.memory(pick)
        (self.root / path).unlink()
        del self.files[path]

    @precondition(lambda self: self.memories())
    @rule(then=st.sampled_from(["wait", "doubt", "another", "lost"]), data=FILES)
    def delete_everything(self, then: str, data: bytes) -> None:
        """Delete every memory; it is believed after a while, or another comes before, or no event tells of it."""
        for path in self.memories():
            (self.root / path).unlink()
            del self.files[path]
        self.trouble = "lost" if then == "lost" else self.trouble
        if then in ("doubt", "another"):
            self.armed = "doubt"
        if then == "another":
            self.check()
            self.tick()
            self.put(PATHS[0], data, in_place)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, to=st.sampled_from(PATHS))
    def rename(self, pick: int, to: str) -> None:
        """Rename a file, over another one if that has the name."""
        path = self.memory(pick)
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).replace(self.root / to)
        self.files[to] = self.files.pop(path)

    @precondition(lambda self: self.memories())
    @rule(one=PICK, two=PICK)
    def swap(self, one: int, two: int) -> None:
        """Give two files each other's name."""
        first, second = self.memory(one), self.memory(two)
        if first != second:
            between = self.root / "between"
            (self.root / first).rename(between)
            (self.root / second).rename(self.root / first)
            between.rename(self.root / second)
            self.files[first], self.files[second] = self.files[second], self.files[first]

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, name=st.sampled_from(NAMES), state=st.sampled_from(STATES))
    def copy(self, pick: int, name: str, state: str) -> None:
        """Copy a file beside itself as a sync tool or a file manager does, its state perhaps another by then."""
        path = self.memory(pick)
        beside = f"{path.rpartition('/')[0]}/{name}"
        data = self.files[path]
        if state == "":
            shutil.copy2(self.root / path, self.root / beside) if path != beside else None
            self.files[beside] = data
        else:
            kept = data.replace(b"state: approved", f"state: {state}".encode())
            self.put(beside, kept, in_place)

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, to=st.sampled_from(PATHS))
    def link(self, pick: int, to: str) -> None:
        """Put a link where a file may have been."""
        path = self.memory(pick)
        if path != to:
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            (self.root / to).unlink(missing_ok=True)
            (self.root / to).symlink_to(self.root / path)
            self.files[to] = LINK + os.fsencode(self.root / path)

    @rule(source=st.sampled_from(FOLDERS[1:]), to=st.sampled_from(FOLDERS[1:]))
    def move_folder(self, source: str, to: str) -> None:
        """Rename a folder, or move it elsewhere in the vault."""
        below = to == source or to.startswith(source + "/")
        if below or not (self.root / source).is_dir() or (self.root / to).exists():
            return
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / source).rename(self.root / to)
        self.files = {self.moved(path, source, to): data for path, data in self.files.items()}
        self.litter = {self.moved(path, source, to) for path in self.litter}

    @rule(one=st.sampled_from(FOLDERS[1:]), two=st.sampled_from(FOLDERS[1:]))
    def swap_folders(self, one: str, two: str) -> None:
        """Give two folders each other's name, a save in one of them in between."""
        nested = one.startswith(two) or two.startswith(one)
        if nested or not (self.root / one).is_dir() or not (self.root / two).is_dir():
            return
        between = self.root / "memories" / "between"
        (self.root / one).rename(between)
        (self.root / two).rename(self.root / one)
        data = written("", "approved", "", "", STATEMENTS[3])
        (between / "b.md").unlink(missing_ok=True)
        (between / "b.md").write_bytes(data)
        between.rename(self.root / two)
        swapped = {self.exchanged(path, one, two): old for path, old in self.files.items()}
        self.files = swapped | {f"{two}/b.md": data}
        self.litter = {self.exchanged(path, one, two) for path in self.litter}

    @rule(source=st.sampled_from(FOLDERS[1:]))
    def move_folder_out(self, source: str) -> None:
        """Move a folder out of the vault."""
        if (self.root / source).is_dir():
            self.numbers += 1
            away = self.home / f"away-{self.numbers}"
            (self.root / source).rename(away)
            inside = {path: data for path, data in self.files.items() if path.startswith(source + "/")}
            self.files = {path: data for path, data in self.files.items() if path not in inside}
            self.litter = {path for path in self.litter if not path.startswith(source + "/")}
            self.aside.append((away, {path[len(source) :]: data for path, data in inside.items()}))

    @precondition(lambda self: self.aside)
    @rule(to=st.sampled_from(FOLDERS[1:]))
    def move_folder_in(self, to: str) -> None:
        """Move a folder into the vault that was in it before."""
        if not (self.root / to).exists():
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            away, inside = self.aside.pop()
            away.rename(self.root / to)
            self.files.update({to + path: data for path, data in inside.items()})

    # What others do.

    @rule(
        who=st.integers(0, 1),
        statement=st.sampled_from(STATEMENTS),
        quote=st.sampled_from(["I said so", "mail me at ana@fictiva.example", "---", "too: much"]),
    )
    def propose(self, who: int, statement: str, quote: str) -> None:
        """Let an assistant propose; what it is told must hold on the disk."""
        seat = self.seats[who]
        before = contents(self.root)
        sure = not (self.trouble or seat.doubting or seat.since or seat.limited)
        expected = self.foretold(statement, quote) if sure else None
        outcome: object
        try:
            outcome = seat.desk.propose(statement, quote, "other")
        except (WriteError, VaultEmptied) as fault:
            outcome = type(fault)
        assert expected is None or outcome == expected
        self.accept_proposal(seat, before, outcome, Accepted(statement, quote, "other", memory_id(statement)))

    @precondition(lambda self: self.memories())
    @rule(pick=PICK, state=st.sampled_from(list(State)), who=st.integers(0, 2))
    def decide(self, pick: int, state: State, who: int) -> None:
        """Let the owner decide by command, in a process of its own or beside a server."""
        vault = anew(self.root) if who == 2 else self.seats[who].vault
        ids = [note.id for note in anew(self.root).library.notes() if "zebra" not in note.text]
        if not ids:
            return
        before = contents(self.root)
        try:
            decision = decide(vault, ids[pick % len(ids)], state)
        except PersonaKitError:
            assert contents(self.root) == before
            return
        after = contents(self.root)
        changed = different(before, after)
        assert changed <= {decision.note.path}
        for path in changed:
            kept, added = lines_of(before[path], after[path], b"state:")
            assert kept and set(added) <= {f"state: {state}".encode(), b"---"}
            self.files[path] = after[path]
        reading = reading_of(decision.note.path, after[decision.note.path])
        assert reading is not None and reading.notes[0].state is state

    @rule(who=st.integers(0, 1), old=st.booleans(), folder=st.sampled_from(FOLDERS[:3]))
    def kill(self, who: int, old: bool, folder: str) -> None:
        """Kill a server in the middle of a write, and start it again."""
        self.seats[who].end()
        self.numbers += 1
        temp = f"{folder}/.pk-{self.numbers:012x}.tmp"
        saved(self.root / temp, b"---\nstate: approved\n---\nLikes tea and ha")
        self.files[temp] = b"---\nstate: approved\n---\nLikes tea and ha"
        if old:
            os.utime(self.root / temp, (LONG_AGO, LONG_AGO))
            self.litter.add(temp)
        self.tick()
        self.seats[who] = Seat(self.seats[who].assistant, self.seats[who].project, self.root, self.clock)
        for path in self.litter:
            self.files.pop(path, None)
        self.litter.clear()

    # What goes wrong.

    @rule(trouble=st.sampled_from(["lost", "overflow"]))
    def lose_events(self, trouble: str) -> None:
        """Lose the events of the next step, noticed by the kernel or not."""
        self.armed = trouble

    @rule(who=st.integers(0, 1), refuse=st.booleans())
    def limit_watches(self, who: int, refuse: bool) -> None:
        """Let the kernel refuse watches, or give them again."""
        self.seats[who].refuse_watches(refuse)

    @rule(seconds=st.sampled_from([0.5, 1.0, 1.9, 2.1, 16.0, 601.0]))
    def wait(self, seconds: float) -> None:
        """Let time go by."""
        self.clock.ahead += seconds

    @rule(asked=st.booleans(), manner=st.sampled_from(["back", "edited", "copied", "rebuilt"]), data=FILES)
    def take_root_away(self, asked: bool, manner: str, data: bytes) -> None:
        """Take the vault's folder away and bring it back: the same one, or another with the same files."""
        away = self.home / "vault-away"
        if manner == "rebuilt":
            shutil.rmtree(self.root)
        else:
            self.root.rename(away)
        if asked:
            for seat in self.seats:
                with pytest.raises(VaultMissing):
                    seat.desk.read("tea", 7)
                with pytest.raises(VaultMissing):
                    seat.desk.propose("Likes tea", "q", "other")
        assert not self.root.exists()
        self.tick()
        if manner == "edited":
            saved(away / PATHS[0], data)
            self.files[PATHS[0]] = data
        if manner == "copied":
            shutil.copytree(away, self.root, symlinks=True)
            shutil.rmtree(away)
        elif manner == "rebuilt":
            restore(self.root, self.files)
            self.litter.clear()
        else:
            away.rename(self.root)
        (self.root / "memories").mkdir(exist_ok=True)

    # What must hold.

    @invariant()
    def holds(self) -> None:
        """Check everything, with the next step's trouble taken into account."""
        if self.seats:
            self.check()
            self.tick()

    def check(self) -> None:
        """Compare bytes, then what each desk serves."""
        assert contents(self.root) == self.files
        self.scans = []
        trouble, self.trouble, self.armed = self.trouble, self.armed if self.armed != "doubt" else "", self.armed
        impatient = self.armed == "doubt"
        self.armed = ""
        self.drop_events(trouble)
        slow = trouble == "lost" or any(seat.limited for seat in self.seats)
        if slow:
            for seat in self.seats:
                self.serves_nothing_withdrawn(seat)
            self.let_sweeps_come(lost=trouble == "lost")
        for seat in self.seats:
            self.serves_what_a_scan_serves(seat, sudden=not slow, impatient=impatient)
            seat.limited = "add_callback" in seat.watch._fd.__dict__

    def drop_events(self, trouble: str) -> None:
        """Lose what the kernel knows, and let it say so or not."""
        if trouble:
            for seat in self.seats:
                seat.watch.take()
                if trouble == "overflow":
                    seat.watch.on_queue_overflow()

    def let_sweeps_come(self, *, lost: bool) -> None:
        """Let the time go by after which every change counts, however it was missed, and no save is in progress."""
        if lost:
            self.clock.ahead += SWEEP
            for seat in self.seats:
                seat.vault.freshness.sweep_if_due()
        self.clock.ahead += SAVE
        for seat in self.seats:
            seat.good.clear()

    def serves_nothing_withdrawn(self, seat: Seat) -> None:
        """At no time is anything served that no file says, or that this assistant may not see."""
        before = self.clock.monotonic()
        try:
            answers = seat.answers()
        except VaultEmptied:
            assert not self.served_files()
            return
        counted = seat.counting(self.files, before, self.clock.monotonic())
        allowed = self.allowed(seat, self.files) | self.allowed(seat, counted or seat.good)
        for answer in answers:
            assert {told(memory) for memory in answer.memories} <= allowed

    def serves_what_a_scan_serves(self, seat: Seat, *, sudden: bool, impatient: bool) -> None:
        """What a desk answers is what a fresh scan answers, but for a save in progress."""
        try:
            before = self.clock.monotonic()
            answers = seat.answers()
            after = self.clock.monotonic()
        except VaultEmptied:
            assert not self.served_files()
            if impatient:
                seat.doubting = True
                return
            self.clock.ahead += SAVE
            self.serves_what_a_scan_serves(seat, sudden=False, impatient=False)
            return
        if sudden and not seat.doubting and seat.known >= 10:
            assert self.served_files(), "ten files gone at once are doubted"
        seat.see(self.files, before, after)
        counted = seat.counting(self.files, before, after)
        if counted is None:
            self.clock.ahead += SAVE
            self.serves_what_a_scan_serves(seat, sudden=False, impatient=impatient)
            return
        assert answers == self.scanned(seat, counted)
        assert not any("zebra" in memory.text for answer in answers for memory in answer.memories)
        allowed = self.allowed(seat, counted)
        assert {told(memory) for answer in answers for memory in answer.memories} <= allowed
        seat.remember(self.files, counted)

    def scanned(self, seat: Seat, counted: dict[str, bytes]) -> list[ReadAnswer]:
        """Scan the folder, or while saves go on a twin with the last good versions in it, and ask that."""
        for files, answers in self.scans:
            if files == counted:
                return answers[seat.assistant]
        vault = anew(self.root) if counted == self.files else Imagined(counted)
        self.scans.append((counted, {each.assistant: each.expected(vault) for each in self.seats}))
        return self.scans[-1][1][seat.assistant]

    def allowed(self, seat: Seat, files: dict[str, bytes]) -> set[tuple[object, ...]]:
        """Give what some file says that this assistant may see, each file judged by itself."""
        found: set[tuple[object, ...]] = set()
        for path, data in files.items():
            reading = reading_of(path, data)
            for note in () if reading is None else reading.notes:
                if isinstance(note, Memory) and visible(note, seat.viewer) is Sight.SERVED:
                    found.add((note.text, note.category, len(note.evidence[:2]), False))
                    found.add((note.text, note.category, len(note.evidence[:2]), note.confirmed))
        return found

    # What the rules need.

    def put(self, path: str, data: bytes, save: Save) -> None:
        """Save a file and expect it."""
        saved(self.root / path, data, save)
        self.files[path] = data

    def memories(self) -> list[str]:
        """Give every file below memories/ that is no temporary file and no link."""
        kept = (p for p, data in self.files.items() if p.startswith("memories/") and not data.startswith(LINK))
        return sorted(path for path in kept if not path.endswith(".tmp"))

    def memory(self, pick: int) -> str:
        """Pick one of them."""
        found = self.memories()
        return found[pick % len(found)]

    def served_files(self) -> list[str]:
        """Give every file that the vault counts among its own."""
        return [path for path, data in self.files.items() if Seat.is_file(path, data)]

    @staticmethod
    def moved(path: str, source: str, to: str) -> str:
        """Give a path after a folder above it was renamed."""
        return to + path[len(source) :] if path.startswith(source + "/") else path

    @classmethod
    def exchanged(cls, path: str, one: str, two: str) -> str:
        """Give a path after two folders got each other's name."""
        there = cls.moved(path, one, two)
        return there if there != path else cls.moved(path, two, one)

    def tick(self) -> None:
        """Let the file system's clock go on: what comes next comes later than what was."""
        mark = self.home / "tick"
        while True:
            mark.write_bytes(b"")
            now = mark.stat().st_ctime_ns
            if now > self.tick_at:
                self.tick_at = now
                return

    def foretold(self, statement: str, quote: str) -> object:
        """Give what a server without a past would answer, on a copy of the folder."""
        copy = self.home / "copy"
        shutil.copytree(self.root, copy, symlinks=True)
        clock = SetClock()
        desk = Desk(Launch(vault=str(copy), assistant="alpha"), Anew(str(copy), clock, lambda _r, _d: NoWatch()))
        desk.load()
        try:
            return desk.propose(statement, quote, "other")
        except (WriteError, VaultEmptied) as fault:
            return type(fault)
        finally:
            desk.close()
            shutil.rmtree(copy)

    def accept_proposal(self, seat: Seat, before: dict[str, bytes], outcome: object, sent: Accepted) -> None:
        """Check what a proposal did to the folder against what was answered."""
        after = contents(self.root)
        changed = different(before, after)
        if not isinstance(outcome, Stored):
            assert not changed
            return
        assert len(changed) <= 1 and not (outcome.new and changed <= before.keys())
        for path in changed & before.keys():
            kept, added = lines_of(before[path], after[path], b"evidence:")
            assert kept and b"".join(added).count(sent.quote.encode()) == 1
        self.files.update({path: after[path] for path in changed})
        # While a file is being saved its last good version counts, here too.
        counted = {path: data for path, data in seat.good.items() if is_unfinished(path, after.get(path, LINK))}
        notes = [
            note for path, data in (after | counted).items() if (read := reading_of(path, data)) for note in read.notes
        ]
        mine = [note for note in notes if isinstance(note, Memory) and sent.id in (note.id, note.own_id)]
        assert mine, "what was acknowledged is on the disk"
        if outcome.new:
            assert any(note.text == sent.statement and note.evidence == (sent.quote,) for note in mine)
        if outcome.state is State.UNCONFIRMED:
            assert any(sent.quote in note.evidence for note in mine)


def told(memory: ServedMemory) -> tuple[object, ...]:
    """Give what of a served memory one file alone decides."""
    return (memory.text, memory.category, len(memory.evidence), memory.confirmed)


def different(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Give the paths that are not as they were."""
    return {path for path in before | after if before.get(path) != after.get(path)}


def lines_of(before: bytes, after: bytes, key: bytes) -> tuple[bool, list[bytes]]:
    """Say whether every old line is still there, in its order, but for one of a key; and give the new lines."""
    old, new = before.splitlines(), after.splitlines()
    added = []
    for line in new:
        if old and line == old[0]:
            old.pop(0)
        elif old and old[0].lower().startswith(key):
            old.pop(0)
            added.append(line)
        else:
            added.append(line)
    return not old, added


def play(examples: int, steps: int) -> None:
    """Run the machine."""
    run_state_machine_as_test(
        Folder,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_whoever_shares_the_folder(cache_home: Path) -> None:
    """Whatever owner, editors, sync tools, assistants and faults do in turn, all promises hold after each step."""
    play(25, 30)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_whoever_shares_the_folder_for_long(cache_home: Path) -> None:
    """The same for many more and longer stories."""
    play(500, 60)
