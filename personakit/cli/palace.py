"""`personakit palace`, `facts` and `diary`: what assistants keep word for word, as their owner may see it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import audience, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.days import checked_day
from personakit.model.fact import entity_key, is_current
from personakit.services.clock import today
from personakit.services.rooms import diary, drawers, facts

if TYPE_CHECKING:
    from personakit.model.drawer import Drawer
    from personakit.model.fact import Fact
    from personakit.model.note import Note

_SHOWN = 70


@click.command("palace")
@click.argument("wing", required=False)
@click.argument("room", required=False)
@json_option
@vault_option
def palace_command(wing: str | None, room: str | None, as_json: bool, vault: str | None) -> int:
    """Show the wings and rooms with their drawers, or the drawers of one room."""
    every = drawers(open_vault(vault).library)
    found = [one for one in every if wing in (None, one.wing) and room in (None, one.room)]
    if as_json:
        say_json({"drawers": [_drawer(one) for one in found]})
    elif room is not None:
        for one in found:
            say(f"{one_line(one.id)}{_marks(one)}  {_cut(one.text)}")
    else:
        _tree(found)
    if not found and not as_json:
        say("There is no drawer here.")
    return 0


def _tree(found: list[Drawer]) -> None:
    wings = Counter(one.wing for one in found)
    rooms = Counter((one.wing, one.room) for one in found)
    for wing, number in wings.items():
        say(f"{one_line(wing)}  {number}")
        for (there, room), count in rooms.items():
            if there == wing:
                say(f"  {one_line(room)}  {count}")


def _drawer(one: Drawer) -> dict[str, Any]:
    return {
        "id": one.id,
        "wing": one.wing,
        "room": one.room,
        "filed_at": one.filed_at,
        "state": one.state,
        "path": one.path,
        "text": one.text,
    }


@click.command("facts")
@click.argument("entity")
@click.option("--as-of", metavar="DAY", default="", help="Only facts that hold on this day, YYYY-MM-DD.")
@click.option("--timeline", is_flag=True, help="In the order in which they began, with their days first.")
@json_option
@vault_option
def facts_command(entity: str, as_of: str, timeline: bool, as_json: bool, vault: str | None) -> int:
    """Show the facts about an entity, on either side."""
    opened = open_vault(vault)
    day = checked_day("--as-of", as_of, whole=True) if as_of else ""
    found = facts(opened.library, entity, day)
    now = today(opened.clock)
    if as_json:
        say_json({"facts": [_fact(one, now) for one in found]})
        return 0
    if not timeline:
        # What the entity does comes before what is done to it, as assistants are told.
        found.sort(key=lambda one: entity_key(one.subject) != entity_key(entity))
    for one in found:
        days = f"{one.valid_from or '…'} to {one.valid_to or '…'}"
        words = f"{one_line(one.subject)} -> {one_line(one.predicate)} -> {one_line(one.object)}"
        ended = "" if is_current(one, now) else "  not today"
        say(f"{days}  {words}{_marks(one)}" if timeline else f"{words}  ({days}){ended}{_marks(one)}")
    if not found:
        say("Nothing is known under that name.")
    return 0


def _fact(one: Fact, now: str) -> dict[str, Any]:
    return {
        "id": one.id,
        "subject": one.subject,
        "predicate": one.predicate,
        "object": one.object,
        "valid_from": one.valid_from or None,
        "valid_to": one.valid_to or None,
        "current": is_current(one, now),
        "state": one.state,
        "path": one.path,
    }


@click.command("diary")
@click.argument("agent")
@json_option
@vault_option
def diary_command(agent: str, as_json: bool, vault: str | None) -> int:
    """Show an agent's diary, newest first."""
    found = diary(open_vault(vault).library, agent)
    if as_json:
        rows = [
            {"id": one.id, "timestamp": one.timestamp, "topic": one.topic, "state": one.state, "text": one.text}
            for one in found
        ]
        say_json({"agent": agent, "entries": rows})
        return 0
    for one in found:
        say(f"{one_line(one.timestamp)}  {one_line(one.topic)}{_marks(one)}  {_cut(one.text)}")
    if not found:
        say("Nobody of that name has written anything.")
    return 0


def _marks(note: Note) -> str:
    """Give what keeps a note from some assistants or all."""
    parts = [*([note.state.value] if note.state is not None else []), *([who] if (who := audience(note)) else [])]
    return f"  [{', '.join(parts)}]" if parts else ""


def _cut(text: str) -> str:
    plain = one_line(text)
    return plain if len(plain) <= _SHOWN else plain[: _SHOWN - 1] + "…"
