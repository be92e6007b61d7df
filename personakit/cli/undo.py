"""`personakit undo`: the last decision or proposal is taken back, as a new commit."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from personakit.cli.terminal import one_line, say
from personakit.cli.vault import open_vault, vault_option
from personakit.errors import CannotUndo


@click.command("undo")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@vault_option
def undo_command(yes: bool, vault: str | None) -> int:
    """Take back the last decision or proposal that PersonaKit committed."""
    # Imported here: they start processes, which no other command owes.
    from personakit.services.undo import last_undoing, undo  # noqa: PLC0415

    opened = open_vault(vault)
    found = last_undoing(opened)
    when = datetime.fromtimestamp(found.commit.at).astimezone().strftime("%Y-%m-%d %H:%M")
    say(f"`{one_line(found.commit.tool)}` of {when} is taken back:")
    for effect in found.effects:
        note = opened.library.note(effect.id)
        words = f": {one_line(note.text)}" if note is not None else ""
        say(f"  {one_line(effect.id)}  {one_line(effect.what)}{words}")
    if not yes:
        if not sys.stdin.isatty():
            raise CannotUndo("there is nobody to ask; add --yes if that is meant")
        click.confirm("Go on?", abort=True)
    wait = undo(opened, found)
    say("Done." if wait is None else f"Done; its commit waits: {one_line(wait.why)}.")
    return 0
