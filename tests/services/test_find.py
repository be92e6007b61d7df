"""Reading: who is served what, in which order, filled up and masked."""

from __future__ import annotations

from pathlib import Path

import pytest

from personakit.errors import VaultEmptied, VaultMissing
from tests.support import SetClock, make_vault, open_desk, put, texts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty vault."""
    return make_vault(tmp_path / "vault")


def test_states_decide(root: Path) -> None:
    """Approved and unconfirmed are served, restricted are counted, rejected and held leave nothing."""
    put(root, "a.md", "Likes green tea", state="approved")
    put(root, "b.md", "Likes black tea", state="unconfirmed")
    put(root, "c.md", "Likes white tea", state="restricted")
    put(root, "d.md", "Likes cold tea", state="rejected")
    put(root, "e.md", "Likes hot tea", state="sure")
    answer = open_desk(root).read("tea", 20)
    assert [(memory.text, memory.confirmed) for memory in answer.memories] == [
        ("Likes green tea", True),
        ("Likes black tea", False),
    ]
    assert answer.withheld == 1


def test_fill_comes_with_fewer_than_three(root: Path) -> None:
    """Approved memories fill up to three: rules first, then the newest; a limit below three fills to it."""
    put(root, "a.md", "Likes green tea", state="approved", created="2026-01-01")
    put(root, "b.md", "Owns a bicycle", state="approved", created="2026-02-01")
    put(root, "c.md", "Lives by the sea", state="approved", created="2026-03-01")
    put(root, "d.md", "Never call before nine", state="approved", category="constraints", created="2025-01-01")
    put(root, "e.md", "Plays the oboe", state="unconfirmed", created="2026-04-01")
    desk = open_desk(root)
    assert texts(desk, "tea") == ["Likes green tea", "Never call before nine", "Lives by the sea"]
    assert texts(desk, "tea", 2) == ["Likes green tea", "Never call before nine"]
    assert texts(desk, "tea", 1) == ["Likes green tea"]
    assert texts(desk, "") == ["Never call before nine", "Lives by the sea", "Owns a bicycle"]


def test_stale_memories_match_but_never_fill(root: Path) -> None:
    """A memory whose last day has passed is served when it matches and never as a fill."""
    put(root, "a.md", "Rents a flat in Sampletown", state="approved", stale_after="2020-01-01")
    desk = open_desk(root)
    assert texts(desk, "oboe") == []
    assert texts(desk, "flat") == ["Rents a flat in Sampletown"]


def test_superseded_memories_stay_away(root: Path) -> None:
    """What an approved memory supersedes is not served; what an unconfirmed one names still is."""
    put(root, "a.md", "Drinks coffee", state="approved", id="m_00000000000a")
    put(root, "b.md", "Stopped drinking coffee", state="approved", supersedes=["m_00000000000a"])
    desk = open_desk(root)
    assert texts(desk, "coffee") == ["Stopped drinking coffee"]
    put(root, "b.md", "Stopped drinking coffee", state="unconfirmed", supersedes=["m_00000000000a"])
    assert sorted(texts(desk, "coffee")) == ["Drinks coffee", "Stopped drinking coffee"]


def test_audiences(root: Path) -> None:
    """Assistants and projects see what names them, and nobody sees what names another."""
    put(root, "a.md", "Codes in tea breaks", state="approved", assistants=["Claude Code"])
    put(root, "b.md", "Writes tea reviews", state="approved", projects=["Garden Blog"])
    put(root, "c.md", "Restricted tea secret", state="restricted", assistants=["codex"])
    assert texts(open_desk(root), "tea") == []
    assert open_desk(root).read("tea", 7).withheld == 0
    assert texts(open_desk(root, assistant="claude_code"), "tea") == ["Codes in tea breaks"]
    assert texts(open_desk(root, project="garden-blog"), "tea") == ["Writes tea reviews"]
    assert open_desk(root, assistant="Codex").read("tea", 7).withheld == 1


def test_quotes_leave_masked_and_short(root: Path) -> None:
    """At most two quotes leave, each masked before it is cut to 240 characters."""
    long = "word " * 60 + "mail rosalind@example.org"
    put(root, "a.md", "Likes tea", state="approved", evidence=["write to rosalind@example.org", long, "third"])
    (memory,) = open_desk(root).read("tea", 7).memories
    assert len(memory.evidence) == 2
    assert "rosalind@example.org" not in "".join(memory.evidence)
    assert len(memory.evidence[1]) <= 240 and memory.evidence[1].endswith("…")


def test_consent_none_answers_as_empty(tmp_path: Path) -> None:
    """Under consent none nothing is served or counted, and a project's own consent wins over the general one."""
    root = make_vault(tmp_path, "format: 1\nconsent: none\nprojects:\n  garden:\n    consent: serve_only\n")
    put(root, "a.md", "Likes green tea", state="approved")
    put(root, "b.md", "Likes black tea", state="restricted")
    answer = open_desk(root).read("tea", 7)
    assert answer.memories == () and answer.withheld == 0
    assert open_desk(root, project="Garden").read("tea", 7).withheld == 1


