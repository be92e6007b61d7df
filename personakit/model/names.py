"""Names of wings, rooms and agents: any text in any script that can name one thing and no path."""

from __future__ import annotations

from personakit.errors import ArgumentError

LONGEST = 128


def checked_name(field: str, value: str) -> str:
    """Give a name without blanks around it.

    Raises:
        ArgumentError: it is empty, longer than 128 characters, or holds `/`, `\\`, `..` or a NUL.
    """
    name = value.strip()
    if not name:
        raise ArgumentError(field, "is empty; give a name")
    if len(name) > LONGEST:
        raise ArgumentError(field, f"is longer than {LONGEST} characters; give a shorter name")
    for part, what in (("/", "a slash"), ("\\", "a backslash"), ("..", "two dots in a row"), ("\0", "a NUL character")):
        if part in name:
            raise ArgumentError(field, f"holds {what}, which no name may; leave it out")
    if not name.isprintable():
        raise ArgumentError(field, "holds a character that cannot be shown, such as a line break; leave it out")
    return name
