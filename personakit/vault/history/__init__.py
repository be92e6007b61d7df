"""The past of a vault as git keeps it. The only place below the command line that starts a process."""
