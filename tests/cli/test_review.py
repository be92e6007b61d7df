"""The owner reviews in a real terminal, and in a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.model.visibility import viewer
from personakit.services.find import find, served
from tests.cases.inputs import git
from tests.cli.conftest import Command
from tests.cli.terminals import Terminal
from tests.rpc import Client
from tests.support import open_vault, put

LAST = "q:quit"


def memory(number: int) -> str:
    """Give an id."""
    return f"m_{number:012x}"


@pytest.fixture
def waiting(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a repository in which twenty memories wait, and be in it."""
    for number in range(20):
        what = ("heron", "otter", "badger", "falcon", "lynx")[number % 5]
        put(
            repository,
            f"w{number}.md",
            f"Watched the {what} number {number}",
            id=memory(number + 256),
            state="unconfirmed",
            created=f"2026-05-{number + 1:02}",
            category="background",
            proposed_by="alpha" if number % 2 else "beta",
            evidence=[f"I watched {what} {number}"],
        )
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Twenty")
    monkeypatch.chdir(repository)
    return repository


def states(root: Path) -> dict[str, str]:
    """Give id -> state of what is on the disk."""
    lines = {path: path.read_text().splitlines() for path in (root / "memories").glob("w*.md")}
    return {
        next(line[4:] for line in text if line.startswith("id: ")): next(
            line[7:] for line in text if line.startswith("state: ")
        )
        for text in lines.values()
    }


def editor(root: Path, script: str) -> str:
    """Make an editor that is a Python script with the file's path in `path`, and give what starts it."""
    file = root.parent / "editor.py"
    file.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{script}\n")
    return f"{sys.executable} {file}"


@pytest.mark.parametrize("columns", [80, 120])
def test_twenty_are_judged_in_a_terminal(waiting: Path, columns: int) -> None:
    """With an undo, an edit and a change from outside in between, the files and the commits are exactly these."""
    edit = editor(waiting, "path.write_text(path.read_text().replace('Watched the lynx', 'Saw the lynx'))")
    with Terminal("review", cwd=waiting, columns=columns, EDITOR=edit) as terminal:
        shown = terminal.until(LAST)
        assert "1 of 20" in shown and "Watched the heron number 0" in shown and '"I watched heron 0"' in shown
        assert "proposed by beta on 2026-05-01 · background · for everybody" in " ".join(shown.split())
        assert "Like it:" in shown and "another number: they may contradict each other" in " ".join(shown.split())
        assert max(map(len, shown.split("\n"))) <= columns
        assert "2 of 20" in terminal.press("a", LAST)
        assert "3 of 20" in terminal.press("r", LAST)
        assert f"Taken back: restrict of {memory(257)}." in terminal.press("u", LAST)
        assert "3 of 20" in terminal.press("x", LAST)
        file = waiting / "memories/w2.md"
        file.write_text(file.read_text().replace("badger", "brown badger"))
        again = terminal.press("a", LAST)
        assert "changed while it was shown" in again and "brown badger" in again and "3 of 20" in again
        assert "4 of 20" in terminal.press("a", LAST)
        assert "5 of 20" in terminal.press("s", LAST)
        assert "Saw the lynx number 4" in terminal.press("e", LAST)
        for number in range(4, 19):
            assert f"{number + 2} of 20" in terminal.press("a", LAST)
        terminal.press("r", "any other key ends")
        terminal.press("q", "done")
        assert terminal.ends() == 0
    check_what_came_of_it(waiting)


def check_what_came_of_it(waiting: Path) -> None:
    """Require the files and commits of the twenty."""
    found = states(waiting)
    assert [found[memory(number + 256)] for number in range(4)] == ["approved", "rejected", "approved", "unconfirmed"]
    assert found[memory(256 + 19)] == "restricted" and list(found.values()).count("approved") == 17
    assert "Saw the lynx number 4" in (waiting / "memories/w4.md").read_text()
    subjects = git(waiting, "log", "--format=%s").split("\n")
    assert sorted(subjects[: subjects.index("Twenty")]) == [
        "approve 17 memories",
        f"reject {memory(257)}",
        f"restrict {memory(275)}",
    ]
    left = git(waiting, "status", "--short", "memories")
    assert left == "", left


def test_a_change_meanwhile_is_shown(waiting: Path) -> None:
    """A decision counts for the bytes that were shown alone."""
    with Terminal("review", cwd=waiting) as terminal:
        terminal.until(LAST)
        file = waiting / "memories/w0.md"
        file.write_text(file.read_text().replace("heron", "grey heron"))
        assert "changed while it was shown" in terminal.press("a", LAST)
        terminal.press("q", "0 done")
        assert terminal.ends() == 0
    assert set(states(waiting).values()) == {"unconfirmed"}


