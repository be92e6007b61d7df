"""Git's own merge of lines, for bodies, documents and comments: three texts to one."""

from __future__ import annotations

import os
from dataclasses import dataclass

from personakit.vault.blocks import ONE, OTHER
from personakit.vault.history.git import Git


@dataclass(frozen=True, slots=True)
class GitTextMerge:
    """Merges in a folder of its own, which the caller makes and takes away."""

    folder: str

    def __call__(self, one: bytes, base: bytes, other: bytes) -> tuple[bytes, bool] | None:
        """Merge three texts."""
        if one == other or other == base:
            return one, False
        if one == base:
            return other, False
        names = []
        for name, data in (("one", one), ("base", base), ("other", other)):
            names.append(name)
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)
        labels = [word for label in (ONE, "base", OTHER) for word in ("-L", label)]
        done = Git(self.folder).ask(
            *("-c", "merge.conflictStyle=merge", "merge-file", "-p", "--marker-size=7", *labels, "--", *names)
        )
        # Its exit code is the number of conflicts, up to 127; beyond that it has refused.
        return None if done.code < 0 or done.code > 123 else (done.out, done.code > 0)
