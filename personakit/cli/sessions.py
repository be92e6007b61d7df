"""`personakit sessions`, `trace`, `served` and `forget`: what assistants were told, for their owner to see."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.errors import ArgumentError
from personakit.model.days import checked_day
from personakit.model.session import turns_of
from personakit.services.ledger import Held, forget_journal, forget_session, served, session, sessions
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from personakit.services.opened import OpenVault

_SHOWN = 3


@click.command("sessions")
@click.argument("verb", type=click.Choice(["show"]), required=False)
@click.argument("given", metavar="[ID]", required=False)
@json_option
@vault_option
def sessions_command(verb: str | None, given: str | None, as_json: bool, vault: str | None) -> None:
    """List the sessions of assistants, oldest first; `show ID` tells all of one, with its words if they were kept."""
    if (verb is None) is not (given is None):
        raise ArgumentError("ID", "`show` takes the id of a session")
    opened = open_vault(vault)
    found = [session(opened, given)] if given is not None else sessions(opened)
    if as_json:
        rows = [_plain(held, whole=given is not None) for held in found]
        say_json(rows[0] if given is not None else {"sessions": rows})
        return
    for held in found:
        say(_line(held))
    if given is not None:
        _print_whole(found[0])
    if not found:
        say("No session was held here, or the journal was emptied.")


def _line(held: Held) -> str:
    marks = [one_line(held.agent), f"project {one_line(held.project)}" if held.project else ""]
    marks += ["ended" if held.ended else "", "words kept" if held.transcript is not None else ""]
    told = f"{held.calls} calls, {len(held.memories)} memories"
    return f"{one_line(held.id)}  {one_line(held.started):<20}  {told}  {', '.join(filter(None, marks))}"


def _plain(held: Held, *, whole: bool) -> dict[str, Any]:
    row = {
        "id": held.id,
        "agent": held.agent,
        "project": held.project,
        "parent": held.parent,
        "started": held.started,
        "last": held.last,
        "ended": held.ended,
        "calls": held.calls,
        "memories": sorted(held.memories),
        "transcript": "" if held.transcript is None else shown(held.transcript.path),
    }
    if whole and held.transcript is not None:
        turns = turns_of(held.transcript.text)
        row["turns"] = [{key: getattr(turn, key) for key in ("at", "speaker", "kind", "id", "words")} for turn in turns]
    return row


def _print_whole(held: Held) -> None:
    for id_ in sorted(held.memories):
        say(f"  told {one_line(id_)}")
    if held.transcript is None:
        say("  no words were kept")
        return
    say(f"  {one_line(shown(held.transcript.path))}")
    for turn in turns_of(held.transcript.text):
        say(f"  {turn.at}  {turn.speaker}, {turn.kind}: {one_line(turn.words)}")


@click.command("trace")
@click.argument("given", metavar="ID")
@json_option
@vault_option
def trace_command(given: str, as_json: bool, vault: str | None) -> None:
    """Tell what happened to a memory and whom it was served to, oldest first."""
    # Imported here: it starts processes, which no other command here owes.
    from personakit.services.trace import lines_of  # noqa: PLC0415

    opened = open_vault(vault)
    id_ = _whole_id(opened, given)
    lines, reasons = lines_of(opened, id_, lambda other: other)
    if as_json:
        rows = [
            {"n": one.n, "at": one.at, "kind": one.kind, "words": one.words, "details": dict(one.details)}
            for one in lines
        ]
        say_json({"id": id_, "lines": rows, "missing": " ".join(reasons)})
        return
    for one in lines:
        details = ", ".join(f"{name} {value}" for name, value in one.details)
        say(f"{one.at or 'not committed yet':<20}  {one_line(one.words)}  ({details})")
    for reason in reasons:
        say(reason)


def _whole_id(opened: OpenVault, given: str) -> str:
    """Give the id that the start of one means, so that the journal can be asked; one of the past stays as given."""
    found = [note.id for note in opened.library.notes() if note.id.startswith(given)] if given else []
    return found[0] if len(found) == 1 else given


@click.command("served")
@click.option("--to", metavar="NAME", default="", help="Only what went to this assistant.")
@click.option("--since", metavar="DAY", default="", help="Only from this day on (YYYY-MM-DD, UTC).")
@json_option
@vault_option
def served_command(to: str, since: str, as_json: bool, vault: str | None) -> None:
    """List what was served to whom, oldest first, as far as this machine's journal goes."""
    day = checked_day("--since", since) if since else ""
    found = list(served(open_vault(vault), to.strip(), day))
    if as_json:
        keys = ("at", "to", "tool", "session", "others")
        say_json({"served": [{**{key: getattr(one, key) for key in keys}, "ids": list(one.ids)} for one in found]})
        return
    for one in found:
        more = len(one.ids) + one.others - _SHOWN
        ids = ", ".join(map(one_line, one.ids[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
        say(f"{one_line(one.at):<20}  {one_line(one.to)}  {one_line(one.tool)}  {ids}")
    if not found:
        say("Nothing was served, as far as the journal goes.")


@click.command("forget")
@click.option("--session", "given", metavar="ID", default="", help="This session: its rows and its transcript.")
@click.option("--journal", "everything", is_flag=True, help="Everything the journal tells of what was served.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@vault_option
def forget_command(given: str, everything: bool, yes: bool, vault: str | None) -> int:
    """Take a session, or the whole journal, out of the vault for good; memories stay as they are."""
    if bool(given) is everything:
        raise ArgumentError("--session", "name a session, or --journal for all of the journal")
    opened = open_vault(vault)
    what = "The journal of what was served" if everything else f"The session {one_line(session(opened, given).id)}"
    say(f"{what} goes for good. What git holds of it stays in git.")
    if not yes:
        if not sys.stdin.isatty():
            raise ArgumentError("--yes", "there is nobody to ask; add it if that is meant")
        click.confirm("Go on?", abort=True)
    number = forget_journal(opened) if everything else forget_session(opened, given)
    opened.recorder.flush()
    say(f"Done: {number} lines of the journal are gone.")
    return 0
