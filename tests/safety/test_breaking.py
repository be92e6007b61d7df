"""What a stranger tried: ways to make a file mean something else, or a server say too much, and what comes of it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from personakit.errors import DiskError, HeldFile, NotEditable, SettingsError, TooMany, VaultUnreadable
from personakit.model.note import Kind
from personakit.model.states import State
from personakit.services.answers import Stored
from personakit.services.decide import decide
from personakit.services.examine import examine
from personakit.vault.store import DiskVault, Seen
from tests.rpc import ERAS, Client, Era
from tests.support import SetClock, make_vault, open_desk, open_vault, put, text_of, texts

SECRET = "Secret zebra"
NOT_ON_THE_FIRST_LINE = [
    f"\n---\nstate: restricted\nnote: a: b\n---\n{SECRET}\n",
    f"\n---\nstate: restricted\nx: *a\n---\n{SECRET}\n",
    f"\n---\nstate: restricted\n{SECRET}\n",
    f"---\ntype: memory\n---\n---\nstate: restricted\nnote: a: b\n---\n{SECRET}\n",
    f"\ufeff\ufeff---\nstate: restricted\n---\n{SECRET}\n",
    f"\u200b---\nstate: restricted\n---\n{SECRET}\n",
    f"---\u00a0\nstate: restricted\n---\n{SECRET}\n",
    f"<!-- c -->\n---\nstate: restricted\n---\n{SECRET}\n",
    f"# Title\n---\nstate: restricted\n---\n{SECRET}\n",
    f"\n\n\n\n---\nstate: restricted\n---\n{SECRET}\n",
]
HELD = [
    *NOT_ON_THE_FIRST_LINE,
    f"---\nstate: restricted\n{SECRET}\n",
    f"---\nstate: restricted\n---\n{SECRET}\n\n" + "x" * 70_000,
    f"---\nstate: restricted\n---\n<<<<<<< a\n{SECRET}\n=======\nOther\n>>>>>>> b\n",
    f"---\nstate: sure\n---\n{SECRET}\n",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty vault."""
    return make_vault(tmp_path / "vault")


