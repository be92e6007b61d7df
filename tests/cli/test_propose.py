"""`personakit propose`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import COFFEE, Command


def test_a_new_statement_is_stored(command: Command, stocked: Path) -> None:
    """The statement becomes a file that waits for a decision; no proposer is named, since it is the owner."""
    outcome = command("propose", "Likes rain", "--quote", "I do", "--category", "Work Style", "--json")
    id_ = outcome.json["id"]
    assert outcome.json == {"stored": True, "id": id_, "new": True, "state": "unconfirmed"}
    (path,) = (stocked / "memories").rglob(f"*{id_[2:]}.md")
    text = path.read_text()
    assert "category: work-style" in text and "proposed_by" not in text and '"I do"' in text
    assert id_ in command("list", "--state", "unconfirmed").out


def test_plain_words(command: Command, stocked: Path) -> None:
    """A new statement is told with the command that confirms it; one that is known, with its state."""
    first = command("propose", "Likes rain", "--quote", "I do")
    assert first.code == 0 and first.out.startswith("Stored as m_") and "personakit approve m_" in first.out
    again = command("propose", "likes rain.", "--quote", "really")
    assert again.code == 0 and again.out.startswith("Known already as m_") and "unconfirmed" in again.out


def test_the_same_again_changes_no_state(command: Command, stocked: Path) -> None:
    """A statement that was rejected stays rejected."""
    id_ = command("propose", "Likes rain", "--quote", "I do", "--json").json["id"]
    assert command("reject", id_).code == 0
    again = command("propose", "Likes rain", "--quote", "really", "--json")
    assert again.json == {"stored": True, "id": id_, "new": False, "state": "rejected"}


@pytest.mark.parametrize(
    ("text", "quote", "reason", "words"),
    [
        (" ", "q", "empty_text", "the statement is empty"),
        ("x" * 301, "q", "too_long", "longer than 300"),
        ("password: hunter2hunter2", "q", "credential_shape", "a password or a key"),
        ("Likes rain", " ", "empty_quote", "the quote is empty"),
    ],
)
def test_refusals(command: Command, stocked: Path, text: str, quote: str, reason: str, words: str) -> None:
    """What is not stored says why, in words and as JSON, with exit code 1; no file appears."""
    before = sorted(stocked.rglob("*.md"))
    plain = command("propose", text, "--quote", quote)
    assert (plain.code, plain.out) == (1, "") and words in plain.err
    assert "hunter2" not in plain.err
    outcome = command("propose", text, "--quote", quote, "--json")
    assert outcome.code == 1 and outcome.json == {"stored": False, "reason": reason}
    assert sorted(stocked.rglob("*.md")) == before


def test_bytes_that_are_no_text_are_named(command: Command, stocked: Path) -> None:
    """An argument that is not UTF-8 is named, and nothing is stored."""
    outcome = command("propose", "Likes \udcff", "--quote", "q")
    assert outcome.code == 2 and "TEXT: is not UTF-8 text" in outcome.err
    assert "--quote:" in command("propose", "Likes rain", "--quote", "\udcff").err


def test_a_held_file_is_not_overwritten(command: Command, stocked: Path) -> None:
    """The words of a held file are refused with where to look."""
    (stocked / "memories" / "held.md").write_text("---\nstate: maybe\n---\nLikes rain\n")
    outcome = command("propose", "Likes rain", "--quote", "q")
    assert outcome.code == 1 and "is held" in outcome.err and "personakit doctor" in outcome.err


def test_the_owner_has_no_limits(command: Command, stocked: Path) -> None:
    """The brakes on assistants do not count the owner's own command."""
    (stocked / "personakit.yaml").write_text("format: 1\nproposals_per_minute: 0\nunconfirmed_per_proposer: 0\n")
    assert command("propose", "Likes rain", "--quote", "q").code == 0
    assert COFFEE in command("list").out
