"""What commands print: whole on every terminal and in every encoding, whatever the vault holds."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import TYPE_CHECKING

import click

from personakit.model.characters import mend, reveal
from personakit.model.states import State

if TYPE_CHECKING:
    from personakit.model.note import Note

# In the order in which states are shown.
COLORS = {State.APPROVED: "green", State.UNCONFIRMED: "yellow", State.RESTRICTED: "magenta", State.REJECTED: "red"}
# All that a terminal may act on or not show stands between these; the blank is the only printable one among them.
_PLAIN = re.compile(r"[ -~]*")


def steady_streams() -> None:
    """Let no character end a command: what the terminal's encoding lacks becomes a `?`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def one_line(text: str) -> str:
    """Give a stored text on one line, with everything shown that a terminal would act on or hide."""
    return reveal(" ".join(text.split()))


def say(text: str = "") -> None:
    """Print a line that is safe already; colours are left out in a pipe."""
    # Named, since click writes UTF-8 into a stream that says it takes ASCII alone.
    click.echo(text, file=sys.stdout)


def complain(sentence: str) -> None:
    """Print an error's sentence on stderr."""
    click.echo(f"personakit: {one_line(sentence)}", file=sys.stderr)


def say_json(value: object) -> None:
    """Print a value for a program: one line of JSON that any encoding and any terminal can take."""
    text = mend(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if not _takes_all(sys.stdout):
        text = json.dumps(value, separators=(",", ":"))
    say(text if _PLAIN.fullmatch(text) else "".join(map(_printable, text)))


def audience(note: Note) -> str:
    """Say who alone may see a note, "" when everybody may."""
    parts = [("only", note.assistants), ("project", note.projects)]
    return ", ".join(f"{word} {one_line(' / '.join(names))}" for word, names in parts if names)


def _takes_all(stream: object) -> bool:
    return str(getattr(stream, "encoding", "") or "").lower().replace("-", "").startswith("utf")


def _printable(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]