def test_settings_count_at_once(root: Path) -> None:
    """A change of personakit.yaml counts in the next call, the consent as well as the language."""
    put(root, "a.md", "Mag Gärten", state="approved")
    desk = open_desk(root)
    assert texts(desk, "Garten") == ["Mag Gärten"]
    (root / "personakit.yaml").write_text("format: 1\nlanguage: de\n")
    assert texts(desk, "Gärtens") == ["Mag Gärten"]
    (root / "personakit.yaml").write_text("format: 1\nconsent: none\n")
    assert texts(desk, "Gärten") == []


def test_missing_root_is_named(root: Path, tmp_path: Path) -> None:
    """While the folder is away each call says so, and when it is back answers come again without a restart."""
    put(root, "a.md", "Likes green tea", state="approved")
    desk = open_desk(root)
    root.rename(tmp_path / "away")
    with pytest.raises(VaultMissing, match="missing"):
        desk.read("tea", 7)
    (tmp_path / "away").rename(root)
    assert texts(desk, "tea") == ["Likes green tea"]


def test_recreated_root_is_watched_again(root: Path, tmp_path: Path) -> None:
    """A folder that was deleted and made anew is read and watched anew."""
    put(root, "a.md", "Likes green tea", state="approved")
    desk = open_desk(root)
    root.rename(tmp_path / "old")
    make_vault(root)
    put(root, "b.md", "Likes black coffee", state="approved")
    assert texts(desk, "coffee") == ["Likes black coffee"]
    put(root, "c.md", "Likes cold coffee", state="approved")
    assert len(texts(desk, "coffee")) == 2


def test_a_vault_that_empties_at_once_is_doubted(root: Path) -> None:
    """Ten files gone at once with none left are believed only when seen again 2 s later."""
    paths = [put(root, f"{n}.md", f"Likes tea number {n}", state="approved") for n in range(12)]
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    kept = [path.read_text() for path in paths]
    for path in paths:
        path.unlink()
    with pytest.raises(VaultEmptied):
        desk.read("tea", 7)
    clock.ahead += 1.0
    with pytest.raises(VaultEmptied):
        desk.read("tea", 7)
    for path, text in zip(paths, kept, strict=True):
        path.write_text(text)
    assert len(texts(desk, "tea")) == 12
    for path in paths:
        path.unlink()
    with pytest.raises(VaultEmptied):
        desk.read("tea", 7)
    clock.ahead += 2.5
    assert texts(desk, "tea") == []


def test_few_files_gone_are_believed(root: Path) -> None:
    """Nine files may go at once."""
    paths = [put(root, f"{n}.md", f"Likes tea number {n}", state="approved") for n in range(9)]
    desk = open_desk(root)
    for path in paths:
        path.unlink()
    assert texts(desk, "tea") == []
