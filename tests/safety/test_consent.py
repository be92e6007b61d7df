"""Under consent none every tool of memories answers as an empty vault would; documents are read, and nothing noted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from personakit.config import Launch
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.catalogue import toolsets
from personakit.tools.toolset import Tool
from personakit.vault.watch import watch_for
from tests.support import SetClock, make_vault, open_desk, put

TOOLS = [tool for toolset in toolsets() for tool in toolset.tools if toolset.name != "knowledge"]
DOCUMENTS = [tool for toolset in toolsets() for tool in toolset.tools if toolset.name == "knowledge"]
SESSION = {"session_id": "s_aaaaaaaaaaaaaaaa"}
# What each tool is asked, such that a vault with consent would have something to say.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "personakit_read": {"question": "tea"},
    "personakit_propose": {"text": "Likes tea", "quote": "tea"},
    "memory_start": {"prompt": "tea"},
    "memory_recall": {"query": "tea", "step": "brew", **SESSION},
    "memory_save_turn": {"kind": "prompt", "speaker": "person", "text": "tea", **SESSION},
    "memory_end": SESSION,
    "memory_trace": {"memory": "m_100000000000", **SESSION},
    "knowledge_ask": {"question": "How is tea made?"},
    "knowledge_search": {"query": "tea"},
    "search": {"initiatives": ["*"], "text": "tea"},
    "mempalace_search": {"query": "tea"},
    "mempalace_check_duplicate": {"content": "Likes green tea a lot"},
    "mempalace_kg_query": {"entity": "Max"},
    "mempalace_traverse": {"start_room": "plans"},
    "mempalace_diary_read": {"agent_name": "alpha"},
    "mempalace_add_drawer": {"wing": "garden", "room": "plans", "content": "Tea"},
    "mempalace_delete_drawer": {"drawer_id": "drawer_garden_plans_000000000000000000000000"},
    "mempalace_kg_add": {"subject": "Max", "predicate": "owns", "object": "tea"},
    "mempalace_kg_invalidate": {"subject": "Max", "predicate": "owns", "object": "tea"},
    "mempalace_diary_write": {"agent_name": "alpha", "entry": "tea", "topic": "tea"},
}


def fill(root: Path) -> None:
    """Store something of every kind that tools of these sets serve."""
    put(root, "a.md", "Likes green tea", id="m_100000000000", state="approved", category="constraints")
    knowledge = root / "knowledge"
    knowledge.mkdir(exist_ok=True)
    (knowledge / "tea.md").write_text("# Tea\n\nTea is made with hot water.\n")
    desk = open_desk(root, assistant="alpha")
    tools = {tool.name: tool for tool in TOOLS}
    for wing in ("garden", "kitchen"):
        drawer = {"wing": wing, "room": "plans", "content": f"Likes green tea a lot in the {wing}"}
        call(tools["mempalace_add_drawer"], Opening(lambda: desk), drawer)
    for name in ("mempalace_kg_add", "mempalace_diary_write"):
        assert not call(tools[name], Opening(lambda: desk), ARGUMENTS[name]).is_error
    desk.close()


def answer(root: Path, tool: Tool, settings: str, project: str) -> str:
    """Call a tool under some settings, and give the whole answer without what differs from call to call."""
    (root / "personakit.yaml").write_text(settings)
    desk = Desk(
        Launch(vault=str(root), assistant="alpha", project=project), OpenVault(str(root), SetClock(), watch_for)
    )
    desk.load()
    result = call(tool, Opening(lambda: desk), ARGUMENTS.get(tool.name, {}))
    desk.close()
    return re.sub(r"[spa]_[a-z2-7]{16}", "…", result.model_dump_json().replace(str(root), "…"))


@pytest.mark.parametrize(
    ("settings", "project"),
    [
        ("format: 1\nconsent: none\n", ""),
        ("format: 1\nprojects: {Garden: {consent: none}}\n", "garden"),
        ("format: 1\nconsent: none\nprojects: {kitchen: {consent: full}}\n", "garden"),
    ],
)
def test_consent_none_is_an_empty_vault(tmp_path: Path, settings: str, project: str) -> None:
    """For the vault or for the launch's project, byte for byte, whatever lies in the vault; nothing is noted."""
    full, empty = make_vault(tmp_path / "full"), make_vault(tmp_path / "empty")
    fill(full)
    for path in (full / ".personakit" / "journal").glob("*"):
        path.unlink()
    for tool in TOOLS:
        said = answer(full, tool, settings, project)
        assert said == answer(empty, tool, settings, project), tool.name
        writes = not tool.hints.read_only and tool.name != "memory_save_turn"
        assert ("consent_none" in said) is writes, tool.name
        assert ('"is_error":true' in said) is (writes or tool.name == "mempalace_traverse"), (tool.name, said)
    assert not list((full / ".personakit" / "journal").glob("*"))
    assert not list(empty.rglob("*.md"))


def test_documents_are_read_under_consent_none(tmp_path: Path) -> None:
    """Consent is about memory: documents are quoted without it, in the same words, and what was quoted is not noted."""
    root = make_vault(tmp_path / "full")
    fill(root)
    journal = root / ".personakit" / "journal"
    for path in journal.glob("*"):
        path.unlink()
    asked = [tool for tool in DOCUMENTS if tool.name in ARGUMENTS]
    silent = [answer(root, tool, "format: 1\nconsent: none\n", "") for tool in asked]
    assert not list(journal.glob("*"))
    free = [answer(root, tool, "format: 1\nconsent: full\n", "") for tool in asked]
    assert list(journal.glob("*"))
    assert len(silent) == 2 and all("hot water" in said for said in silent)
    assert [re.sub(r"(consent\W+)none", r"\1full", said) for said in silent] == free
