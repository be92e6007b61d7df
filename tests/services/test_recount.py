"""What happened to a memory, from a real repository: by its id, through moves, merges and other memories' files."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personakit.errors import AmbiguousId, ArgumentError, NoHistory, NotThen, UnknownId
from personakit.model.past import utc
from personakit.model.visibility import Sight, viewer
from personakit.services.recount import Recounter, end_of_day, sight_of, without_history
from tests.support import make_vault, open_vault
from tests.vault.history.repositories import BEGIN, DAY, Owner

A, B = "m_0000000000aa", "m_0000000000bb"


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    """Give a vault that is a repository."""
    owner = Owner(tmp_path / "vault")
    make_vault(owner.root)
    return owner


def tea(owner: Owner, name: str = "tea.md", **said: Any) -> Path:
    """Write the memory the tests are about."""
    text = said.pop("text", "Likes tea")
    return owner.put(name, text, **{"id": A, "state": "unconfirmed", **said})


def words(owner: Owner, id_: str = A) -> list[str]:
    """Give what is told of a memory."""
    with Recounter(open_vault(owner.root)) as past:
        return [event.words for event in past.account(id_).events]


def test_a_memorys_life(owner: Owner) -> None:
    """From its proposal to its deletion each change is told once, oldest first, with its commit."""
    tea(owner, proposed_by="claude-code", evidence=["tea, please"])
    commits = [owner.commit("Propose", "PersonaKit-Tool: personakit_propose", "PersonaKit-Assistant: claude-code")]
    tea(owner, proposed_by="claude-code", evidence=["tea, please", "green"])
    commits.append(owner.commit("Quote", "PersonaKit-Tool: personakit_propose", "PersonaKit-Assistant: codex"))
    for state in ("approved", "restricted", "approved", "rejected"):
        tea(owner, proposed_by="claude-code", evidence=["tea, please", "green"], state=state)
        commits.append(owner.commit(state))
    (owner.root / "memories/tea.md").unlink()
    commits.append(owner.commit("Delete"))
    with Recounter(open_vault(owner.root)) as past:
        account = past.account("m_0000000000a")
    assert account.note is None and account.id == A
    assert [event.words for event in account.events] == [
        "proposed by claude-code",
        "quote added",
        "approved by the owner",
        "restricted by the owner",
        "lifted by the owner",
        "rejected by the owner",
        "file deleted",
    ]
    assert [event.commit.id for event in account.events if event.commit] == commits
    assert [event.who for event in account.events[:3]] == ["claude-code", "codex", "the owner"]


def test_a_paths_other_memories_stay_out(owner: Owner) -> None:
    """A file whose path once held another memory, with nearly its words, does not show that memory's events."""
    tea(owner, state="approved", evidence=["a", "b", "c"])
    owner.commit()
    tea(owner, state="rejected", evidence=["a", "b", "c"])
    owner.commit()
    tea(owner, id=B, text="Likes teas", evidence=["a", "b", "c"])
    owner.commit()
    assert words(owner, B) == ["written by the owner"]
    assert words(owner, A) == ["written by the owner", "rejected by the owner", "file deleted"]


def test_a_new_file_like_a_deleted_one_is_new(owner: Owner) -> None:
    """A file that takes a deleted one's text, but for its id, in the same commit, begins with that commit."""
    tea(owner, evidence=["a", "b", "c"])
    owner.commit()
    (owner.root / "memories/tea.md").unlink()
    tea(owner, "new.md", id=B, evidence=["a", "b", "c"])
    owner.commit()
    assert words(owner, B) == ["written by the owner"]


def test_moves_are_found_by_id(owner: Owner) -> None:
    """A file moved to another folder, edited in the same commit, keeps its past; so does one moved back and forth."""
    tea(owner)
    tea(owner, "other.md", id=B)
    owner.commit()
    (owner.root / "memories/tea.md").unlink()
    tea(owner, "drinks/tea.md", text="Likes green tea")
    owner.commit()
    owner.git("mv", "memories/drinks/tea.md", "memories/tea.md")
    owner.commit()
    tea(owner, text="Likes green tea", state="approved")
    owner.commit()
    assert words(owner) == [
        "written by the owner",
        "file moved",
        "words edited",
        "file moved",
        "approved by the owner",
    ]
    assert words(owner, B) == ["written by the owner"]


def test_a_move_in_two_commits(owner: Owner) -> None:
    """A file that is gone in one commit and comes at another path soon after is the same memory."""
    file = tea(owner)
    owner.commit()
    file.unlink()
    owner.commit()
    owner.put("jam.md", "Likes jam", id=B)
    owner.commit()
    tea(owner, "new/tea.md", state="approved")
    owner.commit()
    expected = ["written by the owner", "file deleted", "file came back", "file moved", "approved by the owner"]
    assert words(owner) == expected
    assert words(owner, B) == ["written by the owner"]


