"""`personakit doctor`: every file that needs a look, and why; and what a bug report needs."""

from __future__ import annotations

import platform
import sys
from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from personakit import __version__
from personakit.cli.status import sight_line
from personakit.cli.terminal import one_line, say, say_json
from personakit.cli.vault import json_option, vault_option, watched_vault
from personakit.config import Settings
from personakit.services.examine import examine

if TYPE_CHECKING:
    from personakit.model.problem import Problem
    from personakit.services.examine import Examination

_NO_LIBYAML = "PyYAML was built without libyaml here: the first reading of a vault takes several times longer."
# Settings whose values are words of the owner's: a report says only that they are there.
_PERSONAL = frozenset({"owner", "projects", "repositories", "warnings"})


@click.command("doctor")
@click.option("--report", is_flag=True, help="Print what a bug report needs: no path, no word of a memory.")
@json_option
@vault_option
def doctor_command(report: bool, as_json: bool, vault: str | None) -> int:
    """Name every file that needs a look, and why. Exit code 1: a file is held."""
    if report and as_json:
        raise click.UsageError("--report and --json exclude each other.")
    with watched_vault(vault) as opened:
        found, settings = examine(opened), opened.settings
    if as_json:
        say_json(_plain(found))
    else:
        for line in _report(found, settings) if report else _lines(found):
            say(line)
    return 0 if found.ok else 1


def _plain(found: Examination) -> dict[str, Any]:
    problems = [
        {"path": each.path, "code": each.code, "line": each.line, "message": each.message} for each in found.problems
    ]
    return {"ok": found.ok, "counts": found.counts, "problems": problems}


def _lines(found: Examination) -> list[str]:
    held, listed = found.counts["held"], found.counts["listed"]
    lines = [_line(problem) for problem in found.problems]
    if not lines:
        lines.append("Nothing is wrong.")
    lines.append(f"{found.counts['files']} files, {held} held, {listed} with something to know.")
    return [*lines, sight_line(found.sight), *([] if found.fast_yaml else [_NO_LIBYAML])]


def _line(problem: Problem) -> str:
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path or "the vault"
    return f"{one_line(place)}: {problem.code}: {one_line(problem.message)}"


def _report(found: Examination, settings: Settings) -> list[str]:
    codes = Counter(problem.code for problem in found.problems)
    return [
        f"personakit {__version__}",
        f"python {platform.python_version()} ({platform.python_implementation()})",
        f"platform {platform.system()} {platform.release()} {platform.machine()}",
        f"libyaml {'yes' if found.fast_yaml else 'no'}",
        f"encoding {sys.stdout.encoding}",
        f"changes {found.sight.how}{f' ({one_line(found.sight.why)})' if found.sight.why else ''}",
        f"counts {_pairs(found.counts)}",
        f"problems {_pairs(codes) or 'none'}",
        f"settings {', '.join(_changed(settings)) or 'default'}",
    ]


def _pairs(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(numbers.items()))


def _changed(settings: Settings) -> list[str]:
    """Name the settings that are not the default ones, with their values where these are no words of the owner's."""
    default = Settings()
    different = [each.name for each in fields(settings) if getattr(settings, each.name) != getattr(default, each.name)]
    return [name if name in _PERSONAL else f"{name}: {getattr(settings, name)}" for name in different]
