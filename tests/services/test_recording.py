"""What PersonaKit writes is committed: in its own commits, once, in the right name, and never in a write's way."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from personakit.model.states import State
from personakit.services import recording as module
from personakit.services.answers import Stored
from personakit.services.decide import decide
from personakit.services.desk import Desk
from personakit.services.examine import examine
from personakit.services.machine import machine_id
from personakit.services.opened import OpenVault
from personakit.vault.history.turns import committing
from tests.cases.inputs import git
from tests.support import SetClock, open_desk, open_vault, put, wait_for


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit after hardly any quiet, so that no test waits for it."""
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(module, "_PAUSES", (0.01, 0.02))


def subjects(root: Path) -> list[str]:
    """Give the subjects of all commits but the first, newest first."""
    return git(root, "log", "--format=%s").splitlines()[:-1]


def trailers(root: Path, commit: str = "HEAD") -> list[str]:
    """Give the trailers of a commit."""
    return git(root, "log", "-1", "--format=%(trailers:only)", commit).split("\n")[:-2]


def store(desk: Desk, text: str, quote: str = "as I said") -> str:
    """Propose a new memory and give its id."""
    stored = desk.propose(text, quote, "preferences")
    assert isinstance(stored, Stored)
    return stored.id


def changed(root: Path) -> str:
    """Give what git says is not committed."""
    return git(root, "status", "--porcelain")


def opened(root: Path) -> OpenVault:
    """Open a vault whose pauses take no time."""
    return open_vault(root, SetClock())


@pytest.mark.usefixtures("at_once")
def test_a_server_commits_when_writes_pause(repository: Path) -> None:
    """A proposal and a quote added to it come into commits of their own, in the assistant's name, without words."""
    desk = open_desk(repository, assistant="claude-code")
    id_ = store(desk, "Likes scones")
    wait_for(lambda: subjects(repository) == [f"propose {id_}"])
    assert trailers(repository) == [
        *("PersonaKit-Tool: propose", "PersonaKit-Assistant: claude-code", f"PersonaKit-Id: {id_}")
    ]
    store(desk, "Likes scones", "and once more")
    wait_for(lambda: len(subjects(repository)) == 2)
    assert changed(repository) == "" and "+" in git(repository, "show", "HEAD")
    desk.close()
    assert not any(thread.name == "commit" for thread in threading.enumerate())


def test_one_commit_holds_what_came_together(repository: Path) -> None:
    """What is written within the quiet time is one commit, made within 2 s of the server's end."""
    desk = open_desk(repository, assistant="claude-code")
    ids = sorted(store(desk, f"Likes number{number}x") for number in range(3))
    assert subjects(repository) == []
    desk.close()
    assert subjects(repository) == ["propose 3 memories"] and changed(repository) == ""
    assert sorted(trailers(repository)[2:]) == [f"PersonaKit-Id: {id_}" for id_ in ids]
    assert opened(repository).recorder.waiting() == 0


