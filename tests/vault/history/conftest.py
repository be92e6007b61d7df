"""A vault that is a git repository, and programs that leave a mark when anything runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.inputs import NOBODY, git
from tests.support import put


@pytest.fixture(autouse=True)
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit as a person who does not exist, with no settings but the repository's."""
    for name, value in NOBODY.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(vault: Path) -> Path:
    """Make the vault a repository whose settings ask for commits, with one memory in it, and give its root."""
    (vault / "personakit.yaml").write_text("format: 1\ncommit: auto\n")
    (vault / ".gitignore").write_text(".personakit/\n")
    put(vault, "tea.md", "Likes green tea", id="m_0000000000aa", state="approved")
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", ".")
    git(vault, "commit", "-qm", "Begin")
    return vault
