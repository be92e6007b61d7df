"""The journal keeps every whole line, whoever writes beside it, and harms nothing when it cannot be kept."""

from __future__ import annotations

import multiprocessing
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from personakit.vault import journal as module
from personakit.vault.journal import FOLDER, Change, Journal, Mark

ONE = Change("memories/a.md", "v1", "", "propose", "claude-code", ("m_0123456789ab",))
NAME = "0123abcd-2026-11.jsonl"


def make(root: Path, month: str = "2026-11") -> Journal:
    """Keep a journal in a month."""
    return Journal(str(root), "0123abcd", lambda: month)


def test_what_waits_is_noted_and_settled(vault: Path) -> None:
    """A write waits from its note until it, or a later one of the same file, is settled; over months and restarts."""
    two, three = replace(ONE, version="v2", before="v1"), replace(ONE, version="v3", before="v2", assistant="")
    other = Change("memories/ü.md", "w1", "", "undo", undoes="abc")
    for change, month in ((ONE, "2026-11"), (other, "2026-11"), (two, "2026-12"), (three, "2026-12")):
        assert make(vault, month).note(change)
    assert make(vault).waiting() == {ONE.path: [ONE, two, three], other.path: [other]}
    make(vault, "2026-12").settle([two], "c0ffee")
    assert make(vault).waiting() == {ONE.path: [three], other.path: [other]}
    make(vault, "2026-12").settle([replace(two, version="never"), three, other], "changed")
    assert make(vault).waiting() == {}
    assert Journal(str(vault), "ffffffff", lambda: "2026-11").waiting() == {}


def test_it_is_private_to_the_user(vault: Path) -> None:
    """The folder and its files are the user's alone, and git is told to keep out."""
    make(vault).note(ONE)
    assert stat.S_IMODE((vault / FOLDER).stat().st_mode) == 0o700
    assert stat.S_IMODE((vault / FOLDER / NAME).stat().st_mode) == 0o600
    assert (vault / ".personakit/.gitignore").read_text() == "*\n"


def test_a_broken_line_costs_that_line(vault: Path) -> None:
    """What is no object, lacks a key or was cut off is passed over, and what is added after it is whole."""
    make(vault).note(ONE)
    with (vault / FOLDER / NAME).open("ab") as file:
        file.write(b'{"kind":"waits"}\n[]\n\xff\xfe\n{"kind":"waits","path":1\n{"kind":"served","x":1}\n{"kind":"wai')
    other = replace(ONE, path="memories/b.md")
    make(vault).note(other)
    assert make(vault).waiting() == {ONE.path: [ONE], other.path: [other]}
    assert list(make(vault).rows("served")) == [{"kind": "served", "x": 1}]


def test_only_the_end_of_a_long_journal_is_read(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most so many bytes are read, from the end, and a line that this cuts is left out."""
    lines = [replace(ONE, path=f"memories/{number}.md") for number in range(10)]
    for number, line in enumerate(lines):
        make(vault, f"2026-{10 + number // 5}").note(line)
    size = (vault / FOLDER / "0123abcd-2026-10.jsonl").stat().st_size
    monkeypatch.setattr(module, "MOST_BYTES", int(size * 1.5))
    assert set(make(vault).waiting()) == {line.path for line in lines[3:]}
    monkeypatch.setattr(module, "MOST_BYTES", size)
    assert set(make(vault).waiting()) == {line.path for line in lines[5:]}


def _write(root: str, number: int) -> None:
    journal = Journal(root, "0123abcd", lambda: "2026-11")
    for count in range(200):
        journal.note(replace(ONE, path=f"memories/{number}-{count}.md", ids=tuple(f"m_{i:012x}" for i in range(20))))


def test_many_processes_write_at_once(vault: Path) -> None:
    """No line of several processes is lost or mixed with another."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(vault), number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert len(make(vault).waiting()) == 600


def test_where_there_can_be_none(vault: Path, tmp_path: Path) -> None:
    """A link in its place, or a file, means no journal, and no fault."""
    (tmp_path / "elsewhere").mkdir()
    (vault / ".personakit").mkdir()
    (vault / FOLDER).symlink_to(tmp_path / "elsewhere")
    assert not make(vault).note(ONE) and os.listdir(tmp_path / "elsewhere") == []
    (vault / FOLDER).unlink()
    (vault / FOLDER).write_text("")
    assert not make(vault).note(ONE) and make(vault).waiting() == {}
    (vault / FOLDER).unlink()
    assert make(vault).add("served", []) and not (vault / FOLDER).exists()


def test_a_refusal_counts_until_the_next_commit(vault: Path) -> None:
    """Why git refused is noted once, and forgotten when something was settled since."""
    journal = make(vault)
    assert journal.refusal() == ""
    for why in ("no room", "no room", "no right"):
        journal.refuse(why)
    assert journal.refusal() == "no right" and len(list(journal.rows("refused"))) == 2
    journal.settle([ONE], "c0ffee")
    assert journal.refusal() == ""


def test_what_came_since(vault: Path) -> None:
    """Only whole lines after a place, over months; a line that is being written comes when it is whole."""

    def since(mark: Mark) -> tuple[list[int], Mark]:
        rows, mark = make(vault).rows_since(mark, '"x":', "served")
        return [row["x"] for row in rows], mark

    start = make(vault).mark()
    assert since(start) == ([], start)
    make(vault).add("served", [{"x": 1}, {"y": 2}])
    make(vault).add("ended", [{"x": 3}])
    found, mark = since(start)
    assert (found, mark) == ([1], make(vault).mark())
    with (vault / FOLDER / NAME).open("ab") as file:
        file.write(b'{"kind":"served","x":4}\n{"kind":"served",')
    found, mark = since(mark)
    assert found == [4] and since(mark) == ([], mark)
    with (vault / FOLDER / NAME).open("ab") as file:
        file.write(b'"x":5}\n')
    make(vault, "2026-12").add("served", [{"x": 6}])
    found, mark = since(mark)
    assert found == [5, 6] and since(mark) == ([], make(vault).mark())
    make(vault, "2026-12").add("served", [{"x": 7}])
    _, mark = since(mark)
    (vault / FOLDER / NAME.replace("11", "12")).write_bytes(b'{"kind":"served","x":8}\n')
    assert since(mark)[0] == [8]  # it was written anew
    assert since(start)[0] == [1, 4, 5, 8]
