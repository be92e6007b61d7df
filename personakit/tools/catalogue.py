"""Every toolset, which of their tools a launch offers, and their published schemas."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from personakit.errors import ArgumentError
from personakit.tools.persona import PERSONA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.config import Launch
    from personakit.tools.toolset import Tool, Toolset

TOOLSETS: tuple[Toolset, ...] = (PERSONA,)


def offered(launch: Launch) -> tuple[Tool, ...]:
    """Give the tools a launch offers, in a fixed order.

    `tools` alone names exactly the tools; `read_only` wins over everything.

    Raises:
        ArgumentError: a name that is none.
    """
    by_set = {toolset.name: toolset for toolset in TOOLSETS}
    every = [tool for toolset in TOOLSETS for tool in toolset.tools]
    _check("--toolsets", launch.toolsets, [*by_set, "all"])
    names = [tool.name for tool in every]
    _check("--tools", launch.tools or (), names)
    _check("--exclude-tools", launch.exclude_tools, names)
    if launch.tools is not None:
        chosen = [tool for tool in every if tool.name in launch.tools]
    else:
        sets = by_set if "all" in launch.toolsets else launch.toolsets
        chosen = [tool for toolset in TOOLSETS if toolset.name in sets for tool in toolset.tools]
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
        "outputSchema": _open(_flat(tool.result.model_json_schema())),
        "annotations": {
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": False,
        },
    }


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
