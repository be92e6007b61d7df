"""Where the `personakit` command begins: git's merge driver is run for every file, so it pays for no command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run what is asked for and end the process."""
    if sys.argv[1:2] == ["merge-driver"]:
        sys.exit(merge_driver(sys.argv[2:]))
    from personakit.cli.main import main as command_line  # noqa: PLC0415  # the driver does without it

    command_line()


def merge_driver(words: list[str]) -> int:
    """Merge three files as git names them; 0 is merged, 1 a conflict, 2 wrong usage or a failure."""
    from personakit.vault.history.driver import drive  # noqa: PLC0415  # other commands do without it

    if len(words) != 4:
        sys.stderr.write("personakit: merge-driver is run by git, with %O %A %B %P.\n")
        return 2
    try:
        return drive(words[0], words[1], words[2], words[3])
    except OSError as error:
        sys.stderr.write(f"personakit: the merge driver could not work: {error.strerror}.\n")
        return 2
