"""`personakit serve` before it serves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("words", [["--toolsets", "nothing"], ["--tools", "personakit_read,nothing"]])
def test_a_tool_that_is_none_is_named(command: Command, stocked: Path, words: list[str]) -> None:
    """A toolset or tool that does not exist ends the start with its name, before anything is served."""
    outcome = command("serve", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert "nothing" in outcome.err


def test_no_vault(command: Command, tmp_path: Path) -> None:
    """A folder that is no vault is an error on stderr; stdout stays the protocol's."""
    outcome = command("serve", "--vault", str(tmp_path))
    assert (outcome.code, outcome.out) == (2, "")
    assert "is not a vault" in outcome.err
