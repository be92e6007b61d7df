"""At 10,000 memories: every edit counts in the next call, whatever else goes on."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from personakit.services.clock import SystemClock
from personakit.vault.watch import watch_for
from tests.bench.vaults import make_vault
from tests.rpc import Client
from tests.services.test_freshness import MANNERS
from tests.support import open_desk, open_vault, put, text_of, texts

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
SIZE = 10_000
TRIES = 200


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the vault once."""
    root = tmp_path_factory.mktemp("big")
    make_vault(root, SIZE)
    return root


def test_each_edit_counts_while_a_scan_runs(big: Path) -> None:
    """While sweeps run one after another, an edit of `state:` in each manner counts in the next call, 200 of 200."""
    path = put(big, "edited.md", "Keeps a zebrafinch", state="approved")
    desk = open_desk(big, clock=SystemClock())
    ended = threading.Event()

    def sweep() -> None:
        while not ended.is_set():
            desk._vault.freshness.sweep()

    thread = threading.Thread(target=sweep)
    thread.start()
    wrong = []
    try:
        for number in range(TRIES):
            save = MANNERS[number % len(MANNERS)]
            state = "restricted" if number % 2 == 0 else "approved"
            save(path, text_of("Keeps a zebrafinch", state=state))
            served = "Keeps a zebrafinch" in texts(desk, "zebrafinch")
            if served is not (state == "approved"):
                wrong.append((number, save.__name__))
    finally:
        ended.set()
        thread.join()
    assert not wrong


def test_the_real_server_meets_each_edit(big: Path) -> None:
    """The real server on 10,000 memories answers from each edit at once, first call included."""
    path = put(big, "edited.md", "Keeps a zebrafinch", state="approved")
    with Client(big) as client:
        for number in range(50):
            state = "restricted" if number % 2 == 0 else "approved"
            MANNERS[number % len(MANNERS)](path, text_of("Keeps a zebrafinch", state=state))
            served = "zebrafinch" in json.dumps(client.read("zebrafinch")["memories"])
            assert served is (state == "approved"), number


def test_a_branch_switch_of_a_thousand_files(big: Path) -> None:
    """A thousand files deleted and written anew are all current in the next call."""
    vault = open_vault(big, SystemClock(), watch_for)
    paths = sorted((big / "memories").rglob("*-*.md"))[:1000]
    for number, path in enumerate(paths):
        path.unlink()
        path.write_text(text_of(f"Knows quokka number{number}x", state="approved"))
    vault.freshness.before_call()
    known = {note.text for note in vault.library.notes()}
    assert all(f"Knows quokka number{number}x" in known for number in range(len(paths)))
