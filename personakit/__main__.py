"""`python -m personakit` is the `personakit` command."""

from personakit.cli.entry import main

main()
