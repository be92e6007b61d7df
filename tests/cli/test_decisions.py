"""`personakit approve | restrict | reject | reopen`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import COFFEE, JOKE, SECRET, TEA, Command
from tests.support import put, tree_hash

STATES = {"approve": "approved", "restrict": "restricted", "reject": "rejected", "reopen": "unconfirmed"}


@pytest.mark.parametrize(("verb", "state"), STATES.items())
def test_exactly_one_line_changes(command: Command, stocked: Path, verb: str, state: str) -> None:
    """A decision changes the one `state:` line of the one file, to the byte, and no other file."""
    path = stocked / "memories" / "odd.md"
    old_state = "rejected" if state != "rejected" else "approved"
    head = f"---\r\nid: m_0000000000ee\r\nstate:   {old_state}  # mine\r\nx-mine: [1, 2]\r\n---\r\n"
    path.write_bytes(("\ufeff" + head + "Likes \u00e9\r\n\r\nnote \r\n").encode())
    before = path.read_bytes()
    others = {each: each.read_bytes() for each in stocked.rglob("*.md") if each != path}
    outcome = command(verb, "m_0000000000ee")
    assert outcome.code == 0, outcome.err
    lines, old = path.read_bytes().splitlines(keepends=True), before.splitlines(keepends=True)
    assert [number for number, line in enumerate(lines) if line != old[number]] == [2]
    assert len(lines) == len(old)
    assert lines[2] == f"state:   {state}  # mine\r\n".encode()
    assert all(each.read_bytes() == data for each, data in others.items())


def test_several_at_once(command: Command, stocked: Path) -> None:
    """Each id gets a line with what it was and what it is."""
    outcome = command("approve", COFFEE, SECRET, TEA)
    assert outcome.out.splitlines() == [
        f"{COFFEE}: unconfirmed -> approved",
        f"{SECRET}: restricted -> approved",
        f"{TEA}: approved -> approved",
    ]


def test_one_that_fails_keeps_no_other_from_it(command: Command, stocked: Path) -> None:
    """An id that fits none or several is named on stderr with exit code 1; the others are decided all the same."""
    outcome = command("reject", "m_ff", "m_00", COFFEE)
    assert outcome.code == 1
    assert outcome.out == f"{COFFEE}: unconfirmed -> rejected\n"
    unknown, ambiguous = outcome.err.splitlines()
    assert "has the id m_ff" in unknown
    assert f"m_00 fits several: {TEA}, {COFFEE}, {SECRET}, {JOKE}" in ambiguous


def test_a_start_of_the_id_is_enough(command: Command, stocked: Path) -> None:
    """An unambiguous start names the memory."""
    assert command("approve", "m_0000000000c").out == f"{SECRET}: restricted -> approved\n"


def test_a_more_cautious_copy_counts_and_is_told(command: Command, stocked: Path) -> None:
    """An approval that a sync tool's copy outweighs says so."""
    copy = "coffee.sync-conflict-20260101-120000-ABCDEFG.md"
    put(stocked, copy, "Likes strong coffee", id=COFFEE, state="restricted")
    outcome = command("approve", COFFEE)
    assert outcome.code == 0
    assert "a copy of it says restricted, which counts" in outcome.out
    assert "state: approved" in (stocked / "memories/coffee.md").read_text()


def test_a_held_file_is_not_touched(command: Command, stocked: Path) -> None:
    """A file that cannot be read with certainty is named and stays as it is."""
    put(stocked, "held.md", "Likes rain", id="m_0000000000ff", state="maybe")
    before = tree_hash(stocked)
    outcome = command("approve", "m_0000000000ff")
    assert outcome.code == 1 and "is held" in outcome.err
    assert tree_hash(stocked) == before
