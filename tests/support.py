"""What many tests need: a clock that can be set, a vault with memories, and an open vault on it."""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from personakit.config import Launch
from personakit.services.clock import SystemClock
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.vault.watch import watch_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.vault.watch import Watch

LONG_AGO = 1_700_000_000


class SetClock(SystemClock):
    """The machine's clock, set forward by `ahead` seconds; sleeping sets it forward and takes no time."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """Give seconds that never go back."""
        return super().monotonic() + self.ahead

    def now(self) -> datetime:
        """Give the time of day."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def nanoseconds(self) -> int:
        """Give nanoseconds since 1970."""
        return super().nanoseconds() + int(self.ahead * 1e9)

    def sleep(self, seconds: float) -> None:
        """Set the clock forward."""
        self.slept.append(seconds)
        self.ahead += seconds


def text_of(statement: str, **keys: object) -> str:
    """Give a memory file's text; lists become one item a line."""
    lines = ["---"]
    for key, value in keys.items():
        if isinstance(value, (list, tuple)):
            lines += [f"{key}:", *(f'  - "{item}"' for item in value)]
        else:
            lines.append(f"{key}: {value}")
    return "\n".join([*lines, "---", statement, ""])


def put(root: Path, name: str, statement: str, **keys: object) -> Path:
    """Write a memory file as an owner's editor would, and give its path."""
    path = root / "memories" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(statement, **keys), "utf-8")
    return path


def make_vault(root: Path, settings: str = "format: 1\n") -> Path:
    """Make an empty vault."""
    (root / "memories").mkdir(parents=True, exist_ok=True)
    (root / "personakit.yaml").write_text(settings, "utf-8")
    return root


def open_vault(
    root: Path, clock: SystemClock | None = None, watching: Callable[[str, tuple[str, ...]], Watch] = watch_for
) -> OpenVault:
    """Open and read a vault."""
    vault = OpenVault(str(root.resolve()), clock or SetClock(), watching)
    vault.load()
    return vault


def open_desk(root: Path, *, assistant: str = "", project: str = "", clock: SystemClock | None = None) -> Desk:
    """Open a desk for one assistant."""
    launch = Launch(vault=str(root), assistant=assistant, project=project)
    desk = Desk(launch, OpenVault(str(root.resolve()), clock or SetClock(), watch_for))
    desk.load()
    return desk


def texts(desk: Desk, question: str, limit: int = 20) -> list[str]:
    """Give the statements that a read serves."""
    return [memory.text for memory in desk.read(question, limit).memories]


def tree_hash(root: Path) -> str:
    """Hash every byte, name and mode below a folder, `.personakit/` and git's own folder left out."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if inside.parts[0] in (".personakit", ".git") or path.is_dir():
            continue
        digest.update(f"{inside} {path.lstat().st_mode}\n".encode("utf-8", "surrogateescape"))
        digest.update(path.read_bytes())
    return digest.hexdigest()


def wait_for(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: it did not within the time.
    """
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("the condition never held")
        time.sleep(0.005)
