"""What keeps a repository from telling a vault's past; found without reading more than what is checked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.errors import NoHistory
from personakit.model.past import utc
from personakit.vault.history.git import work_tree_above
from personakit.vault.history.past import Past

if TYPE_CHECKING:
    from collections.abc import Iterator

# A look at a large repository is given up after this long; `git fsck` is the whole look.
SECONDS = 5.0


def troubles(root: str) -> list[tuple[str, str]]:
    """Give a code and a sentence for each trouble of the repository a vault lies in; none where it lies in none."""
    if not work_tree_above(root):
        return []
    try:
        with Past(root) as past:
            return list(_found(past))
    except NoHistory as fault:
        return [] if fault.reason in ("no_repository", "no_commit") else [(fault.reason, str(fault))]


def _found(past: Past) -> Iterator[tuple[str, str]]:
    if past.repository.cuts:
        begin = past.beginning()
        when = utc(begin.at) if begin is not None else "a commit that is not here"
        message = f"History begins at {when}; earlier is not here (a shallow clone). `git fetch --unshallow` brings it."
        yield "shallow", message
    counted = past.git.ask("rev-list", "--count", past.repository.head, seconds=SECONDS)
    if not counted.ok and counted.code != 124:
        yield "broken", str(NoHistory("broken", counted.said))
        return
    words = ("rev-list", "--objects", "--no-object-names", "--missing=print", f"{past.repository.head}:./")
    listed = past.git.ask(*words, seconds=SECONDS)
    missing = listed.out.count(b"\n?") + listed.out.startswith(b"?")
    if missing:
        files = "one file" if missing == 1 else f"{missing} files or folders"
        message = f"The repository lacks what the last commit says of {files}. Fetch it again from where it came;"
        yield "objects_missing", message + " until then their past cannot be shown."