def test_a_move_back_that_is_not_committed(owner: Owner) -> None:
    """A file moved away, and back again on disk alone, keeps what happened meanwhile."""
    tea(owner)
    owner.commit()
    (owner.root / "memories/away").mkdir()
    owner.git("mv", "memories/tea.md", "memories/away/tea.md")
    owner.commit()
    tea(owner, "away/tea.md", state="approved")
    owner.commit()
    owner.git("mv", "memories/away/tea.md", "memories/tea.md")
    with Recounter(open_vault(owner.root)) as past:
        events = past.account(A).events
    assert [(event.words, event.commit is None) for event in events] == [
        ("written by the owner", False),
        ("file moved", False),
        ("approved by the owner", False),
        ("file moved", True),
    ]


def test_other_kinds_have_no_recount(owner: Owner) -> None:
    """An id of another kind is told to be none of a memory's."""
    (owner.root / "facts").mkdir()
    fact = "---\ntype: fact\nid: t_0123456789ab\nsubject: tea\npredicate: is\nobject: green\n---\n"
    (owner.root / "facts/a.md").write_text(fact)
    owner.commit()
    with Recounter(open_vault(owner.root)) as past, pytest.raises(ArgumentError, match="is no memory"):
        past.account("t_")


def test_a_rename_of_case_alone_is_one_change(owner: Owner) -> None:
    """Renaming tea.md to Tea.md is one change of one memory, committed or not."""
    file = tea(owner)
    owner.commit()
    file.rename(file.with_name("Tea.md"))
    with Recounter(open_vault(owner.root)) as past:
        assert [(event.words, event.commit is None) for event in past.account(A).events] == [
            ("written by the owner", False),
            ("file moved", True),
        ]
    owner.commit()
    assert words(owner) == ["written by the owner", "file moved"]


def test_line_ends_alone_are_no_version(owner: Owner) -> None:
    """A file rewritten with other line ends, committed or on disk, has no new event."""
    file = tea(owner)
    owner.commit()
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert words(owner) == ["written by the owner"]
    owner.commit()
    assert words(owner) == ["written by the owner"]


def test_what_is_on_disk_is_told_as_not_committed(owner: Owner) -> None:
    """Edits, new files, deletions and moves that no commit has yet come last, without a commit."""
    file = tea(owner)
    owner.commit()
    tea(owner, state="approved")
    tea(owner, "new.md", id=B)
    with Recounter(open_vault(owner.root)) as past:
        last, new = past.account(A).events[-1], past.account(B).events
        assert (last.words, last.commit) == ("approved by the owner", None)
        assert [(event.words, event.commit) for event in new] == [("written by the owner", None)]
    file.unlink()
    assert words(owner) == ["written by the owner", "file deleted"]


def test_held_versions(owner: Owner) -> None:
    """A version that cannot be read is told as that, and keeps no id of another memory's."""
    file = tea(owner)
    owner.commit()
    file.write_text("---\nid: [\n---\nLikes tea\n")
    owner.commit()
    tea(owner, state="approved")
    owner.commit()
    expected = ["written by the owner", "could not be read", "could be read again", "approved by the owner"]
    assert words(owner) == expected
    file.write_text(f"---\nid: {A}\nstate: approved\nx: [\n---\nLikes tea\n")
    with Recounter(open_vault(owner.root)) as past:
        account = past.account(A)
    assert [event.words for event in account.events] == [*expected, "could not be read"]
    assert sight_of(account, viewer()) is Sight.HIDDEN


def test_merges_tell_both_sides_once(owner: Owner) -> None:
    """What two branches did is told as theirs; the merge adds its own decision alone."""
    tea(owner, category="tools", note="x", tags="y")
    owner.commit()
    owner.git("checkout", "-qb", "side")
    tea(owner, category="tools", note="x", tags="y", text="Likes green tea")
    owner.commit()
    owner.git("checkout", "-q", "main")
    tea(owner, category="tools", note="x", tags="y", state="approved")
    owner.commit()
    owner.git("merge", "-q", "-m", "Merge", "side")
    assert sorted(words(owner)) == ["approved by the owner", "words edited", "written by the owner"]


