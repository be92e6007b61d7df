"""What the owner last saw is kept without words, and nothing that happens to the file stops anything."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from personakit.model.states import State
from personakit.vault.seen import Glimpse, SeenFile

ONE = {"m_1": Glimpse(State.APPROVED, "abc")}
TWO = {"m_1": Glimpse(State.REJECTED, "abc"), "m_2": Glimpse(State.UNCONFIRMED, "def")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the path of the file, in a folder that is there."""
    (tmp_path / ".personakit").mkdir()
    return tmp_path / ".personakit" / "seen.jsonl"


@pytest.fixture
def seen(file: Path) -> SeenFile:
    """Give the file of a vault."""
    return SeenFile(str(file.parents[1]))


def test_nothing_was_seen_before_the_first_look(seen: SeenFile, file: Path) -> None:
    """Without the file there is nothing to compare with, and one more glimpse does not make it."""
    assert seen.read() is None
    seen.add("m_1", ONE["m_1"])
    assert not file.exists()


def test_what_was_seen_comes_back(seen: SeenFile, file: Path) -> None:
    """A look replaces the one before; the file is private and nothing else is left."""
    seen.write(ONE)
    assert seen.read() == ONE
    seen.write(TWO)
    assert seen.read() == TWO
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == ["seen.jsonl"]


def test_the_last_line_of_an_id_counts(seen: SeenFile) -> None:
    """A glimpse that is added replaces the one before it, also in an empty file."""
    seen.write({})
    assert seen.read() == {}
    seen.add("m_1", TWO["m_1"])
    seen.add("m_1", ONE["m_1"])
    assert seen.read() == ONE


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "1", "null", "{}", '{"id":"m_3"}', '{"id":"m_3","state":"odd","words":"x"}', "[" * 100_000, "\xff"],
)
def test_a_broken_line_costs_that_line(seen: SeenFile, file: Path, line: str) -> None:
    """Whatever stands there, the other lines count."""
    seen.write(ONE)
    with file.open("ab") as raw:
        raw.write(line.encode("latin-1") + b"\n")
    seen.add("m_2", TWO["m_2"])
    assert seen.read() == {**ONE, "m_2": TWO["m_2"]}


def test_a_line_that_was_cut_off_takes_no_other_with_it(seen: SeenFile, file: Path) -> None:
    """What is added after a torn line stands on a line of its own."""
    seen.write(TWO)
    file.write_bytes(file.read_bytes()[:-10])
    seen.add("m_3", ONE["m_1"])
    assert seen.read() == {"m_1": TWO["m_1"], "m_3": ONE["m_1"]}


def test_a_disk_that_refuses_leaves_what_was_seen(seen: SeenFile, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure is no fault: the old file stays and no temporary one is left."""
    seen.write(ONE)

    def refuse(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        seen.write(TWO)
    assert seen.read() == ONE
    assert os.listdir(file.parent) == ["seen.jsonl"]


def test_a_vault_without_our_folder_is_no_fault(tmp_path: Path) -> None:
    """Where `.personakit/` is missing, nothing is kept and nothing fails."""
    seen = SeenFile(str(tmp_path))
    seen.write(ONE)
    assert seen.read() is None
    assert os.listdir(tmp_path) == []
