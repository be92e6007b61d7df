"""`personakit approve | restrict | reject | reopen`: the owner's word, one line of each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from personakit.cli.terminal import complain, one_line, say
from personakit.cli.vault import open_vault, vault_option
from personakit.errors import PersonaKitError
from personakit.model.states import State
from personakit.services.decide import decide

if TYPE_CHECKING:
    from personakit.services.decide import Decision

_IDS = click.argument("ids", nargs=-1, required=True, metavar="ID...")


@click.command("approve")
@_IDS
@vault_option
def approve_command(ids: tuple[str, ...], vault: str | None) -> int:
    """Let assistants see these as confirmed."""
    return _decide_all(vault, ids, State.APPROVED)


@click.command("restrict")
@_IDS
@vault_option
def restrict_command(ids: tuple[str, ...], vault: str | None) -> int:
    """Keep these from every assistant; a match is counted."""
    return _decide_all(vault, ids, State.RESTRICTED)


@click.command("reject")
@_IDS
@vault_option
def reject_command(ids: tuple[str, ...], vault: str | None) -> int:
    """Keep these from every assistant and out of every count."""
    return _decide_all(vault, ids, State.REJECTED)


@click.command("reopen")
@_IDS
@vault_option
def reopen_command(ids: tuple[str, ...], vault: str | None) -> int:
    """Take a decision back: these are unconfirmed again."""
    return _decide_all(vault, ids, State.UNCONFIRMED)


def _decide_all(named: str | None, ids: tuple[str, ...], state: State) -> int:
    """Decide on each; one that cannot be decided on keeps no other from it."""
    vault = open_vault(named)
    vault.recorder.flush(())  # an assistant's writes are committed in its name, before the owner's go on top
    code = 0
    for given in ids:
        try:
            say(_told(decide(vault, given, state)))
        except PersonaKitError as error:
            complain(str(error))
            code = 1
    vault.recorder.flush()
    return code


def _told(decision: Decision) -> str:
    before = "no state" if decision.before is None else decision.before.value
    said = f"{one_line(decision.note.id)}: {before} -> {decision.wanted}"
    if decision.now is decision.wanted:
        return said
    if decision.now is None:
        return f"{said}, but its file is no longer served; `personakit doctor` says why."
    return f"{said} in its file, but a copy of it says {decision.now}, which counts; `personakit doctor` names it."
