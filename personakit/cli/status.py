"""`personakit status`: the vault in figures; a picture on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import COLORS, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.memory import CATEGORIES
from personakit.services.browse import status
from personakit.services.examine import waiting_line
from personakit.services.look import decided_elsewhere, look
from personakit.vault.watch import Sight, why_not_events

if TYPE_CHECKING:
    from personakit.services.browse import Status
    from personakit.services.look import Elsewhere
    from personakit.vault.history.waits import Wait


# What a terminal's line and screen hold beside the picture.
_SHOWN = 40
_LISTED = 10


@click.command("status")
@json_option
@vault_option
def status_command(as_json: bool, vault: str | None) -> None:
    """Count what the vault holds and what waits for you."""
    opened = open_vault(vault)
    why = why_not_events(opened.root)
    # What `doctor` finds by watching is told here by what the system is: watching costs as much as all the rest.
    found = replace(status(opened), sight=Sight("sweeps" if why else "events", why))
    elsewhere = decided_elsewhere(opened)
    commits = opened.recorder.waiting()
    wait = opened.recorder.why() if commits else None
    if as_json:
        more = {"decided_elsewhere": [_plain_elsewhere(each) for each in elsewhere]}
        say_json({**_plain(found), **more, "commits": _plain_commits(commits, wait)})
        return
    if sys.stdout.isatty():
        # Imported here: rich is a quarter of a command's time, owed only when there is a picture to draw.
        from personakit.cli.picture import draw  # noqa: PLC0415

        draw(opened.root, found)
    else:
        _print_counts(opened.root, found)
    why = opened.settings.read_only
    read_only = [f"Nothing is written to this vault: {why}."] if why else []
    waiting = [one_line(waiting_line(commits, wait))] if commits else []
    for line in [*_remarks(found), *read_only, *waiting, *elsewhere_lines(elsewhere)]:
        say(line)
    if sys.stdout.isatty():
        look(opened)


def _plain_commits(waiting: int, wait: Wait | None) -> dict[str, Any]:
    return {"waiting": waiting, "code": wait.code if wait else None, "why": wait.why if wait else None}


def _plain_elsewhere(each: Elsewhere) -> dict[str, Any]:
    return {"id": each.note.id, "before": each.before, "now": each.note.state, "what": each.what}


def elsewhere_lines(elsewhere: list[Elsewhere]) -> list[str]:
    """Name what no command of PersonaKit decided since the last look, so that the owner can tell whether they did."""
    if not elsewhere:
        return []
    one = "memory was" if len(elsewhere) == 1 else "memories were"
    lines = [f"{len(elsewhere)} {one} decided in the files since you last looked. If that was not you, decide again:"]
    lines += [f"  {each.note.id}  {each.what}: {one_line(each.note.text)[:_SHOWN]}" for each in elsewhere[:_LISTED]]
    if len(elsewhere) > _LISTED:
        lines.append(f"  and {len(elsewhere) - _LISTED} more: `personakit doctor`")
    return lines


def _plain(found: Status) -> dict[str, Any]:
    return {
        "states": {state.value: found.states[state] for state in COLORS},
        "categories": {
            name: {state.value: found.categories[name][state] for state in COLORS} for name in found.categories
        },
        "kinds": {kind.value: number for kind, number in found.kinds.items()},
        "waiting": found.waiting,
        "waiting_since": found.waiting_since,
        "stale": list(found.stale),
        "held": found.held,
        "changes": {"how": found.sight.how, "why": found.sight.why},
    }


def _print_counts(root: str, found: Status) -> None:
    say(f"Vault: {one_line(root)}")
    for state in COLORS:
        say(f"{state:<14} {found.states[state]}")
    for name in CATEGORIES:
        counts = found.categories[name]
        parts = ", ".join(f"{counts[state]} {state}" for state in COLORS if counts[state])
        if parts:
            say(f"  {name:<14} {parts}")


def _remarks(found: Status) -> list[str]:
    """Say what the figures mean for the owner, one line each."""
    remarks = ["Nothing waits for you."]
    if found.waiting:
        since = f" since {one_line(found.waiting_since[:10])}" if found.waiting_since else ""
        wait = "waits" if found.waiting == 1 else "wait"
        remarks = [f"{found.waiting} {wait} for you{since}: `personakit list --state unconfirmed`"]
    if found.stale:
        past = "memory is past its" if len(found.stale) == 1 else "memories are past their"
        remarks.append(f"{len(found.stale)} {past} last day: {', '.join(found.stale[:5])}.")
    if found.held:
        one = "file is held and reaches" if found.held == 1 else "files are held and reach"
        remarks.append(f"{found.held} {one} nobody: `personakit doctor` says which and why.")
    return [*remarks, sight_line(found.sight)]


def sight_line(sight: Sight) -> str:
    """Say how a server would see changes here."""
    if sight.how == "events":
        return "A server sees each change as it is saved (events of the file system)."
    return f"A server looks for changes at each call, and for new files every 2 s: {one_line(sight.why)}."
