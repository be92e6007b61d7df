"""What commands print."""

from __future__ import annotations

import io
import json
import sys

import pytest

from personakit.cli.terminal import audience, complain, one_line, say_json, steady_streams
from personakit.model.memory import Memory
from personakit.model.note import Kind


def test_a_stored_text_cannot_drive_the_terminal() -> None:
    """Control, bidi and hidden characters become marks, line breaks a blank."""
    assert one_line("a\x1b[2J\nb\u202ec\x9b31m\td") == "a\\u{1B}[2J b\\u{202E}c\\u{9B}31m d"


@pytest.mark.parametrize(
    "text", ["plain", "caf\u00e9", "\x1b[31m \x9b \u202e", "\ud800 lone", "\U0001f375", "a\u200db"]
)
def test_json_is_one_safe_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON reads back equal (a lone surrogate mended), and holds no character that a terminal acts on."""
    say_json({"text": text})
    line = capsys.readouterr().out
    assert line.endswith("\n") and line[:-1].isprintable()
    assert json.loads(line)["text"] == text.replace("\ud800", "\ufffd")


def test_json_is_whole_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the encoding lacks a character, JSON escapes it instead of losing it."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii", write_through=True))
    say_json({"text": "緑茶"})
    assert json.loads(raw.getvalue()) == {"text": "緑茶"}


def test_streams_take_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an encoding lacks becomes a question mark; a stream that is none of Python's is left alone."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii", write_through=True))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    steady_streams()
    sys.stdout.write("caf\u00e9")
    assert raw.getvalue() == b"caf?"


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A folder's odd name cannot break an error's line."""
    complain("The folder /a\nb\x1b[0m\udcff is missing.")
    assert capsys.readouterr().err == "personakit: The folder /a b\\u{1B}[0m\\u{DCFF} is missing.\n"


def test_audience_is_told() -> None:
    """Who alone may see a note is said, and nothing when everybody may."""
    note = Memory(kind=Kind.MEMORY, id="m_1", path="a.md")
    assert audience(note) == ""
    listed = Memory(kind=Kind.MEMORY, id="m_1", path="a.md", assistants=("a", "b\x1b"), projects=("p",))
    assert audience(listed) == "only a / b\\u{1B}, project p"