@pytest.mark.parametrize("text", HELD, ids=range(len(HELD)))
def test_what_is_not_certain_is_held_and_its_words_are_known(root: Path, text: str) -> None:
    """A block that is not cleanly on the first line holds its file, and its words cannot be stored beside it."""
    (root / "memories" / "a.md").write_text(text)
    clock = SetClock()
    clock.ahead = 10.0
    desk = open_desk(root, clock=clock)
    desk.read("zebra", 7)
    clock.ahead += 3.0
    answer = desk.read("zebra", 7)
    assert answer.memories == () and answer.withheld == 0
    assert not examine(desk._vault).ok
    with pytest.raises(HeldFile):
        desk.propose(SECRET, "q", "other")
    assert len(list((root / "memories").rglob("*.md"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "---\nstate: approved\n---\nSecret zebra\n>>>>>>> theirs\n",
        "---\nstate: approved\n---\n<<<<<<<\nfoo zebra\n=======\nbar\n>>>>>>>\n",
        "Secret zebra\rnotes below\r\rmore\r",
    ],
)
def test_left_over_markers_and_lone_returns_hold(root: Path, text: str) -> None:
    """Half a merge, markers without a label, and lines that end in a lone CR are not served."""
    (root / "memories" / "a.md").write_bytes(text.encode())
    assert texts(open_desk(root), "zebra") == []


@pytest.mark.parametrize(
    "text",
    [
        "Likes zebras\n\n---\n\nA rule in the notes: fine\n\n---\n\n```yaml\n---\nstate: approved\n---\n```\n",
        "Likes zebras\n=======\n\nnotes\n",
        "Likes zebras\n\n---\nnothing of ours: x\n",
    ],
)
def test_ordinary_markdown_is_not_held(root: Path, text: str) -> None:
    """Rules, underlines and examples in fenced code are what they are."""
    (root / "memories" / "a.md").write_text(text)
    assert len(texts(open_desk(root), "zebras")) == 1


def test_a_file_that_a_sync_service_took_away_keeps_its_words_and_name(root: Path) -> None:
    """A memory whose file is elsewhere is neither served nor stored again, and its name stays its own."""
    desk = open_desk(root)
    stored = desk.propose("Likes tea", "q", "other")
    assert isinstance(stored, Stored)
    (path,) = (root / "memories").rglob("*.md")
    path.rename(path.with_name(f".{path.name}.icloud"))
    assert texts(desk, "tea") == []
    with pytest.raises(HeldFile):
        desk.propose("Likes tea", "q", "other")
    fresh = open_desk(root)
    assert isinstance(fresh.propose("Likes tea", "q", "other"), Stored)
    assert not path.exists()


def test_settings_errors_keep_the_owners_words(root: Path) -> None:
    """An assistant learns that the settings cannot be used, and no name that stands in them."""
    (root / "personakit.yaml").write_text("format: 1\nprojects:\n  Divorce Lawyer:\n    consent: maybe\n")
    with Client(root) as client:
        result = client.call("personakit_read", {"question": "x"})
    assert result["isError"] and "Divorce" not in json.dumps(result)
    with pytest.raises(SettingsError, match="Divorce Lawyer"):
        open_vault(root)


def test_a_limit_counts_what_the_assistant_may_see(tmp_path: Path) -> None:
    """Memories that an assistant may not see do not count against its limit."""
    root = make_vault(tmp_path, "format: 1\nunconfirmed_per_proposer: 1\n")
    put(root, "a.md", "Likes tea", state="unconfirmed", proposed_by="claude", assistants=["other"])
    desk = open_desk(root, assistant="claude")
    assert isinstance(desk.propose("Likes coffee", "q", "other"), Stored)
    with pytest.raises(TooMany):
        desk.propose("Likes cake", "q", "other")


@pytest.mark.parametrize("era", ERAS)
def test_deep_nesting_ends_nothing(root: Path, era: Era) -> None:
    """Messages and arguments nested hundreds deep get an answer, and the server goes on."""
    with Client(root, era) as client:
        for depth in (400, 900, 5000):
            deep = "[" * depth + "]" * depth
            client.send_line(f'{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":{deep}}}}}'.encode())
            client.send_line(f'{{"jsonrpc":"2.0","id":"d{depth}","method":"ping","params":{{"x":{deep}}}}}'.encode())
        nested: object = "x"
        for _ in range(300):
            nested = [nested]
        error = client.call("personakit_read", {"question": nested})["structuredContent"]["error"]
        assert error["field"] == "question"
        assert client.read("tea")["withheld"] == 0


def test_settings_are_read_from_a_file_only(root: Path, tmp_path: Path) -> None:
    """A pipe or a link in the place of personakit.yaml is an error, not a wait and not a way out of the vault."""
    outside = tmp_path / "outside.yaml"
    outside.write_text("format: 1\nconsent: full\n")
    desk = open_desk(root)
    (root / "personakit.yaml").unlink()
    os.mkfifo(root / "personakit.yaml")
    with pytest.raises(SettingsError):
        desk.read("x", 7)
    (root / "personakit.yaml").unlink()
    (root / "personakit.yaml").symlink_to(outside)
    with pytest.raises(SettingsError):
        desk.read("x", 7)


@pytest.mark.parametrize("name", ["memories", ".personakit"])
def test_a_linked_folder_is_not_written_through(root: Path, tmp_path: Path, name: str) -> None:
    """Where a folder of the vault is a link, nothing is made behind it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    if (root / name).exists():
        shutil.rmtree(root / name)
    (root / name).symlink_to(outside)
    with pytest.raises(DiskError):
        open_desk(root).propose("Likes tea", "q", "other")
    assert list(outside.iterdir()) == []


def test_a_right_given_back_counts_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that could not be read for want of rights counts from the next call on, though its stamp is the same."""
    path = put(root, "a.md", "Likes tea", state="approved")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    real, refused = os.open, {"a.md"}

    def opened(name: object, flags: int, mode: int = 0o777) -> int:
        if os.path.basename(str(name)) in refused:
            raise PermissionError(13, "Permission denied")
        return real(str(name), flags, mode)

    monkeypatch.setattr("personakit.vault.store.os.open", opened)
    desk = open_desk(root)
    assert texts(desk, "tea") == []
    refused.clear()
    assert texts(desk, "tea") == ["Likes tea"]


def test_memories_that_cannot_be_listed_are_no_empty_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While memories/ cannot be listed each call says so, and when it can be, the next one answers."""
    put(root, "a.md", "Likes tea", state="approved")
    desk = open_desk(root)
    real, refused = os.scandir, [True]

    def listed(path: str) -> object:
        if refused and str(path).endswith("memories"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("personakit.vault.scan.os.scandir", listed)
    desk._vault.freshness.sweep()
    for _ in range(2):
        with pytest.raises(VaultUnreadable):
            desk.read("tea", 7)
    refused.clear()
    assert texts(desk, "tea") == ["Likes tea"]


def test_many_empty_files_cost_one_look_each(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that stay empty are judged once, not at every call."""
    for number in range(50):
        (root / "memories" / f"{number}.md").write_text("")
    clock = SetClock()
    desk = open_desk(root, clock=clock)
    for _ in range(3):
        clock.ahead += 3.0
        texts(desk, "tea")
    reads: list[str] = []
    real = DiskVault._read

    def read(vault: DiskVault, path: str, kind: Kind, known: str | None) -> Seen:
        reads.append(path)
        return real(vault, path, kind, known)

    monkeypatch.setattr(DiskVault, "_read", read)
    texts(desk, "tea")
    assert reads == []


def test_a_passage_is_not_decided(root: Path) -> None:
    """A decision names a whole file; one passage of a document is refused and the document stays."""
    (root / "knowledge").mkdir()
    document = root / "knowledge" / "guide.md"
    document.write_text("# One\n\nFirst\n")
    vault = open_vault(root)
    (note,) = vault.library.notes()
    with pytest.raises(NotEditable, match="passage"):
        decide(vault, note.id, State.RESTRICTED)
    assert document.read_text() == "# One\n\nFirst\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('state: "unconfirmed"# look\n', "state: approved # look\n"),
        ("state: unconfirmed\n  # look\n", "state: approved\n  # look\n"),
        ("State: 'unconfirmed'  # look\n", "State: approved  # look\n"),
    ],
)
def test_comments_stay(root: Path, before: str, after: str) -> None:
    """A comment behind or below a value survives a decision."""
    path = root / "memories" / "a.md"
    path.write_text(f"---\nid: m_0123456789ab\n{before}---\nLikes tea\n")
    decide(open_vault(root), "m_0123456789ab", State.APPROVED)
    assert path.read_text() == f"---\nid: m_0123456789ab\n{after}---\nLikes tea\n"


def test_a_signal_does_not_wait_for_a_call(root: Path) -> None:
    """SIGTERM ends the server at once while a proposal waits for the lock, and nothing is stored afterwards."""
    put(root, "a.md", text_of("Likes tea"), state="approved")
    with Client(root) as client:
        client.read("tea")
        machine = root / ".personakit"
        machine.mkdir(exist_ok=True)

        with FileLock(machine / "lock"):
            arguments = {"text": "Likes coffee", "quote": "q"}
            call = {"name": "personakit_propose", "arguments": arguments}
            client.send({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call})
            client.read("tea")
            client.process.terminate()
            assert client.process.wait(2.5) == 0
        assert len(list((root / "memories").rglob("*.md"))) == 1
