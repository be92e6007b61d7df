"""The docs: short, true, and their commands exist."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from personakit.cli.main import COMMANDS, personakit
from personakit.model.memory import memory_id, statement_of
from personakit.model.problem import HOLDING
from personakit.vault.frontmatter import TextHandler, read_block
from tests.commands import PAGES, REPOSITORY, readme, shown
from tests.golden import TOOLS_PAGE, tools_page

SHOWN = [(page.name, line) for page in PAGES for line in shown(page) if "personakit" in line and "pip" not in line]


def test_the_set_up_is_two_commands() -> None:
    """The README has one command that ends in the demo and one that ends in the tests."""
    assert readme("demo").endswith("personakit demo")
    assert ".[test]" in readme("pytest")


@pytest.mark.parametrize(("page", "line"), SHOWN)
def test_every_command_shown_is_one(page: str, line: str) -> None:
    """Every `personakit` line in the docs parses as the command line reads it."""
    words = shlex.split(line)
    at = next(number for number, word in enumerate(words) if word.rsplit("/", 1)[-1] == "personakit")
    name, *arguments = words[at + 1 :]
    assert name in COMMANDS, f"{page}: {name}"
    with click.Context(personakit) as context:
        command = personakit.get_command(context, name)
        assert command is not None
        command.make_context(name, list(arguments))


def test_tools_page_is_made_from_the_rows() -> None:
    """docs/TOOLS.md is what `python -m tests.golden` writes."""
    assert TOOLS_PAGE.read_text("utf-8") == tools_page()


def test_architecture_is_short() -> None:
    """docs/ARCHITECTURE.md stays under 150 lines and tells a memory's day."""
    text = (REPOSITORY / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    assert text.count("\n") <= 150 and "A memory's day" in text


def test_every_link_leads_somewhere() -> None:
    """Every relative link in the README and the docs names a file that is there."""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_formats_example_is_one() -> None:
    """The README's example of a memory parses, and its id is the one its statement gives."""
    text = (REPOSITORY / "README.md").read_text("utf-8")
    example = re.findall(r"^```markdown\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    page = TextHandler().page(example)
    assert page.block is not None
    assert read_block(page.block).text("id") == memory_id(statement_of(page.body))


def test_every_code_that_holds_is_explained() -> None:
    """docs/FORMAT.md names every code for which a file is held."""
    text = (REPOSITORY / "docs" / "FORMAT.md").read_text("utf-8")
    for code in HOLDING:
        assert f"`{code}`" in text, code


def test_code_cites_headings_that_exist() -> None:
    """A docstring that cites a heading of the docs cites one that is there."""
    for file in (REPOSITORY / "personakit").rglob("*.py"):
        for page, heading in re.findall(r'docs/(\w+\.md), "([^"]+)"', file.read_text("utf-8")):
            text = (REPOSITORY / "docs" / page).read_text("utf-8")
            headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
            assert any(heading.casefold() in found.casefold() for found in headings), f"{file}: {page}, {heading}"