def test_a_memory_as_it_was(owner: Owner) -> None:
    """Its content at the end of a day or at a commit, wherever its file was; a clear sentence when it was not there."""
    tea(owner, note="mine")
    first = owner.commit()
    owner.git("mv", "memories/tea.md", "memories/other.md")
    tea(owner, "other.md", text="Likes green tea", state="approved")
    owner.commit()
    (owner.root / "memories/other.md").unlink()
    owner.commit()
    day = datetime.fromtimestamp(BEGIN + 2 * DAY, UTC).astimezone().date().isoformat()
    with Recounter(open_vault(owner.root)) as past:
        then = past.then(A, first[:9])
        assert (then.memory.text, then.memory.path, then.keys["note"]) == ("Likes tea", "memories/tea.md", "mine")
        then = past.then(A, day)
        assert then.memory.text == "Likes green tea" and then.commit.at == BEGIN + 2 * DAY
        with pytest.raises(NotThen, match="was not there at HEAD"):
            past.then(A, "HEAD")
        with pytest.raises(NotThen, match="History begins later"):
            past.then(A, "2001-02-03")
        for wrong in ("2026-02-30", "--all", "nowhere"):
            with pytest.raises(ArgumentError):
                past.then(A, wrong)
        with pytest.raises(UnknownId):
            past.then("m_ff", "HEAD")


def test_ids_that_only_history_knows(owner: Owner) -> None:
    """Deleted memories answer to a start of their id that fits one of them."""
    for name, id_ in (("a.md", A), ("b.md", B)):
        tea(owner, name, id=id_, text=f"Likes {name}")
    owner.commit()
    (owner.root / "memories/a.md").unlink()
    (owner.root / "memories/b.md").unlink()
    with Recounter(open_vault(owner.root)) as past:
        assert past.account("m_0000000000a").id == A
        for unclear in ("m_0", "m_0000000000"):
            with pytest.raises(AmbiguousId):
                past.account(unclear)
    owner.commit()
    assert words(owner, "m_0000000000b") == ["written by the owner", "file deleted"]
    with Recounter(open_vault(owner.root)) as past:
        for unknown in ("", "m_ff"):
            with pytest.raises(UnknownId):
                past.account(unknown)


def test_history_passes_the_gate_of_now(owner: Owner) -> None:
    """State and audience of now count for all of the past; of a file that is gone, those of its last version."""
    someone = viewer("claude-code")

    def sight() -> Sight:
        with Recounter(open_vault(owner.root)) as past:
            return sight_of(past.account(A), someone)

    file = tea(owner, state="approved")
    owner.commit()
    assert sight() is Sight.SERVED
    tea(owner, state="restricted")
    assert sight() is Sight.WITHHELD
    owner.commit()
    file.unlink()
    assert sight() is Sight.WITHHELD
    owner.commit()
    assert sight() is Sight.WITHHELD
    tea(owner, state="approved", assistants=["codex"])
    assert sight() is Sight.HIDDEN
    owner.commit()
    file.unlink()
    owner.commit()
    assert sight() is Sight.HIDDEN
    tea(owner, state="approved")
    owner.commit()
    file.unlink()
    owner.commit()
    assert sight() is Sight.SERVED
    file.write_text(f"---\nid: {A}\nx: [\n---\nLikes tea\n")
    owner.commit()
    file.unlink()
    owner.commit()
    assert sight() is Sight.HIDDEN


def test_the_whole_vault_lately(owner: Owner) -> None:
    """The latest events of all memories, oldest first, moves and deletions as one each."""
    tea(owner)
    owner.put("b.md", "Likes jam", id=B)
    owner.commit()
    owner.git("mv", "memories/tea.md", "memories/green.md")
    owner.commit()
    (owner.root / "memories/b.md").write_text("---\nid: [\n---\n")
    owner.commit()
    (owner.root / "memories/green.md").unlink()
    owner.commit()
    with Recounter(open_vault(owner.root)) as past:
        found = past.lately(30)
        assert [(told.id, told.event.words) for told in found] == [
            (B, "written by the owner"),
            (A, "written by the owner"),
            (A, "file moved"),
            (B, "could not be read"),
            (A, "file deleted"),
        ]
        assert past.lately(2) == found[-2:]


def test_a_shallow_clone_tells_where_it_begins(owner: Owner, tmp_path: Path) -> None:
    """Its first commit is no birth, and a day before it is said not to be here."""
    tea(owner)
    owner.commit()
    tea(owner, state="approved")
    owner.commit()
    clone = Owner(tmp_path / "clone", make=False)
    owner.git("clone", "-q", "--depth=1", f"file://{owner.root}", str(clone.root))
    with Recounter(open_vault(clone.root)) as past:
        account = past.account(A)
        assert [event.words for event in account.events] == ["earlier history is not here"]
        assert account.beginning is not None and utc(account.beginning.at) == utc(BEGIN + 2 * DAY)
        with pytest.raises(NotThen, match="shallow clone"):
            past.then(A, "2001-02-03")
        assert past.lately(5) == []


