"""`personakit preview`: what a decision changes in what assistants are told, before it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.errors import ArgumentError
from personakit.model.states import State
from personakit.services.review.preview import preview

if TYPE_CHECKING:
    from personakit.services.answers import ReadAnswer
    from personakit.services.opened import OpenVault
    from personakit.services.review.preview import Effect, Preview

_WORDS = {
    State.APPROVED: "Approved",
    State.RESTRICTED: "Restricted",
    State.REJECTED: "Rejected",
}


@click.command("preview")
@click.argument("id_", metavar="ID")
@click.option("--approve", is_flag=True, help="As if it were approved.")
@click.option("--restrict", is_flag=True, help="As if it were restricted.")
@click.option("--reject", is_flag=True, help="As if it were rejected.")
@json_option
@vault_option
def preview_command(id_: str, approve: bool, restrict: bool, reject: bool, as_json: bool, vault: str | None) -> None:
    """Show what a decision would change in what each assistant is told; nothing is decided.

    Asked are the memory's own statement and the questions in questions.txt of the vault, one a line.
    """
    flags = (approve, restrict, reject)
    chosen = [state for state, wanted in zip(_WORDS, flags, strict=True) if wanted]
    if len(chosen) != 1:
        raise ArgumentError("preview", "takes one of --approve, --restrict and --reject")
    opened = open_vault(vault)
    if as_json:
        say_json(_plain(preview(opened, id_, chosen[0])))
        return
    for line in effect_lines(opened, id_, chosen[0]):
        say(line)


def effect_lines(vault: OpenVault, id_: str, state: State) -> list[str]:
    """Say what a state would change, line by line, safe for a terminal."""
    found = preview(vault, id_, state)
    if not found.effects:
        return [f"{_WORDS[state]}: no answer changes, of {found.questions * len(found.assistants)}."]
    lines = [f"{_WORDS[state]}: {len(found.effects)} of {found.questions * len(found.assistants)} answers change."]
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in found.effects:
        said = (f"asked: {one_line(one.question)}", *(f"    {line}" for line in _differences(one)))
        alike.setdefault(said, []).append(one_line(one.assistant) or "any other assistant")
    for said, names in alike.items():
        lines += [f"  {' / '.join(names)}, {said[0]}", *said[1:]]
    return lines


def _differences(one: Effect) -> list[str]:
    before, after = (_told(answer) for answer in (one.before, one.after))
    lines = [f"- {line}" for line in before if line not in after] + [
        f"+ {line}" for line in after if line not in before
    ]
    if one.before.withheld != one.after.withheld:
        lines.append(f"withheld: {one.before.withheld} -> {one.after.withheld}")
    return lines or ["the same memories in another order"]


def _told(answer: ReadAnswer) -> list[str]:
    return [
        f"{one_line(memory.text)} ({'confirmed' if memory.confirmed else 'unconfirmed'})" for memory in answer.memories
    ]


def _plain(found: Preview) -> dict[str, Any]:
    return {
        "id": found.memory.id,
        "state": found.state,
        "questions": found.questions,
        "assistants": list(found.assistants),
        "effects": [
            {
                "assistant": one.assistant,
                "question": one.question,
                "before": _row(one.before),
                "after": _row(one.after),
            }
            for one in found.effects
        ],
    }


def _row(answer: ReadAnswer) -> dict[str, Any]:
    memories = [{"id": one.id, "confirmed": one.confirmed} for one in answer.memories]
    return {"memories": memories, "withheld": answer.withheld}
