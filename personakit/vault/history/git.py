"""The `git` command, run so that nothing of a repository's own set-up runs a program, asks anything or writes more.

A downloaded vault may bring a `.git/config` of its own, which can name programs for hooks, watching, signing, showing
and fetching. Every one of them is switched off here, for every call. Source: git-config(1), gitattributes(5).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Where git is run from within a hook or another command of git's, these would point it at another repository or at
# another view of this one, keep it from writing, or give paths and settings another meaning.
_ELSEWHERE = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_CONFIG"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE"),
        *("GIT_NAMESPACE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_CEILING_DIRECTORIES", "GIT_ATTR_SOURCE"),
        *("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF"),
    }
)
_FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # A partial clone would fetch what it lacks, from wherever its config says. An older git does not know the first;
    # the second leaves it nothing to fetch by, and wins over every setting.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}
_QUIET = (
    "core.hooksPath=" + os.devnull,
    "core.fsmonitor=false",
    "core.alternateRefsCommand=true",
    "core.pager=cat",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "log.showSignature=false",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "diff.ignoreSubmodules=all",
    "advice.detachedHead=false",
    # Messages and names are given to git in it.
    "i18n.commitEncoding=UTF-8",
)
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call of git came to.

    Attributes:
        code: its exit code; 127 when there is no git, 124 when it took too long.
        out: what it wrote, as bytes.
        said: the line of its complaint that says what is wrong, "" for none.
    """

    code: int
    out: bytes
    said: str

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked."""
        return self.code == 0

    @property
    def is_another_owners(self) -> bool:
        """Whether git refused because the repository belongs to another user."""
        return "dubious ownership" in self.said or "safe.directory" in self.said

    @property
    def paths(self) -> list[str]:
        """What it wrote, as a path on each line: byte for byte, as a file's name may hold blanks and any bytes."""
        return os.fsdecode(self.out).removesuffix("\n").split("\n")

    @property
    def line(self) -> str:
        """What it wrote, as one line of text."""
        return self.out.decode("utf-8", "replace").strip()


def has_git() -> bool:
    """Say whether the `git` command is there."""
    return shutil.which("git") is not None


def work_tree_above(folder: str) -> str:
    """Give the nearest folder, this one or above it, that is a git work tree; "" for none.

    Looked for by name, so that a tree which git refuses to work in (another owner's) counts as well.
    """
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def is_work_tree(said: str, folder: str) -> bool:
    """Say whether the work tree that git names is this folder: `core.worktree` may lead it to another."""
    return os.path.realpath(said) == os.path.realpath(folder)


@dataclass(frozen=True, slots=True)
class Git:
    """Git as it is run in one folder, which may be a repository or lie in one.

    Attributes:
        root: the folder.
        more: names and values of settings for every call; a repository's own lose.
    """

    root: str
    more: Mapping[str, str] = field(default_factory=dict)

    def ask(self, *words: str, stdin: bytes = b"", seconds: float = SECONDS) -> Answer:
        """Run git to learn something; it takes no lock, not even to note what it has seen."""
        return self._run(["--no-optional-locks", *words], stdin, seconds, {})

    def tell(
        self,
        *words: str,
        stdin: bytes = b"",
        seconds: float = SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run git to change something; `environment` is added to what it is run with."""
        return self._run(list(words), stdin, seconds, environment or {})

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a git that answers line by line on pipes; whoever asked for it ends it.

        Raises:
            OSError: there is no git, or no room for a process.
        """
        return subprocess.Popen(
            command("--no-optional-locks", *words),
            cwd=self.root,
            env=environment_for(overriding(self.more)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _run(self, words: list[str], stdin: bytes, seconds: float, more: Mapping[str, str]) -> Answer:
        try:
            done = subprocess.run(
                command(*words),
                cwd=self.root,
                env=environment_for({**overriding(self.more), **more}),
                input=stdin,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(124, b"", f"git took longer than {seconds:g} seconds")
        except OSError as error:
            return Answer(127, b"", f"git cannot be run: {error.strerror}")
        return Answer(done.returncode, done.stdout, _complaint(done.stderr))


def _complaint(raw: bytes) -> str:
    """Give the line after which git gave up, else its last; advice may stand before and after it."""
    lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("fatal: ")), lines[-1] if lines else "")


def command(*words: str) -> list[str]:
    """Give the words of a call of git."""
    return ["git", "--no-pager", *settings(_QUIET), *words]


def settings(pairs: Iterable[str]) -> list[str]:
    """Give `name=value` pairs as options that win over every configuration file."""
    return [word for pair in pairs for word in ("-c", pair)]


def overriding(pairs: Mapping[str, str]) -> dict[str, str]:
    """Give the environment that adds settings whose names may hold anything, as an option's may not."""
    if not pairs:
        return {}
    try:
        first = int(os.environ.get("GIT_CONFIG_COUNT", "0"))
    except ValueError:
        first = 0  # git refuses the number too, and says so
    added = {"GIT_CONFIG_COUNT": str(first + len(pairs))}
    for number, (name, value) in enumerate(pairs.items(), first):
        added |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return added


def allowing(transports: Iterable[str]) -> dict[str, str]:
    """Give the environment that opens transports, without those that the owner's own environment leaves out."""
    own = os.environ.get("GIT_ALLOW_PROTOCOL")
    return {"GIT_ALLOW_PROTOCOL": ":".join(each for each in transports if own is None or each in own.split(":"))}


def environment_for(more: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of a call of git."""
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {**kept, **_FIXED, **more}