def test_a_review_goes_on_where_it_stopped(waiting: Path) -> None:
    """What was decided is gone, what was skipped comes last, and a filter shows a part."""
    with Terminal("review", "--from", "ALPHA", cwd=waiting) as terminal:
        assert "1 of 10" in terminal.until(LAST)
        terminal.press("s", LAST)
        terminal.press("a", LAST)
        terminal.press("q", "1 done, 8 still to see.")
        assert terminal.ends() == 0
    with Terminal("review", "--from", "alpha", cwd=waiting) as terminal:
        shown = terminal.until(LAST)
        assert "1 of 9" in shown and "number 5" in shown
        for _ in range(7):
            terminal.press("s", LAST)
        assert "number 1" in terminal.press("s", LAST)
        terminal.press("\x04", "still to see")
        assert terminal.ends() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was(waiting: Path) -> None:
    """At a key, at a question and in the editor: what was decided is written, nothing else is."""
    with Terminal("review", cwd=waiting) as terminal:
        terminal.until(LAST)
        terminal.press("a", "2 of 20")
        terminal.until(LAST)
        terminal.press("\x03", "1 done")
        assert terminal.ends() == 0
    with Terminal("review", cwd=waiting) as terminal:
        terminal.until(LAST)
        terminal.press("f", "For whom?")
        terminal.interrupt()
        terminal.until("0 done")
        assert terminal.ends() == 0
    assert list(states(waiting).values()).count("unconfirmed") == 19


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sys.exit(3)", "Editing failed"),
        ("path.write_text('')", "could not be read"),
        ("path.write_text(path.read_text().replace('id: m_', 'id: m_f'))", "names a memory for good"),
        ("path.write_text('---\\n- [\\n---\\nx')", "could not be read"),
        ("path.unlink()", "left no file"),
        ("pass", "Nothing was changed"),
    ],
)
def test_an_editor_that_goes_wrong(waiting: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str) -> None:
    """It fails, leaves nothing, another id or what is no memory: the file stays as it was, and the reason is told."""
    monkeypatch.setenv("EDITOR", editor(waiting, script))
    before = {path: path.read_bytes() for path in (waiting / "memories").iterdir()}
    done = subprocess.run(
        [sys.executable, "-m", "personakit", "review"], input="e\nq\n", capture_output=True, text=True, check=True
    )
    assert said in done.stdout, done.stdout
    assert {path: path.read_bytes() for path in (waiting / "memories").iterdir()} == before


