"""An owner at their command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from personakit.cli.main import run
from tests.support import put

TEA, COFFEE, SECRET, JOKE = "m_0000000000aa", "m_0000000000ab", "m_0000000000cc", "m_0000000000dd"


@dataclass(frozen=True)
class Outcome:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Give the one line of JSON on stdout."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Command = Callable[..., Outcome]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process."""

    def call(*words: str) -> Outcome:
        capsys.readouterr()
        code = run(list(words))
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call


@pytest.fixture
def stocked(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a vault with a memory in each state, and be in it."""
    put(vault, "tea.md", "Likes green tea", id=TEA, state="approved", created="2026-01-02", category="preferences")
    put(
        vault,
        "coffee.md",
        "Likes strong coffee",
        id=COFFEE,
        state="unconfirmed",
        created="2026-02-03T04:05:06Z",
        category="tools",
        proposed_by="claude-code",
        evidence=["ask me at ana@fictiva.example", "second", "third"],
    )
    put(vault, "secret.md", "Likes tea with rum", id=SECRET, state="restricted", created="2026-03-04")
    put(vault, "joke.md", "Likes tea with salt", id=JOKE, state="rejected", created="2026-04-05")
    monkeypatch.chdir(vault)
    return vault
