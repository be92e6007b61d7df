"""`personakit status`."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from personakit.cli.status import sight_line
from personakit.vault import watch
from personakit.vault.watch import Sight
from tests.cli.conftest import COFFEE, TEA, Command
from tests.support import put


def test_plain_lines_in_a_pipe(command: Command, stocked: Path) -> None:
    """Without a terminal each figure is a line of its own, with no escape sequence and no block character."""
    out = command("status").out
    assert out.splitlines()[:5] == [
        f"Vault: {stocked}",
        "approved       1",
        "unconfirmed    1",
        "restricted     1",
        "rejected       1",
    ]
    assert "  other          1 restricted, 1 rejected\n" in out
    assert "1 waits for you since 2026-02-03: `personakit list --state unconfirmed`\n" in out
    assert out.isascii() and "\x1b" not in out


def test_json(command: Command, stocked: Path) -> None:
    """`--json` has every state and category, what waits, what is held, and how changes are seen."""
    put(stocked, "held.md", "Likes rain", state="maybe")
    put(stocked, "old.md", "Likes snow", id="m_0000000000ee", state="approved", stale_after="2020-01-01")
    found = command("status", "--json").json
    assert list(found) == [
        "states",
        "categories",
        "kinds",
        "waiting",
        "waiting_since",
        "stale",
        "held",
        "changes",
        "decided_elsewhere",
        "commits",
    ]
    assert found["states"] == {"approved": 2, "unconfirmed": 1, "restricted": 1, "rejected": 1}
    assert found["categories"]["tools"] == {"approved": 0, "unconfirmed": 1, "restricted": 0, "rejected": 0}
    assert len(found["categories"]) == 7
    assert found["kinds"] == {"memory": 5}
    assert (found["waiting"], found["waiting_since"]) == (1, "2026-02-03T04:05:06Z")
    assert (found["stale"], found["held"]) == (["m_0000000000ee"], 1)
    assert set(found["changes"]) == {"how", "why"}


def test_what_needs_the_owner_is_said(command: Command, stocked: Path) -> None:
    """Held files point at doctor, stale memories are named, and nothing to decide is said as well."""
    put(stocked, "held.md", "Likes rain", state="maybe")
    put(stocked, "old.md", "Likes snow", id="m_0000000000ee", state="approved", stale_after="2020-01-01")
    command("approve", COFFEE)
    out = command("status").out
    assert "Nothing waits for you.\n" in out
    assert "1 file is held and reaches nobody: `personakit doctor` says which and why.\n" in out
    assert "1 memory is past its last day: m_0000000000ee.\n" in out


@pytest.mark.skipif(sys.platform != "linux", reason="events are read on Linux only")
def test_how_changes_would_be_seen(command: Command, stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events where the mount can be trusted; sweeps, with the reason, where it cannot."""
    monkeypatch.setattr(watch, "deaf_mount", lambda _root: "")
    assert command("status", "--json").json["changes"] == {"how": "events", "why": ""}
    monkeypatch.setattr(watch, "deaf_mount", lambda _root: "9p")
    assert command("status", "--json").json["changes"]["how"] == "sweeps"
    assert "a 9p mount reports no changes made elsewhere" in command("status").out
    assert "doctor" not in sight_line(Sight("sweeps", "x"))


def test_an_empty_vault(command: Command, vault: Path) -> None:
    """A vault without memories has zeros and no category."""
    out = command("status", "--vault", str(vault)).out
    assert "approved       0\n" in out and "tools" not in out


def on_terminal(columns: int, root: Path, **environment: str) -> str:
    """Run `personakit status` in a pseudo terminal and give what it shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "personakit", "status", "--vault", str(root)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**inherited, "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment},
    )
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:
        pass  # Linux tells the end of a terminal so
    os.close(master)
    assert process.wait() == 0, shown
    return shown.decode()


@pytest.mark.parametrize("columns", [80, 120])
def test_a_picture_on_a_terminal(stocked: Path, columns: int) -> None:
    """On a terminal there are coloured bars, as wide as it is and no line wider."""
    shown = on_terminal(columns, stocked)
    assert "\x1b[32m█" in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    bars = [line for line in lines if "█" in line or "░" in line]
    assert len(bars) == 4
    assert max(map(len, bars)) > min(columns, 100) - 12
    assert all(len(line) <= columns for line in lines if not line.startswith("/"))


def test_a_picture_in_ascii(stocked: Path) -> None:
    """A terminal without block characters gets bars of others."""
    shown = on_terminal(80, stocked, PYTHONIOENCODING="ascii", NO_COLOR="1")
    assert "####" in shown and "█" not in shown


def test_only_a_terminal_is_a_look(vault: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided elsewhere is told until `status` has shown it on a terminal; pipes and JSON are no looks."""
    monkeypatch.chdir(vault)
    put(vault, "a.md", "Likes tea", id=TEA, state="unconfirmed")
    assert "decided in the files" not in on_terminal(80, vault)
    put(vault, "a.md", "Likes tea", id=TEA, state="approved")
    for _ in range(2):
        row = {"id": TEA, "before": "unconfirmed", "now": "approved", "what": "unconfirmed, now approved"}
        assert command("status", "--json").json["decided_elsewhere"] == [row]
        assert f"{TEA}  unconfirmed, now approved: Likes tea" in command("status").out
        assert "decided_elsewhere" in command("doctor").out
    assert f"{TEA}  unconfirmed, now approved" in on_terminal(80, vault)
    assert command("status", "--json").json["decided_elsewhere"] == []
    assert "decided_elsewhere" not in command("doctor").out
