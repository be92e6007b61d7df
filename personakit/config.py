"""personakit.yaml and launch options as frozen values, and where the vault is found."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from personakit.errors import NotAVault, NoVault, SettingsError, VaultMissing, VaultUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE = "personakit.yaml"
FORMAT = 1
_LARGEST = 1024 * 1024


class Consent(StrEnum):
    """What the owner lets assistants do: nothing, be served, or be served and have their turns kept."""

    NONE = "none"
    SERVE_ONLY = "serve_only"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder of documents below the vault. `until` is the last day of a grant, YYYY-MM-DD, or ""."""

    id: str
    name: str
    path: str
    via: str = "person"
    until: str = ""


KNOWLEDGE = (Repository("r_knowledge", "Knowledge", "knowledge"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What personakit.yaml says. `warnings` names keys that mean nothing here."""

    format: int = FORMAT
    owner: str = ""
    language: str = "en"
    consent: Consent = Consent.SERVE_ONLY
    projects: tuple[tuple[str, Consent], ...] = ()
    repositories: tuple[Repository, ...] = KNOWLEDGE
    commit: str = "off"
    capture: str = "tool"
    cache: bool = True
    proposals_per_minute: int = 120
    unconfirmed_per_proposer: int = 200
    warnings: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The folders of all repositories."""
        return tuple(repository.path for repository in self.repositories)

    def repository_of(self, path: str) -> str:
        """Give the id of the repository that a document belongs to: of several the innermost; "" for none."""
        below = [one for one in self.repositories if one.path == "." or path.startswith(one.path + "/")]
        return max(below, key=lambda one: 0 if one.path == "." else len(one.path)).id if below else ""

    def open_repositories(self, day: str) -> tuple[Repository, ...]:
        """Give the repositories that may be read on a day, YYYY-MM-DD; one whose last day has passed is as unknown."""
        return tuple(one for one in self.repositories if not one.until or day <= one.until)

    @property
    def read_only(self) -> str:
        """Why nothing may be written, "" when it may."""
        if self.format > FORMAT:
            return f"personakit.yaml says format {self.format}, newer than the {FORMAT} known here; update PersonaKit"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a server was started. Names are as typed; `tools` None means every tool of the toolsets."""

    vault: str
    assistant: str = ""
    project: str = ""
    toolsets: tuple[str, ...] = ("persona",)
    tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False


@dataclass(slots=True)
class SettingsFile:
    """personakit.yaml of one vault, read anew when its stat changes."""

    root: str
    _seen: tuple[int, int, int, int] | None = None
    _last: Settings | SettingsError | None = field(default=None)

    def read(self) -> Settings:
        """Give the settings as they are now.

        Raises:
            SettingsError: the file cannot be used; each call says so until it is mended.
            NotAVault, VaultMissing, VaultUnreadable
        """
        path = os.path.join(self.root, FILE)
        try:
            status = os.lstat(path)
        except OSError as error:
            raise _missing(self.root, error) from error
        seen = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        if seen != self._seen or self._last is None:
            try:
                self._last = parse_settings(_text_of(path))
            except SettingsError as error:
                self._last = error
            self._seen = seen
        if isinstance(self._last, SettingsError):
            raise self._last
        return self._last


def _missing(root: str, error: OSError) -> NotAVault | VaultMissing | VaultUnreadable:
    if isinstance(error, PermissionError):
        return VaultUnreadable(root, error.strerror or "permission denied")
    if not os.path.exists(root):
        return VaultMissing(root)
    return NotAVault(root, "it is not a folder" if not os.path.isdir(root) else f"it has no {FILE}")


def _text_of(path: str) -> str:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise SettingsError("", "is a link or a device, which is not read")
        # Neither a link nor a pipe that came meanwhile is followed or waited for.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            raw = file.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise SettingsError("", "is larger than 1 MiB")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError("", "is not UTF-8 text") from error
    except OSError as error:
        raise SettingsError("", f"cannot be read ({error.strerror})") from error


def parse_settings(text: str) -> Settings:
    """Read the text of personakit.yaml.

    Raises:
        SettingsError: naming the key and what it may be.
    """
    # Imported here: a server answers its first request before it reads the settings.
    import yaml  # noqa: PLC0415

    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
        data = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        raise SettingsError("", f"is not valid YAML{where}") from error
    if data in ("", None):
        data = {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise SettingsError("", "is not a list of keys and values")
    _refuse_repeats(node)
    values: dict[str, Any] = {}
    warnings = []
    for key, value in data.items():
        reader = _READERS.get(key)
        if reader is None:
            warnings.append(f"personakit.yaml: `{key}` is no setting; it is ignored.")
        else:
            values[key] = reader(key, value)
    if "format" not in values:
        raise SettingsError("format", f"is missing: write `format: {FORMAT}`")
    return Settings(**values, warnings=tuple(warnings))


def _refuse_repeats(root: Any) -> None:
    """Refuse a key that stands twice, at any depth: nobody can say which of its values is meant."""
    waiting, met = [("", root)], set()
    while waiting:
        name, node = waiting.pop()
        if node is None or id(node) in met:
            continue
        met.add(id(node))
        if node.id == "sequence":
            waiting += [(f"{name}[{number}]", item) for number, item in enumerate(node.value)]
        elif node.id == "mapping":
            below = [(f"{name}.{key.value}" if name else str(key.value), value) for key, value in node.value]
            for key, times in Counter(key for key, _ in below).items():
                if times > 1:
                    raise SettingsError(key, "stands there more than once")
            waiting += below


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(key, "must be a text")
    return value.strip()


def _number(key: str, value: object) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,9}", value.strip()):
        raise SettingsError(key, "must be a whole number from 0")
    return int(value)


def _format(key: str, value: object) -> int:
    number = _number(key, value)
    if number < 1:
        raise SettingsError(key, "must be 1")
    return number


def _one_of(*words: str) -> Callable[[str, object], str]:
    def read(key: str, value: object) -> str:
        word = _text(key, value).casefold()
        if word not in words:
            raise SettingsError(key, f"must be one of: {', '.join(words)}")
        return word

    return read


def _switch(key: str, value: object) -> bool:
    return _one_of("on", "off")(key, value) == "on"


def _consent(key: str, value: object) -> Consent:
    return Consent(_one_of(*Consent)(key, value))


def _language(key: str, value: object) -> str:
    word = _text(key, value).casefold()
    if not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", word):
        raise SettingsError(key, "must be a language code such as en or de")
    return word.split("-")[0]


def _projects(key: str, value: object) -> tuple[tuple[str, Consent], ...]:
    if not isinstance(value, dict):
        raise SettingsError(key, "must be a list of project names with their settings")
    return tuple((name, _project(f"{key}.{name}", given)) for name, given in value.items())


def _project(key: str, given: object) -> Consent:
    if not isinstance(given, dict) or set(given) - {"consent"}:
        raise SettingsError(key, "must hold `consent` and nothing else")
    return _consent(f"{key}.consent", given.get("consent", Consent.SERVE_ONLY))


def _repositories(key: str, value: object) -> tuple[Repository, ...]:
    if not isinstance(value, list):
        raise SettingsError(key, "must be a list")
    found = tuple(_repository(f"{key}[{number}]", given) for number, given in enumerate(value))
    if len({repository.id for repository in found}) < len(found):
        raise SettingsError(key, "names one id twice")
    if len({repository.path for repository in found}) < len(found):
        raise SettingsError(key, "names one folder twice")
    return found


def _repository(key: str, given: object) -> Repository:
    if not isinstance(given, dict) or not {"id", "path"} <= set(given) <= {"id", "name", "path", "via", "until"}:
        raise SettingsError(key, "must hold id and path, and may hold name, via and until")
    texts = {name: _text(f"{key}.{name}", text) for name, text in given.items()}
    if not re.fullmatch(r"r_[a-z0-9_-]{1,60}", texts["id"]):
        raise SettingsError(f"{key}.id", "must look like r_handbook")
    path = _below(f"{key}.path", texts["path"])
    until = "" if texts.get("until", "") in ("null", "~") else texts.get("until", "")
    if until and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", until):
        raise SettingsError(f"{key}.until", "must be a day, YYYY-MM-DD")
    via = _one_of("person", "grant")(f"{key}.via", texts.get("via", "person"))
    return Repository(texts["id"], texts.get("name") or texts["id"], path, via, until)


def _below(key: str, path: str) -> str:
    parts = path.replace("\\", "/").rstrip("/").split("/")
    hidden = any(part.startswith(".") and part != "." for part in parts)
    if path.startswith(("/", "\\")) or hidden or ":" in parts[0]:
        raise SettingsError(key, "must be a folder below the vault")
    return "/".join(part for part in parts if part not in ("", ".")) or "."


_READERS: Mapping[str, Callable[[str, object], object]] = {
    "format": _format,
    "owner": _text,
    "language": _language,
    "consent": _consent,
    "projects": _projects,
    "repositories": _repositories,
    "commit": _one_of("auto", "off"),
    "capture": _one_of("tool", "hooks"),
    "cache": _switch,
    "proposals_per_minute": _number,
    "unconfirmed_per_proposer": _number,
}


def find_vault(named: str | None, environment: Mapping[str, str], here: str) -> str:
    """Give the real path of the vault: the one named, else PERSONAKIT_VAULT, else the nearest above `here`.

    Raises:
        NoVault, NotAVault, VaultUnreadable
    """
    given = named or environment.get("PERSONAKIT_VAULT")
    if given:
        root = os.path.realpath(os.path.expanduser(given))
        if not os.path.isdir(root):
            raise NotAVault(given, "there is no such folder")
        if not os.access(root, os.R_OK | os.X_OK):
            raise VaultUnreadable(root, "permission denied")
        if not os.path.isfile(os.path.join(root, FILE)):
            raise NotAVault(root)
        return root
    folder = os.path.realpath(here)
    while True:
        if os.path.isfile(os.path.join(folder, FILE)):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            raise NoVault
        folder = parent
