"""Every name a file system takes: the file is read or named, never overwritten, and no output fails on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.model.memory import memory_id
from personakit.model.states import State
from personakit.services.answers import Stored
from personakit.services.decide import decide
from personakit.services.examine import examine
from personakit.vault.scan import shown
from tests.safety.owner import SAVES, Save, contents, restore
from tests.support import SetClock, make_vault, open_desk, open_vault, text_of, texts

LONGEST = 255
NAMES = (
    "caf\u00e9.md",
    "cafe\u0301.md",
    "Stra\u00dfe.md",
    "STRASSE.md",
    "Tabs.md",
    "tabs.md",
    "TABS.MD",
    "x" * (LONGEST - 3) + ".md",
    "\u00e9" * ((LONGEST - 3) // 2) + ".md",
    "\U0001f44d" * 63 + ".md",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627.md",
    "\u202ereversed\u202c.md",
    "\u200b.md",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family.md",
    "two\nlines.md",
    "tab\tand\x1b[31mescape\x07.md",
    "back\\slash.md",
    'what? "quoted": <a|b>*.md',
    " blanks .md",
    "con.md",
    "-rf.md",
    "%s{0}$HOME`id`.md",
    "dots...md",
    "\u2028line.md",
    "\ufeffbom.md",
    "\u212aelvin.md",
    os.fsdecode(b"\xff\xfe.md"),
    os.fsdecode(b"half \xc3.md"),
    os.fsdecode(b"\xe9t\xe9/latin.md"),
    os.fsdecode(b"surrogate \xed\xb2\x80.md"),
    "new\nline folder/inside.md",
)
PLAIN = {name for name in NAMES if shown(name) == name}


def statement(number: int) -> str:
    """Give the words of one of them; their rarest word is in no other."""
    return f"Likes tea of kind{number:02}x"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault whose files have all these names."""
    root = make_vault(tmp_path / "vault")
    files = {
        f"memories/{name}": text_of(statement(number), state="approved", mood="kept").encode()
        for number, name in enumerate(NAMES)
    }
    restore(root, files)
    assert len(contents(root)) == len(NAMES) + 1
    return root


def test_every_name_is_read(root: Path) -> None:
    """Whatever its name, each file is served, and one whose name is not text is also named to the owner."""
    desk = open_desk(root)
    for number in range(len(NAMES)):
        assert texts(desk, f"kind{number:02}x", 1) == [statement(number)]
    named = {problem.path for problem in examine(desk._vault).problems if problem.code == "bad_name"}
    assert named == {f"memories/{shown(name)}" for name in NAMES if name not in PLAIN}
    assert {problem.code for problem in examine(desk._vault).problems} == {"bad_name"}


def test_the_second_start_reads_the_same_names(root: Path, cache_home: Path) -> None:
    """What a cache keeps of such files is what they say."""
    clock = SetClock()
    clock.ahead = 10.0
    first = open_vault(root, clock).library
    assert list(cache_home.rglob("*.jsonl"))
    second = open_vault(root, clock).library
    assert first.notes() == second.notes() and len(second.notes()) == len(NAMES)


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
def test_every_name_is_watched(root: Path, save: Save) -> None:
    """A save of a file of any name counts in the next call."""
    desk = open_desk(root)
    for number, name in enumerate(NAMES):
        if len(os.fsencode(name)) < LONGEST or save.__name__ != "like_vim":
            save(root / "memories" / name, text_of(statement(number), state="restricted").encode())
            answer = desk.read(f"kind{number:02}x", 20)
            assert answer.withheld == 1 and statement(number) not in [memory.text for memory in answer.memories]


def test_a_decision_finds_the_file_of_any_name(root: Path) -> None:
    """A decision changes one line of the one file, whatever it is called, and no byte of any other."""
    vault = open_vault(root)
    expected = contents(root)
    for number, name in enumerate(NAMES):
        decide(vault, memory_id(statement(number)), State.REJECTED)
        path = f"memories/{name}"
        expected[path] = expected[path].replace(b"state: approved", b"state: rejected")
        assert contents(root) == expected
    assert texts(open_desk(root), "tea") == []


def test_twins_with_equal_words_are_one_memory(tmp_path: Path) -> None:
    """Names that differ in case or in how they are composed are two files; with equal words they are one memory."""
    root = make_vault(tmp_path / "vault")
    pairs = (("caf\u00e9.md", "cafe\u0301.md"), ("Tabs.md", "tabs.md"), ("\u212a.md", "K.md"))
    for number, pair in enumerate(pairs):
        for name, state in zip(pair, ("approved", "restricted"), strict=True):
            (root / "memories" / name).write_text(text_of(statement(number), state=state), "utf-8")
    desk = open_desk(root)
    answer = desk.read("tea", 20)
    assert answer.memories == () and answer.withheld == len(pairs)
    assert [problem.code for problem in examine(desk._vault).problems] == ["duplicate_id"] * len(pairs)


def test_a_rename_in_case_or_composition_is_one_change(tmp_path: Path) -> None:
    """A memory keeps its id and is served once when only its name's case or composition changes."""
    root = make_vault(tmp_path / "vault")
    path = root / "memories" / "Caf\u00e9.md"
    path.write_text(text_of("Likes tea", id="m_0000000000aa", state="approved"), "utf-8")
    desk = open_desk(root)
    for name in ("caf\u00e9.md", "cafe\u0301.md", "Cafe\u0301.md", "Caf\u00e9.MD"):
        path = path.rename(path.with_name(name))
        (memory,) = desk.read("tea", 7).memories
        assert memory.id == "m_0000000000aa"


