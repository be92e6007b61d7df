"""Whose folder a folder is: the name of a wing, a room or an agent that its files give, which need not be its slug.

A file without front matter belongs to the name that owns its folder. Source: docs/FORMAT.md, "Drawers".
"""

from __future__ import annotations

from collections import Counter, defaultdict


class Owners:
    """The names that files give to the folders they lie in. All answers follow from the files that are there now."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[tuple[str, str], ...]] = {}
        self._names: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._nameless: defaultdict[str, set[str]] = defaultdict(set)
        self._unsettled: set[str] = set()

    def put(self, path: str, names: tuple[str, ...]) -> None:
        """Note the names a file gives, one for each folder below the top one; "" for what it does not say."""
        self.drop(path)
        parts = path.split("/")[:-1]
        given = tuple(("/".join(parts[: at + 2]), name) for at, name in enumerate(names) if at + 2 <= len(parts))
        self._given[path] = given
        for folder, name in given:
            before = self.owner(folder)
            if name:
                self._names[folder][name] += 1
            else:
                self._nameless[folder].add(path)
            self._settle(folder, before)

    def drop(self, path: str) -> None:
        """Forget a file, if it is known."""
        for folder, name in self._given.pop(path, ()):
            before = self.owner(folder)
            if name:
                self._names[folder][name] -= 1
                self._names[folder] += Counter()  # drops names that no file gives any more
            else:
                self._nameless[folder].discard(path)
            self._settle(folder, before)

    def owner(self, folder: str) -> str:
        """Give the name that most files of a folder give, of equals the first; else its own name; "" without files."""
        names = self._names.get(folder)
        if names:
            return min(names, key=lambda name: (-names[name], name))
        return folder.rpartition("/")[2] if self._nameless.get(folder) else ""

    def unsettled(self) -> set[str]:
        """Give the files that belong to another name since this was last asked."""
        found, self._unsettled = self._unsettled, set()
        return found

    def _settle(self, folder: str, before: str) -> None:
        if self.owner(folder) != before:
            self._unsettled |= self._nameless.get(folder, set())
