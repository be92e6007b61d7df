"""`history`, `why` and `show --at`: what an owner is told of a memory's past, with git and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COFFEE, TEA, Command
from tests.vault.history.repositories import Owner


@pytest.fixture
def owner(stocked: Path) -> Owner:
    """Give the stocked vault as a repository, in which an assistant's proposal was approved."""
    owner = Owner(stocked)
    owner.commit("Begin")
    coffee = stocked / "memories/coffee.md"
    coffee.write_text(coffee.read_text().replace("state: unconfirmed", "state: approved"))
    owner.commit("Approve")
    return owner


def words(outcome: Any) -> list[str]:
    """Give what is told, from a program's answer."""
    return [event["words"] for event in outcome.json["events"]]


def test_history_of_one(command: Command, owner: Owner) -> None:
    """One line an event, oldest first, with time, commit and words; what is on disk alone is said to be so."""
    coffee = owner.root / "memories/coffee.md"
    coffee.write_text(coffee.read_text().replace("category: tools", "category: preferences"))
    lines = command("history", "m_0000000000ab").out.splitlines()
    assert lines[0].split() == [
        "2026-09-22T14:13:20Z",
        owner.git("rev-parse", "HEAD~1")[:10],
        *["proposed", "by", "claude-code"],
    ]
    assert lines[1].endswith("approved by the owner  unconfirmed -> approved")
    assert lines[2].startswith("not committed yet") and lines[2].endswith("category changed  tools -> preferences")
    assert words(command("history", COFFEE, "--json", "--limit", "1")) == ["category changed"]
    plain = command("history", COFFEE, "--json").json
    assert plain["id"] == COFFEE and plain["events"][1] == {
        "at": "2026-09-23T14:13:20Z",
        "kind": "approved",
        "words": "approved by the owner",
        "who": "the owner",
        "was": "unconfirmed",
        "now": "approved",
        "commit": owner.git("rev-parse", "HEAD"),
        "author": "Rosalind Fictiva",
        "committed": True,
    }


def test_history_of_all(command: Command, owner: Owner) -> None:
    """Without an id the latest events of every memory are told, each with its memory."""
    lines = command("history", "--limit", "2").out.splitlines()
    assert len(lines) == 2 and lines[1].endswith("approved by the owner  m_0000000000ab  Likes strong coffee")
    assert len(command("history", "--json").json["events"]) == 7
    (owner.root / "memories/coffee.md").unlink()
    owner.commit("Delete")
    last = command("history", "--json").json["events"][-1]
    assert (last["id"], last["kind"], last["text"]) == (COFFEE, "deleted", "Likes strong coffee")
    assert words(command("history", COFFEE, "--json"))[-1] == "file deleted"


