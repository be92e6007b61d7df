"""`personakit propose`: the owner stores a statement themselves, as an assistant would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from personakit.cli.terminal import complain, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.errors import ArgumentError
from personakit.model.characters import broken
from personakit.model.visibility import viewer
from personakit.services.answers import Refusal
from personakit.services.propose import Proposer

if TYPE_CHECKING:
    from personakit.services.answers import Stored

_REFUSALS = {
    "empty_text": "the statement is empty; write one short sentence",
    "too_long": "the statement is longer than 300 characters; say it shorter, or propose two",
    "credential_shape": "the statement or the quote looks like a password or a key; leave it out",
    "empty_quote": "the quote is empty; give the words that support the statement",
}


@click.command("propose")
@click.argument("text")
@click.option("--quote", required=True, metavar="Q", help="The words that support it.")
@click.option("--category", metavar="C", default="other", help="One of the categories `status` lists.")
@json_option
@vault_option
def propose_command(text: str, quote: str, category: str, as_json: bool, vault: str | None) -> int:
    """Store a statement as unconfirmed, with a quote."""
    for name, value in (("TEXT", text), ("--quote", quote), ("--category", category)):
        if broken(value):
            raise ArgumentError(name, "is not UTF-8 text")
    opened = open_vault(vault)
    opened.recorder.flush(())  # an assistant's writes are committed in its name, before the owner's go on top
    outcome = Proposer(opened, viewer(every_list=True)).propose(text, quote, category, by="", settings=None)
    opened.recorder.flush()
    refused = isinstance(outcome, Refusal)
    if as_json:
        say_json(_plain(outcome))
    elif isinstance(outcome, Refusal):
        complain(f"Not stored: {_REFUSALS[outcome.reason]}.")
    elif outcome.new:
        say(f"Stored as {outcome.id}, {outcome.state}. `personakit approve {outcome.id}` confirms it.")
    else:
        say(f"Known already as {outcome.id}, {outcome.state}; it stays so.")
    return int(refused)


def _plain(outcome: Stored | Refusal) -> dict[str, object]:
    """Give the structured content of personakit_propose, to the key."""
    if isinstance(outcome, Refusal):
        return {"stored": False, "reason": outcome.reason}
    return {"stored": True, "id": outcome.id, "new": outcome.new, "state": outcome.state.value}