STATEMENTS = (
    "Mag \u00c4pfel und cafe\u0301",
    "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645",
    "\u202eLikes to be turned around",
    "\U0001f44d\U0001f3fd\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "CON",
    "../../etc/passwd likes tea",
    "x" * 300,
    "\u65e5\u672c\u8a9e\u304c\u597d\u304d\u3067\u3059",
)


@pytest.mark.parametrize("words", STATEMENTS, ids=range(len(STATEMENTS)))
def test_new_names_suit_every_system_and_replace_nothing(tmp_path: Path, words: str) -> None:
    """Whatever is proposed gets a plain name; a file that has it in any case stays; twins of words are one memory."""
    root = make_vault(tmp_path / "vault")
    desk = open_desk(root)
    first = desk.propose(words, "q", "other")
    assert isinstance(first, Stored) and first.new
    (path,) = (root / "memories").rglob("*.md")
    assert path.name == path.name.encode("ascii").decode().lower() and len(path.name) <= 100
    assert path.name.count(".") == 1 and not set(path.name) - set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    for taken in (path.name.upper(), path.name.replace(".md", ".MD"), path.name.replace(".md", "-2.md")):
        (path.parent / taken).write_text(text_of("Something else", state="rejected"))
    path.unlink()
    before = contents(root)
    assert desk.propose(words, "q", "other") == first
    after = contents(root)
    assert after.items() > before.items() and len(after) == len(before) + 1
    assert len({name.casefold() for name in after}) == len(after) - 1, "only the owner's own names differ in case alone"
    decomposed = "".join({"\u00c4": "A\u0308"}.get(letter, letter) for letter in words)
    again = desk.propose(decomposed, "q", "other")
    assert isinstance(again, Stored) and (again.id, again.new) == (first.id, False)
    assert contents(root) == after


def test_a_path_too_long_for_the_system_is_named(tmp_path: Path) -> None:
    """A folder so deep that its path cannot be given to the system is named, and the rest of the vault is served."""
    root = make_vault(tmp_path / "vault")
    (root / "memories" / "a.md").write_text(text_of("Likes tea", state="approved"))
    part = "d" * LONGEST
    folder = os.open(root / "memories", os.O_RDONLY)
    for _ in range(18):
        os.mkdir(part, dir_fd=folder)
        below = os.open(part, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open("deep.md", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
    os.close(folder)
    desk = open_desk(root)
    assert texts(desk, "tea") == ["Likes tea"]
    assert {problem.code for problem in examine(desk._vault).problems} == {"unreadable_folder"}
    (root / "memories" / "a.md").write_text(text_of("Likes tea", state="restricted"))
    assert texts(desk, "tea") == []


COMMANDS = (
    ("list",),
    ("list", "--json"),
    ("doctor",),
    ("doctor", "--json"),
    ("status",),
    ("read", "tea", "--why"),
    ("show", memory_id(statement(len(NAMES) - 3))),
    ("show", memory_id(statement(0)), "--json"),
    ("approve", memory_id(statement(len(NAMES) - 3))),
)
ENCODINGS = ("ascii", "ascii:strict", "latin-1", "cp1252", "utf-8", "utf-16", "shift_jis")


def printed(root: Path, command: tuple[str, ...], **environment: str) -> str:
    """Run a command in a process of its own and give what it prints; it neither fails nor complains."""
    done = subprocess.run(
        [sys.executable, "-m", "personakit", *command, "--vault", str(root)],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0 and done.stderr in (b"", b"\xff\xfe"), done.stderr
    return done.stdout.decode(environment.get("PYTHONIOENCODING", "utf-8").split(":")[0])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_print_every_name_in_ascii(root: Path, command: tuple[str, ...]) -> None:
    """In a pipe that takes ASCII alone every command says all it has to say."""
    text = printed(root, command, PYTHONIOENCODING="ascii")
    assert text.strip()
    if "--json" in command:
        assert json.loads(text)
    else:
        assert "\x1b" not in text and "\x07" not in text


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_names_are_printed_in_every_encoding(root: Path, encoding: str) -> None:
    """Whatever the encoding of the pipe is, `list --json` and `doctor --json` name every file in it."""
    listed = json.loads(printed(root, ("list", "--json"), PYTHONIOENCODING=encoding))["memories"]
    assert {memory["path"] for memory in listed} == {f"memories/{shown(name)}" for name in NAMES}
    problems = json.loads(printed(root, ("doctor", "--json"), PYTHONIOENCODING=encoding))["problems"]
    assert {problem["code"] for problem in problems} == {"bad_name"}
    assert len({problem["path"] for problem in problems}) == len(NAMES) - len(PLAIN)


def test_a_system_that_thinks_in_ascii_reads_every_name(root: Path) -> None:
    """Under a locale that knows no letter beyond ASCII every file is read, listed and served."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    listed = json.loads(printed(root, ("list", "--json"), **plain))["memories"]
    assert {memory["path"] for memory in listed} == {f"memories/{shown(name)}" for name in NAMES}
    assert len(printed(root, ("list",), **plain).splitlines()) == len(NAMES)
