"""The owner sees what assistants were told, and takes it back for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from personakit.services.desk import Desk
from personakit.services.ledger import session
from tests.cases.inputs import git
from tests.cli.conftest import Command
from tests.services.test_transcripts import FULL, ask, everything
from tests.support import SetClock, open_desk, open_vault, put

ID = "m_100000000000"


@pytest.fixture
def told(vault: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Desk, str]:
    """Hold a session of alpha's, be in its vault, and give its desk and id."""
    (vault / "personakit.yaml").write_text(FULL + "projects: {garden: {consent: full}}\n")
    put(vault, "a.md", "Likes green tea", id=ID, state="approved", created="2026-01-02")
    monkeypatch.chdir(vault)
    desk = open_desk(vault, assistant="alpha")
    id_ = ask(desk, "memory_start", prompt="quokka tea", project="garden")["session_id"]
    return desk, id_


def test_sessions(told: tuple[Desk, str], command: Command) -> None:
    """Each session with its assistant, project and counts; one of them with the words that were kept."""
    desk, id_ = told
    ask(desk, "memory_end", session_id=id_)
    (row,) = command("sessions", "--json").json["sessions"]
    assert (row["id"], row["agent"], row["project"], row["ended"]) == (id_, "alpha", "garden", True)
    assert (row["calls"], row["memories"]) == (1, [ID])
    assert row["transcript"].startswith("sessions/") and "turns" not in row
    listed = command("sessions").out
    assert id_ in listed and "1 calls, 1 memories" in listed and "words kept" in listed and "quokka" not in listed
    assert "person, prompt: quokka tea" in command("sessions", "show", id_).out
    (turn,) = command("sessions", "show", id_, "--json").json["turns"]
    assert (turn["speaker"], turn["words"]) == ("person", "quokka tea")
    assert command("sessions", "show").code == 2 and command("sessions", "show", "s_aaaaaaaaaaaaaaaa").code == 1


def test_an_idle_session_has_ended(told: tuple[Desk, str], vault: Path) -> None:
    """A day of silence closes a session for its owner too, whether or not anybody asked in it since."""
    _, id_ = told
    clock = SetClock()
    for hours, ended in ((23.0, False), (25.0, True)):
        clock.ahead = hours * 3600
        assert session(open_vault(vault, clock), id_).ended is ended


def test_served(told: tuple[Desk, str], command: Command) -> None:
    """What went to whom, all of it or of one assistant and from a day on."""
    _, id_ = told
    (row,) = command("served", "--json").json["served"]
    assert (row["to"], row["tool"], row["session"], row["ids"]) == ("alpha", "memory_start", id_, [ID])
    assert ID in command("served", "--to", "alpha", "--since", "2020-01-01").out
    for words in (["--to", "beta"], ["--since", "2999-01-01"]):
        assert command("served", *words).out == "Nothing was served, as far as the journal goes.\n"
    assert command("served", "--since", "soon").code == 2


def test_trace(told: tuple[Desk, str], command: Command) -> None:
    """The start of an id will do; without git the file and the journal tell what they can, and that is said."""
    rows: dict[str, Any] = command("trace", ID[:5], "--json").json
    assert rows["id"] == ID and [line["kind"] for line in rows["lines"]] == ["written", "served"]
    out = command("trace", ID).out
    assert "2026-01-02T00:00:00Z  written by the owner" in out and "no git history" in out
    assert command("trace", "m_ffffffffffff").code == 1


def test_forget_a_session(told: tuple[Desk, str], vault: Path, command: Command) -> None:
    """Its rows and words are gone for good, another's stay, and the server that held it knows it no more."""
    desk, id_ = told
    other = ask(desk, "memory_start", prompt="numbat tea")["session_id"]
    assert command("forget", "--session", id_).code == 2  # nobody to ask
    assert command("forget", "--session", id_, "--yes").code == 0
    kept = everything(vault)
    assert id_ not in kept and "quokka" not in kept and other in kept and "numbat" in kept
    gone = ask(desk, "memory_recall", query="tea", step="", session_id=id_)
    assert gone["error"]["code"] == "unknown_session"
    assert "text" in ask(desk, "memory_recall", query="tea", step="", session_id=other)
    assert command("forget", "--session", id_, "--yes").code == 1


def test_forget_where_git_keeps_history(
    told: tuple[Desk, str], vault: Path, cache_home: Path, command: Command, somebody: None
) -> None:
    """No row, no cache and no file of a forgotten session is left; what others wait for waits on, and that alone."""
    desk, id_ = told
    desk.close()
    (vault / "personakit.yaml").write_text(FULL + "commit: auto\n")
    (vault / ".gitignore").write_text(".personakit/\n")
    git(vault, "init", "-q", "-b", "main")
    clock = SetClock()
    clock.ahead = 60.0  # by then nothing is too fresh to be cached
    desk = open_desk(vault, assistant="alpha", clock=clock)
    ask(desk, "memory_save_turn", session_id=id_, kind="prompt", speaker="person", text="potoroo")
    ask(desk, "personakit_propose", text="Prefers numbats", quote="numbats")
    assert desk._vault.recorder.flush() is None
    (vault / ".git" / "index.lock").touch()
    waits = ask(desk, "personakit_propose", text="Prefers wombats", quote="wombats")["id"]
    clock.ahead += 700.0
    open_desk(vault, assistant="alpha", clock=clock).close()
    assert "potoroo" in everything(cache_home)
    journal = desk._vault.recorder.journal
    before = journal.waiting()
    assert [change.ids for (change,) in before.values()] == [(waits,)]
    assert command("forget", "--journal", "--yes").code == 0
    assert journal.waiting() == before
    (vault / ".git" / "index.lock").unlink()
    assert command("forget", "--session", id_, "--yes").code == 0
    assert journal.waiting() == {}
    kept = everything(cache_home, vault / ".personakit", vault / "sessions")
    assert id_ not in kept and "potoroo" not in kept and "quokka" not in kept


def test_forget_the_journal(told: tuple[Desk, str], vault: Path, command: Command) -> None:
    """Nothing of what was served is left; memories and transcripts stay."""
    _, id_ = told
    assert command("forget", "--journal", "--yes").code == 0
    assert not list((vault / ".personakit" / "journal").glob("*.jsonl"))
    assert command("served", "--json").json == {"served": []}
    assert [row["id"] for row in command("sessions", "--json").json["sessions"]] == [id_]
    for words in ([], ["--journal", "--session", id_]):
        assert command("forget", *words, "--yes").code == 2
