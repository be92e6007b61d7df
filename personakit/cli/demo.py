"""`personakit demo`: the main job, shown on a vault of its own with the real server and ordinary file edits."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from personakit.cli import template
from personakit.cli.client import Client
from personakit.cli.connecting import connect_line
from personakit.cli.terminal import one_line, say
from personakit.errors import CannotInit, DemoFailed

QUESTION = "How does she want feedback on a draft?"
TEXT = "Wants feedback on a draft before noon"
QUOTE = "send me your feedback on the draft before noon, evenings are for reading"
# Of the template's examples: one the owner approved, and one they have not decided on yet.
APPROVED = "m_c08afa1ddd04"
UNDECIDED = "m_370f8f34d4f9"
_SECONDS = 30.0
_WIDTH = 79


@click.command("demo")
@click.option("--keep", "folder", metavar="DIR", help="The folder to make; else a new one for temporary files.")
def demo_command(folder: str | None) -> None:
    """Show the main job in ten seconds, in a folder of its own."""
    started = time.monotonic()
    root = _new_vault(folder)
    say(f"A new vault, about a person who does not exist: {one_line(root)}")
    say("The real server answers from it, started as an assistant's client does.")
    with _connection(root) as client:
        _Show(root, client).run()
    say()
    say(f"That took {time.monotonic() - started:.1f} s. The folder stays; open its Home.md and look around.")
    own = os.path.expanduser("~/my-vault")
    say(f"Next: 1. make your own vault: personakit init {one_line(own)}")
    say(f"      2. connect an assistant: {one_line(connect_line(own))}")


def _new_vault(folder: str | None) -> str:
    """Make the demo's vault.

    Raises:
        CannotInit: the folder holds something, or the system refused.
    """
    if folder is None:
        root = os.path.realpath(tempfile.mkdtemp(prefix="personakit-demo-"))
    else:
        root = os.path.realpath(os.path.expanduser(folder))
        if os.path.lexists(root) and (not os.path.isdir(root) or os.listdir(root)):
            raise CannotInit(root, "the demo needs a new or empty folder")
    # Without a cache, deleting the folder is all it takes to be rid of the demo.
    template.mark(root, template.copy(root, examples=True), "\ncache: off\n")
    return root


@contextmanager
def _connection(root: str) -> Iterator[Client]:
    command = [sys.executable, "-m", "personakit", "serve", "--vault", root, "--as", "demo"]
    try:
        client = Client(command, _SECONDS)
    except OSError as error:
        raise DemoFailed("start the server", str(error), root) from error
    try:
        client.initialize()
        yield client
    except OSError as error:
        raise DemoFailed("talk to the server", str(error), root) from error
    finally:
        client.close()


class _Show:
    """The four steps. Each checks what it shows."""

    def __init__(self, root: str, client: Client) -> None:
        self._root = root
        self._client = client

    def run(self) -> None:
        """Ask, propose, decide, ask again.

        Raises:
            DemoFailed: a step did not obey.
        """
        first = self._ask(f"1. An assistant asks: {QUESTION}")
        seen = self._seen(first)
        self._check("answer", seen.get(APPROVED) is True, "the approved memory is missing")
        self._check("answer", seen.get(UNDECIDED) is False, "the undecided memory is not marked as unconfirmed")
        self._check("answer", first["withheld"] == 1, "the restricted memory is not counted as withheld")
        proposed = self._propose()
        say(click.style("3. You decide: one line in each of two files, in any editor.", bold=True))
        self._edit(proposed, "approved")
        self._edit(UNDECIDED, "restricted")
        second = self._ask("4. It asks the same again, at once.")
        seen = self._seen(second)
        self._check("next answer", seen.get(proposed) is True, "the approval does not count")
        self._check("next answer", UNDECIDED not in seen, "the restricted memory is still served")
        self._check("next answer", second["withheld"] == 2, "the restricted memory is not counted as withheld")

    def _ask(self, heading: str) -> dict[str, Any]:
        say(click.style(heading, bold=True))
        answer = self._client.call("personakit_read", {"question": QUESTION, "limit": 2})
        for memory in answer["memories"]:
            mark = "confirmed  " if memory["confirmed"] else "unconfirmed"
            say(f"   {mark}  {_cut(memory['text'], 16)}")
        say(f"   {answer['withheld']} more withheld: you restricted {'it' if answer['withheld'] == 1 else 'them'}")
        return answer

    def _propose(self) -> str:
        say(click.style("2. It proposes, with your words as evidence:", bold=True))
        arguments = {"text": TEXT, "quote": QUOTE, "category": "communication"}
        outcome = self._client.call("personakit_propose", arguments)
        stored = outcome.get("stored") is True and outcome.get("new") is True
        self._check("propose", stored and outcome.get("state") == "unconfirmed", "it was not stored as unconfirmed")
        say(f"   {outcome['state']}  {_cut(TEXT, 16)}")
        path = os.path.relpath(self._file(outcome["id"]), self._root)
        say(f"   stored as {_cut(path, 13)}")
        return str(outcome["id"])

    def _edit(self, id_: str, state: str) -> None:
        """Change the `state:` line as an editor does, knowing nothing of PersonaKit."""
        path = self._file(id_)
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        changed = text.replace("\nstate: unconfirmed\n", f"\nstate: {state}\n", 1)
        self._check("edit", changed != text, f"{id_} has no line `state: unconfirmed`")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(changed)
        say(f"   state: unconfirmed -> {state:<10}  {_cut(os.path.basename(path), 37)}")

    def _file(self, id_: str) -> str:
        for folder, _, names in os.walk(os.path.join(self._root, "memories")):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    if f"\nid: {id_}\n" in file.read():
                        return path
        raise DemoFailed("look for the file", f"no file has the id {id_}", self._root)

    def _seen(self, answer: dict[str, Any]) -> dict[str, bool]:
        return {memory["id"]: memory["confirmed"] for memory in answer["memories"]}

    def _check(self, step: str, holds: bool, why: str) -> None:
        if not holds:
            raise DemoFailed(step, why, self._root)


def _cut(text: str, used: int) -> str:
    line, room = one_line(text), _WIDTH - used
    return line if len(line) <= room else f"{line[: room - 3]}..."
