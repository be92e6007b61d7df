"""What an owner, their editors and their sync tools do to a folder, and what lies in it afterwards."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

Save = Callable[[Path, bytes], None]

LINK = b"\0link to "


def in_place(path: Path, data: bytes) -> None:
    """Save as most editors do."""
    path.write_bytes(data)


def by_rename(path: Path, data: bytes) -> None:
    """Save to a temporary file and rename it."""
    temp = path.with_name(".save.swp")
    temp.write_bytes(data)
    temp.replace(path)


def like_vim(path: Path, data: bytes) -> None:
    """Move the file aside, write a new one, delete the backup."""
    backup = path.with_name(path.name + "~")
    if path.exists():
        path.rename(backup)
    path.write_bytes(data)
    backup.unlink(missing_ok=True)


def delete_first(path: Path, data: bytes) -> None:
    """Delete the file and write it anew."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def truncate_first(path: Path, data: bytes) -> None:
    """Truncate, then write through the same descriptor in two parts."""
    with path.open("ab", buffering=0) as file:
        file.truncate(0)
        file.write(data[: len(data) // 2])
        file.write(data[len(data) // 2 :])


def by_link(path: Path, data: bytes) -> None:
    """Write a temporary file, link it in as the new one, and take the temporary name away."""
    temp = path.with_name("4913")
    temp.write_bytes(data)
    path.unlink(missing_ok=True)
    os.link(temp, path)
    temp.unlink()


SAVES: tuple[Save, ...] = (in_place, by_rename, like_vim, delete_first, truncate_first, by_link)


def saved(path: Path, data: bytes, save: Save = in_place) -> Path:
    """Save a file whose folder may be missing, in place of a link if there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    save(path, data)
    return path


def contents(root: Path) -> dict[str, bytes]:
    """Give every file below a folder with its bytes, and every link with where it leads; `.personakit/` is left out."""
    found: dict[str, bytes] = {}
    for folder, folders, names in os.walk(root):
        if Path(folder) == root and ".personakit" in folders:
            folders.remove(".personakit")
        for name in names:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, root)
            if os.path.islink(path):
                found[key] = LINK + os.fsencode(os.readlink(path))
            else:
                with open(path, "rb") as file:
                    found[key] = file.read()
    return found


def restore(root: Path, files: dict[str, bytes]) -> None:
    """Write a whole folder anew, as a restore from a backup does."""
    root.mkdir(parents=True, exist_ok=True)
    for key, data in files.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        if data.startswith(LINK):
            path.symlink_to(os.fsdecode(data[len(LINK) :]))
        else:
            path.write_bytes(data)


def removed(root: Path) -> None:
    """Remove a folder with all that is in it."""
    shutil.rmtree(root)
