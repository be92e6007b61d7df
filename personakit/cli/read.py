"""`personakit read`: what an assistant would be told for a question, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import audience, one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.characters import mend
from personakit.model.visibility import viewer
from personakit.services.find import find, served, why_not

if TYPE_CHECKING:
    from personakit.index.ranking import Hit, Shared
    from personakit.model.memory import Memory
    from personakit.services.answers import ReadAnswer, ServedMemory
    from personakit.services.find import Found


@click.command("read")
@click.argument("question")
@click.option("--why", is_flag=True, help="Show for each memory the words it shares and what they weigh.")
@click.option("--why-not", "why_not_id", metavar="ID", default="", help="Say why this memory is not among them.")
@click.option("--as", "assistant", metavar="NAME", default="", help="Answer as this assistant; else as any listed one.")
@click.option("--limit", type=click.IntRange(1, 20, clamp=True), default=7, show_default=True, help="1 to 20 memories.")
@json_option
@vault_option
def read_command(  # noqa: PLR0913 - click gives each option by name
    question: str, why: bool, why_not_id: str, assistant: str, limit: int, as_json: bool, vault: str | None
) -> None:
    """Show what an assistant would be told for a question."""
    name = assistant.strip()
    opened, seeing = open_vault(vault), viewer(name or None, every_list=not name)
    if why_not_id:
        reason = why_not(opened, mend(question), why_not_id, limit, seeing)
        if as_json:
            say_json({"id": why_not_id, "told": not reason, "why_not": reason})
        else:
            say(one_line(f"{why_not_id} is not told: {reason}." if reason else f"{why_not_id} is told."))
        return
    found = find(opened, mend(question), limit, seeing)
    answer = served(found)
    if as_json:
        say_json({**_plain(answer), **({"why": _reasons(found)} if why else {})})
        return
    _print(found, answer, why=why)


def _plain(answer: ReadAnswer) -> dict[str, Any]:
    """Give the structured content of personakit_read, to the key."""
    memories = [
        {
            "id": memory.id,
            "text": memory.text,
            "category": memory.category,
            "confirmed": memory.confirmed,
            "evidence": list(memory.evidence),
        }
        for memory in answer.memories
    ]
    plain: dict[str, Any] = {"memories": memories, "withheld": answer.withheld}
    return plain if answer.note is None else {**plain, "note": answer.note}


def _reasons(found: Found) -> list[dict[str, Any]]:
    reasons: list[dict[str, Any]] = [
        {
            "id": hit.note.id,
            "filled": False,
            "score": hit.score,
            "shared": [
                {"asked": each.asked, "word": each.word, "weight": each.weight, "how": each.how} for each in hit.shared
            ],
        }
        for hit in found.hits
    ]
    return reasons + [{"id": memory.id, "filled": True, "score": 0.0, "shared": []} for memory in found.fill]


def _print(found: Found, answer: ReadAnswer, *, why: bool) -> None:
    hits: list[Hit | None] = [*found.hits, *(None for _ in found.fill)]
    for memory, note, hit in zip(answer.memories, found.memories, hits, strict=True):
        _print_memory(memory, note)
        if why:
            say(f"  why: {_reason(hit)}")
    if not answer.memories:
        say("Nothing matches, and nothing is approved that could fill up.")
    if answer.withheld:
        say(f"Withheld: {answer.withheld} more that match; you restricted them.")
    if answer.note:
        say(answer.note)


def _print_memory(memory: ServedMemory, note: Memory) -> None:
    marks = ["confirmed" if memory.confirmed else "unconfirmed", memory.category, memory.id, audience(note)]
    say(one_line(memory.text))
    say(f"  {', '.join(mark for mark in marks if mark)}")
    for quote in memory.evidence:
        say(f'  "{one_line(quote)}"')


def _reason(hit: Hit | None) -> str:
    if hit is None:
        return "fills a free place; it need not share a word with the question"
    return f"{', '.join(map(_weighed, hit.shared))}; score {hit.score:.3f}"


def _weighed(shared: Shared) -> str:
    same = f"{one_line(shared.word)} {shared.weight:.3f}"
    return same if shared.how == "exact" else f"{same} ({shared.how} of {one_line(shared.asked)})"
