"""Decided elsewhere: what no command of PersonaKit decided since the owner last looked."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.model.states import State
from personakit.model.visibility import viewer
from personakit.services.decide import decide
from personakit.services.examine import examine
from personakit.services.look import decided_elsewhere, look
from personakit.services.opened import OpenVault
from personakit.services.propose import Proposer
from tests.support import make_vault, open_vault, put

A, B = "m_0000000000aa", "m_0000000000bb"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with two memories."""
    root = make_vault(tmp_path / "vault")
    put(root, "a.md", "Likes tea", id=A, state="unconfirmed")
    put(root, "b.md", "Likes coffee", id=B, state="approved")
    return root


def told(vault: OpenVault) -> dict[str, str]:
    """Give id -> what is different, as it is after every save by now."""
    vault.freshness.before_call()
    return {each.note.id: each.what for each in decided_elsewhere(vault)}


def test_nothing_is_told_before_the_first_look(root: Path) -> None:
    """Without a look there is nothing to compare with, and nothing is written."""
    vault = open_vault(root)
    put(root, "a.md", "Likes tea", id=A, state="approved")
    assert told(vault) == {}
    assert not (root / ".personakit").exists()


def test_an_edited_state_is_told_until_the_next_look(root: Path) -> None:
    """A state that changed in the file is told, by each look's absence again, and gone after a look."""
    vault = open_vault(root)
    look(vault)
    put(root, "a.md", "Likes tea", id=A, state="approved")
    put(root, "c.md", "Likes cake", id="m_0000000000cc", state="approved")
    put(root, "d.md", "Likes rain", id="m_0000000000dd", state="unconfirmed")
    wanted = {A: "unconfirmed, now approved", "m_0000000000cc": "new, and approved from the start"}
    assert told(vault) == told(vault) == wanted
    problems = [problem for problem in examine(vault).problems if problem.code == "decided_elsewhere"]
    assert {problem.path for problem in problems} == {"memories/a.md", "memories/c.md"}
    assert told(vault) == wanted
    look(vault)
    assert told(vault) == {}


def test_words_changed_under_an_approval_are_told(root: Path) -> None:
    """A reworded approved memory is told; one that waits for its decision may change its words."""
    vault = open_vault(root)
    look(vault)
    put(root, "a.md", "Likes green tea", id=A, state="unconfirmed")
    put(root, "b.md", "Likes tea", id=B, state="approved")
    assert told(vault) == {B: "reworded while approved"}


def test_the_owners_commands_are_no_news(root: Path) -> None:
    """A decision by command, and a proposal, are not told; an older buffer saved over the decision is."""
    vault = open_vault(root)
    look(vault)
    older = (root / "memories" / "a.md").read_text()
    decide(vault, A, State.APPROVED)
    Proposer(vault, viewer()).propose("Likes scones", "scones", "", by="codex", settings=None)
    assert told(vault) == {}
    (root / "memories" / "a.md").write_text(older)
    assert told(vault) == {A: "approved, now unconfirmed"}


def test_the_file_holds_no_words_and_may_be_broken(root: Path) -> None:
    """What is kept of a look are ids, states and hashes; broken lines cost themselves alone."""
    vault = open_vault(root)
    look(vault)
    file = root / ".personakit" / "seen.jsonl"
    assert "tea" not in file.read_text() and file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"\xff\xfe\n{}\n[1]\n" + file.read_bytes() + b'{"id": "m_1", "state": "sure", "words": ""}\n{"id"')
    put(root, "a.md", "Likes tea", id=A, state="restricted")
    assert told(vault) == {A: "unconfirmed, now restricted"}


def test_a_vault_that_cannot_be_written_is_still_told_of(tmp_path: Path) -> None:
    """In a read-only vault a look leaves no trace and is no fault."""
    root = make_vault(tmp_path, "format: 2\n")
    put(root, "a.md", "Likes tea", id=A, state="approved")
    vault = open_vault(root)
    look(vault)
    assert told(vault) == {} and not (root / ".personakit").exists()
