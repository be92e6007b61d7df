"""`personakit list` and `personakit show`: memories as their owner may see them, all states and audiences."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import COLORS, audience, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.characters import reveal
from personakit.model.past import utc
from personakit.model.states import State
from personakit.services.browse import memories, own_among, own_keys
from personakit.services.decide import resolve
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from personakit.model.memory import Memory
    from personakit.model.note import Note
    from personakit.services.opened import OpenVault


_FIRST = ("id", "kind", "path", "state", "created", "category")
_LAST = ("evidence", "text")
_INTERNAL = frozenset({"own_id"})
# What says where a note belongs: shown where it is said, and most kinds never say it.
_OF_SOME_KINDS = frozenset({"wing", "repository"})


@click.command("list")
@click.option("--state", type=click.Choice([*State], case_sensitive=False), help="Only those in this state.")
@json_option
@vault_option
def list_command(state: State | None, as_json: bool, vault: str | None) -> None:
    """List the memories, oldest first."""
    found = memories(open_vault(vault).library, state)
    if as_json:
        say_json({"memories": [_row(memory) for memory in found]})
        return
    for memory in found:
        say(_line(memory))
    if not found:
        say("There is no memory here yet." if state is None else f"No memory is {state}.")


@click.command("show")
@click.argument("given", metavar="ID")
@click.option("--at", "when", metavar="DAY|COMMIT", help="As it was at the end of a day (YYYY-MM-DD) or at a commit.")
@json_option
@vault_option
def show_command(given: str, when: str | None, as_json: bool, vault: str | None) -> None:
    """Show all there is to one memory, now or as it was."""
    opened = open_vault(vault)
    if when is not None:
        _show_then(opened, given, when, as_json=as_json)
        return
    note = resolve(opened.library, given)
    _show(_properties(note), own_keys(opened.library, note), as_json=as_json)


def _show_then(opened: OpenVault, given: str, when: str, *, as_json: bool) -> None:
    # Imported here: only who asks for the past owes the time to load what reads it.
    from personakit.services.recount import Recounter  # noqa: PLC0415

    with Recounter(opened) as past:
        then = past.then(given, when)
    as_of = {"commit": then.commit.id, "committed": utc(then.commit.at)}
    _show({**_properties(then.memory), **as_of}, own_among(then.keys, then.memory), as_json=as_json)


def _show(properties: dict[str, Any], yours: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json({**properties, "yours": yours})
        return
    for name, value in [*properties.items(), *yours.items()]:
        _print(name, value)


def _row(memory: Memory) -> dict[str, Any]:
    whole = _properties(memory)
    return {name: whole[name] for name in ("id", "state", "category", "created", "path", "text")}


def _line(memory: Memory) -> str:
    state = memory.state or State.UNCONFIRMED
    marks = audience(memory)
    colored = click.style(f"{state:<11}", fg=COLORS[state])
    return f"{memory.id}  {colored}  {memory.category:<13}  {one_line(memory.text)}{f'  [{marks}]' if marks else ''}"


def _properties(note: Note) -> dict[str, Any]:
    """Give everything a note says, in an order for people."""
    names = (field.name for field in fields(note) if field.name not in _INTERNAL)
    found = {name: getattr(note, name) for name in names}
    found = {name: value for name, value in found.items() if value or name not in _OF_SOME_KINDS}
    found["path"] = shown(note.path)
    middle = [name for name in found if name not in _FIRST and name not in _LAST]
    order = [name for name in (*_FIRST, *middle, *_LAST) if name in found]
    return {name: list(found[name]) if isinstance(found[name], tuple) else found[name] for name in order}


def _print(name: str, value: object) -> None:
    """Print one property; what is not said is left out."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, list):
        for item in value:
            _print(name, item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _print(f"{name}.{key}", item)
    elif value not in (None, ""):
        text = reveal(str(value)).replace("\n", "\n" + " " * 14)
        say(f"{one_line(name) + ':':<13} {text}")
