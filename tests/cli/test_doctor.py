"""`personakit doctor`."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit import __version__
from personakit.vault import frontmatter
from personakit.vault.history.git import Git
from tests.cases.inputs import git
from tests.cli.conftest import COFFEE, Command
from tests.support import put


def test_a_sound_vault(command: Command, stocked: Path) -> None:
    """Nothing wrong is exit code 0, in words and as JSON of exactly three keys."""
    outcome = command("doctor")
    assert outcome.code == 0
    assert outcome.out.startswith("Nothing is wrong.\n4 files, 0 held, 0 with something to know.\n")
    outcome = command("doctor", "--json")
    assert outcome.code == 0
    assert outcome.json == {"ok": True, "counts": {"files": 4, "held": 0, "listed": 0, "memory": 4}, "problems": []}


def test_a_held_file(command: Command, stocked: Path) -> None:
    """A held file is exit code 1; each problem has path, code, line and message, and no word of the file."""
    put(stocked, "held.md", "Likes rain", id="m_0000000000ee", state="maybe-so")
    outcome = command("doctor", "--json")
    assert outcome.code == 1
    assert outcome.json["ok"] is False and outcome.json["counts"]["held"] == 1
    (problem,) = outcome.json["problems"]
    assert list(problem) == ["path", "code", "line", "message"]
    assert (problem["path"], problem["code"], problem["line"]) == ("memories/held.md", "unknown_state", 3)
    assert "rain" not in outcome.out
    plain = command("doctor")
    assert plain.code == 1
    assert plain.out.startswith("memories/held.md:3: unknown_state: ")


def test_what_is_only_listed_is_no_fault(command: Command, stocked: Path) -> None:
    """A warning is listed and leaves exit code 0."""
    (stocked / "personakit.yaml").write_text("format: 1\ncolour: red\n")
    outcome = command("doctor", "--json")
    assert outcome.code == 0 and outcome.json["ok"] is True
    assert [(each["path"], each["code"]) for each in outcome.json["problems"]] == [
        ("personakit.yaml", "unknown_setting")
    ]
    assert "personakit.yaml: unknown_setting: " in command("doctor").out


def test_odd_names_can_be_printed(command: Command, stocked: Path) -> None:
    """A file name that is no UTF-8 or holds control characters is shown, not sent to the terminal."""
    put(stocked, "a\x1b[31m\udcff.md", "Likes rain", state="maybe")
    for words in (["doctor"], ["doctor", "--json"], ["doctor", "--report"]):
        outcome = command(*words)
        assert outcome.code == 1 and "\x1b" not in outcome.out
    assert "memories/a\\u{1B}[31m\ufffd.md:2: unknown_state" in command("doctor").out


def test_a_report_holds_nothing_private(command: Command, stocked: Path) -> None:
    """`--report` has versions, counts, codes and settings, and no path, name or word of the vault."""
    (stocked / "personakit.yaml").write_text(
        "format: 1\nowner: Rosalind Fictiva\nlanguage: pt\nconsent: full\nprojects:\n  Garden: {consent: none}\nx: y\n"
    )
    put(stocked, "rain-diary.md", "Likes rain", state="maybe", category="zzz")
    outcome = command("doctor", "--report")
    assert outcome.code == 1
    lines = dict(line.split(" ", 1) for line in outcome.out.splitlines())
    assert lines["personakit"] == __version__
    assert set(lines) == {
        *("personakit", "python", "platform", "libyaml", "encoding", "changes", "counts", "problems", "settings")
    }
    assert lines["counts"] == "files 5, held 1, listed 1, memory 4"
    assert "unknown_state 1" in lines["problems"] and "unknown_setting 1" in lines["problems"]
    assert lines["settings"] == "owner, language: pt, consent: full, projects, warnings"
    for private in (str(stocked), "Rosalind", "Garden", "rain", "tea", "memories", COFFEE):
        assert private not in outcome.out
    assert "settings default" in command("doctor", "--report", "--vault", str(fresh(stocked))).out


def fresh(near: Path) -> Path:
    """Make another empty vault."""
    root = near.parent / "fresh"
    root.mkdir()
    (root / "personakit.yaml").write_text("format: 1\n")
    return root


def test_report_and_json_exclude_each_other(command: Command, stocked: Path) -> None:
    """Both at once is wrong usage."""
    assert command("doctor", "--report", "--json").code == 2


def test_a_missing_libyaml_is_told(command: Command, stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without libyaml doctor says what that costs, and the report says that it is missing."""
    monkeypatch.setattr(frontmatter, "FAST", False)
    assert "without libyaml" in command("doctor").out
    assert "libyaml no" in command("doctor", "--report").out


def test_reasons_for_waiting_are_told(command: Command, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lasts is told before anything waits; what waits is told with its reason, and goes when it is committed."""
    monkeypatch.chdir(repository)
    assert command("doctor", "--json").json["problems"] == []
    head = (repository / ".git/HEAD").read_text()
    (repository / ".git/HEAD").write_text("rubbish\n")
    assert (
        "the vault: commit_waits: Commits would have to wait: its git repository cannot be read"
        in command("doctor").out
    )
    assert command("propose", "Likes scones", "--quote", "scones please").code == 0
    said = command("doctor").out
    assert (
        "commit_waits: 1 file waits to be committed: its git repository cannot be read" in said and "scones" not in said
    )
    assert "1 file waits to be committed" in command("status").out
    assert command("status", "--json").json["commits"]["code"] == "broken"
    (repository / ".git/HEAD").write_text(head)
    assert "the next command that writes" in command("doctor").out
    assert command("approve", "m_0000000000aa").code == 0
    assert command("doctor", "--json").json["problems"] == []
    assert command("status", "--json").json["commits"] == {"waiting": 0, "code": None, "why": None}
    (repository / "personakit.yaml").write_text("format: 1\n")
    (repository / ".git/HEAD").write_text("rubbish\n")
    assert [problem["code"] for problem in command("doctor", "--json").json["problems"]] == ["history_broken"]


def test_no_identity_is_told(command: Command, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git knows no name, commits wait and `doctor` says how to tell it one."""
    monkeypatch.chdir(repository)
    git(repository, "config", "user.useConfigOnly", "true")
    for role in ("AUTHOR", "COMMITTER"):
        for what in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{what}")
    assert command("approve", "m_0000000000aa").code == 0  # it is approved already
    assert command("reject", "m_0000000000aa").code == 0
    assert "git config --global user.name" in command("doctor").out
    assert git(repository, "status", "--porcelain") == " M memories/tea.md\n"


def test_a_repository_without_the_merge_driver(command: Command, stocked: Path) -> None:
    """It is named where the folder's attributes ask for it, and gone once it is registered."""
    (stocked / "memories/.gitattributes").write_text("*.md text eol=lf merge=personakit\n")
    Git(str(stocked)).tell("init", "-q")
    outcome = command("doctor", "--json")
    assert outcome.code == 0
    assert [(each["path"], each["code"]) for each in outcome.json["problems"]] == [("", "merge_driver")]
    assert command("init", str(stocked)).code == 0
    assert "merge_driver" not in command("doctor").out
