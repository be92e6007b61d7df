"""Undo takes back one commit of PersonaKit's and nothing else, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.errors import CannotUndo, NotEditable
from personakit.model.states import State
from personakit.model.visibility import viewer
from personakit.services.answers import Stored
from personakit.services.decide import decide
from personakit.services.opened import OpenVault
from personakit.services.propose import Proposer
from personakit.services.undo import last_undoing, undo
from tests.cases.inputs import git
from tests.support import SetClock, open_vault, put

TEA = "m_0000000000aa"


def opened(root: Path) -> OpenVault:
    """Open a vault whose pauses take no time."""
    return open_vault(root, SetClock())


def propose(vault: OpenVault, text: str, quote: str = "as I said", by: str = "claude-code") -> str:
    """Propose as an assistant does, commit it, and give the id."""
    stored = Proposer(vault, viewer(every_list=True)).propose(text, quote, "other", by=by, settings=None)
    assert isinstance(stored, Stored)
    assert vault.recorder.flush() is None
    return stored.id


def take_back(root: Path) -> list[str]:
    """Undo, and give what it did."""
    vault = opened(root)
    found = last_undoing(vault)
    assert undo(vault, found) is None
    return [f"{effect.id} {effect.what}" for effect in found.effects]


def subjects(root: Path) -> list[str]:
    """Give the subjects of all commits but the first, newest first."""
    return git(root, "log", "--format=%s").splitlines()[:-1]


def refused(root: Path) -> str:
    """Give why nothing can be taken back."""
    with pytest.raises(CannotUndo) as caught:
        last_undoing(opened(root))
    return str(caught.value)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_decision_is_as_it_was(repository: Path, ends: str) -> None:
    """The one line returns, in the owner's line ends; a second undo takes back what came before."""
    path = repository / "memories/tea.md"
    (repository / "memories/.gitattributes").write_text("*.md text eol=lf\n")
    path.write_bytes(path.read_bytes().replace(b"\n", ends.encode()))
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Ends", "--allow-empty")
    before = path.read_bytes()
    vault = opened(repository)
    for state in (State.RESTRICTED, State.REJECTED):
        decide(vault, TEA, state)
        vault.recorder.flush()
    assert take_back(repository) == [f"{TEA} rejected -> restricted"]
    assert b"state: restricted" in path.read_bytes()
    assert take_back(repository) == [f"{TEA} restricted -> approved"]
    assert path.read_bytes() == before
    assert subjects(repository)[:3] == [f"undo {TEA}", f"undo {TEA}", f"reject {TEA}"]
    assert "PersonaKit-Undoes: " in git(repository, "log", "-1", "--format=%B")
    assert "left to take back" in refused(repository)
    assert git(repository, "status", "--porcelain") == ""


def test_a_proposal_goes(repository: Path) -> None:
    """A proposal's file goes and git still holds it; a quote that was added goes alone; both can be proposed anew."""
    vault = opened(repository)
    id_ = propose(vault, "Likes scones")
    propose(vault, "Likes scones", "and once more")
    (path,) = (repository / "memories").glob("20*/*.md")
    assert take_back(repository) == [f"{id_} the quote that was added goes"]
    assert "as I said" in path.read_text() and "once more" not in path.read_text()
    assert take_back(repository) == [f"{id_} its file goes"]
    assert not path.exists() and not list((repository / ".personakit/trash").iterdir())
    assert opened(repository).library.note(id_) is None
    assert git(repository, "status", "--porcelain") == ""
    assert propose(opened(repository), "Likes scones") == id_


def test_other_work_is_left_alone(repository: Path) -> None:
    """A file that changed since, or went, is not touched; what the owner staged stays staged and out."""
    vault = opened(repository)
    id_ = propose(vault, "Likes scones")
    (path,) = (repository / "memories").glob("20*/*.md")
    proposed = path.read_text()
    path.write_text(proposed + "\nMine\n")
    assert "was changed since" in refused(repository) and path.read_text() == proposed + "\nMine\n"
    path.unlink()
    assert "is gone" in refused(repository)
    path.write_text(proposed)
    put(repository, "staged.md", "Likes oats")
    git(repository, "add", "memories/staged.md")
    found = last_undoing(opened(repository))
    path.write_text(proposed + "\nMine\n")
    with pytest.raises(CannotUndo):
        undo(opened(repository), found)
    path.write_text(proposed)
    assert take_back(repository) == [f"{id_} its file goes"]
    assert git(repository, "status", "--porcelain") == "A  memories/staged.md\n"


