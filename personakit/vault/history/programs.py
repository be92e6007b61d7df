"""What a repository's settings say, by whose word, and how the filters among them are kept from running.

Git runs a filter not only to store a file: whoever writes the index may have it compare one that was touched just now.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from personakit.errors import CannotSync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.vault.history.git import Git

_FILTER = re.compile(r"(filter\..*\.)(?:clean|smudge|process|required)", re.DOTALL)


def configured(git: Git) -> Iterator[tuple[str, str, str]]:
    """Give scope, name and value of all settings that git would go by.

    Raises:
        CannotSync: they cannot be read.
    """
    answer = git.ask("config", "--list", "--show-scope", "--includes", "-z")
    if not answer.ok:
        raise CannotSync(f"its repository's config cannot be read ({answer.said})")
    parts = answer.out.decode("utf-8", "surrogateescape").split("\0")
    for scope, pair in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = pair.partition("\n")
        yield scope, name, value


def without_filters(git: Git) -> tuple[str, ...]:
    """Give the settings that switch every filter off, whoever named it.

    That is safe only where no content of a file with a filter is stored, which a sync never does.

    Raises:
        CannotSync: one cannot be switched off.
    """
    filters = {found[1] for _, name, _ in configured(git) if (found := _FILTER.fullmatch(name))}
    if any("=" in name for name in filters):
        raise CannotSync("its config names a filter with an `=` in its name; rename it")
    return tuple(
        f"{name}{setting}"
        for name in sorted(filters)
        for setting in ("clean=", "smudge=", "process=", "required=false")
    )
