"""`personakit find`: anything in the vault by its words as they are spelt, with the file to open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import complain, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.characters import mend
from personakit.model.node import TYPES, name_of
from personakit.model.visibility import viewer
from personakit.services.clock import today
from personakit.services.seek.asked import REJECTED, Filters, Wanted
from personakit.services.seek.verb import seeker_of
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from personakit.services.seek.asked import Hit

MOST = 50
_ROOM = 64_000
_SHOWN = 100


@click.command("find")
@click.argument("text")
@click.option("--in", "scopes", metavar="PROJECT", multiple=True, help="Only in this project or wing; may be repeated.")
@click.option("--type", "types", type=click.Choice(TYPES), multiple=True, help="Only nodes of this type.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only what has this tag, such as category:tools.")
@click.option("--all", "everything", is_flag=True, help="Also what another has replaced, in plain order.")
@click.option("--prefix", is_flag=True, help="Take each word as the beginning of one.")
@json_option
@vault_option
def find_command(  # noqa: PLR0913 - click gives each option by name
    text: str,
    scopes: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    everything: bool,
    prefix: bool,
    as_json: bool,
    vault: str | None,
) -> int:
    """Find anything in the vault by its words, as they are spelt: no stems, no near words.

    That is memories, drawers, documents, facts, diaries and corrections.
    """
    opened = open_vault(vault)
    filters = Filters(types=types, tags=tuple(tag.casefold() for tag in tags), everything=everything)
    some = bool(types or tags or everything)
    wanted = Wanted(
        scopes or ("*",), mend(text), prefix=prefix, filters=filters if some else None, limit=MOST, budget=_ROOM
    )
    repositories = frozenset(one.id for one in opened.settings.open_repositories(today(opened.clock)))
    found = seeker_of(opened).seek(opened, viewer(every_list=True, repositories=repositories), wanted)
    if as_json:
        hits = [_row(hit) for hit in found.hits]
        say_json({"total": found.total, "hits": hits, "issues": [one.message for one in found.issues]})
        return int(found.state == REJECTED)
    for issue in found.issues:
        complain(issue.message)
    for hit in found.hits:
        _print(hit)
    for one in found.omitted:
        say(f"Left out, {one.reason}: {one.number}" + (f" for {', '.join(one.successors)}" if one.successors else ""))
    return int(found.state == REJECTED)


def _print(hit: Hit) -> None:
    note, facets = hit.node.note, hit.node.facets
    mark = "" if facets.is_current else f"  [{facets.currentness}]"
    say(f"{one_line(name_of(note))[:_SHOWN]}{mark}")
    say(f"  {note.id}  {facets.node_type}  {one_line(' / '.join(hit.node.initiatives))}  {one_line(shown(note.path))}")


def _row(hit: Hit) -> dict[str, Any]:
    note, facets = hit.node.note, hit.node.facets
    return {
        "id": note.id,
        "type": facets.node_type,
        "name": name_of(note),
        "currentness": facets.currentness,
        "initiatives": list(hit.node.initiatives),
        "path": shown(note.path),
    }
