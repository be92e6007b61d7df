"""Whose folder a folder is: the name of a wing, a room or an agent that its files give, which need not be its slug.

A file without front matter belongs to the name that owns its folder. A name that only hidden files give is never passed
on to it, or whoever may see that file would learn the name. Source: docs/FORMAT.md, "Drawers".
"""

from __future__ import annotations

from collections import Counter, defaultdict


class Owners:
    """The names that files give to the folders they lie in. All answers follow from the files that are there now."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[tuple[str, str], ...]] = {}
        self._names: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._open_names: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._open: set[str] = set()
        self._nameless: defaultdict[str, set[str]] = defaultdict(set)
        self._unsettled: set[str] = set()

    def put(self, path: str, names: tuple[str, ...], *, is_open: bool = True) -> None:
        """Note the names a file gives, one for each folder below the top one; "" for what it does not say.

        `is_open` says that everybody may see the file.
        """
        self.drop(path)
        parts = path.split("/")[:-1]
        given = tuple(("/".join(parts[: at + 2]), name) for at, name in enumerate(names) if at + 2 <= len(parts))
        self._given[path] = given
        if is_open:
            self._open.add(path)
        self._count(path, 1)

    def drop(self, path: str) -> None:
        """Forget a file, if it is known."""
        self._count(path, -1)
        self._given.pop(path, None)
        self._open.discard(path)

    def name_for(self, folder: str) -> str:
        """Give the name of a file without one: what most open files of its folder say, else the folder's own."""
        return _most(self._open_names.get(folder)) or folder.rpartition("/")[2]

    def owner(self, folder: str) -> str:
        """Give whose new files a folder takes; "" when it is nobody's yet.

        Where a file without a name lies it is that file's name, so that a new file beside it tells nothing of others.
        """
        return self.name_for(folder) if self._nameless.get(folder) else _most(self._names.get(folder))

    def unsettled(self) -> set[str]:
        """Give the files that belong to another name since this was last asked."""
        found, self._unsettled = self._unsettled, set()
        return found

    def _count(self, path: str, number: int) -> None:
        for folder, name in self._given.get(path, ()):
            before = self.name_for(folder)
            if name:
                for names in (self._names, self._open_names) if path in self._open else (self._names,):
                    names[folder][name] += number
                    names[folder] += Counter()  # drops names that no file gives any more
            elif number > 0:
                self._nameless[folder].add(path)
            else:
                self._nameless[folder].discard(path)
            if self.name_for(folder) != before:
                self._unsettled |= self._nameless.get(folder, set())


def _most(names: Counter[str] | None) -> str:
    """Give the name given most often, of equals the first; "" for none."""
    return min(names, key=lambda name: (-names[name], name)) if names else ""
