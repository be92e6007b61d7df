"""Two servers and an editor at one memory in the same moment: who came first counts, and nobody's bytes are lost."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from personakit.cli.main import run
from personakit.config import Launch
from personakit.errors import Conflict, HeldFile, UnknownId, WriteError
from personakit.model.memory import memory_id
from personakit.model.states import State
from personakit.services.answers import Stored
from personakit.services.decide import decide
from personakit.services.desk import Desk
from personakit.services.look import decided_elsewhere, look
from personakit.services.opened import OpenVault
from personakit.vault import atomic
from tests.safety.owner import SAVES, Save, contents, in_place
from tests.support import SetClock, make_vault, open_desk, open_vault, put, text_of, texts

TEA = memory_id("Likes tea")
Write = Callable[[OpenVault], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with one unconfirmed memory."""
    root = make_vault(tmp_path / "vault")
    put(root, "tea.md", "Likes tea", id=TEA, state="unconfirmed", evidence=["first"])
    return root


@pytest.fixture
def tea(root: Path) -> Path:
    """Give its file."""
    return root / "memories" / "tea.md"


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Give a list of what the owner does in turn, each at the last moment of one write: all but the rename is done."""
    turns: list[Callable[[], object]] = []
    real = shutil.copystat

    def copystat(source: str, target: str, *, follow_symlinks: bool = True) -> None:
        real(source, target, follow_symlinks=follow_symlinks)
        if turns:
            turns.pop(0)()

    monkeypatch.setattr(shutil, "copystat", copystat)
    return turns


def propose(vault: OpenVault) -> object:
    """Add a quote to the memory."""
    return Desk(Launch(vault=vault.root, assistant="alpha"), vault).propose("Likes tea", "ours", "other")


def restrict(vault: OpenVault) -> object:
    """Change its state."""
    return decide(vault, TEA, State.RESTRICTED)


WRITES = pytest.mark.parametrize("write", [propose, restrict])
EVERY_SAVE = pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)


def reworded(path: Path, note: str) -> bytes:
    """Give the file's bytes with a line more below the statement."""
    return path.read_bytes() + f"\n{note}\n".encode()


@EVERY_SAVE
@WRITES
def test_a_save_at_the_last_moment_is_kept(
    root: Path, tea: Path, between: list[Callable[[], object]], write: Write, save: Save
) -> None:
    """A save that comes between our reading and our writing is read again, kept, and our change goes on top."""
    vault = open_vault(root)
    between.append(lambda: save(tea, reworded(tea, "the owner's line")))
    write(vault)
    text = tea.read_text()
    assert text.endswith("Likes tea\n\nthe owner's line\n")
    assert '"ours"' in text if write is propose else "state: restricted\n" in text
    assert not between


@EVERY_SAVE
@WRITES
def test_a_save_at_each_last_moment_is_a_conflict(
    root: Path, tea: Path, between: list[Callable[[], object]], write: Write, save: Save
) -> None:
    """When the owner saves at the second try too, the write is refused by name and the owner's bytes stay."""
    vault = open_vault(root)
    between += [lambda: save(tea, reworded(tea, "one")), lambda: save(tea, reworded(tea, "two"))]
    with pytest.raises(Conflict, match="Read it again"):
        write(vault)
    kept = contents(root)
    assert kept["memories/tea.md"].endswith(b"Likes tea\n\none\n\ntwo\n")
    assert b"ours" not in kept["memories/tea.md"] and b"restricted" not in kept["memories/tea.md"]
    assert list(kept) == ["personakit.yaml", "memories/tea.md"]


@pytest.mark.parametrize("state", ["approved", "restricted", "rejected"])
def test_a_decision_at_the_last_moment_counts(
    root: Path, tea: Path, between: list[Callable[[], object]], state: str
) -> None:
    """A memory that is decided on while a quote is being added gets no quote, and the answer says its new state."""
    decided = text_of("Likes tea", id=TEA, state=state).encode()
    between.append(lambda: in_place(tea, decided))
    assert propose(open_vault(root)) == Stored(TEA, new=False, state=State(state))
    assert tea.read_bytes() == decided


