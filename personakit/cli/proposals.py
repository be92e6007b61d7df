"""`personakit proposals`, `accept` and `decline`: corrections of documents, and their owner's word on them."""

from __future__ import annotations

from difflib import ndiff
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import complain, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.errors import PersonaKitError
from personakit.services.knowledge.corrections import accept, corrections, decline
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.model.correction import Correction
    from personakit.services.knowledge.corrections import Waiting
    from personakit.services.opened import OpenVault

_IDS = click.argument("ids", nargs=-1, required=True, metavar="ID...")
_COLORS = {"- ": "red", "+ ": "green"}


@click.command("proposals")
@click.option("--all", "every", is_flag=True, help="Also those that are accepted or declined.")
@json_option
@vault_option
def proposals_command(every: bool, as_json: bool, vault: str | None) -> None:
    """List the corrections that wait for you, oldest first, with what each would change."""
    found = [one for one in corrections(open_vault(vault)) if every or one.note.is_open]
    if as_json:
        say_json({"proposals": [_plain(one) for one in found]})
        return
    for number, one in enumerate(found):
        if number:
            say()
        _print(one)
    if not found:
        say("No correction waits for you.")


@click.command("accept")
@_IDS
@vault_option
def accept_command(ids: tuple[str, ...], vault: str | None) -> int:
    """Put the right words of these corrections into their documents, with one commit each."""
    return _decide_all(vault, ids, accept, "its words are in the document")


@click.command("decline")
@_IDS
@click.option("--note", default="", help="Why, for whoever reads the file.")
@vault_option
def decline_command(ids: tuple[str, ...], note: str, vault: str | None) -> int:
    """Turn these corrections down; their documents stay as they are."""
    return _decide_all(vault, ids, lambda opened, given: decline(opened, given, note), "declined")


def _decide_all(
    named: str | None, ids: tuple[str, ...], verb: Callable[[OpenVault, str], Correction], done: str
) -> int:
    """Decide on each; one that cannot be decided on keeps no other from it."""
    vault = open_vault(named)
    vault.recorder.flush(())  # an assistant's writes are committed in its name, before the owner's go on top
    code = 0
    for given in ids:
        try:
            say(f"{one_line(verb(vault, given).id)}: {done}")
        except PersonaKitError as error:
            complain(str(error))
            code = 1
        vault.recorder.flush()
    return code


def _print(one: Waiting) -> None:
    note = one.note
    marks = [
        one_line(note.agent),
        one_line(note.created),
        "" if note.is_open else note.status,
        "something was taken out of it" if note.redacted else "",
        f"note: {one_line(note.note)}" if note.note else "",
    ]
    say(f"{one_line(note.id)}  {', '.join(filter(None, marks))}")
    say(f"  {one_line(one.title) or 'without a title'}  {shown(one.path) if one.path else 'its document is gone'}")
    if one.words is None:
        say("  Its file lacks the old or the right words.")
        return
    say(f"  Why: {one_line(one.words.reason)}")
    for line in ndiff(one.words.old.split("\n"), one.words.right.split("\n")):
        if not line.startswith("? "):
            say(click.style(f"  {line[:2]}{one_line(line[2:])}", fg=_COLORS.get(line[:2])))


def _plain(one: Waiting) -> dict[str, Any]:
    note, words = one.note, one.words
    return {
        "id": note.id,
        "status": note.status,
        "agent": note.agent,
        "created": note.created,
        "passage": note.passage,
        "document": note.document,
        "title": one.title or None,
        "path": one.path or None,
        "reason": words.reason if words else None,
        "old": words.old if words else None,
        "right": words.right if words else None,
        "redacted": note.redacted,
        "applied": note.applied or None,
        "note": note.note or None,
    }
