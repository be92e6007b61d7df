"""`personakit see`: the exact words that an assistant would get."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from personakit.cli.terminal import audience, one_line, say
from personakit.cli.vault import open_vault, vault_option
from personakit.config import Launch
from personakit.model.characters import mend, reveal
from personakit.model.memory import Memory
from personakit.model.visibility import Sight, viewer, visible
from personakit.services.browse import memories
from personakit.services.desk import Desk

if TYPE_CHECKING:
    from personakit.services.opened import OpenVault


@click.command("see")
@click.argument("question", required=False)
@click.option("--as", "assistant", metavar="NAME", required=True, help="The assistant whose eyes to use.")
@click.option("--project", metavar="NAME", default="", help="As if it were started for this project.")
@vault_option
def see_command(question: str | None, assistant: str, project: str, vault: str | None) -> None:
    """Show the exact words that personakit_read would give an assistant; without a question, all it may be told.

    The journal is told nothing: it was you who looked.
    """
    opened = open_vault(vault)
    name = assistant.strip()
    if question is None:
        _list(opened, name, project)
        return
    # Imported here: pydantic is half of a command's time, which no other way of looking owes.
    from personakit.tools.persona import READ  # noqa: PLC0415
    from personakit.tools.toolset import parse, text_of  # noqa: PLC0415

    desk = Desk(Launch(vault=opened.root, assistant=name, project=project.strip(), read_only=True), opened)
    try:
        result = READ.run(desk, parse(READ, {"question": mend(question)}))
    finally:
        desk.close()
    say(reveal(text_of(result.shown())))


def _list(vault: OpenVault, name: str, project: str) -> None:
    seeing = viewer(name, project or None, ceiling=project or None)
    withheld = 0
    for note in memories(vault.library):
        sight = visible(note, seeing)
        withheld += sight is Sight.WITHHELD
        if sight is Sight.SERVED:
            say(_line(note))
    if withheld:
        say(f"Withheld: {withheld}, of which it learns no more than how many match a question.")


def _line(note: Memory) -> str:
    marks = audience(note)
    return f"{note.id}  {note.state}  {one_line(note.text)}{f'  [{marks}]' if marks else ''}"
