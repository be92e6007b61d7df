"""The `personakit` command: finds a subcommand's module when it is called, so that no command pays for another."""

from __future__ import annotations

import gc
import importlib
import sys
from itertools import takewhile

import click

from personakit import __version__
from personakit.cli.terminal import complain, steady_streams
from personakit.errors import PersonaKitError

# Command -> the module that holds it and its line in the help, in the order in which help lists them.
COMMANDS = {
    "init": ("init", "Make a vault, or add what a folder lacks to be one."),
    "demo": ("demo", "Show the main job in ten seconds, in a folder of its own."),
    "serve": ("serve", "Serve the vault to one assistant over stdio."),
    "read": ("read", "Show what an assistant would be told for a question."),
    "find": ("find", "Find anything in the vault by its words, with the file to open."),
    "ask": ("ask", "Answer a question from your documents, in their own words."),
    "propose": ("propose", "Store a statement as unconfirmed, with a quote."),
    "list": ("listing", "List the memories, oldest first."),
    "show": ("listing", "Show all there is to one memory, now or as it was."),
    "history": ("history", "Tell what happened to a memory, or to all lately."),
    "why": ("history", "Tell what a memory rests on: quotes, proposer, decision."),
    "approve": ("decisions", "Let assistants see these as confirmed."),
    "restrict": ("decisions", "Keep these from every assistant; a match is counted."),
    "reject": ("decisions", "Keep these from every assistant and out of every count."),
    "review": ("review", "Judge what waits, one memory at a time."),
    "preview": ("effects", "Show what a decision would change, before you take it."),
    "see": ("see", "Show the exact words an assistant would get."),
    "reopen": ("decisions", "Take a decision back: these are unconfirmed again."),
    "undo": ("undo", "Take back the last decision or proposal."),
    "commit": ("commit", "Commit what you changed in the vault's files."),
    "sessions": ("sessions", "List the sessions of assistants, or show one."),
    "trace": ("sessions", "Tell what happened to a memory and whom it was served to."),
    "served": ("sessions", "List what was served to whom."),
    "forget": ("sessions", "Take a session, or the whole journal, out of the vault."),
    "palace": ("palace", "Show the drawers by wing and room."),
    "facts": ("palace", "Show the facts about an entity."),
    "diary": ("palace", "Show an agent's diary."),
    "proposals": ("proposals", "List the corrections of documents that wait for you."),
    "accept": ("proposals", "Put the right words into the documents they are for."),
    "decline": ("proposals", "Turn these corrections down."),
    "sync": ("sync", "Bring the vault's repository and its remote together."),
    "status": ("status", "Count what the vault holds and what waits for you."),
    "doctor": ("doctor", "Name every file that needs a look, and why."),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module, _ = COMMANDS.get(cmd_name, ("", ""))
        if not module:
            return None
        found = getattr(importlib.import_module(f"personakit.cli.{module}"), f"{cmd_name}_command")
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="personakit")
@click.option("--debug", is_flag=True, help="Show the traceback of a fault.")
def personakit(debug: bool) -> None:
    """A folder of Markdown files that remembers things about you; assistants read it and propose more.

    You decide, in any text editor or here.
    """


def main() -> None:
    """Run the command line and end the process: 0 done, 1 refused, 2 wrong usage."""
    # A command ends before garbage could matter, and looking for it costs a tenth of its time; `serve` turns it on.
    gc.disable()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and give its exit code; every fault is one sentence on stderr."""
    steady_streams()
    debug = "--debug" in takewhile(lambda word: word.startswith("-"), arguments)
    try:
        code = personakit.main(arguments, prog_name="personakit", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        complain("stopped; nothing more was done.")
        return 1
    except SystemExit:
        return 0  # click's word for a pipe that nobody reads any more
    except Exception as fault:
        if debug and not isinstance(fault, click.ClickException):
            raise
        return _told(fault)
    return code if isinstance(code, int) else 0


def _told(fault: Exception) -> int:
    """Say what went wrong, and give the exit code."""
    if isinstance(fault, click.ClickException):
        fault.show()
        return fault.exit_code
    if isinstance(fault, PersonaKitError):
        complain(str(fault))
        return fault.exit_code
    what = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    complain(f"a fault of its own ({what}); nothing more was done. `personakit --debug ...` shows the details.")
    return 1
