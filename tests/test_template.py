"""The template that `personakit init` copies is a complete vault without mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from personakit.model.memory import CATEGORIES, memory_id, statement_of
from personakit.model.note import Kind, moment
from personakit.model.states import State, read_state
from personakit.vault.reading import Condition, read_file

TEMPLATE = Path(__file__).parents[1] / "vault-template"
FILES = sorted(path for path in TEMPLATE.rglob("*") if path.is_file())
BASES = sorted(TEMPLATE.glob("views/*.base"))
EXAMPLES = sorted(TEMPLATE.glob("memories/examples/*.md"))
MEMORY_VIEWS = {"To review", "Approved", "Restricted", "Rejected", "By category", "Broken"}
VIEWS = MEMORY_VIEWS | {"Drawers", "Facts", "Ended facts", "Proposed corrections"}
FOLDERS = {"Drawers": "palace", "Facts": "facts", "Ended facts": "facts", "Proposed corrections": "proposals"}


def _name(path: Path) -> str:
    return path.relative_to(TEMPLATE).as_posix()


def _split(path: Path) -> tuple[dict[str, Any], str]:
    """Give the front matter, all scalars as text, and what stands after the closing fence's line."""
    _, block, body = re.split(r"^---\n", path.read_text("utf-8"), maxsplit=2, flags=re.MULTILINE)
    values = yaml.load(block, yaml.BaseLoader)
    assert isinstance(values, dict)
    return values, body


def _examples() -> dict[str, dict[str, Any]]:
    return {_split(path)[1].split("\n", 1)[0]: _split(path)[0] for path in EXAMPLES}


def _words(statement: str) -> set[str]:
    return set(re.findall(r"[a-z]+", statement.lower()))


