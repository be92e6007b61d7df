"""Deciding: one line of one file, by id or the start of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from personakit.errors import AmbiguousId, Conflict, HeldFile, UnknownId
from personakit.model.states import State
from personakit.services.decide import decide, resolve
from personakit.vault.store import DiskPen
from tests.support import make_vault, open_vault, put


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with two memories."""
    root = make_vault(tmp_path / "vault")
    put(root, "a.md", "Likes tea", id="m_0000000000aa", state="unconfirmed  # look", note="kept")
    put(root, "b.md", "Likes coffee", id="m_0000000000bb", state="approved")
    return root


@pytest.mark.parametrize("state", list(State))
def test_a_decision_changes_one_line(root: Path, state: State) -> None:
    """Only the value of `state` changes; comment, other keys and body stay byte for byte."""
    path = root / "memories" / "a.md"
    before = path.read_text().splitlines()
    vault = open_vault(root)
    outcome = decide(vault, "m_0000000000aa", state)
    after = path.read_text().splitlines()
    assert outcome.now is state
    assert after == [line.replace("unconfirmed", state.value) for line in before]
    note = vault.library.note("m_0000000000aa")
    assert note is not None and note.state is state


def test_ids_may_be_short(root: Path) -> None:
    """Any start that fits one id is enough; one that fits several or none is an error."""
    vault = open_vault(root)
    assert resolve(vault.library, "m_0000000000a").path == "memories/a.md"
    with pytest.raises(AmbiguousId, match="m_0000000000aa, m_0000000000bb"):
        resolve(vault.library, "m_00")
    for unknown in ("m_ff", ""):
        with pytest.raises(UnknownId):
            resolve(vault.library, unknown)


def test_a_file_without_front_matter_gets_a_block(tmp_path: Path) -> None:
    """A decision on a bare note puts a block before it and keeps its text."""
    root = make_vault(tmp_path)
    path = root / "memories" / "bare.md"
    path.write_text("Likes tea\n")
    vault = open_vault(root)
    (note,) = vault.library.notes()
    decide(vault, note.id, State.APPROVED)
    assert path.read_text() == "---\nstate: approved\n---\nLikes tea\n"


def test_held_files_are_not_decided(root: Path) -> None:
    """A held file is never written; its id says so."""
    path = put(root, "c.md", "Likes cake", id="m_0000000000cc", state="sure")
    before = path.read_bytes()
    with pytest.raises(HeldFile):
        decide(open_vault(root), "m_0000000000cc", State.APPROVED)
    assert path.read_bytes() == before


def test_a_more_cautious_copy_still_counts(root: Path) -> None:
    """Approving the original beside a restricted copy of equal words leaves it restricted, and says so."""
    put(root, "a.sync-conflict-20261121-184717-5RQAITR.md", "Likes tea", id="m_0000000000aa", state="restricted")
    outcome = decide(open_vault(root), "m_0000000000aa", State.APPROVED)
    assert outcome.wanted is State.APPROVED and outcome.now is State.RESTRICTED


def test_a_save_between_reading_and_writing_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner's save at the last moment is read again and kept; one at every try ends in a clear conflict."""
    path = root / "memories" / "a.md"
    real = DiskPen.edit
    saves = iter(["Likes tea, iced", "Likes tea, hot", "Likes tea, mild"])

    def edit(self: DiskPen, at: str, version: str, change: Callable[[bytes], bytes], *, called: str) -> None:
        text = next(saves, None)
        if text is not None:
            path.write_text(path.read_text().replace(path.read_text().splitlines()[-1], text))
        real(self, at, version, change, called=called)

    monkeypatch.setattr(DiskPen, "edit", edit)
    with pytest.raises(Conflict):
        decide(open_vault(root), "m_0000000000aa", State.APPROVED)
    assert path.read_text().endswith("Likes tea, hot\n") and "state: unconfirmed" in path.read_text()
    next(saves)
    decide(open_vault(root), "m_0000000000aa", State.APPROVED)
    assert "state: approved" in path.read_text()
