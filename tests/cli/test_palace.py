"""`personakit palace`, `facts` and `diary`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.safety.owner import restore

FILES = {
    "palace/w/r/a.md": b"---\nwing: Garden\nroom: plans\nfiled_at: 2026-01-02\n---\nPlant quinces\nby the wall\x1b[31m",
    "palace/w/r/b.md": b"---\nwing: Garden\nroom: plans\nstate: restricted\n---\nSecret plan",
    "palace/w/s/c.md": b"---\nwing: Garden\nroom: tools\nassistants: beta\n---\nA spade",
    "facts/a.md": b'---\nsubject: "[[Max]]"\npredicate: works at\nobject: ACME\nvalid_from: 2020\nvalid_to: 2021\n---',
    "facts/b.md": b"---\nsubject: Ada\npredicate: knows\nobject: max\nstate: rejected\n---\n",
    "diary/ada/a.md": b"---\nagent: Ada\ntopic: work\ntimestamp: 2026-01-02T03:04:05.000006Z\n---\nFirst",
    "diary/ada/b.md": b"---\nagent: ada\ntopic: work\ntimestamp: 2026-01-03T03:04:05.000006Z\n---\nSecond",
}


@pytest.fixture
def stocked(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a vault with drawers, facts and entries, and be in it."""
    restore(vault, {"personakit.yaml": b"format: 1\n", **FILES})
    monkeypatch.chdir(vault)
    return vault


def test_the_palace_as_a_tree_and_a_room(command: Command, stocked: Path) -> None:
    """Counts by wing and room; a room's drawers on one line each, marked by who may not see them."""
    assert command("palace").out == "Garden  3\n  plans  2\n  tools  1\n"
    assert command("palace", "Garden").out == command("palace").out
    lines = command("palace", "Garden", "plans").out.splitlines()
    assert len(lines) == 2 and sum("[restricted]  Secret plan" in line for line in lines) == 1
    assert sum("Plant quinces by the wall" in line and "\x1b" not in line for line in lines) == 1
    assert "[only beta]" in command("palace", "Garden", "tools").out
    assert command("palace", "nowhere").out == "There is no drawer here.\n"
    rows = command("palace", "--json").json["drawers"]
    assert {row["path"] for row in rows} == {path for path in FILES if path.startswith("palace")}


def test_facts_of_an_entity(command: Command, stocked: Path) -> None:
    """Both sides, with their days and marks; of one day; in order of time; for programs."""
    out = command("facts", "MAX").out
    assert out.splitlines() == [
        "[[Max]] -> works at -> ACME  (2020 to 2021)  not today",
        "Ada -> knows -> max  (… to …)  [rejected]",
    ]
    assert command("facts", "max", "--as-of", "2020-07-01").out.count("\n") == 2
    assert "ACME" not in command("facts", "max", "--as-of", "2022-01-01").out
    assert command("facts", "max", "--timeline").out.startswith("2020 to 2021  [[Max]]")
    rows = command("facts", "acme", "--json").json["facts"]
    assert [(row["valid_to"], row["current"]) for row in rows] == [("2021", False)]
    assert command("facts", "Nobody").out == "Nothing is known under that name.\n"
    wrong = command("facts", "max", "--as-of", "soon")
    assert wrong.code == 2 and "--as-of" in wrong.err


def test_a_diary(command: Command, stocked: Path) -> None:
    """Newest first, whatever the name's case."""
    assert [line.split("  ")[-1] for line in command("diary", "ADA").out.splitlines()] == ["Second", "First"]
    assert [row["text"] for row in command("diary", "ada", "--json").json["entries"]] == ["Second", "First"]
    assert command("diary", "Bob").out == "Nobody of that name has written anything.\n"
