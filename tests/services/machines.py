"""Two machines of one owner: two clones of a vault and the bare repository between them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from personakit.services.sync import Synced, Tools, give_up, go_on, sync
from personakit.vault.store import DiskVault
from tests.support import make_vault, text_of

WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Robin Fictiva"), ("EMAIL", "robin@fictiva.example"))
}
QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
DOCUMENTS = ("knowledge",)


def git(root: Path, *words: str, ok: bool = True) -> str:
    """Run git as the owner would, and give what it says."""
    environment = {**os.environ, **WHO, **QUIET}
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=ok, env=environment)
    return done.stdout


@dataclass(frozen=True)
class Machine:
    """One clone; `inside` is the vault's folder in it."""

    top: Path
    inside: str = ""
    waiting: str = ""

    @property
    def root(self) -> Path:
        """The vault."""
        return self.top / self.inside if self.inside else self.top

    def tools(self) -> Tools:
        """Give what a sync needs."""
        store = DiskVault(str(self.root.resolve()), DOCUMENTS)
        return Tools(str(self.root.resolve()), DOCUMENTS, store.writing, lambda: None, lambda *_: None)

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Sync."""
        return sync(self.tools(), dry_run=dry_run)

    def go_on(self) -> Synced:
        """End an open merge."""
        return go_on(self.tools())

    def give_up(self) -> None:
        """Take an open merge back."""
        give_up(self.tools())

    def write(self, path: str, text: str) -> None:
        """Write a file of the vault as an editor would."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8", newline="")

    def commit(self, path: str = "", text: str = "") -> None:
        """Commit everything, after one file is written."""
        if path:
            self.write(path, text)
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", "Change")

    def read(self, path: str) -> str:
        """Give a file of the vault."""
        return (self.root / path).read_text("utf-8")

    def head(self) -> str:
        """Give the branch's commit."""
        return git(self.top, "rev-parse", "HEAD").strip()

    def status(self) -> str:
        """Give what git says has changed."""
        return git(self.top, "status", "--porcelain")


def two_machines(folder: Path, inside: str = "") -> tuple[Machine, Machine, Path]:
    """Make two clones that are in step, and the bare repository between them."""
    bare = folder / "bare.git"
    git(folder, "init", "-q", "--bare", "-b", "main", str(bare))
    first = Machine(folder / "laptop", inside)
    first.top.mkdir()
    git(first.top, "init", "-q", "-b", "main")
    make_vault(first.root)
    first.write(".gitignore", ".personakit/\n")
    first.write("memories/.gitattributes", "*.md text eol=lf merge=personakit\n")
    first.write(
        "memories/tea.md", text_of("Prefers tea", state="unconfirmed", category="tools", evidence=["I like tea"])
    )
    first.commit()
    git(first.top, "remote", "add", "origin", str(bare))
    git(first.top, "push", "-qu", "origin", "main")
    git(folder, "clone", "-q", str(bare), str(folder / "desk"))
    return first, Machine(folder / "desk", inside), bare
