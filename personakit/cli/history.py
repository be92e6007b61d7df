"""`personakit history` and `personakit why`: what happened to memories, and what one rests on, as git kept it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.errors import NoHistory
from personakit.model.events import DECISIONS, Happening
from personakit.model.past import Standing, utc
from personakit.services.recount import Recounter, without_history
from personakit.services.transcripts import where_said
from personakit.vault.scan import shown

if TYPE_CHECKING:
    from personakit.model.events import Event
    from personakit.model.past import Commit, Step
    from personakit.services.opened import OpenVault
    from personakit.services.recount import Account, Told

_NOT_COMMITTED = "not committed yet"
_SHOWN = 60
# What `why` names the last change of, as properties of a memory.
_LINES = {"statement": "text", "state": "state", "category": "category", "evidence": "evidence"}


@click.command("history")
@click.argument("given", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1), default=30, show_default=True, help="The latest so many.")
@json_option
@vault_option
def history_command(given: str | None, limit: int, as_json: bool, vault: str | None) -> None:
    """Tell what happened to a memory, oldest first; without an ID, what happened lately to any."""
    with Recounter(open_vault(vault)) as past:
        if given is None:
            _print_lately(past.lately(limit), past.beginning, as_json=as_json)
            return
        account = past.account(given)
    found = account.events[-limit:]
    if as_json:
        say_json({"id": account.id, "events": [_plain(event) for event in found], **_begins(account.beginning)})
        return
    _print_rows(one_line(account.id), [_row(event) for event in found])
    _print_beginning(account.beginning)


def _print_lately(found: list[Told], beginning: Commit | None, *, as_json: bool) -> None:
    if as_json:
        rows = [{"id": shown(told.id), **_plain(told.event), "text": _said(told)} for told in found]
        say_json({"events": rows, **_begins(beginning)})
        return
    _print_rows(
        "", [(*_row(told.event)[:3], f"{one_line(told.id)}  {one_line(_said(told))[:_SHOWN]}") for told in found]
    )
    _print_beginning(beginning)


def _said(told: Told) -> str:
    return "" if told.memory is None else told.memory.text


def _plain(event: Event) -> dict[str, Any]:
    commit = event.commit
    return {
        "at": "" if commit is None else utc(commit.at),
        "kind": event.kind.value,
        "words": event.words,
        "who": event.who,
        "was": _detail(event, event.change.was),
        "now": _detail(event, event.change.now),
        "commit": "" if commit is None else commit.id,
        "author": "" if commit is None else commit.author,
        "committed": commit is not None,
    }


def _detail(event: Event, text: str) -> str:
    # A path may hold bytes that are no text.
    return shown(text) if event.kind in (Happening.MOVED, Happening.DELETED, Happening.RETURNED) else text


def _row(event: Event) -> tuple[str, str, str, str]:
    """Give time, commit, words and detail of an event, safe to print."""
    was, now = (one_line(_detail(event, text))[:_SHOWN] for text in (event.change.was, event.change.now))
    detail = f"{was} -> {now}" if was and now else was or now
    if event.kind in (Happening.PROPOSED, Happening.REPLACED):
        detail = ""  # its words name it
    return _time(event.commit), _short(event.commit), one_line(event.words), detail


def _time(commit: Commit | None) -> str:
    return _NOT_COMMITTED if commit is None else utc(commit.at)


def _short(commit: Commit | None) -> str:
    return "" if commit is None else commit.short


def _print_rows(title: str, rows: list[tuple[str, str, str, str]]) -> None:
    if not rows:
        say("Nothing happened yet.")
        return
    if sys.stdout.isatty():
        # Imported here: rich is a quarter of a command's time, owed only when there is a table to draw.
        from personakit.cli.picture import table  # noqa: PLC0415

        table(title, ("when (UTC)", "commit", "what", ""), rows)
        return
    for when, commit, words, detail in rows:
        say(f"{when:<20}  {commit:<10}  {words}{f'  {detail}' if detail else ''}")


def _begins(beginning: Commit | None) -> dict[str, str]:
    return {} if beginning is None else {"begins": utc(beginning.at)}


def _print_beginning(beginning: Commit | None) -> None:
    if beginning is not None:
        say(f"History begins at {utc(beginning.at)}; earlier is not here (a shallow clone).")


@click.command("why")
@click.argument("given", metavar="ID")
@json_option
@vault_option
def why_command(given: str, as_json: bool, vault: str | None) -> None:
    """Tell what a memory rests on: its quotes, who proposed it, who decided, and the commits of its lines."""
    opened = open_vault(vault)
    missing = ""
    try:
        with Recounter(opened) as past:
            account = past.account(given)
    except NoHistory as fault:
        account, missing = without_history(opened, given), str(fault)
    said = _said_where(opened, account)
    if as_json:
        say_json({**_reasons(account, missing), "said": said})
        return
    for line in [*_lines(account, missing), *([f"  {said}"] if said else [])]:
        say(line)
    if not missing:
        _print_beginning(account.beginning)


def _reasons(account: Account, missing: str) -> dict[str, Any]:
    memory = account.note or account.now.memory
    origin, decision, quotes = _parts(account, missing)
    return {
        "id": account.id,
        "state": None if memory is None else memory.state,
        "text": "" if memory is None else memory.text,
        "created": "" if memory is None else memory.created,
        "proposed_by": "" if memory is None else memory.proposed_by,
        "origin": None if origin is None else _plain(origin),
        "decision": None if decision is None else _plain(decision),
        "quotes": [{"text": quote, "commit": _id_of(step)} for quote, step in quotes],
        "lines": {} if missing else {name: _id_of(account.last_change_of(key)) for name, key in _LINES.items()},
        "history": missing,
        **_begins(account.beginning),
    }


def _said_where(opened: OpenVault, account: Account) -> str:
    memory = account.note or account.now.memory
    return "" if memory is None else where_said(opened, memory)


def _id_of(step: Step | None) -> str:
    return "" if step is None or step.commit is None else step.commit.id


def _parts(account: Account, missing: str) -> tuple[Event | None, Event | None, list[tuple[str, Step | None]]]:
    """Give how it came to be, the decision that counts, and each quote with the step that added it."""
    found = account.events
    born = (Happening.PROPOSED, Happening.WRITTEN, Happening.IMPORTED)
    origin = next((event for event in found if event.kind in born), None)
    decision = next((event for event in reversed(found) if event.kind in DECISIONS), None)
    memory = account.note or account.now.memory
    evidence = () if memory is None else memory.evidence
    return origin, None if missing else decision, [(quote, _added(account, quote)) for quote in evidence]


def _added(account: Account, quote: str) -> Step | None:
    """Give the step since which a quote has stood there without a break."""
    first = None
    for step in reversed(account.steps):
        if step.after.standing is Standing.READ and (
            step.after.memory is None or quote not in step.after.memory.evidence
        ):
            break
        first = step
    return first


def _lines(account: Account, missing: str) -> list[str]:
    memory = account.note or account.now.memory
    if memory is None:
        return [f"{one_line(account.id)}: its file cannot be read; `personakit doctor` says why."]
    origin, decision, quotes = _parts(account, missing)
    standing = account.now.standing
    state = str(memory.state) if standing is Standing.READ else standing.value
    found = [f"{one_line(account.id)} ({state}): {one_line(memory.text)}"]
    made = f", {one_line(memory.created)} by its front matter" if memory.created else ""
    words = "earlier than history reaches" if origin is None else one_line(origin.words)
    found.append(f"  {words}{made}{'' if missing or origin is None else _committed(origin.commit)}")
    for quote, step in quotes:
        found.append(
            f'  quote: "{one_line(quote)}"{"" if missing else _committed(None if step is None else step.commit)}'
        )
    if not quotes:
        found.append("  no quote")
    if decision is not None:
        found.append(f"  {one_line(decision.words)}{_committed(decision.commit)}")
    if missing:
        return [*found, one_line(missing)]
    places = [(name, account.last_change_of(key)) for name, key in _LINES.items()]
    return [*found, *(f"  {name} last changed{_committed(step.commit)}" for name, step in places if step is not None)]


def _committed(commit: Commit | None) -> str:
    return (
        f" ({_NOT_COMMITTED})" if commit is None else f" ({commit.short}, {utc(commit.at)}, {one_line(commit.author)})"
    )
