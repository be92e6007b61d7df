"""The picture that `status` draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.cli.picture import draw
from personakit.services.browse import status
from tests.support import make_vault, open_vault, put


def drawn(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int) -> list[str]:
    """Draw a vault and give the lines."""
    monkeypatch.setenv("COLUMNS", str(columns))
    draw("/v[bold]\x1b", status(open_vault(root)))
    return capsys.readouterr().out.splitlines()


def test_what_is_there_gets_a_cell(
    vault: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One memory among many is still seen; bars are in proportion; the four states look different."""
    for number in range(200):
        put(vault, f"{number}.md", f"Likes number {number}", state="approved")
    for state in ("unconfirmed", "restricted", "rejected"):
        put(vault, f"{state}.md", f"Likes {state}", state=state)
    lines = drawn(vault, capsys, monkeypatch, 80)
    assert lines[0] == "/v[bold]\\u{1B}  203 memories"
    assert lines[2] == f"approved       {'█' * 55} 200"
    assert lines[3:6] == ["unconfirmed    ▒ 1", "restricted     ▓ 1", "rejected       ░ 1"]
    assert lines[7].startswith("other") and lines[7].endswith("█▒▓░ 203")
    assert max(map(len, lines)) <= 80


def test_nothing_to_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty vault has four empty bars."""
    lines = drawn(make_vault(tmp_path), capsys, monkeypatch, 20)
    assert [line.split() for line in lines[2:6]] == [
        [state, "0"] for state in ("approved", "unconfirmed", "restricted", "rejected")
    ]
    assert all(not line for line in lines[6:])
