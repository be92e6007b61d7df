"""A spoilt journal costs what its spoilt lines told, and never an answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from personakit.services.desk import Desk
from personakit.services.telling import NOTHING_NEW
from tests.services.test_transcripts import ask
from tests.support import SetClock, open_desk, put

ID = "m_100000000000"


def begun(vault: Path) -> str:
    """Hold the beginning of a session, and give its id."""
    put(vault, "a.md", "Likes green tea", id=ID, state="approved")
    desk = open_desk(vault, assistant="alpha")
    found: str = ask(desk, "memory_start", prompt="tea")["session_id"]
    desk.close()
    return found


def recalled(vault: Path, id_: str, clock: SetClock | None = None) -> Any:
    """Ask in a session through another process's eyes."""
    desk: Desk = open_desk(vault, assistant="alpha", clock=clock)
    answer = ask(desk, "memory_recall", query="tea", step="", session_id=id_)
    desk.close()
    return answer


def journal(vault: Path) -> Path:
    """Give the journal's one file."""
    (path,) = (vault / ".personakit" / "journal").glob("*.jsonl")
    return path


@pytest.mark.parametrize(
    "noise",
    [
        b'{"kind":"served","at"',
        bytes(range(256)),
        b'{"kind":"served","session":"SESSION","ids":5,"rules":"x","withdrawn":{},"at":[]}\n',
        b'{"kind":"served","session":"SESSION","ids":[["m_1","x"],[1,2],["m_100000000000"]],"at":"9999-99-99"}\n',
        b'{"kind":"ended","session":["SESSION"]}\n{"kind":"served"}\n[]\nnull\n' + b"[" * 5_000,
    ],
)
def test_noise_is_passed_over(vault: Path, noise: bytes) -> None:
    """A line cut off, bytes that are no text, keys of other types: the session stands as it was told."""
    id_ = begun(vault)
    with journal(vault).open("ab") as file:
        file.write(noise.replace(b"SESSION", id_.encode()))
    assert recalled(vault, id_)["text"] == NOTHING_NEW


def test_a_lost_beginning_is_an_unknown_session(vault: Path) -> None:
    """A session whose first row is gone is none; a new one can be opened."""
    id_ = begun(vault)
    path = journal(vault)
    path.write_bytes(path.read_bytes()[40:])
    assert recalled(vault, id_)["error"]["code"] == "unknown_session"
    assert "green" in ask(open_desk(vault, assistant="alpha"), "memory_start", prompt="tea")["text"]


def test_times_to_come_keep_nothing_open(vault: Path) -> None:
    """A row of the future counts as of now: no answer is repeated for it, and the session closes like any other."""
    id_ = begun(vault)
    path = journal(vault)
    path.write_text(path.read_text().replace('"at":"20', '"at":"29'))
    clock = SetClock()
    assert recalled(vault, id_, clock)["text"] == NOTHING_NEW
    clock.ahead = 25 * 3600.0
    path.write_text(path.read_text().replace('"at":"29', '"at":"20'))
    assert recalled(vault, id_, clock)["error"]["code"] == "session_ended"


def test_no_journal_at_all(vault: Path) -> None:
    """Where none can be kept, a session lives as long as its server, and tells nothing twice."""
    (vault / ".personakit").mkdir()
    (vault / ".personakit" / "journal").write_text("in the way")
    put(vault, "a.md", "Likes green tea", id=ID, state="approved")
    desk = open_desk(vault, assistant="alpha")
    id_ = ask(desk, "memory_start", prompt="tea")["session_id"]
    assert ask(desk, "memory_recall", query="tea", step="", session_id=id_)["text"] == NOTHING_NEW
    assert ask(desk, "memory_trace", memory=ID, session_id=id_)["lines"][0]["kind"] == "written"
    desk.close()
    assert recalled(vault, id_)["error"]["code"] == "unknown_session"


def test_the_repeat_survives_a_restart(vault: Path) -> None:
    """Byte for byte, until ten minutes after the first answer and no longer, however often it is asked."""
    id_ = begun(vault)
    put(vault, "b.md", "Drinks coffee at dawn", id="m_200000000000")
    clock = SetClock()
    question = {"query": "Coffee?", "step": "brew", "session_id": id_}
    first = ask(open_desk(vault, assistant="alpha", clock=clock), "memory_recall", **question)
    assert "coffee at dawn (unconfirmed) #400000" in first["text"]
    for seconds in (300.0, 595.0):
        clock.ahead = seconds
        desk = open_desk(vault, assistant="alpha", clock=clock)
        assert ask(desk, "memory_recall", **{**question, "query": " COFFEE "}) == first
    clock.ahead = 601.0
    assert ask(desk, "memory_recall", **question)["text"] == NOTHING_NEW


def test_two_processes_in_one_session(vault: Path) -> None:
    """What one told, the other tells no more; a rule that one withdrew is none to the other; closed is closed."""
    put(vault, "a.md", "Likes green tea", id=ID, state="approved")
    put(vault, "r.md", "Never deploy on Fridays", id="m_200000000000", state="approved", rule="true")
    one, other = (open_desk(vault, assistant="alpha") for _ in range(2))
    session = {"session_id": ask(one, "memory_start", prompt="hello")["session_id"]}
    first = ask(other, "memory_recall", query="tea", step="", **session)
    assert "green tea" in first["text"] and "Fridays" not in first["text"]
    assert ask(one, "memory_recall", query="tea", step="", **session) == first
    assert ask(one, "memory_recall", query="green", step="", **session)["text"] == NOTHING_NEW
    put(vault, "r.md", "Never deploy on Fridays", id="m_200000000000", state="rejected")
    assert "No longer a rule" in ask(other, "memory_recall", query="green", step="soon", **session)["text"]
    assert ask(one, "memory_recall", query="green", step="later", **session)["text"] == NOTHING_NEW
    ask(other, "memory_end", **session)
    assert ask(one, "memory_recall", query="tea", step="", **session)["error"]["code"] == "session_ended"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights(vault: Path) -> None:
    """A vault that its user may not write to is served in sessions too."""
    put(vault, "a.md", "Likes green tea", id=ID, state="approved")
    vault.chmod(0o500)
    try:
        assert "green" in ask(open_desk(vault, assistant="alpha"), "memory_start", prompt="tea")["text"]
    finally:
        vault.chmod(0o700)
