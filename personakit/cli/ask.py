"""`personakit ask`: what the owner's documents say to a question, word for word, with the best sentences marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from personakit.cli.terminal import one_line, say, say_json
from personakit.cli.vault import json_option, open_vault, vault_option
from personakit.model.characters import mend, reveal
from personakit.services.knowledge.ask import ask
from personakit.services.knowledge.inquiry import owners_inquiry
from personakit.services.knowledge.quote import place_of

if TYPE_CHECKING:
    from personakit.services.knowledge.ask import Answer
    from personakit.services.knowledge.quote import Quote


@click.command("ask")
@click.argument("question")
@click.option("--as-of", "as_of", metavar="DAY", default="", help="YYYY-MM-DD: what held then; else the question says.")
@click.option("--as", "assistant", metavar="NAME", default="", help="Answer as this assistant; else as any listed one.")
@json_option
@vault_option
def ask_command(question: str, as_of: str, assistant: str, as_json: bool, vault: str | None) -> None:
    """Answer a question from your documents, in their own words; the sentences that answer best are marked."""
    answer = ask(owners_inquiry(open_vault(vault), assistant.strip()), mend(question), as_of.strip())
    if as_json:
        say_json(_plain(answer))
        return
    say(click.style(answer.outcome.value, bold=True))
    for quote in answer.evidence:
        _print(quote)
    if answer.related:
        say("\nRelated:")
    for quote in answer.related:
        _print(quote)
    for note in (*answer.notes, *answer.reasons):
        say()
        say(one_line(note))


def _print(quote: Quote) -> None:
    passage = quote.passage
    say()
    place = one_line(place_of(passage.about, passage.section))
    say(f"{click.style(place, bold=True)}  {quote.place.value}  {passage.id}")
    say(f"  {one_line(passage.path)}" + (f", changed {quote.changed[:10]}" if quote.changed else ""))
    for line in _marked(passage.text, quote.highlights).split("\n"):
        say(f"  {line}".rstrip())


def _marked(text: str, highlights: tuple[str, ...]) -> str:
    """Give the words with the highlighted sentences in a colour."""
    parts: list[str] = []
    at = 0
    for one in highlights:
        found = text.find(one, at)
        if found >= 0:
            parts += [_shown(text[at:found]), _mark(_shown(one))]
            at = found + len(one)
    return "".join([*parts, _shown(text[at:])])


def _shown(text: str) -> str:
    return "\n".join(reveal(line) for line in text.split("\n"))


def _mark(text: str) -> str:
    return "\n".join(click.style(line, fg="green", bold=True) for line in text.split("\n"))


def _plain(answer: Answer) -> dict[str, Any]:
    return {
        "outcome": answer.outcome.value,
        "evidence": [_row(one) for one in answer.evidence],
        "related": [_row(one) for one in answer.related],
        "notes": [*answer.notes, *answer.reasons],
    }


def _row(quote: Quote) -> dict[str, Any]:
    passage = quote.passage
    return {
        "passage": passage.id,
        "words": passage.text,
        "highlights": list(quote.highlights),
        "document": passage.about.id,
        "title": passage.about.title or None,
        "section": list(passage.section),
        "path": passage.path,
        "status": quote.place.value,
        "changed": quote.changed or None,
    }
