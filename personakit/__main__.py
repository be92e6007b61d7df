"""`python -m personakit` is the `personakit` command."""

from personakit.cli.main import main

main()
