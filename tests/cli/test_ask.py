"""The owner asks their own documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

BOATS = "# Boats\n\n## Oars\n\nOars hang on the wall of the boathouse. Wax them in May.\n\x1b[31mRed\n"


@pytest.fixture(autouse=True)
def root(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a vault with documents, one of them for one assistant, and be in it."""
    (vault / "knowledge").mkdir(exist_ok=True)
    (vault / "knowledge/boats.md").write_text(BOATS)
    (vault / "knowledge/own.md").write_text("---\nassistants: [beta]\n---\n# Own\n\nThe quokka sleeps in the loft.\n")
    (vault / "knowledge/kept.md").write_text("---\nstate: restricted\n---\n# Kept\n\nThe wombat sleeps in the yard.\n")
    (vault / "knowledge/old.md").write_text(
        "---\neffective_from: 2020-01-01\neffective_until: 2021-01-01\n---\n# Rent\n\n"
        "The boathouse rent is 90 crowns.\n"
    )
    monkeypatch.chdir(vault)
    return vault


def test_an_answer_has_its_place_words_and_file(command: Command) -> None:
    """Word for word; what a terminal would act on is shown, not done."""
    done = command("ask", "Where do the oars hang?")
    assert done.code == 0 and done.out.startswith("answered\n")
    assert "Boats › Oars  live  k_" in done.out and "  knowledge/boats.md, changed 20" in done.out
    assert "  Oars hang on the wall of the boathouse. Wax them in May.\n" in done.out and "\x1b" not in done.out
    row = command("ask", "Where do the oars hang?", "--json").json["evidence"][0]
    assert row["highlights"] == ["Oars hang on the wall of the boathouse."] and row["path"] == "knowledge/boats.md"


def test_the_owner_asks_as_any_listed_assistant_or_as_one(command: Command) -> None:
    """What is withheld from every assistant is not told here either: `list` and the files show it."""
    assert command("ask", "Where does the quokka sleep?", "--json").json["outcome"] == "answered"
    for name in ("alpha", "beta"):
        found = command("ask", "Where does the quokka sleep?", "--as", name, "--json").json["evidence"]
        assert bool(found) is (name == "beta")
    assert "wombat" not in command("ask", "Where does the wombat sleep?").out


def test_a_day_that_has_passed(command: Command) -> None:
    """`--as-of` asks what was in effect then; a wrong day is refused."""
    assert "90 crowns" in command("ask", "What is the boathouse rent?", "--as-of", "2020-06-01").out
    assert "90 crowns" not in command("ask", "What is the boathouse rent?").out
    assert command("ask", "rent", "--as-of", "soon").code == 2 and command("ask", " ").code == 2


def test_marks_show_on_a_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best sentences stand out, and only they."""
    monkeypatch.setattr("personakit.cli.terminal.click.echo", lambda text, file: file.write(f"{text}\n"))
    out = command("ask", "Where do the oars hang?").out
    assert "\x1b[32m\x1b[1mOars hang on the wall of the boathouse.\x1b[0m Wax them in May." in out