def test_the_lines_commits(owner: Owner) -> None:
    """The commit that last changed what a memory says under a key is known, also where the file was touched since."""
    tea(owner)
    first = owner.commit()
    tea(owner, state="approved")
    second = owner.commit()
    tea(owner, state="approved", note="x")
    owner.commit()
    with Recounter(open_vault(owner.root)) as past:
        account = past.account(A)
    found = {key: account.last_change_of(key) for key in ("text", "state")}
    assert {key: step.commit.id for key, step in found.items() if step and step.commit} == {
        "text": first,
        "state": second,
    }


def test_without_history_front_matter_speaks(tmp_path: Path) -> None:
    """Where there is no repository, what the file says of itself is told."""
    owner = Owner(make_vault(tmp_path / "vault"), make=False)
    tea(owner, proposed_by="codex")
    vault = open_vault(owner.root)
    with pytest.raises(NoHistory):
        Recounter(vault)
    assert [event.words for event in without_history(vault, "m_0").events] == ["proposed by codex"]
    with pytest.raises(UnknownId):
        without_history(vault, "m_ff")


def test_the_end_of_a_day() -> None:
    """A day ends with its last second in the machine's own zone."""
    assert datetime.fromtimestamp(end_of_day("2026-10-01")).isoformat() == "2026-10-01T23:59:59"
    with pytest.raises(ArgumentError):
        end_of_day("9999-12-31")


OTHER_STATE = {"approved": "unconfirmed", "unconfirmed": "approved"}
OTHER_ENDS = {"\n": "\r\n", "\r\n": "\n"}
DECIDED = {"approved": "approved", "unconfirmed": "reopened"}
ACTS = st.lists(
    st.sampled_from(["approve", "reword", "move", "swap", "delete", "return", "break", "ends", "commit", "commit"]),
    min_size=3,
    max_size=14,
)


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(ACTS)
def test_random_pasts_of_two_memories(acts: list[str]) -> None:
    """Whatever is done to two files, paths swapped and taken over among it, each memory is told its own events."""
    with tempfile.TemporaryDirectory() as folder:
        owner = Owner(Path(folder).resolve() / "vault")
        make_vault(owner.root)
        both = {A: _Kept(owner, A, "a.md"), B: _Kept(owner, B, "b.md")}
        for number, act in enumerate(["commit", *acts]):
            if act == "commit":
                owner.commit()
                for kept in both.values():
                    kept.settle()
            elif act == "swap":
                if all(kept.there for kept in both.values()):
                    both[A].name, both[B].name = both[B].name, both[A].name
                    for kept in both.values():
                        kept.write()
            else:
                both[(A, B)[number % 2]].act(act, number)
        for id_, kept in both.items():
            kept.settle()
            assert words(owner, id_) == kept.told, acts


class _Kept:
    """One memory as the test keeps count of it."""

    def __init__(self, owner: Owner, id_: str, name: str) -> None:
        self.owner, self.id, self.name = owner, id_, name
        self.text, self.state, self.there, self.broken, self.ends = "Likes tea", "unconfirmed", True, False, "\n"
        self.told: list[str] = []
        self.last: tuple[str, str, str, bool, bool] | None = None
        self.write()

    def write(self) -> None:
        path = self.owner.put(self.name, self.text, id=self.id, state=self.state)
        if self.broken:
            path.write_text(path.read_text().replace("state:", "state: [", 1))
        path.write_bytes(path.read_bytes().replace(b"\n", self.ends.encode()))

    def act(self, act: str, number: int) -> None:
        file = self.owner.root / "memories" / self.name
        if not self.there and act != "return":
            return
        if act in ("delete", "move"):
            file.unlink()
        if act == "delete":
            self.there = False
            return
        self.broken = (self.broken and self.there) != (act == "break")
        self.there = True
        self.name = f"{number}/{self.id}.md" if act == "move" else self.name
        self.text = f"Likes tea in {number} ways" if act == "reword" else self.text
        self.state = OTHER_STATE[self.state] if act == "approve" else self.state
        self.ends = OTHER_ENDS[self.ends] if act == "ends" else self.ends
        self.write()

    def settle(self) -> None:
        """Note what must be told, now that what is on disk counts."""
        if self.last is None:
            self.told = ["written by the owner"]
            self.last = (self.name, self.text, self.state, True, False)
            return
        name, text, state, there, broken = self.last
        if not self.there:
            self.told += ["file deleted"] if there else []
            self.last = (name, text, state, False, broken if there else False)
            return
        told = [] if there else ["file came back"]
        told += ["file moved"] if self.name != name else []
        was_broken = broken and there
        if self.broken != was_broken:
            told += ["could not be read" if self.broken else "could be read again"]
        if not self.broken:
            told += [f"{DECIDED[self.state]} by the owner"] if state != self.state else []
            told += ["words edited"] if text != self.text else []
            text, state = self.text, self.state
        self.told += told
        self.last = (self.name, text, state, True, self.broken)
