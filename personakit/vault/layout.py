"""Which folder holds which kind, which names are skipped, and the names PersonaKit gives."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from personakit.model.note import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

SETTINGS = "personakit.yaml"
MACHINE = ".personakit"
LOCK = f"{MACHINE}/lock"
TRASH = f"{MACHINE}/trash"
TEMP_PREFIX = ".pk-"
TEMP_SUFFIX = ".tmp"
MAX_MEMORY = 64 * 1024
MAX_OTHER = 1024 * 1024
MAX_NAME = 100

FOLDERS = {
    "memories": Kind.MEMORY,
    "palace": Kind.DRAWER,
    "facts": Kind.FACT,
    "diary": Kind.DIARY,
    "knowledge": Kind.PASSAGE,
    "proposals": Kind.PROPOSAL,
    "sessions": Kind.SESSION,
}
_AT_THE_TOP = frozenset({SETTINGS, "Home.md", "questions.txt", ".gitignore", ".gitattributes"})
_AROUND = frozenset({"views", "templates", "records"})
_NEVER_DOCUMENTS = frozenset(FOLDERS) - {"knowledge"} | {"templates", MACHINE}
_SKIPPED_FOLDERS = frozenset({"node_modules"})
# Vim's probe, `4913`, needs no place here: it is no Markdown file, and a folder of that name is the owner's.
_EDITOR_FILE = re.compile(r".*(?:\.tmp|~)|#.*#", re.DOTALL)
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))})
_CLOUD_STUB = re.compile(r"\.(.+\.md)\.icloud", re.IGNORECASE | re.DOTALL)
_SLUG_BREAK = re.compile(r"[^a-z0-9]+")


def skips(name: str) -> bool:
    """Say whether a file or folder of this name is never looked at."""
    return name.startswith(".") or name in _SKIPPED_FOLDERS or _EDITOR_FILE.fullmatch(name) is not None


def is_temporary(name: str) -> bool:
    """Say whether a file name is one of a write of ours that is going on, or was cut off."""
    return name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX)


def is_markdown(name: str) -> bool:
    """Say whether a file name ends in `.md`, in any case."""
    return name[-3:].casefold() == ".md"


def cloud_stub(name: str) -> str | None:
    """Give the name of the file that a sync tool's stub (`.x.md.icloud`) stands for. None: no stub."""
    if not name.startswith("."):
        return None
    match = _CLOUD_STUB.fullmatch(name)
    return match[1] if match else None


def stub_of(path: str) -> str:
    """Give the path of the stub that a sync tool puts in a file's place when it keeps the file elsewhere."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.icloud"


def kind_at(path: str, documents: Sequence[str] = ("knowledge",)) -> Kind | None:
    """Give the kind a file is by its folder. `documents` are the folders of registered repositories."""
    top = path.split("/", 1)[0]
    kind = FOLDERS.get(top)
    if kind is not None and kind is not Kind.PASSAGE:
        return kind
    if top not in _NEVER_DOCUMENTS and any(holds(folder, path) for folder in documents):
        return Kind.PASSAGE
    return None


def is_of_vault(path: str, documents: Sequence[str] = ("knowledge",)) -> bool:
    """Say whether a file is one of the vault's own: of a known kind, or one that its template or PersonaKit made."""
    top, _, rest = path.partition("/")
    if not rest:
        return path in _AT_THE_TOP
    name = path.rpartition("/")[2]
    if name == ".gitattributes":
        return top in FOLDERS or top in _AROUND
    if any(skips(part) for part in path.split("/")):
        return False
    return top in _AROUND or (is_markdown(name) and kind_at(path, documents) is not None)


def holds(folder: str, path: str) -> bool:
    """Say whether a path lies below a folder; "." and "" are the vault itself."""
    return folder in ("", ".") or path.startswith(folder.rstrip("/") + "/")


def max_bytes(kind: Kind) -> int:
    """Give the largest file of a kind that is read."""
    return MAX_MEMORY if kind is Kind.MEMORY else MAX_OTHER


def file_name(words: str, id_: str) -> str:
    """Name a new file: an ASCII slug of its first words, `-` and the hex of its id; any system can hold it."""
    tail = id_.rsplit("_", 1)[-1] + ".md"
    slug = _slug(words)[: MAX_NAME - len(tail) - 1].strip("-")
    return f"{slug}-{tail}" if slug and slug not in _DEVICES else f"note-{tail}"


def folder_name(name: str) -> str:
    """Name the folder of a wing, a room or an agent: an ASCII slug; of a name that gives none, a hash of it."""
    slug = _slug(name)
    return slug if slug and slug not in _DEVICES else "x" + hashlib.sha256(name.encode()).hexdigest()[:8]


def _slug(words: str) -> str:
    ascii_words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    slug = _SLUG_BREAK.sub("-", ascii_words).strip("-")[:60]
    return slug.rsplit("-", 1)[0] if len(slug) == 60 and "-" in slug else slug
