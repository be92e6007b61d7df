"""The journal tells what was served to whom, by ids and revisions, and holds no word of anybody's."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from personakit.model.memory import Memory
from personakit.model.note import Kind
from personakit.model.revision import revision
from personakit.model.states import State
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.machine import Hasher
from personakit.services.served import MOST_IDS
from personakit.tools.palace import PALACE
from personakit.tools.persona import PERSONA
from personakit.vault.journal import SERVED
from tests.support import open_desk, put

TOOLS = {tool.name: tool for tool in (*PERSONA.tools, *PALACE.tools)}
APPROVED = {"state": "approved"}


def ask(desk: Desk, name: str, **arguments: Any) -> Any:
    """Call a tool as the server does."""
    return call(TOOLS[name], Opening(lambda: desk), arguments).structured_content


def rows(desk: Desk) -> list[dict[str, Any]]:
    """Give the rows of what was served."""
    return list(desk._vault.recorder.journal.rows(SERVED))


def memory(text: str, state: State = State.APPROVED, category: str = "other") -> Memory:
    """Give a memory."""
    return Memory(kind=Kind.MEMORY, id="m_0123456789ab", path="a.md", state=state, text=text, category=category)


def test_a_revision_is_of_words_state_and_rule() -> None:
    """Each of the three makes another revision; nothing else does."""
    one = memory("Likes tea")
    others = [memory("Likes teas"), memory("Likes tea", State.UNCONFIRMED), memory("Likes tea", category="constraints")]
    assert len({revision(each) for each in (one, *others)}) == 4
    assert revision(one) == revision(memory("Likes tea", category="tools"))


def test_a_read_is_one_row(vault: Path) -> None:
    """Time, name, tool, ids in the order they left, and a hash of the question; a file for its user alone."""
    put(vault, "a.md", "Likes green tea", id="m_0000000000aa", **APPROVED)
    put(vault, "b.md", "Drinks tea at dawn", id="m_0000000000bb", state="unconfirmed")
    put(vault, "c.md", "Hides tea", id="m_0000000000cc", state="restricted")
    desk = open_desk(vault, assistant="alpha")
    found = ask(desk, "personakit_read", question="dawn tea, quokka")
    (row,) = rows(desk)
    assert list(row) == ["kind", "at", "to", "tool", "ids", "query"]
    assert (row["to"], row["tool"]) == ("alpha", "personakit_read")
    assert [id_ for id_, _ in row["ids"]] == [one["id"] for one in found["memories"]]
    assert row["query"] == Hasher()("dawn tea, quokka") != Hasher()("dawn tea, ", "quokka")
    (file,) = (vault / ".personakit" / "journal").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any(word in file.read_text() for word in ("tea", "dawn", "quokka", "0000000000cc"))


def test_nothing_served_is_no_row(vault: Path) -> None:
    """An empty answer and a proposal leave no row; a note that left twice in one call is named once."""
    desk = open_desk(vault)
    ask(desk, "personakit_read", question="tea")
    ask(desk, "personakit_propose", text="Likes tea", quote="tea")
    assert rows(desk) == []
    ask(desk, "mempalace_add_drawer", wing="garden", room="plans", content="Plant quinces")
    ask(desk, "mempalace_search", query="quinces")
    (row,) = rows(desk)
    assert (row["to"], row["tool"], len(row["ids"])) == ("unnamed", "mempalace_search", 1)


def test_many_are_counted(vault: Path) -> None:
    """A row names the first two hundred and counts the others."""
    desk = open_desk(vault)
    for number in range(MOST_IDS + 5):
        ask(desk, "mempalace_kg_add", subject="Max", predicate="owns", object=f"thing {number}")
    before = len(rows(desk))
    ask(desk, "mempalace_kg_query", entity="Max")
    row = rows(desk)[before:][-1]
    assert (len(row["ids"]), row["others"]) == (MOST_IDS, 5)


def test_consent_none_leaves_no_row(vault: Path) -> None:
    """Where nothing is served, nothing is noted."""
    put(vault, "a.md", "Likes green tea", **APPROVED)
    (vault / "personakit.yaml").write_text("format: 1\nconsent: none\n")
    desk = open_desk(vault)
    assert ask(desk, "personakit_read", question="tea")["memories"] == []
    assert not (vault / ".personakit" / "journal").exists()


def test_a_newer_format_is_not_written_to(vault: Path) -> None:
    """A vault of a format this release does not know is served and gets no journal."""
    put(vault, "a.md", "Likes green tea", **APPROVED)
    (vault / "personakit.yaml").write_text("format: 2\n")
    desk = open_desk(vault)
    assert ask(desk, "personakit_read", question="tea")["memories"]
    assert not (vault / ".personakit").exists()


@pytest.mark.parametrize("spoil", ["file", "link"])
def test_a_vault_that_takes_no_journal_is_served(vault: Path, tmp_path: Path, spoil: str) -> None:
    """Where the journal's folder cannot be one, every answer leaves as ever."""
    put(vault, "a.md", "Likes green tea", **APPROVED)
    (vault / ".personakit").mkdir()
    if spoil == "file":
        (vault / ".personakit" / "journal").write_text("in the way")
    else:
        (tmp_path / "elsewhere").mkdir()
        os.symlink(tmp_path / "elsewhere", vault / ".personakit" / "journal")
    desk = open_desk(vault)
    assert ask(desk, "personakit_read", question="tea")["memories"]
    assert rows(desk) == [] and not list(tmp_path.glob("elsewhere/*"))


def test_the_key_is_its_users_alone(cache_home: Path) -> None:
    """The key lies beside the machine's name, for its user alone; another key makes another hash."""
    first = Hasher()("tea")
    key = cache_home / "personakit" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and len(key.read_text().strip()) == 64
    assert Hasher()("tea") == first
    key.write_text("damaged")
    assert Hasher()("tea") not in (first, Hasher()("tea"))
