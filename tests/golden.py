"""`python -m tests.golden`: write the schema files and docs/TOOLS.md anew from the rows, on purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from personakit.tools.catalogue import described, toolsets

REPOSITORY = Path(__file__).parent.parent
SCHEMAS = REPOSITORY / "personakit" / "tools" / "schemas"
TOOLS_PAGE = REPOSITORY / "docs" / "TOOLS.md"


def _row(name: str, schema: dict[str, Any], *, required: bool, refused: bool) -> str:
    limits = []
    if "minimum" in schema:
        limits.append(f"{schema['minimum']} to {schema['maximum']:,}{'' if refused else ', clamped'}")
    if "maxItems" in schema:
        limits.append(f"at most {schema['maxItems']} items")
    if "maxLength" in schema:
        limits.append(f"at most {schema['maxLength']:,} characters")
    if "enum" in schema:
        limits.append(", ".join(f"`{word}`" for word in schema["enum"]))
    if "default" in schema:
        limits.append(f"default `{schema['default']}`")
    need = "required" if required else "optional"
    return f"| `{name}` | {schema['type']} | {need} | {schema.get('description', '')} | {'; '.join(limits)} |"


def _fields(schema: dict[str, Any], prefix: str = "") -> list[str]:
    rows = []
    for name, part in schema["properties"].items():
        always = "always" if name in schema.get("required", ()) else "where it applies"
        rows.append(f"| `{prefix}{name}` | {part['type']} | {always} |")
        items = part.get("items", {})
        if items.get("type") == "object":
            rows += _fields(items, f"{prefix}{name}[].")
    return rows


def tools_page() -> str:
    """Give docs/TOOLS.md as the rows make it."""
    lines = [
        "# Tools",
        "",
        "<!-- Made by `python -m tests.golden` from the rows in personakit/tools/; a test compares it. -->",
        "",
        "No tool decides: a proposal stays unconfirmed until the owner edits its file or uses the command line.",
        'A call that cannot be carried out answers `isError: true` with `{"error": {code, field, message}}`.',
    ]
    for toolset in toolsets():
        lines += ["", f"## {toolset.name}"]
        for tool in toolset.tools:
            made = described(tool)
            hints = [key.removesuffix("Hint") for key, value in made["annotations"].items() if value]
            given, result = made["inputSchema"], made["outputSchema"]
            lines += ["", f"### `{tool.name}`: {tool.title}", "", tool.description, "", f"Hints: {', '.join(hints)}."]
            lines += ["", "| parameter | type | | meaning | limits |", "|---|---|---|---|---|"]
            lines += [
                _row(name, part, required=name in given.get("required", ()), refused=bool(tool.status))
                for name, part in given["properties"].items()
            ]
            lines += ["", "| result | type | present |", "|---|---|---|", *_fields(result)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write them."""
    for toolset in toolsets():
        for tool in toolset.tools:
            text = json.dumps(described(tool), indent=2, ensure_ascii=False) + "\n"
            (SCHEMAS / f"{tool.name}.json").write_text(text, "utf-8")
    TOOLS_PAGE.write_text(tools_page(), "utf-8")


if __name__ == "__main__":
    main()