def test_an_edit_that_came_with_a_decision_stays(repository: Path) -> None:
    """What the owner had edited before they decided stays edited; only the state returns."""
    path = repository / "memories/tea.md"
    path.write_text(path.read_text().replace("green", "white"))
    vault = opened(repository)
    decide(vault, TEA, State.REJECTED)
    vault.recorder.flush()
    assert take_back(repository) == [f"{TEA} rejected -> approved"]
    assert "white" in path.read_text() and "state: approved" in path.read_text()


def test_what_git_does_not_know_is_said(repository: Path) -> None:
    """A decision with which a file was first committed, or that came with the state's line, is not guessed."""
    put(repository, "new.md", "Likes oats", state="unconfirmed", id="m_0000000000bb")
    vault = opened(repository)
    decide(vault, "m_0000000000bb", State.REJECTED)
    vault.recorder.flush()
    assert "personakit reopen m_0000000000bb" in refused(repository)
    path = repository / "memories/tea.md"
    path.write_text(path.read_text().replace("state: approved\n", ""))
    git(repository, "commit", "-qam", "No state")
    path.write_text(path.read_text().replace("green", "white"))
    vault = opened(repository)
    decide(vault, TEA, State.REJECTED)
    vault.recorder.flush()
    vault = opened(repository)
    with pytest.raises(NotEditable):
        undo(vault, last_undoing(vault))
    assert "state: rejected" in path.read_text()


def test_what_waits_is_committed_first(repository: Path) -> None:
    """A change that is still to be committed can be taken back as well, or the reason why not is told."""
    decide(opened(repository), TEA, State.REJECTED)
    git(repository, "checkout", "-q", "--detach")
    assert "no branch is checked out" in refused(repository)
    git(repository, "checkout", "-q", "main")
    assert take_back(repository) == [f"{TEA} rejected -> approved"]
    (repository / "personakit.yaml").write_text("format: 1\n")
    assert "commit: auto" in refused(repository)


def test_a_batch_goes_as_one(repository: Path) -> None:
    """Proposals of one commit go together, and none goes when one has changed."""
    vault = opened(repository)
    proposer = Proposer(vault, viewer(every_list=True))
    for text in ("Likes scones", "Likes oats"):
        proposer.propose(text, "as I said", "other", by="claude-code", settings=None)
    vault.recorder.flush()
    first, second = (repository / "memories").glob("20*/*.md")
    words = second.read_text()
    second.write_text(words + "\nMine\n")
    assert "was changed since" in refused(repository) and first.exists()
    second.write_text(words)
    assert len(take_back(repository)) == 2 and not first.exists() and not second.exists()
    assert subjects(repository) == ["undo 2 memories", "propose 2 memories"]


def test_a_commit_whose_bytes_are_gone(repository: Path) -> None:
    """Where git lacks what a commit made, that is said."""
    propose(opened(repository), "Likes scones")
    (path,) = (repository / "memories").glob("20*/*.md")
    blob = git(repository, "rev-parse", f"HEAD:{path.relative_to(repository)}").strip()
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert "no longer holds" in refused(repository)


def test_a_quote_among_other_changes_is_not_guessed(repository: Path) -> None:
    """A quote of the owner's own that was committed with their edits, or in mixed line ends, is left as it is."""
    path = put(repository, "oats.md", "Likes oats", state="unconfirmed", evidence=["first"])
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Oats")
    path.write_text(path.read_text() + "\nMine\n")
    propose(opened(repository), "Likes oats", "second", by="")
    vault = opened(repository)
    with pytest.raises(NotEditable, match="other changes"):
        undo(vault, last_undoing(vault))
    git(repository, "commit", "-qam", "All", "--allow-empty")
    propose(opened(repository), "Likes oats", "third")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(lines[0] + b"\r\n" + b"\n".join(lines[1:]))
    vault = opened(repository)
    with pytest.raises(NotEditable, match="line ends"):
        undo(vault, last_undoing(vault))
    assert b"third" in path.read_bytes()
