"""The house: imports go down, files and functions stay small, schemas are what is committed."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import personakit
from personakit.tools.catalogue import described, published, toolsets

ROOT = Path(personakit.__file__).parent
REPOSITORY = ROOT.parent
FILES = sorted(ROOT.rglob("*.py"))

# A room may import the rooms named here, and itself.
BELOW = {
    "errors": set(),
    "config": {"errors"},
    "wire": set(),
    "model": {"errors"},
    "index": {"errors", "model"},
    "vault": {"errors", "config", "model"},
    "services": {"errors", "config", "model", "index", "vault"},
    "tools": {"errors", "config", "model", "services"},
    "server": {"errors", "config", "model", "services", "tools", "wire"},
    "cli": {"errors", "config", "model", "index", "vault", "services", "tools", "server"},
    "__main__": {"cli"},
    "__init__": set(),
}
# A library and the rooms that may import it.
ONLY_IN = {
    "mcp": {"server"},
    "mcp_types": {"server"},
    "anyio": {"server", "wire"},
    "watchdog": {"vault"},
    "frontmatter": {"vault"},
    "yaml": {"vault", "config"},
    "filelock": {"vault"},
    "subprocess": {"cli", "vault"},
    "pydantic": {"tools", "server"},
    "snowballstemmer": {"index"},
    "click": {"cli"},
    "rich": {"cli"},
    "platformdirs": {"services", "cli"},
}
# What floors that know no world may not import.
PURE = {
    "model": {"os", "pathlib", "time", "subprocess", "threading", "random", "secrets", "socket", "io"},
    "index": {"os", "pathlib", "time", "subprocess", "threading", "random", "secrets", "socket", "io"},
}


def room(path: Path) -> str:
    """Give the room a file is in, or its own name at the top."""
    inside = path.relative_to(ROOT)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Give every module a file imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.lineno, node.module or ""
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path: Path) -> None:
    """No module imports a room that is not below its own."""
    mine = room(path)
    for line, name in imports(path):
        parts = name.split(".")
        if parts[0] == "personakit" and len(parts) > 1 and parts[1] != "__version__":
            assert parts[1] == mine or parts[1] in BELOW[mine], f"{path}:{line} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_libraries_stay_in_their_rooms(path: Path) -> None:
    """A library is imported only where the house says."""
    mine = room(path)
    for line, name in imports(path):
        top = name.split(".")[0]
        assert mine in ONLY_IN.get(top, {mine}), f"{path}:{line} imports {name}"
        assert top not in PURE.get(mine, set()), f"{path}:{line} imports {name}"


def test_vocabularies_do_not_know_each_other() -> None:
    """No toolset imports another."""
    names = {toolset.name for toolset in toolsets()}
    for path in (ROOT / "tools").rglob("*.py"):
        mine = path.relative_to(ROOT / "tools").parts[0].removesuffix(".py")
        for line, name in imports(path):
            other = name.removeprefix("personakit.tools.").split(".")[0]
            if mine in names:
                assert other not in names - {mine}, f"{path}:{line} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_small_and_say_what_they_are(path: Path) -> None:
    """No file passes 400 lines; each opens with a docstring; none is named after nothing."""
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400
    assert ast.get_docstring(ast.parse(text))
    assert path.stem not in {"utils", "helpers", "common", "manager", "base", "misc"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_named_places_catch_everything(path: Path) -> None:
    """`except Exception` stands in the server's call and in opening the vault, nowhere else."""
    caught = len(re.findall(r"except Exception", path.read_text("utf-8")))
    allowed = {"server.py": 2, "cli/main.py": 1}.get(str(path.relative_to(ROOT)), 0)
    assert caught <= allowed


def test_no_module_state() -> None:
    """No module has a `global` statement; only config, cli and what starts git read the environment."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not isinstance(node, ast.Global), f"{path}:{node.lineno}"
            if isinstance(node, ast.Attribute) and room(path) not in {"config", "cli"} and path.stem != "git":
                assert node.attr not in {"environ", "getenv"}, f"{path}:{node.lineno}"


def test_every_module_can_be_imported() -> None:
    """Every module of the package imports by itself."""
    for module in pkgutil.walk_packages([str(ROOT)], "personakit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.mark.parametrize("tool", [tool for toolset in toolsets() for tool in toolset.tools], ids=lambda tool: tool.name)
def test_committed_schema_is_what_the_row_makes(tool: object) -> None:
    """The golden file equals what its row describes; run `python -m tests.golden` to write it anew on purpose."""
    assert published(tool) == described(tool)  # type: ignore[arg-type]


@pytest.mark.parametrize("tool", [tool for toolset in toolsets() for tool in toolset.tools], ids=lambda tool: tool.name)
def test_schemas_are_flat(tool: object) -> None:
    """Inputs have no reference and no combinator, name every parameter, and bound it where the vocabulary lets them."""
    schema = published(tool)["inputSchema"]  # type: ignore[arg-type]
    text = json.dumps(schema)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert not re.search(r'"(\$ref|anyOf|oneOf|allOf)"', text)
    for name, parameter in schema["properties"].items():
        assert parameter.get("description"), name
        bounds = {"maxLength", "maximum", "enum", "maxItems"} & parameter.keys()
        # What `search` takes is exactly what its vocabulary publishes, which bounds numbers alone.
        assert bounds or parameter["type"] == "boolean" or schema["properties"].keys() >= {"initiatives"}, name


def test_every_tool_has_all_hints() -> None:
    """Every row sets its four hints, and none says that it reaches an open world."""
    for toolset in toolsets():
        for tool in toolset.tools:
            hints = published(tool)["annotations"]
            assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
            assert hints["openWorldHint"] is False


def test_names_are_unique() -> None:
    """No two tools share a name, and every schema file belongs to a tool."""
    names = [tool.name for toolset in toolsets() for tool in toolset.tools]
    assert len(set(names)) == len(names)
    assert {path.stem for path in (ROOT / "tools" / "schemas").glob("*.json")} == set(names)


def test_persona_list_is_small() -> None:
    """The listing of the persona tools is at most 2,800 bytes of compact JSON."""
    tools = [published(tool) for toolset in toolsets() if toolset.name == "persona" for tool in toolset.tools]
    assert len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode()) <= 2_800


def test_public_names() -> None:
    """The package gives its version and nothing else."""
    assert personakit.__all__ == ["__version__"]


def test_every_test_says_what_it_promises() -> None:
    """Every test function has a docstring."""
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path}:{node.lineno} {node.name}"
