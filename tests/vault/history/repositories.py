"""Real repositories, made by git as an owner's would be."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support import put

DAY = 86_400
BEGIN = 1_790_000_000  # 2026-09-21T14:13:20Z


class Owner:
    """An owner at git, in one folder. Each commit is a day after the one before."""

    def __init__(self, root: Path, *options: str, make: bool = True) -> None:
        self.root = root
        self.days = 0
        if make:
            root.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main", *options)

    def git(self, *words: str, ok: bool = True) -> str:
        """Run git with nobody's settings and give what it says."""
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in [
                ("NAME", "Rosalind Fictiva"),
                ("EMAIL", "rosalind@fictiva.example"),
                ("DATE", f"{self.now} +0200"),
            ]
        }
        fixed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *words],
            cwd=self.root,
            env={**os.environ, **who, **fixed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout.strip()

    @property
    def now(self) -> int:
        """When the next commit is made, in seconds since 1970."""
        return BEGIN + self.days * DAY

    def commit(self, subject: str = "Change", *trailers: str) -> str:
        """Commit everything, and give the commit's name."""
        self.git("add", "-A")
        self.days += 1
        self.git(
            "commit", "-q", "--allow-empty", "-m", "\n\n".join([subject, *(["\n".join(trailers)] if trailers else [])])
        )
        return self.git("rev-parse", "HEAD")

    def put(self, name: str, statement: str, **keys: object) -> Path:
        """Write a memory file."""
        return put(self.root, name, statement, **keys)