def test_it_waits_for_quiet_but_not_for_ever(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While writes keep coming a commit waits for a pause, at most for its longest time."""
    clock = SetClock()
    desk = open_desk(repository, clock=clock)
    wait_for(lambda: not any(thread.name == "commit" for thread in threading.enumerate()))
    recorder = desk._vault.recorder
    store(desk, "Likes scones")
    assert recorder._last + module.QUIET_SECONDS > clock.monotonic() and subjects(repository) == []
    clock.ahead += module.MOST_SECONDS
    store(desk, "Likes oats")
    wait_for(lambda: subjects(repository) == ["propose 2 memories"])
    desk.close()


def test_decisions_are_the_owners(repository: Path) -> None:
    """A command commits before it ends, first what an assistant left and then the owner's word, without a name."""
    desk = open_desk(repository, assistant="claude-code")
    id_ = store(desk, "Likes scones")
    vault = opened(repository)
    vault.recorder.flush()
    decide(vault, id_, State.APPROVED)
    vault.recorder.flush()
    assert subjects(repository) == [f"approve {id_}", f"propose {id_}"]
    assert trailers(repository) == ["PersonaKit-Tool: approve", f"PersonaKit-Id: {id_}"]
    decide(vault, id_, State.APPROVED)  # nothing changes
    assert vault.recorder.waiting() == 0
    desk.close()


def test_the_owners_change_is_never_taken(repository: Path) -> None:
    """A file that its owner edited or deleted after the write is theirs to commit, and waits no longer."""
    desk = open_desk(repository, assistant="claude-code")
    edited, deleted, kept = (store(desk, f"Likes number{number}x") for number in range(3))
    files = {path.stem[-12:]: path for path in (repository / "memories").rglob("*.md")}
    files[edited[2:]].write_text(files[edited[2:]].read_text() + "\nMy own note\n")
    files[deleted[2:]].unlink()
    desk.close()
    assert subjects(repository) == [f"propose {kept}"]
    assert changed(repository) == f"?? {files[edited[2:]].relative_to(repository)}\n"
    assert opened(repository).recorder.waiting() == 0


def test_an_assistants_commit_claims_nothing_of_the_owners(repository: Path) -> None:
    """A quote that was added to a file with changes no commit holds is left to the owner, changes and all."""
    path = put(repository, "scones.md", "Likes scones", state="unconfirmed", tags=["mine"])
    desk = open_desk(repository, assistant="claude-code")
    store(desk, "Likes scones")
    assert "as I said" in path.read_text()
    desk.close()
    assert subjects(repository) == [] and changed(repository) == "?? memories/scones.md\n"
    assert opened(repository).recorder.waiting() == 0


def test_settings_decide(repository: Path) -> None:
    """Without `commit: auto` nothing is noted or committed; what waited before is told and stays."""
    desk = open_desk(repository)
    store(desk, "Likes scones")
    (repository / "personakit.yaml").write_text("format: 1\n")
    store(desk, "Likes oats")
    desk.close()
    vault = opened(repository)
    wait = vault.recorder.why()
    assert vault.recorder.flush() is None and vault.recorder.waiting() == 1
    assert wait is not None and wait.code == "off" and subjects(repository) == []


@pytest.mark.usefixtures("at_once")
def test_a_lock_is_waited_for(repository: Path) -> None:
    """While git's index is locked nothing fails; a command tries for a moment, a server until the lock is gone."""
    lock = repository / ".git/index.lock"
    lock.touch()
    clock = SetClock()
    vault = open_vault(repository, clock)
    decide(vault, "m_0000000000aa", State.REJECTED)
    wait = vault.recorder.flush()
    assert wait is not None and wait.code == "index_lock" and str(lock) in wait.why
    assert clock.slept == sorted(clock.slept) and sum(clock.slept) > 1
    assert vault.recorder.waiting() == 1 and lock.exists()
    desk = open_desk(repository)
    store(desk, "Likes scones")
    wait_for(lambda: desk._vault.recorder._thread is not None)
    lock.unlink()
    wait_for(lambda: len(subjects(repository)) == 2)
    assert changed(repository).replace("?? .personakit/\n", "") == ""
    desk.close()


@pytest.mark.usefixtures("at_once")
def test_a_server_gives_up_after_long_until_the_next_call(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reason that never passes costs no thread for ever; the next call looks again."""
    monkeypatch.setattr(module, "_TRIES", 2)
    git(repository, "checkout", "-q", "--detach")
    desk = open_desk(repository)
    store(desk, "Likes scones")
    wait_for(lambda: desk._vault.recorder._thread is None)
    git(repository, "checkout", "-q", "main")
    desk.read("scones", 5)
    wait_for(lambda: len(subjects(repository)) == 1)
    desk.close()


def test_only_one_process_commits_at_a_time(repository: Path) -> None:
    """While another has its turn nothing is committed twice, and that is the reason."""
    vault = opened(repository)
    decide(vault, "m_0000000000aa", State.REJECTED)
    with committing(str(repository)) as mine:
        assert mine
        wait = vault.recorder.flush()
        assert wait is not None and wait.code == "busy"
        with committing(str(repository)) as again:
            assert not again
    assert vault.recorder.flush() is None and len(subjects(repository)) == 1


def test_without_a_place_for_a_journal(repository: Path) -> None:
    """Where no journal can be kept, memories are stored all the same; nothing is committed, and nothing fails."""
    (repository / ".personakit").mkdir()
    (repository / ".personakit/journal").write_text("")
    desk = open_desk(repository)
    store(desk, "Likes scones")
    desk.close()
    assert subjects(repository) == [] and "?? memories/20" in changed(repository)


def test_left_out_files_wait_no_longer(repository: Path) -> None:
    """A file that another program writes for git is never committed, and not tried for ever."""
    (repository / "memories/.gitattributes").write_text("*.md filter=crypt\n")
    vault = opened(repository)
    decide(vault, "m_0000000000aa", State.REJECTED)
    assert vault.recorder.flush() is None and vault.recorder.waiting() == 0 and subjects(repository) == []
    (problem,) = examine(vault).problems
    assert problem.code == "commit_left" and problem.message.startswith("1 file that PersonaKit wrote")
    (repository / "memories/.gitattributes").unlink()
    decide(vault, "m_0000000000aa", State.RESTRICTED)
    assert vault.recorder.flush() is None and len(subjects(repository)) == 1
    assert examine(vault).problems == ()


def test_the_machine_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is random, kept, and one fixed name where it cannot be kept."""
    name = machine_id()
    assert name == machine_id() and len(name) == 8 and int(name, 16) >= 0
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert machine_id() != name
    (tmp_path / "other/personakit/machine").write_text("not hex!\n")
    assert machine_id() == "00000000"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert machine_id() == "00000000"
