"""The cases' files, put byte for byte into a vault, and what its owner and an assistant are told of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personakit.services.answers import ServedMemory
    from personakit.services.desk import Desk
    from tests.cli.conftest import Command

DATA = Path(__file__).parent / "data"
NOBODY = {
    **{f"GIT_{role}_NAME": "Rosalind Fictiva" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "rosalind@fictiva.example" for role in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
ID = "m_0123456789ab"


def raw(case: str, name: str = "input.md") -> bytes:
    """Give the bytes of one file of a case."""
    return (DATA / case / name).read_bytes()


def bring(root: Path, case: str, name: str = "input.md", to: str = "") -> Path:
    """Put one file of a case into `memories/`, under another name if one is given, and give its path."""
    path = root / "memories" / (to or Path(name).name)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(DATA / case / name, path)
    return path


def bring_all(root: Path, case: str, folder: str = "vault") -> list[Path]:
    """Put all files that lie directly in a case's folder into `memories/`, and give their paths."""
    return [bring(root, case, f"{folder}/{path.name}") for path in sorted((DATA / case / folder).glob("*.md"))]


def told(desk: Desk, question: str) -> list[ServedMemory]:
    """Give what an assistant is told for a question."""
    return list(desk.read(question, 20).memories)


def shown(owner: Command, id_: str = ID) -> dict[str, Any]:
    """Give all there is to one memory, as its owner sees it."""
    outcome = owner("show", id_, "--json")
    assert outcome.code == 0, outcome.err
    properties: dict[str, Any] = outcome.json
    return properties


def listed(owner: Command) -> list[tuple[str, str, int]]:
    """Give path, code and line of everything `doctor` lists."""
    return [(each["path"], each["code"], each["line"]) for each in owner("doctor", "--json").json["problems"]]


def message(owner: Command, path: str) -> str:
    """Give the one sentence that `doctor` has on a file."""
    (found,) = [each["message"] for each in owner("doctor", "--json").json["problems"] if each["path"] == path]
    return str(found)


def held(owner: Command) -> int:
    """Give how many files `doctor` counts as held."""
    return int(owner("doctor", "--json").json["counts"]["held"])


def ids(owner: Command) -> list[str]:
    """Give the ids of all memories, sorted."""
    return sorted(memory["id"] for memory in owner("list", "--json").json["memories"])


def git(root: Path, *words: str, ok: bool = True) -> str:
    """Run git with nobody's settings, and give what it says."""
    done = subprocess.run(["git", *words], cwd=root, env={**os.environ, **NOBODY}, capture_output=True, text=True)
    assert (done.returncode == 0) is ok, done.stderr
    return done.stdout + done.stderr