def _check_filter(part: object) -> None:
    if isinstance(part, str):
        assert part.strip()
        return
    assert isinstance(part, dict)
    assert len(part) == 1
    assert set(part) <= {"and", "or", "not"}
    (items,) = part.values()
    assert isinstance(items, list)
    assert items
    for item in items:
        _check_filter(item)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_every_file_is_clean_text(path: Path) -> None:
    """A template file is UTF-8 with LF, has no trailing blanks and ends in exactly one newline."""
    raw = path.read_bytes()
    assert b"\r" not in raw
    text = raw.decode("utf-8")
    assert not text.startswith("\ufeff")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert not re.search(r"[ \t]$", text, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_nothing_names_a_real_machine(path: Path) -> None:
    """No file of the template holds a path of the machine it was made on."""
    assert not re.search(r"/(?:home|Users|root|tmp|work|var|mnt|opt)/|\b[A-Za-z]:\\", path.read_text("utf-8"))


def test_all_parts_are_there() -> None:
    """The template holds every part of the format page that a new vault needs, hidden files included."""
    expected = {
        ".gitignore",
        ".obsidian/bookmarks.json",
        ".obsidian/types.json",
        ".personakit/.gitignore",
        "Home.md",
        *(f"{folder}/.gitattributes" for folder in ("diary", "facts", "memories", "palace", "proposals", "sessions")),
        "personakit.yaml",
        "templates/memory.md",
        *(f"views/{view}.base" for view in VIEWS),
    }
    assert {_name(path) for path in FILES} - {_name(path) for path in EXAMPLES} == expected


@pytest.mark.parametrize("path", BASES, ids=_name)
def test_views_are_valid_bases(path: Path) -> None:
    """A view file is YAML with the keys of a Base, and each filter object has exactly one of and, or, not."""
    base = yaml.safe_load(path.read_text("utf-8"))
    assert set(base) <= {"filters", "formulas", "properties", "summaries", "views"}
    _check_filter(base["filters"])
    formulas = base.get("formulas", {})
    assert all(isinstance(formula, str) for formula in formulas.values())
    for view in base["views"]:
        assert view["type"] in {"table", "cards", "list"}
        assert view["name"] == path.stem
        _check_filter(view.get("filters", "true"))
        used = {*view["order"], *(key["property"] for key in view["sort"])}
        assert all(re.fullmatch(r"(?:file|note|formula)\.[a-z_]+", name) for name in used)
        assert {name.removeprefix("formula.") for name in used if name.startswith("formula.")} <= set(formulas)
        assert view.get("groupBy", {}).get("property") not in view["order"]


@pytest.mark.parametrize("path", BASES, ids=_name)
def test_views_look_into_one_folder(path: Path) -> None:
    """Every view is bound to the folder of its kind and leaves out templates."""
    filters = yaml.safe_load(path.read_text("utf-8"))["filters"]["and"]
    assert f'file.inFolder("{FOLDERS.get(path.stem, "memories")}")' in filters
    assert {"not": ['file.inFolder("templates")']} in filters


def test_types_cover_every_property() -> None:
    """types.json gives a type that Obsidian knows to every front matter key of the template."""
    types = json.loads((TEMPLATE / ".obsidian/types.json").read_text("utf-8"))["types"]
    known = {"text", "multitext", "number", "checkbox", "date", "datetime", "aliases", "tags"}
    assert set(types.values()) <= known
    used = {key for path in [*EXAMPLES, TEMPLATE / "templates/memory.md"] for key in _split(path)[0]}
    assert used <= set(types)


def test_bookmarks_and_home_lead_somewhere() -> None:
    """Home and all views are bookmarked, and every link and embed of Home.md has its file."""
    items = json.loads((TEMPLATE / ".obsidian/bookmarks.json").read_text("utf-8"))["items"]
    assert {item["path"] for item in items} == {"Home.md", *map(_name, BASES)}
    assert all(item["type"] == "file" for item in items)
    links = re.findall(r"!?\[\[([^\]|]+)", (TEMPLATE / "Home.md").read_text("utf-8"))
    assert set(links) == set(map(_name, BASES))


@pytest.mark.parametrize("path", EXAMPLES, ids=_name)
def test_example_is_a_memory_as_personakit_makes_it(path: Path) -> None:
    """An example's id is its statement's, its name ends in the id's hex, and reading it finds nothing to say."""
    values, body = _split(path)
    assert values["id"] == memory_id(statement_of(body))
    assert re.fullmatch(r"[a-z0-9-]+\.md", path.name)
    assert len(path.name.encode()) <= 100
    assert path.stem.endswith("-" + values["id"].removeprefix("m_"))
    assert read_state(values["state"]) is not None
    assert values["category"] in CATEGORIES
    assert re.fullmatch(r"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ", values["created"])
    assert moment(values["created"]) is not None
    reading = read_file(_name(path), Kind.MEMORY, path.read_bytes())
    assert reading.condition is Condition.READ
    assert reading.problems == ()


def test_examples_show_what_a_memory_can_be() -> None:
    """The examples hold every state, several categories, a rule, aliases, tags and a memory that replaces another."""
    examples = _examples()
    assert len(examples) == len(EXAMPLES)
    assert {read_state(values["state"]) for values in examples.values()} == set(State)
    assert len({values["category"] for values in examples.values()}) >= 5
    assert any(values.get("rule") == "true" for values in examples.values())
    assert any("aliases" in values and "tags" in values for values in examples.values())
    ids = {values["id"] for values in examples.values()}
    replaced = {old for values in examples.values() for old in values.get("supersedes", [])}
    assert replaced
    assert replaced <= ids


def test_examples_answer_the_question_of_the_demo() -> None:
    """The question "How should I give feedback on a draft?" meets approved, restricted and unconfirmed memories."""
    examples = _examples()
    asked = {"feedback", "draft"}
    both = {read_state(values["state"]) for text, values in examples.items() if asked <= _words(text)}
    some = {read_state(values["state"]) for text, values in examples.items() if asked & _words(text)}
    assert both == {State.APPROVED, State.RESTRICTED}
    assert State.UNCONFIRMED in some


def test_memory_template_parses_and_is_approved() -> None:
    """Obsidian's template parses with its placeholders, is approved and holds no statement until one is written."""
    values, body = _split(TEMPLATE / "templates/memory.md")
    assert read_state(values["state"]) is State.APPROVED
    assert values["created"] == "{{date}}"
    assert "id" not in values
    assert statement_of(body) == ""
    assert statement_of(body + "Prefers tea\n") == "Prefers tea"


def test_settings_parse_with_every_line_in_use() -> None:
    """personakit.yaml is format 1 alone, and stays valid when each commented setting is taken into use."""
    text = (TEMPLATE / "personakit.yaml").read_text("utf-8")
    assert yaml.safe_load(text) == {"format": 1}
    in_use = yaml.safe_load(re.sub(r"^#(?=[a-z_]+:)", "", text, flags=re.MULTILINE))
    assert set(in_use) == {
        "format",
        "owner",
        "language",
        "consent",
        "proposals_per_minute",
        "unconfirmed_per_proposer",
        "cache",
    }


def test_git_keeps_out_what_belongs_to_one_machine() -> None:
    """git ignores the machine's own folder and Obsidian's workspace, and keeps line ends of memories."""
    assert (TEMPLATE / ".personakit/.gitignore").read_text("utf-8") == "*\n"
    ignored = (TEMPLATE / ".gitignore").read_text("utf-8").splitlines()
    assert {".obsidian/workspace.json", ".obsidian/workspaces.json", ".trash/"} <= set(ignored)
    for folder in ("memories", "facts", "proposals"):
        attributes = (TEMPLATE / folder / ".gitattributes").read_text("utf-8")
        assert attributes == "*.md text eol=lf merge=personakit\n"
    for folder in ("palace", "diary", "sessions"):
        assert (TEMPLATE / folder / ".gitattributes").read_text("utf-8").splitlines()[-1] == "*.md -text"
