"""An owner who names their vault with each command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Outcome
from tests.cli.conftest import command as command


@pytest.fixture
def owner(command: Command, vault: Path) -> Command:
    """Run a command on the test's vault."""

    def call(*words: str) -> Outcome:
        return command(*words, "--vault", str(vault))

    return call
