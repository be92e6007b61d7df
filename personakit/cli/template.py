"""The template: where an installation keeps it, and copying what a folder lacks of it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import personakit
from personakit.errors import CannotInit
from personakit.vault import atomic, layout
from personakit.vault.store import make_machine_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = "memories/examples/"


@dataclass(slots=True)
class Copied:
    """What a copy made, so that it can be told and undone.

    Attributes:
        files: paths relative to the vault, with `/`, in the order in which they were made.
        folders: full paths of folders that were not there, the vault's own among them.
    """

    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def undo(self, root: str) -> None:
        """Take away what was made, as far as nobody has put anything of their own there."""
        for path in reversed(self.files):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(root, path))
        for folder in reversed(self.folders):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def template_folder() -> str:
    """Give the folder of the template: inside the installed package, or beside it in a source checkout.

    Raises:
        CannotInit: the installation lacks it.
    """
    package = os.path.dirname(os.path.realpath(personakit.__file__))
    for folder in (os.path.join(package, "template"), os.path.join(os.path.dirname(package), "vault-template")):
        if os.path.isfile(os.path.join(folder, layout.SETTINGS)):
            return folder
    raise CannotInit("The folder", "this installation of PersonaKit lacks its template; install it again")


def copy(root: str, *, examples: bool) -> Copied:
    """Copy into a folder what it lacks of the template, but for personakit.yaml, which `mark` adds last.

    No existing file is changed: names compare without case, and nothing is written behind a link.

    Raises:
        CannotInit: something is in the way, or the system refused; nothing that was made is left.
    """
    source = template_folder()
    made = Copied()
    with _undoing(root, made):
        _make_folder(root, made)
        for path in _paths(source, examples=examples):
            with open(os.path.join(source, path), "rb") as file:
                _add(root, path, file.read(), made)
    return made


def mark(root: str, made: Copied, settings: str = "") -> None:
    """Make the folder a vault: give it personakit.yaml, with `settings` at its end, unless it has one.

    Raises:
        CannotInit: the system refused; nothing of `made` is left.
    """
    with open(os.path.join(template_folder(), layout.SETTINGS), "rb") as file:
        data = file.read() + settings.encode()
    with _undoing(root, made):
        _add(root, layout.SETTINGS, data, made)
    with contextlib.suppress(OSError):  # else the first write makes it
        make_machine_folder(root)


@contextlib.contextmanager
def _undoing(root: str, made: Copied) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        made.undo(root)
        where = f": {error.filename}" if isinstance(error.filename, str) else ""
        raise CannotInit(root, f"the system refused ({error.strerror or error}{where})") from error


def _paths(source: str, *, examples: bool) -> list[str]:
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if name != layout.MACHINE)
        found += [os.path.relpath(os.path.join(folder, name), source).replace(os.sep, "/") for name in sorted(names)]
    return [path for path in found if path != layout.SETTINGS and (examples or not path.startswith(EXAMPLES))]


def _add(root: str, path: str, data: bytes, made: Copied) -> None:
    folder, _, name = path.rpartition("/")
    full = os.path.join(root, folder) if folder else root
    if os.path.lexists(full) and os.path.realpath(full) != full:
        return
    _make_folder(full, made)
    if name.casefold() not in {entry.casefold() for entry in os.listdir(full)}:
        atomic.create(full, name, data)
        made.files.append(path)


def _make_folder(folder: str, made: Copied) -> None:
    """Make a folder with those above it that are missing."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.folders.append(path)