def test_history_on_a_terminal(command: Command, owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with heads; stored words are no markup and no terminal codes."""
    tea = owner.root / "memories/tea.md"
    tea.write_text(tea.read_text().replace("Likes green tea", "Likes [red]tea[/red]\x1b[31m"))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "160")
    out = command("history", TEA).out
    assert "when (UTC)" in out and "[red]tea[/red]\\u{1B}" in out and "\x1b[31m" not in out


def test_show_at(command: Command, owner: Owner) -> None:
    """The content as it was at a day or commit, its owner's keys with it; a clear sentence where it was not there."""
    day = "2026-09-22"
    assert command("show", COFFEE, "--at", day, "--json").json["state"] == "unconfirmed"
    then = command("show", COFFEE, "--at", "HEAD")
    assert "state:        approved" in then.out and "commit:       " + owner.git("rev-parse", "HEAD") in then.out
    early = command("show", COFFEE, "--at", "2026-01-01")
    assert early.code == 1 and "Nothing was committed by the end of 2026-01-01" in early.err
    wrong = command("show", COFFEE, "--at", "never")
    assert wrong.code == 2 and "neither a day (YYYY-MM-DD) nor a commit" in wrong.err
    (owner.root / "memories/coffee.md").unlink()
    owner.commit("Delete")
    assert command("show", COFFEE, "--at", "HEAD~1", "--json").json["text"] == "Likes strong coffee"
    gone = command("show", COFFEE, "--at", "HEAD")
    assert gone.code == 1 and "m_0000000000ab was not there at HEAD" in gone.err


def test_why(command: Command, owner: Owner) -> None:
    """Quotes, proposer, decision and the commits of the lines."""
    first, second = owner.git("rev-parse", "HEAD~1"), owner.git("rev-parse", "HEAD")
    lines = command("why", COFFEE).out.splitlines()
    assert lines[0] == "m_0000000000ab (approved): Likes strong coffee"
    assert lines[1].startswith("  proposed by claude-code, 2026-02-03T04:05:06Z by its front matter (" + first[:10])
    assert '  quote: "second" (' + first[:10] in lines[3]
    assert lines[5].startswith("  approved by the owner (" + second[:10])
    assert [line.split(" (")[0] for line in lines[6:]] == [
        *("  statement last changed", "  state last changed", "  category last changed", "  evidence last changed")
    ]
    plain = command("why", COFFEE, "--json").json
    assert plain["lines"] == {"statement": first, "state": second, "category": first, "evidence": first}
    assert plain["decision"]["words"] == "approved by the owner" and plain["origin"]["who"] == "claude-code"
    assert [quote["commit"] for quote in plain["quotes"]] == [first] * 3 and plain["history"] == ""
    assert "  no quote" in command("why", TEA).out.splitlines()


def test_why_of_what_is_gone_held_or_new(command: Command, owner: Owner) -> None:
    """A deleted memory, a held one and one that is not committed yet are told of as far as is known."""
    (owner.root / "memories/new.md").write_text("Likes jam\n")
    (new,) = [each["id"] for each in command("list", "--json").json["memories"] if each["text"] == "Likes jam"]
    assert "  written by the owner (not committed yet)" in command("why", new).out.splitlines()
    (owner.root / "memories/coffee.md").unlink()
    assert command("why", COFFEE).out.startswith("m_0000000000ab (gone): Likes strong coffee")
    (owner.root / "memories/tea.md").write_text(f"---\nid: {TEA}\nx: [\n---\nLikes\n")
    assert command("why", TEA).out.startswith("m_0000000000aa (held): Likes green tea")
    owner.put("held.md", "Likes", id="m_0000000000ff", x="[")
    assert command("why", "m_0000000000ff").out == (
        "m_0000000000ff: its file cannot be read; `personakit doctor` says why.\n"
    )
    assert command("why", "m_ee").code == 1


def test_without_history(command: Command, stocked: Path) -> None:
    """`why` says what front matter knows and why there is no more; `history` and `show --at` refuse with the reason."""
    lines = command("why", COFFEE).out.splitlines()
    assert lines[1] == "  proposed by claude-code, 2026-02-03T04:05:06Z by its front matter"
    assert '  quote: "second"' in lines and "lies in no git repository" in lines[-1]
    plain = command("why", COFFEE, "--json").json
    assert plain["lines"] == {} and plain["decision"] is None and "no git repository" in plain["history"]
    for words in (["history"], ["history", COFFEE], ["show", COFFEE, "--at", "HEAD"]):
        outcome = command(*words)
        assert outcome.code == 1 and "There is no history" in outcome.err
    Owner(stocked)
    assert "nothing is committed yet" in command("history").err


def test_a_shallow_clone(command: Command, owner: Owner, tmp_path: Path) -> None:
    """Where history begins is said below each answer."""
    clone = tmp_path / "clone"
    owner.git("clone", "-q", "--depth=1", f"file://{owner.root}", str(clone))
    for words in (["history"], ["history", TEA], ["why", TEA]):
        assert command(*words, "--vault", str(clone)).out.splitlines()[-1].startswith("History begins at 2026-09-23")
    assert command("history", TEA, "--json", "--vault", str(clone)).json["begins"] == "2026-09-23T14:13:20Z"
    assert [each["code"] for each in command("doctor", "--json", "--vault", str(clone)).json["problems"]] == [
        "history_shallow"
    ]
