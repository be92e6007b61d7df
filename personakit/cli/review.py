"""`personakit review`: the owner judges what waits, one memory at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

import click

from personakit.cli.effects import effect_lines
from personakit.cli.keys import ESCAPE, Keys
from personakit.cli.screen import KEYS, card, console
from personakit.cli.status import elsewhere_lines
from personakit.cli.terminal import one_line, say
from personakit.cli.vault import vault_option, watched_vault
from personakit.errors import Conflict, PersonaKitError, UnknownId
from personakit.model.memory import CATEGORIES
from personakit.model.states import State
from personakit.services.look import decided_elsewhere, look
from personakit.services.review.cards import Wanted
from personakit.services.review.changes import decide_shown, rewrite, set_assistants, set_category, supersede
from personakit.services.review.sitting import Sitting
from personakit.services.transcripts import where_said

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.services.opened import OpenVault
    from personakit.services.review.cards import Card
    from personakit.services.review.changes import Done

_STATES = {"a": State.APPROVED, "r": State.RESTRICTED, "x": State.REJECTED}


@click.command("review")
@click.option("--since", metavar="DAY", default="", help="YYYY-MM-DD: only what was made on that day or later.")
@click.option("--category", metavar="NAME", default="", help="Only what is of this category.")
@click.option("--from", "proposer", metavar="NAME", default="", help="Only what this assistant proposed.")
@vault_option
def review_command(since: str, category: str, proposer: str, vault: str | None) -> int:
    """Judge what waits, one memory a screen; every key acts on exactly the bytes that are shown."""
    wanted = Wanted(since, category, proposer.strip()).checked()
    with watched_vault(vault) as opened:
        return _sit(opened, wanted)


def _sit(opened: OpenVault, wanted: Wanted) -> int:
    opened.recorder.flush(())  # an assistant's writes are committed in its name, before the owner's go on top
    opened.recorder.start()
    keys = Keys()
    review = _Review(opened, Sitting(opened, wanted), keys)
    try:
        with keys:
            review.run()
    except KeyboardInterrupt:
        say()
    finally:
        review.sitting.end()
        opened.recorder.close()
    wait = opened.recorder.flush()
    say(review.summary())
    if wait is not None:
        say(one_line(f"Not committed yet: {wait.why}."))
    return 0


class _Review:
    """One run: what is shown, and what each key does."""

    def __init__(self, vault: OpenVault, sitting: Sitting, keys: Keys) -> None:
        self._vault = vault
        self.sitting = sitting
        self._keys = keys
        self._console = console()
        self._note = ""
        self._acts: dict[str, Callable[[Card], None]] = {
            **dict.fromkeys(_STATES, self._decide),
            "s": lambda _: self.sitting.skip(),
            "e": self._edit,
            "c": self._category,
            "f": self._for_whom,
            "p": self._supersede,
            "v": self._effect,
            "u": lambda _: self._undo(),
        }
        self._key = ""

    def run(self) -> None:
        """Show one after the other until the last, `q`, or the end of input."""
        self._show_elsewhere()
        while True:
            shown = self.sitting.card()
            if shown is None:
                if not self._ends():
                    continue
                return
            self._show(shown)
            self._key = self._keys.key("> ").lower()
            if self._keys.is_over or self._key in ("q", ESCAPE):
                return
            self._act(shown)

    def _act(self, shown: Card) -> None:
        """Do what the key says with what is shown; whatever comes of it is told above the next screen."""
        act = self._acts.get(self._key)
        if act is None:
            self._note = f"{self._key if self._key.isprintable() and self._key else 'That'} is no key of these."
            return
        try:
            act(shown)
        except Conflict:
            self._note = "Its file changed while it was shown; this is how it is now. Nothing was written."
        except UnknownId:
            self._note = "The last one is gone: its file was moved or deleted while it was shown."
        except click.ClickException as error:
            self._note = error.format_message()
        except PersonaKitError as error:
            self._note = str(error)

    def _ends(self) -> bool:
        """Ask, after the last one, whether it was; False: the owner took something back."""
        if not self.sitting.decided:
            return True
        say(one_line(f"{self._note} That was the last one; u takes it back, any other key ends.".strip()))
        if self._keys.key("> ").lower() != "u":
            return True
        self._undo()
        return self.sitting.card() is None

    def summary(self) -> str:
        """Say what came of it."""
        left = len(self.sitting) - self.sitting.number + 1
        decided = f"{self.sitting.decided} done"
        return f"{decided}, {left} still to see." if left > 0 else f"{decided}; nothing else waits here."

    def _show_elsewhere(self) -> None:
        found = decided_elsewhere(self._vault)
        if found:
            self._clear()
            for line in elsewhere_lines(found):
                say(line)
            self._wait()
        look(self._vault)

    def _show(self, shown: Card) -> None:
        self._clear()
        said = where_said(self._vault, shown.memory)
        self._console.print(card(shown, self.sitting.number, len(self.sitting), said))
        say()
        if self._note:
            say(one_line(self._note))
            self._note = ""
        self._console.print(KEYS, style="dim")

    def _decide(self, shown: Card) -> None:
        state = _STATES[self._key]
        self.sitting.did(decide_shown(self._vault, shown, state))
        self._note = f"{shown.memory.id}: {state}."

    def _edit(self, shown: Card) -> None:
        with self._keys.lent():
            new = _edited(shown.raw)
        if new == shown.raw:
            self._note = "Nothing was changed."
            return
        self._stay(rewrite(self._vault, shown, new))

    def _category(self, shown: Card) -> None:
        for number, name in enumerate(CATEGORIES, 1):
            say(f"{number} {name}")
        key = self._keys.key("Category? ")
        if key.isdigit() and 0 < int(key) <= len(CATEGORIES):
            self._stay(set_category(self._vault, shown, CATEGORIES[int(key) - 1]))

    def _for_whom(self, shown: Card) -> None:
        now = ", ".join(shown.memory.assistants) or "everybody"
        say(one_line(f"Now for {now}. Names with commas between; * for everybody; nothing leaves it."))
        given = self._keys.line("For whom?")
        if given:
            names = [] if given == "*" else [name for one in given.split(",") if (name := one.strip())]
            self._stay(set_assistants(self._vault, shown, names))

    def _supersede(self, shown: Card) -> None:
        if not shown.near:
            self._note = "Nothing like it is there that it could supersede."
            return
        key = self._keys.key(f"Which one does it supersede, 1 to {len(shown.near)}? ")
        if key.isdigit() and 0 < int(key) <= len(shown.near):
            self._stay(supersede(self._vault, shown, shown.near[int(key) - 1].memory.id))

    def _effect(self, shown: Card) -> None:
        for state in _STATES.values():
            for line in effect_lines(self._vault, shown.memory.id, state):
                say(line)
        self._wait()

    def _undo(self) -> None:
        try:
            done = self.sitting.undo()
        except Conflict:
            self._note = "That file was changed since; what you wrote there stays. Edit it in a text editor."
            return
        self._note = "There is nothing to take back." if done is None else f"Taken back: {done.what} of {done.id}."

    def _stay(self, done: Done) -> None:
        self.sitting.did(done, stay=True)
        self._note = f"Written: {done.what}."

    def _wait(self) -> None:
        if self._keys.is_terminal:
            say("Any key goes on.")
            self._keys.key("")

    def _clear(self) -> None:
        if self._keys.is_terminal:
            click.clear()
        else:
            say()


def _edited(raw: bytes) -> bytes:
    """Let the owner's editor change a copy, and give what it left.

    Raises:
        click.ClickException: the editor cannot be started, or failed.
    """
    folder = tempfile.mkdtemp(prefix="personakit-")
    path = os.path.join(folder, "memory.md")
    try:
        with open(path, "wb") as file:
            file.write(raw)
        click.edit(filename=path)
        if not os.path.isfile(path):
            raise click.ClickException("The editor left no file; nothing was changed.")
        with open(path, "rb") as file:
            return file.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
