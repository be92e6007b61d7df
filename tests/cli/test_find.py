"""The owner finds anything by its words, and the file to open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support import put


@pytest.fixture(autouse=True)
def root(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a vault of several kinds, and be in it."""
    put(vault, "a.md", "Knows herons", id="m_0000000000aa", state="approved", projects=["garden"], tags=["Bird"])
    put(vault, "b.md", "Knows herons well", id="m_0000000000bb", state="approved", supersedes=["m_0000000000aa"])
    put(vault, "c.md", "Fears herons", id="m_0000000000cc", state="restricted")
    (vault / "knowledge").mkdir(exist_ok=True)
    (vault / "knowledge/birds.md").write_text("# Birds\n\n## Herons\n\nHerons fish at dawn.\n")
    monkeypatch.chdir(vault)
    return vault


def test_hits_have_their_files(command: Command) -> None:
    """All kinds, best first; what is replaced is counted with its successor, what is restricted is counted."""
    done = command("find", "herons")
    assert done.code == 0 and "Fears" not in done.out
    assert "Herons\n" in done.out and "knowledge/birds.md" in done.out and "memories/b.md" in done.out
    assert "Left out, superseded: 1 for m_0000000000bb" in done.out and "Left out, restricted: 1" in done.out
    rows = command("find", "herons", "--all", "--json").json["hits"]
    assert {row["id"]: row["currentness"] for row in rows if row["id"].startswith("m_")} == {
        "m_0000000000aa": "superseded",
        "m_0000000000bb": "current",
    }
    assert "Knows herons  [superseded]" in command("find", "herons", "--all").out


def test_filters(command: Command) -> None:
    """By scope, type, tag and beginning."""
    assert [row["path"] for row in command("find", "herons", "--in", "GARDEN", "--json").json["hits"]] == [
        "memories/a.md"
    ]
    assert [
        row["type"] for row in command("find", "her", "--prefix", "--type", "reference", "--json").json["hits"]
    ] == ["reference"]
    assert [row["id"] for row in command("find", "herons", "--tag", "bird", "--all", "--json").json["hits"]] == [
        "m_0000000000aa"
    ]
    assert command("find", "heron", "--json").json == {"total": 0, "hits": [], "issues": []}


def test_what_cannot_be_searched_is_said(command: Command) -> None:
    """An unknown scope and an empty text fail, with the reason."""
    done = command("find", "herons", "--in", "gardn")
    assert done.code == 1 and "near it are garden" in done.err
    assert command("find", " * ").code == 1
    assert command("find", "x", "--in", "nowhere", "--json").json["issues"] == ["There is no initiative nowhere."]
