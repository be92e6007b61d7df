"""`personakit read`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from personakit.tools.persona import READ
from personakit.tools.toolset import parse
from tests.cli.conftest import COFFEE, TEA, Command
from tests.support import open_desk, put


def by_tool(root: Path, question: str, assistant: str = "") -> dict[str, Any]:
    """Give what personakit_read answers."""
    desk = open_desk(root, assistant=assistant)
    return READ.run(desk, parse(READ, {"question": question})).model_dump(exclude_none=True)


@pytest.mark.parametrize("question", ["tea", "coffee", "nothing of the kind", "", "tea and coffee"])
def test_json_is_the_tools_answer(command: Command, stocked: Path, question: str) -> None:
    """`--json` prints the tool's structured content, to the key and its order, in the tool's compact form."""
    outcome = command("read", question, "--json")
    expected = by_tool(stocked, question)
    assert outcome.out.strip() == json.dumps(expected, ensure_ascii=False, separators=(",", ":"))


def test_plain_answer(command: Command, stocked: Path) -> None:
    """The answer shows statement, whether it is confirmed, category, id, masked quotes and what is withheld."""
    outcome = command("read", "tea or coffee")
    assert outcome.code == 0
    assert "Likes green tea\n  confirmed, preferences, m_0000000000aa\n" in outcome.out
    assert (
        'Likes strong coffee\n  unconfirmed, tools, m_0000000000ab\n  "ask me at [e-mail]"\n  "second"' in outcome.out
    )
    assert "third" not in outcome.out and "rum" not in outcome.out and "salt" not in outcome.out
    assert "Withheld: 1 more that match; you restricted them." in outcome.out
    assert "not yet reviewed" in outcome.out


def test_why(command: Command, stocked: Path) -> None:
    """`--why` names each hit's shared words with their weights and score, and marks what only fills up."""
    outcome = command("read", "strong cofee", "--why")
    assert "strong 0." in outcome.out and "(spelling of cofe" in outcome.out and "; score " in outcome.out
    assert "why: fills a free place" in outcome.out
    reasons = command("read", "strong cofee", "--why", "--json").json["why"]
    assert [(each["id"], each["filled"]) for each in reasons] == [(COFFEE, False), (TEA, True)]
    assert {shared["asked"] for shared in reasons[0]["shared"]} == {"strong", "cofe"}
    assert reasons[0]["score"] == pytest.approx(sum(shared["weight"] for shared in reasons[0]["shared"]))


def test_as_an_assistant(command: Command, stocked: Path) -> None:
    """Without --as every listed memory answers, marked; with it, only what names that assistant."""
    put(stocked, "only.md", "Likes quiet mornings", id="m_0000000000ee", state="approved", assistants=["Claude Code"])
    assert "only Claude Code" in command("read", "mornings").out
    assert "mornings" in command("read", "mornings", "--as", "claude-code").out
    assert "mornings" not in command("read", "mornings", "--as", "other").out
    assert command("read", "mornings", "--as", "other", "--json").json == by_tool(stocked, "mornings", "other")


def test_limit_is_clamped(command: Command, stocked: Path) -> None:
    """The limit is 1 to 20, as in the tool."""
    assert len(command("read", "likes", "--limit", "0", "--json").json["memories"]) == 1
    assert len(command("read", "likes", "--limit", "999", "--json").json["memories"]) == 2


def test_an_empty_vault_says_so(command: Command, vault: Path) -> None:
    """Nothing found is said in words."""
    outcome = command("read", "tea", "--vault", str(vault))
    assert (outcome.code, outcome.out) == (0, "Nothing matches, and nothing is approved that could fill up.\n")


def test_a_question_that_is_not_text(command: Command, stocked: Path) -> None:
    """Bytes that are no UTF-8 in a question do no harm."""
    assert command("read", "tea \udcff").code == 0
