"""Git attributes that stand between a file and what git keeps of it: a sync touches no such file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from personakit.errors import CannotSync
from personakit.vault.history.trees import scratch_index

if TYPE_CHECKING:
    from personakit.vault.history.git import Answer
    from personakit.vault.history.state import Repository
    from personakit.vault.history.trees import Plan

_REFUSED = ("filter", "working-tree-encoding", "ident")
_NONE = frozenset({b"unspecified", b"unset"})


def check_attributes(repository: Repository, plan: Plan) -> None:
    """Make sure that no filter or other encoding stands before a file of a plan, now or once it is merged.

    Raises:
        CannotSync: one does, or git cannot tell.
    """
    paths = b"".join(os.fsencode(path) + b"\0" for path, (_, new) in plan.changes.items() if new.mode)
    words = ("check-attr", "-z", "--stdin")
    _refuse(repository.git.ask(*words, *_REFUSED, stdin=paths))
    with scratch_index(repository) as merged:
        read = repository.git.tell("read-tree", plan.tree or f"{plan.new}^{{tree}}", environment=merged)
        _refuse(read)
        _refuse(repository.git.tell(*words, "--cached", *_REFUSED, stdin=paths, environment=merged))


def _refuse(asked: Answer) -> None:
    if not asked.ok:
        raise CannotSync(f"git cannot tell the attributes of what comes ({asked.said})")
    fields = asked.out.split(b"\0")
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value not in _NONE:
            raise CannotSync(
                f"{os.fsdecode(path)} has the git attribute `{name.decode()}`, "
                "which would run a program or change its bytes; merge it with git"
            )
