"""Examine: everything about the files that their owner should know, with the place and the next step."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from personakit.model.identity import original_of
from personakit.model.problem import Problem
from personakit.services.look import decided_elsewhere
from personakit.vault import frontmatter
from personakit.vault.history import driver
from personakit.vault.history.health import troubles
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.model.identity import Verdict
    from personakit.services.library import Library
    from personakit.services.look import Elsewhere
    from personakit.services.opened import OpenVault
    from personakit.services.recording import Recorder
    from personakit.vault.history.waits import Wait
    from personakit.vault.watch import Sight

_NOT_COMPARED = frozenset({"kind", "id", "path", "own_id"})


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found. `counts` are numbers of files by what came of them."""

    problems: tuple[Problem, ...]
    counts: dict[str, int]
    sight: Sight
    fast_yaml: bool

    @property
    def ok(self) -> bool:
        """Whether no file is held."""
        return not any(problem.holds for problem in self.problems)


def examine(vault: OpenVault) -> Examination:
    """Look at all that is known of the vault's files."""
    library = vault.library
    past = [Problem("", f"history_{code}", 0, message) for code, message in troubles(vault.root)]
    with library.lock:
        problems = {
            *past,
            *(_elsewhere_problem(each) for each in decided_elsewhere(vault)),
            *(replace(problem, path=shown(problem.path)) for problem in library.walk_problems),
            *(replace(problem, path=shown(path)) for path, problem in _read_problems(library)),
            *(_verdict_problem(library, path, verdict) for path, verdict in library.verdicts.items() if verdict.why),
            *(Problem(shown(path), "copy_alone", 0, _ALONE) for path in _copies_alone(library)),
            *(Problem(shown(path), "bad_name", 0, _BAD_NAME) for path in library.files if shown(path) != path),
            *(Problem("personakit.yaml", "unknown_setting", 0, warning) for warning in vault.settings.warnings),
            *(
                Problem("personakit.yaml", "read_only", 0, _READ_ONLY.format(why))
                for why in [vault.settings.read_only]
                if why
            ),
            *_commits(vault.recorder),
            *(Problem("", "merge_driver", 0, _MERGE_DRIVER.format(why)) for why in [driver.trouble(vault.root)] if why),
        }
        counts = {"files": len(library.files), "held": 0, "listed": 0}
        for note in library.notes():
            counts[note.kind.value] = counts.get(note.kind.value, 0) + 1
    counts["held"] = len({problem.path for problem in problems if problem.holds})
    counts["listed"] = len({problem.path for problem in problems if not problem.holds})
    return Examination(tuple(sorted(problems)), counts, vault.freshness.watch.sight(), frontmatter.FAST)


# Reasons that do not pass by themselves: told even when nothing waits yet.
_LASTING = frozenset({"no_git", "no_repository", "other_owner", "no_identity", "broken"})


_LEFT = (
    "{} that PersonaKit wrote it leaves to you to commit: a `filter` attribute says that another program writes what "
    "git keeps of it, git ignores it, or it lies in a repository of its own inside the vault. `git check-attr filter` "
    "and `git check-ignore -v` tell which."
)


def waiting_line(number: int, wait: Wait | None) -> str:
    """Say how many files wait to be committed, and why."""
    what = "1 file waits" if number == 1 else f"{number} files wait"
    if wait is None:
        return f"{what} to be committed; the next command that writes, or a server that starts, commits them."
    if not number:
        return f"Commits would have to wait: {wait.why}."
    return f"{what} to be committed: {wait.why}. What is written meanwhile is stored all the same."


def _commits(recorder: Recorder) -> Iterator[Problem]:
    number = recorder.waiting()
    wait = recorder.why() if number or recorder.is_on else None
    if number or (wait is not None and wait.code in _LASTING):
        yield Problem("", "commit_waits", 0, waiting_line(number, wait))
    left = recorder.left()
    if left:
        yield Problem("", "commit_left", 0, _LEFT.format("1 file" if left == 1 else f"{left} files"))


_READ_ONLY = "Nothing is written to this vault: {}."
_MERGE_DRIVER = "Plain `git merge` would not merge memories by the rule: {}. `personakit sync` names it anew."
_ALONE = (
    "A sync tool's copy without its original: it counts as the memory. Rename it, so that nobody takes it for a copy."
)
_BAD_NAME = "Its name is not UTF-8 text; other systems and sync tools may refuse it. Rename it."


def _read_problems(library: Library) -> Iterator[tuple[str, Problem]]:
    for path, record in library.files.items():
        for problem in record.reading.problems:
            yield path, problem


def _elsewhere_problem(each: Elsewhere) -> Problem:
    message = f"{each.note.id} was decided by no command of PersonaKit since you last looked: {each.what}."
    message += " If that was not you, decide again; `personakit status` in a terminal is a look."
    return Problem(shown(each.note.path), "decided_elsewhere", 0, message)


def _verdict_problem(library: Library, path: str, verdict: Verdict) -> Problem:
    differing = ", ".join(_differences(library, path, verdict.behind))
    other = shown(verdict.behind)
    if verdict.behind and not library.files[verdict.behind].reading.notes:
        message = f"A copy of {other}, which cannot be served; until that one is mended or deleted, neither is."
    elif verdict.why == "conflict_copy":
        message = f"A copy of {other}, which is served in its place; "
        message += f"differing: {differing}. Merge what you need and delete it." if differing else "equal. Delete it."
    elif verdict.behind:
        message = f"The same id as {other}, which is served in its place; "
        message += f"differing: {differing}. Give it another id or delete it." if differing else "equal. Delete it."
    else:
        message = f"Its id belongs to another file; it is served as {verdict.id}. Delete its `id` line."
    return Problem(shown(path), verdict.why, 0, message)


def _differences(library: Library, path: str, other: str) -> list[str]:
    """Name the properties in which two files differ; the statement is called so. None where one says nothing."""
    notes = [library.files[one].reading.notes[0] for one in (path, other) if one and library.files[one].reading.notes]
    if len(notes) < 2:
        return []
    mine, theirs = notes
    if type(mine) is not type(theirs):
        return ["type"]
    names = [field.name for field in fields(mine) if field.name not in _NOT_COMPARED]
    return ["statement" if name == "text" else name for name in names if getattr(mine, name) != getattr(theirs, name)]


def _copies_alone(library: Library) -> list[str]:
    return [path for path in library.files if (original := original_of(path)) and original not in library.files]
