"""How an assistant is connected: the command line by which its client starts this installation's server."""

from __future__ import annotations

import os
import shlex
import sys


def program() -> list[str]:
    """Give the words that start this installation of `personakit` from anywhere."""
    running = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    beside = os.path.join(os.path.dirname(sys.executable), "personakit")
    for script in (running, beside, beside + ".exe"):
        if os.path.basename(script).removesuffix(".exe") == "personakit" and os.path.isfile(script):
            return [script]
    return [sys.executable, "-m", "personakit"]


def connect_line(root: str) -> str:
    """Give the line to type for Claude Code; other clients take what stands after the `--`."""
    words = [*program(), "serve", "--vault", root, "--as", "claude-code"]
    return f"claude mcp add --scope user personakit -- {shlex.join(words)}"
