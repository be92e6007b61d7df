"""A tool is a row: what it is called, what it takes and gives, and the service call behind it."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from personakit.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from personakit.errors import PersonaKitError
    from personakit.services.desk import Desk


class Request(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoRequest(Request):
    """The arguments of a tool that takes none."""


class Result(BaseModel):
    """What a tool gives. A field that is None is left out.

    Attributes:
        failed: whether the call came to nothing, and the caller is to be told so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    failed: ClassVar[bool] = False

    def structured(self) -> dict[str, Any]:
        """Give the structured content."""
        return self.model_dump(exclude_none=True)

    def shown(self) -> object:
        """Give what the text block says, as JSON: the same, for a tool whose vocabulary says nothing else."""
        return self.structured()


class Words(str):
    """What a text block says as it is, where its vocabulary speaks in lines and not in JSON."""

    __slots__ = ()


def text_of(shown: object) -> str:
    """Give the text block for what a result shows."""
    if isinstance(shown, Words):
        return shown
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


class Exact(Result):
    """A result whose keys say null where there is nothing, as far as they are given at all."""

    def structured(self) -> dict[str, Any]:
        """Give the keys that were given."""
        return self.model_dump(exclude_unset=True)


class Listing(Exact):
    """A result that its vocabulary publishes as a bare list."""

    result: list[Any]

    def shown(self) -> object:
        """Give the list itself."""
        return self.structured()["result"]


@dataclass(frozen=True, slots=True)
class Hints:
    """What a client may tell its user about a tool before it is called."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True


@dataclass(frozen=True, slots=True)
class Tool:
    """One row.

    Attributes:
        name: as published; title: for people; description: what it does, when to use it, what limits apply.
        request, result: the shapes of its arguments and its structured content.
        hints: what it may do.
        run: joins arguments and services; it holds no rule of its own.
        status: the number that its vocabulary puts on a call with a wrong argument, 0 for none.
        refuse: words a refusal in the vocabulary's own form; None: it has none.
        takes_null: whether null leaves an argument out that need not be there.
    """

    name: str
    title: str
    description: str
    request: type[Request]
    result: type[Result]
    hints: Hints
    run: Callable[[Desk, Any], Result]
    status: int = 0
    refuse: Callable[[PersonaKitError], Result] | None = None
    takes_null: bool = True


@dataclass(frozen=True, slots=True)
class Toolset:
    """A vocabulary: tools that belong together, in the order in which they are listed."""

    name: str
    tools: tuple[Tool, ...]


def later(name: str) -> Callable[[Desk, Any], Result]:
    """Give the function of this full name, imported when it is first called: a tool that is only listed costs less."""

    def run(desk: Desk, request: Any) -> Result:
        module, _, function = name.rpartition(".")
        result: Result = getattr(importlib.import_module(module), function)(desk, request)
        return result

    return run


def parse(tool: Tool, arguments: Mapping[str, object]) -> Request:
    """Read a call's arguments; null on an optional one counts as absent.

    Raises:
        ArgumentError: naming the first argument that is wrong.
    """
    fields = {field.alias or name: field for name, field in tool.request.model_fields.items()}
    given: dict[str, object] = {}
    for name, value in arguments.items():
        if name not in fields:
            raise ArgumentError(_printable(name), f"is no argument of {tool.name}; it takes {', '.join(fields)}")
        if value is None and tool.takes_null and not fields[name].is_required():
            continue
        if _is_broken(value):
            raise ArgumentError(name, "holds a lone surrogate, which is no character")
        given[name] = value
    try:
        return tool.request.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=True)[0]
        raise ArgumentError(str(first["loc"][0]) if first["loc"] else "arguments", _worded(first)) from None


def _is_broken(value: object) -> bool:
    """Say whether a text, or one in a list or under a key, holds half a character."""
    if isinstance(value, dict):
        return any(map(_is_broken, value.values()))
    texts = value if isinstance(value, list) else [value]
    return any(_SURROGATE.search(text) for text in texts if isinstance(text, str))


def _printable(name: str) -> str:
    shown = name if len(name) <= 40 else name[:39] + "…"
    return shown.encode("utf-8", "replace").decode()


_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_too_long": "is too long: at most {max_length} characters",
    "string_too_short": "is too short: at least {min_length} characters",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}


def _worded(error: Mapping[str, Any]) -> str:
    words = _WORDS.get(error["type"])
    if words is None:
        return str(error["msg"]).removeprefix("Value error, ")
    return words.format(**error.get("ctx", {}))