def test_in_a_pipe_lines_are_read(waiting: Path) -> None:
    """Without a terminal the first letter of each line is the key; the end of input ends it."""
    put(waiting, "like.md", "Watched the otter number 2", id=memory(15), state="approved")
    lines = "?\n\nc\n3\nf\nalpha, Robin: Fictiva\nv\np\n1\nu\nx\nq\n"
    done = subprocess.run(
        [sys.executable, "-m", "personakit", "review"], input=lines, capture_output=True, text=True, check=True
    )
    assert "? is no key of these." in done.stdout and "Approved: " in done.stdout
    assert "[-2-]{+0+}" in done.stdout or "another number" in done.stdout
    assert "Taken back: supersede" in done.stdout and done.stdout.endswith("19 still to see.\n")
    text = (waiting / "memories/w0.md").read_text()
    assert 'assistants: ["alpha", "Robin: Fictiva"]' in text and "category: tools" in text
    assert "state: rejected" in text and "supersedes" not in text
    empty = subprocess.run(
        [sys.executable, "-m", "personakit", "review", "--category", "tools", "--since", "2026-05-02"],
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    assert empty.stdout.endswith("0 done; nothing else waits here.\n")


def test_what_hides_is_shown(vault: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What hides or moves is a mark; long notes are cut; wide scripts stay within the width."""
    body = "Likes \x1b[31mred\u202e wine\u200b\n\n" + "\n".join(f"note {number}" for number in range(5_000))
    put(vault, "sly.md", body, id=memory(1), state="unconfirmed", evidence=["\u05e9\u05dc\u05d5\u05dd " * 20])
    put(vault, "wide.md", "私は緑茶が好きです" * 12, id=memory(2), state="unconfirmed")
    monkeypatch.chdir(vault)
    with Terminal("review", cwd=vault, columns=40) as terminal:
        shown = terminal.until(LAST)
        assert "\u202e" not in terminal.raw and "\x1b[31mred" not in terminal.raw and "\u200b" not in terminal.raw
        assert "U+202E" in shown or "202E" in shown
        assert "more lines" in shown and "note 11" in shown and "note 12" not in shown
        wide = terminal.press("s", LAST)
        assert max(2 * sum(ord(c) > 0x2000 for c in line) for line in wide.split("\n")) <= 40
        terminal.press("q", "still to see")
        assert terminal.ends() == 0


def test_a_preview_is_what_comes(waiting: Path, command: Command) -> None:
    """Asked after the decision, each assistant is told what the preview said."""
    put(waiting, "only.md", "Knows a heron by name", id=memory(77), state="approved", assistants="[beta]")
    (waiting / "questions.txt").write_text("# mine\nWhich heron?\n\nWhich otter was watched?\nWhich heron?\n")
    for flag, verb in (("--approve", "approve"), ("--restrict", "restrict"), ("--reject", "reject")):
        before = (waiting / "memories/w0.md").read_bytes()
        told = command("preview", memory(256), flag, "--json").json
        assert (waiting / "memories/w0.md").read_bytes() == before
        assert told["questions"] == 3 and told["assistants"] == ["", "alpha", "beta"] and told["effects"]
        assert command("preview", memory(256), flag).code == 0
        for one in told["effects"]:
            assert one["before"] == told_to(waiting, one["assistant"], one["question"])
        assert command(verb, memory(256)).code == 0
        for one in told["effects"]:
            assert one["after"] == told_to(waiting, one["assistant"], one["question"]), one
        assert command("reopen", memory(256)).code == 0
    assert command("preview", memory(256)).code == 2 and command("preview", memory(999), "--approve").code == 1


def told_to(root: Path, name: str, question: str) -> dict[str, object]:
    """Give what an assistant is told, as `preview --json` words it."""
    answer = served(find(open_vault(root), question, 7, viewer(name or None)))
    return {
        "memories": [{"id": one.id, "confirmed": one.confirmed} for one in answer.memories],
        "withheld": answer.withheld,
    }


def test_see_gives_the_very_bytes(waiting: Path, command: Command) -> None:
    """`see` prints what personakit_read answers that assistant, and nothing is noted of it."""
    put(waiting, "only.md", "Knows a heron by name", id=memory(77), state="approved", assistants="[beta]")
    for name in ("alpha", "beta"):
        out = command("see", "--as", name, "Which heron?").out
        with Client(waiting, options=("--as", name)) as client:
            assert out == client.call("personakit_read", {"question": "Which heron?"})["content"][0]["text"] + "\n"
        assert ("by name" in out) is (name == "beta")
        assert ("by name" in command("see", "--as", name).out) is (name == "beta")
    journal = "".join(path.read_text() for path in (waiting / ".personakit/journal").glob("*"))
    rows = [json.loads(line) for line in journal.splitlines()]
    assert len([row for row in rows if row.get("tool") == "personakit_read"]) == 2
    put(waiting, "hidden.md", "Fears herons", id=memory(78), state="restricted")
    assert "Withheld: 1" in command("see", "--as", "alpha").out


def test_why_not(waiting: Path, command: Command) -> None:
    """Each reason why a memory is not told has its own words."""
    put(waiting, "a.md", "Knows a heron by name", id=memory(70), state="approved", assistants="[beta]")
    put(waiting, "b.md", "Knows a heron by sight", id=memory(71), state="rejected")
    put(waiting, "c.md", "Knows a heron by voice", id=memory(72), state="approved", projects="[pond]")
    put(waiting, "d.md", "Knows a heron by gait", id=memory(73), state="approved", supersedes=[memory(74)])
    put(waiting, "e.md", "Knows a heron by habit", id=memory(74), state="approved")
    reasons = {
        70: "it is only for beta",
        71: "it is rejected",
        72: "it belongs to the project pond, which was not asked for",
        74: f"it is superseded by {memory(73)}",
        257: "shares no word with the question; only approved memories fill free places",
    }
    for number, reason in reasons.items():
        done = command("read", "heron", "--as", "alpha", "--why-not", memory(number), "--json")
        assert done.json == {"id": memory(number), "told": False, "why_not": reason}
    assert "is told." in command("read", "heron", "--why-not", memory(73)).out
    assert "it comes as number" in command("read", "watched heron", "--limit", "1", "--why-not", memory(261)).out
    assert command("read", "heron", "--why-not", memory(999)).code == 1
    assert os.getcwd() == str(waiting)
