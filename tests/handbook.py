"""A vault of documents in git, with commits at the times a test says, and calls of its tools without a server."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema

from personakit.config import Launch
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.catalogue import published
from personakit.tools.knowledge import KNOWLEDGE
from personakit.vault.watch import NoWatch
from tests.cases.inputs import NOBODY
from tests.support import SetClock, make_vault

TOOLS = {tool.name: tool for tool in KNOWLEDGE.tools}
SCHEMAS = {name: published(tool)["outputSchema"] for name, tool in TOOLS.items()}


class ClockAt(SetClock):
    """A clock that can be set to a time of day."""

    def __init__(self, at: str = "2026-11-12T12:00:00Z") -> None:
        super().__init__()
        self.set(at)

    def set(self, at: str) -> None:
        """Set it."""
        self.at = datetime.fromisoformat(at).astimezone(UTC)

    def now(self) -> datetime:
        """Give the time that was set."""
        return self.at


class Handbook:
    """A vault of documents in a repository."""

    def __init__(self, root: Path, settings: str = "format: 1\n", *, repository: bool = True) -> None:
        self.root = make_vault(root, settings).resolve()
        self.clock = ClockAt()
        (self.root / ".gitignore").write_text(".personakit/\n")
        if repository:
            self.git("init", "-q", "-b", "main")

    def git(self, *words: str, at: str = "2026-01-01T00:00:00Z") -> str:
        """Run git at a time."""
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(
            ["git", *words], cwd=self.root, env={**os.environ, **NOBODY, **dates}, capture_output=True, check=True
        )
        return done.stdout.decode()

    def write(self, path: str, text: str, at: str = "") -> Path:
        """Write a file, saved at a time."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if at:
            seconds = datetime.fromisoformat(at).timestamp()
            os.utime(file, (seconds, seconds))
        return file

    def commit(self, at: str, *files: tuple[str, str | None]) -> None:
        """Write files, None for one that goes, and commit everything at a time."""
        for path, text in files:
            if text is None:
                (self.root / path).unlink()
            else:
                self.write(path, text, at)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", at=at)

    def desk(self, assistant: str = "alpha", project: str = "", *, read_only: bool = False) -> Asker:
        """Open a desk for an assistant."""
        launch = Launch(vault=str(self.root), assistant=assistant, project=project, read_only=read_only)
        desk = Desk(launch, OpenVault(str(self.root), self.clock, lambda _root, _documents: NoWatch()))
        desk.load()
        return Asker(desk)


class Asker:
    """Calls of one assistant."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed and give its structured content."""
        result = call(TOOLS[f"knowledge_{name}"], Opening(lambda: self.desk), arguments)
        content = result.structured_content
        assert not result.is_error and isinstance(content, dict), result
        jsonschema.validate(content, SCHEMAS[f"knowledge_{name}"])
        return content

    def fails(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail and give the error."""
        result = call(TOOLS[f"knowledge_{name}"], Opening(lambda: self.desk), arguments)
        assert result.is_error and isinstance(result.structured_content, dict), result
        error: dict[str, Any] = result.structured_content["error"]
        return error
