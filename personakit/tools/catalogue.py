"""Every toolset, which of their tools a launch offers, and their published schemas."""

from __future__ import annotations

import importlib
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from personakit.errors import ArgumentError
from personakit.tools.toolset import Exact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.config import Launch
    from personakit.tools.toolset import Result, Tool, Toolset

# Name -> where its rows are. Each is imported when a launch offers it: a server pays for no other vocabulary.
TOOLSETS = {
    "persona": "personakit.tools.persona.PERSONA",
    "session": "personakit.tools.session.SESSION",
    "knowledge": "personakit.tools.knowledge.KNOWLEDGE",
    "palace": "personakit.tools.palace.PALACE",
    "kaeru": "personakit.tools.kaeru.KAERU",
}


def toolset(name: str) -> Toolset:
    """Give a toolset by its name."""
    module, _, value = TOOLSETS[name].rpartition(".")
    found: Toolset = getattr(importlib.import_module(module), value)
    return found


def toolsets() -> tuple[Toolset, ...]:
    """Give every toolset, in the order in which they are listed."""
    return tuple(map(toolset, TOOLSETS))


def offered(launch: Launch) -> tuple[Tool, ...]:
    """Give the tools a launch offers, in a fixed order.

    `tools` alone names exactly the tools; `read_only` wins over everything.

    Raises:
        ArgumentError: a name that is none.
    """
    _check("--toolsets", launch.toolsets, [*TOOLSETS, "all"])
    named = [*(launch.tools or ()), *launch.exclude_tools]
    wanted = TOOLSETS if named or "all" in launch.toolsets else [name for name in TOOLSETS if name in launch.toolsets]
    by_set = {name: toolset(name).tools for name in wanted}
    every = [tool.name for tools in by_set.values() for tool in tools]
    _check("--tools", launch.tools or (), every)
    _check("--exclude-tools", launch.exclude_tools, every)
    chosen = [
        tool
        for name, tools in by_set.items()
        for tool in tools
        if (tool.name in launch.tools if launch.tools is not None else {name, "all"} & set(launch.toolsets))
    ]
    return tuple(
        tool
        for tool in chosen
        if tool.name not in launch.exclude_tools and (tool.hints.read_only or not launch.read_only)
    )


def _check(option: str, given: Iterable[str], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise ArgumentError(option, f"{name} is unknown; known are {', '.join(known)}")


def published(tool: Tool) -> dict[str, Any]:
    """Give a tool as tools/list shows it: the committed schema file."""
    text = resources.files("personakit.tools").joinpath("schemas", f"{tool.name}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def described(tool: Tool) -> dict[str, Any]:
    """Make what `published` must give from the row itself."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": _flat(tool.request.model_json_schema()),
        "outputSchema": _outlined(tool.result) if issubclass(tool.result, Exact) else _full(tool.result),
        "annotations": {
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": False,
        },
    }


def _full(result: type[Result]) -> dict[str, Any]:
    """Give a result's schema down to its last key."""
    found: dict[str, Any] = _open(_flat(result.model_json_schema()))
    return found


def _outlined(result: type[Result]) -> dict[str, Any]:
    """Give the schema of a result with many keys by its first level alone: what lists every tool must stay short."""
    schema = result.model_json_schema()
    properties = {name: _outline(node, schema.get("$defs", {})) for name, node in schema["properties"].items()}
    return {"properties": properties, "required": schema.get("required", []), "type": "object"}


def _outline(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        node = definitions[node["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in node:
        kinds = [option.get("type", "object") for option in node["anyOf"]]
        return {"type": kinds if "default" not in node else kinds[0]}
    return {"type": node["type"]}


def _flat(schema: dict[str, Any]) -> dict[str, Any]:
    """Give a schema without references, titles and null alternatives: what every client can use."""
    definitions = schema.pop("$defs", {})

    def plain(node: Any) -> Any:
        if isinstance(node, list):
            return [plain(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(definitions[node["$ref"].rsplit("/", 1)[1]])
        if "anyOf" in node:
            (kept,) = [option for option in node["anyOf"] if option != {"type": "null"}]
            rest = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
            return plain({**kept, **rest})
        return {key: plain(value) for key, value in node.items() if not (key in _NOISE and isinstance(value, str))}

    flat: dict[str, Any] = plain(schema)
    del flat["description"]
    for node in flat["properties"].values():
        node.get("items", {}).pop("description", None)
    return flat


def _open(schema: Any) -> Any:
    """Give a result's schema without what only binds senders: a client reads keys it knows."""
    if isinstance(schema, list):
        return [_open(item) for item in schema]
    if isinstance(schema, dict):
        return {key: _open(value) for key, value in schema.items() if key != "additionalProperties"}
    return schema


_NOISE = ("title",)
