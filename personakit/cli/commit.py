"""`personakit commit`: what the owner changed in the vault's files, committed when they say so."""

from __future__ import annotations

import click

from personakit.cli.terminal import one_line, say
from personakit.cli.vault import open_vault, vault_option


@click.command("commit")
@click.option("-m", "--message", metavar="TEXT", default="", help="What the commit says; else what changed is counted.")
@vault_option
def commit_command(message: str, vault: str | None) -> int:
    """Commit what you changed in the vault's files, and nothing else of its repository."""
    # Imported here: they start processes, which no other command owes.
    from personakit.services.keep import keep  # noqa: PLC0415

    kept = keep(open_vault(vault), " ".join(message.split()))
    if kept.subject:
        files = "1 file" if kept.number == 1 else f"{kept.number} files"
        say(f"Committed {files}: {one_line(kept.subject)}")
    else:
        say("There is nothing of the vault's to commit.")
    for left in kept.left:
        say(f"Left out: {one_line(left.path)}: {left.why}.")
    return 0
