"""What a repository's settings say, by whose word, and how the filters among them are kept from running.

Git runs a filter not only to store a file: whoever writes the index may have it compare one that was touched just now.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from personakit.errors import CannotSync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.vault.history.git import Git

_FILTER = re.compile(r"(filter\..*\.)[^.]*", re.DOTALL)


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


def without_filters(git: Git) -> Git:
    """Give a git in which no filter program runs, whoever named it and whatever file git looks at.

    To bring its index in step git may compare any file of the repository, which runs that file's filter. Switched off,
    it would have git keep what the program hides, so no content of a file with a filter may be stored.
    """
    listing = git.ask("config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    names = {found[1] for name in os.fsdecode(listing.out).split("\0") if (found := _FILTER.fullmatch(name))}
    off = {"clean": "", "smudge": "", "process": "", "required": "false"}
    return replace(git, more={f"{name}{key}": value for name in sorted(names) for key, value in off.items()})