@WRITES
def test_a_file_that_goes_at_the_last_moment_stays_gone(
    root: Path, tea: Path, between: list[Callable[[], object]], write: Write
) -> None:
    """A memory that is deleted, or moved, while it is being edited is not made again under its old name."""
    vault = open_vault(root)
    before = tea.read_bytes()
    for go in (lambda: tea.rename(tea.with_name("moved.md")), (root / "memories" / "moved.md").unlink):
        between.append(go)
        with pytest.raises((Conflict, UnknownId)):
            write(vault)
        assert not tea.exists()
        if (root / "memories" / "moved.md").exists():
            assert contents(root)["memories/moved.md"] == before
            assert write(open_vault(root))
            (root / "memories" / "moved.md").write_bytes(before)
    assert list(contents(root)) == ["personakit.yaml"]


def test_two_desks_and_an_editor_lose_nothing(root: Path, tea: Path, between: list[Callable[[], object]]) -> None:
    """Two assistants add quotes at once while each second write meets a save: all quotes and all lines are there."""
    desks = [open_desk(root, assistant=name) for name in ("alpha", "beta")]
    saved = iter(range(100))

    def save() -> None:
        number = next(saved)
        SAVES[number % len(SAVES)](tea, reworded(tea, f"line {number}"))

    between += [step for _ in range(8) for step in (save, lambda: None)]
    faults: list[BaseException] = []

    def add(desk: Desk, name: str) -> None:
        try:
            for number in range(4):
                assert isinstance(desk.propose("Likes tea", f"{name} {number}", "other"), Stored)
        except BaseException as fault:  # noqa: BLE001 - carried to the test's own thread
            faults.append(fault)

    threads = [threading.Thread(target=add, args=pair) for pair in zip(desks, ("alpha", "beta"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    text = tea.read_text()
    assert all(f'  - "{name} {number}"\n' in text for name in ("alpha", "beta") for number in range(4))
    assert all(f"\nline {number}\n" in text for number in range(next(saved)))
    for desk in desks:
        assert texts(desk, "tea") == ["Likes tea"]
        desk.close()


UNFINISHED = [b"", b"---\nid: " + TEA.encode() + b"\nstate: unconfirmed\nevid", b"---\n"]


@pytest.mark.parametrize("half", UNFINISHED)
def test_a_proposal_waits_for_a_save(root: Path, tea: Path, half: bytes) -> None:
    """While the owner is saving the same words a proposal is refused, nothing is written, and the next one counts."""
    desk = open_desk(root, assistant="alpha")
    whole = reworded(tea, "the owner's line")
    tea.write_bytes(half)
    with pytest.raises((Conflict, HeldFile)):
        desk.propose("Likes tea", "ours", "other")
    assert contents(root) == {"personakit.yaml": b"format: 1\n", "memories/tea.md": half}
    tea.write_bytes(whole)
    assert desk.propose("Likes tea", "ours", "other") == Stored(TEA, new=False, state=State.UNCONFIRMED)
    assert '  - "ours"\n' in tea.read_text() and tea.read_text().endswith("the owner's line\n")
    assert len(contents(root)) == 2


@pytest.mark.parametrize("half", UNFINISHED)
@pytest.mark.parametrize("state", ["approved", "restricted", "rejected"])
def test_what_is_decided_stays_so_while_it_is_saved(root: Path, tea: Path, state: str, half: bytes) -> None:
    """A proposal of words whose file is being saved is told the state they had, and nothing is written."""
    put(root, "tea.md", "Likes tea", id=TEA, state=state)
    desk = open_desk(root)
    tea.write_bytes(half)
    assert desk.propose("Likes tea", "ours", "other") == Stored(TEA, new=False, state=State(state))
    assert contents(root)["memories/tea.md"] == half and len(contents(root)) == 2


def test_a_file_that_stays_unfinished_holds_its_words(root: Path, tea: Path) -> None:
    """When the time of a save is over, or was never seen, an unfinished file that names its id holds its words."""
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    tea.write_bytes(UNFINISHED[1])
    assert texts(desk, "tea") == ["Likes tea"]
    clock.ahead += 2.1
    for server in (desk, open_desk(root)):
        assert texts(server, "tea") == []
        with pytest.raises(HeldFile):
            server.propose("Likes tea", "ours", "other")
    assert contents(root) == {"personakit.yaml": b"format: 1\n", "memories/tea.md": UNFINISHED[1]}


@pytest.mark.parametrize("state", list(State))
def test_words_stored_beside_an_empty_file_lose_neither(root: Path, tea: Path, state: State) -> None:
    """Of a file that was empty nobody can know the words: once it is whole both files stay, as one careful memory."""
    whole = text_of("Likes tea", id=TEA, state=state).encode()
    tea.write_bytes(b"")
    desk = open_desk(root, assistant="alpha")
    stored = desk.propose("Likes tea", "ours", "other")
    assert isinstance(stored, Stored) and stored.new
    tea.write_bytes(whole)
    answer = desk.read("tea", 7)
    careful = state in (State.RESTRICTED, State.REJECTED)
    assert [(memory.text, memory.confirmed) for memory in answer.memories] == (
        [] if careful else [("Likes tea", False)]
    )
    assert answer.withheld == (state is State.RESTRICTED)
    files = contents(root)
    assert len(files) == 3 and files["memories/tea.md"] == whole


@EVERY_SAVE
def test_an_older_buffer_wins_and_is_named(
    root: Path, tea: Path, save: Save, capsys: pytest.CaptureFixture[str]
) -> None:
    """An editor that saves its older buffer over our edit is served as it says, left alone, and named to the owner."""
    vault = open_vault(root)
    look(vault)
    desk = open_desk(root, assistant="alpha")
    buffer = tea.read_bytes()
    desk.propose("Likes tea", "ours", "other")
    decide(vault, TEA, State.RESTRICTED)
    assert desk.read("tea", 7).withheld == 1
    assert decided_elsewhere(vault) == []
    save(tea, buffer)
    assert texts(desk, "tea") == ["Likes tea"]
    assert tea.read_bytes() == buffer
    vault.freshness.before_call()
    (named,) = decided_elsewhere(vault)
    assert named.note.id == TEA and named.before is State.RESTRICTED
    capsys.readouterr()
    assert run(["doctor", "--json", "--vault", str(root)]) == 0
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert problem["path"] == "memories/tea.md" and problem["code"] == "decided_elsewhere"
    assert desk.propose("Likes tea", "ours", "other") == Stored(TEA, new=False, state=State.UNCONFIRMED)
    assert '  - "ours"\n' in tea.read_text()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Let the owner take each new file's name in the moment before we do; gives what they took."""
    names: list[Path] = []
    real = atomic.create

    def create(folder: str, name: str, data: bytes) -> None:
        if name.endswith(".md") and len(names) < 2:
            names.append(Path(folder) / name)
            names[-1].write_text("Likes something else\n")
        real(folder, name, data)

    monkeypatch.setattr(atomic, "create", create)
    return names


def test_a_name_taken_at_the_last_moment_is_left_alone(root: Path, taken: list[Path]) -> None:
    """A new file whose name the owner takes at that moment gets another one, and the owner's bytes stay."""
    desk = open_desk(root)
    stored = desk.propose("Likes coffee", "ours", "other")
    assert isinstance(stored, Stored) and stored.new
    assert [path.read_text() for path in taken] == ["Likes something else\n"] * 2
    assert texts(desk, "coffee") == ["Likes coffee"]


def test_the_same_words_written_at_the_last_moment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the owner writes a memory in the moment in which the same words are stored, both files stay as one."""
    real = atomic.create

    def create(folder: str, name: str, data: bytes) -> None:
        if name.endswith(".md"):
            put(root, "mine.md", "Likes coffee", state="rejected")
        real(folder, name, data)

    monkeypatch.setattr(atomic, "create", create)
    desk = open_desk(root)
    desk.propose("Likes coffee", "ours", "other")
    assert texts(desk, "coffee") == []
    assert desk.propose("Likes coffee", "ours", "other") == Stored(
        memory_id("Likes coffee"), new=False, state=State.REJECTED
    )
    assert len(contents(root)) == 4


def test_a_write_that_fails_leaves_no_trace(root: Path, tea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that refuses the last step of a write: the old bytes stay, no temporary file does, the next try counts."""
    desk = open_desk(root)
    before = contents(root)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", refuse)
        patched.setattr("os.link", refuse)
        for text in ("Likes tea", "Likes coffee"):
            with pytest.raises(WriteError, match="No space left"):
                desk.propose(text, "ours", "other")
    after = contents(root)
    assert {path: data for path, data in after.items() if path in before} == before and len(after) == len(before)
    assert isinstance(desk.propose("Likes tea", "ours", "other"), Stored)
