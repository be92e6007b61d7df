"""The owner lists corrections of documents, accepts and declines them."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.model.correction import Words, written
from personakit.model.document import document_id, passage_id
from tests.cases.inputs import git
from tests.cli.conftest import Command

PATH = "knowledge/boats.md"
DOCUMENT = "# Boats\r\n\r\nBoats are blue.\r\n\r\n## Oars\r\n\r\nOars hang on the wall.\r\n"
OLD = "Oars hang on the wall."
IDS = ("q_000000000001", "q_000000000002")


def put_proposal(root: Path, id_: str, right: str, old: str = OLD) -> Path:
    """Write a correction as an assistant's call would."""
    document = document_id(PATH)
    lines = [
        "---",
        "type: proposal",
        f"id: {id_}",
        "created: 2026-01-02T00:00:00Z",
        f"passage: {passage_id(document, ('Boats', 'Oars'), old)}",
        f"document: {document}",
        "base: 0000",
        "agent: alpha",
        "status: waiting",
        "---",
        "",
        written(Words("Ada moved them", old, right)),
    ]
    (root / "proposals").mkdir(exist_ok=True)
    path = root / f"proposals/{id_}.md"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def root(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a repository with a document and two corrections of one passage, and be in it."""
    (repository / "knowledge").mkdir(exist_ok=True)
    (repository / PATH).write_bytes(DOCUMENT.encode())
    for id_, right in zip(IDS, ("Oars lie in\nthe loft.", "Oars float."), strict=True):
        put_proposal(repository, id_, right)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "all")
    monkeypatch.chdir(repository)
    return repository


def test_accepting_one_is_one_edit_and_one_commit(root: Path, command: Command) -> None:
    """CRLF stays; the other correction no longer fits, stays waiting and says why."""
    listed = command("proposals").out
    assert all(id_ in listed for id_ in IDS) and "- Oars hang on the wall." in listed and "+ Oars float." in listed
    assert "Ada moved them" in listed and PATH in listed
    done = command("accept", IDS[0])
    assert (done.code, done.out) == (0, f"{IDS[0]}: its words are in the document\n")
    assert (root / PATH).read_bytes() == DOCUMENT.replace(OLD, "Oars lie in\r\nthe loft.").encode()
    said = git(root, "log", "-1", "--pretty=%B", "--name-only")
    assert "PersonaKit-Tool: accept" in said and f"PersonaKit-Id: {IDS[0]}" in said
    assert PATH in said and f"proposals/{IDS[0]}.md" in said and git(root, "status", "--porcelain") == ""
    failed = command("accept", IDS[1])
    assert failed.code == 1 and "the words it corrects have changed since" in failed.err
    assert "status: waiting\n" in (root / f"proposals/{IDS[1]}.md").read_text()
    rows = command("proposals", "--json").json["proposals"]
    assert [(row["id"], row["note"]) for row in rows] == [(IDS[1], "the words it corrects have changed since")]
    assert "note: the words" in command("proposals").out
    again = command("accept", IDS[0])
    assert again.code == 1 and "it was applied at" in again.err
    assert command("decline", IDS[0]).code == 1


def test_declining_with_a_note(root: Path, command: Command) -> None:
    """The document stays; the list is shorter, `--all` still shows it."""
    assert command("decline", IDS[1], "--note", 'No: "they" sink').code == 0
    assert (root / PATH).read_bytes() == DOCUMENT.encode()
    assert [row["id"] for row in command("proposals", "--json").json["proposals"]] == [IDS[0]]
    rows = command("proposals", "--all", "--json").json["proposals"]
    assert [(row["status"], row["note"]) for row in rows] == [("waiting", None), ("declined", 'No: "they" sink')]
    assert "declined" in command("proposals", "--all").out
    assert command("decline", IDS[0]).code == 0 and command("proposals").out == "No correction waits for you.\n"


def test_what_cannot_be_applied_is_said(root: Path, command: Command) -> None:
    """A part taken out, words that would hold the document, a document that is gone, an id of something else."""
    path = root / f"proposals/{IDS[0]}.md"
    path.write_text(path.read_text().replace("## Old words", "## Old"))
    assert "lacks the old or the right words" in command("accept", IDS[0]).err
    assert "lacks the old" in command("proposals").out
    put_proposal(root, IDS[0], "x\n<<<<<<< a\ny\n=======\nz\n>>>>>>> b")
    assert "could not be read with these words" in command("accept", IDS[0]).err
    assert (root / PATH).read_bytes() == DOCUMENT.encode()
    (root / PATH).unlink()
    assert "is not here any more" in command("accept", IDS[1]).err
    assert "its document is gone" in command("proposals").out
    assert command("accept", "m_100000000000").code == 1
