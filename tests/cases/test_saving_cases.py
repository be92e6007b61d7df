"""What a write keeps: every byte that is not its own, the owner's newer version, the file's rights, other files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from personakit.cli.main import COMMANDS
from personakit.errors import Conflict, HeldFile, NotEditable
from personakit.model.memory import memory_id
from personakit.model.note import Kind
from personakit.model.states import State
from personakit.services.answers import Stored
from personakit.vault import layout
from personakit.vault.lines import set_key
from personakit.vault.reading import version_of
from personakit.vault.watch import KernelWatch
from tests.cases.inputs import ID, bring, ids, listed, raw, shown, told
from tests.cli.conftest import Command
from tests.rpc import Client
from tests.services.test_freshness import LostEvents, blind_desk
from tests.support import SetClock, open_desk, open_vault, put, tree_hash

NEW_STATES = {"approve": b"approved", "restrict": b"restricted", "reject": b"rejected", "reopen": b"unconfirmed"}


@pytest.mark.parametrize("verb", NEW_STATES)
@pytest.mark.parametrize("case", ["03-body-bytes-kept", "04-comments-kept", "05-list-style-kept"])
def test_one_word_changes(vault: Path, owner: Command, case: str, verb: str) -> None:
    """A decision changes the one word that is decided on, and no other byte."""
    path = bring(vault, case)
    assert owner(verb, ID).code == 0
    assert path.read_bytes() == raw(case).replace(b"state: unconfirmed", b"state: " + NEW_STATES[verb])


def test_body_bytes_kept(vault: Path, owner: Command) -> None:
    """A body keeps its first blanks, its double blanks at line ends and its last three line breaks."""
    path = bring(vault, "03-body-bytes-kept")
    body = raw("03-body-bytes-kept").split(b"---\n", 2)[2]
    assert body.startswith(b"\n    make test") and b"line one  \nline two\n" in body and body.endswith(b"two\n\n\n")
    assert owner("approve", ID).code == 0
    assert path.read_bytes().split(b"---\n", 2)[2] == body
    assert shown(owner)["state"] == "approved"


def test_comments_kept(vault: Path, owner: Command) -> None:
    """Comments stay where they are, and no word of theirs finds anything."""
    path = bring(vault, "04-comments-kept")
    assert owner("restrict", ID).code == 0
    lines = path.read_bytes().split(b"\n")
    assert b"# owner: reviewed on paper" in lines and b"# keep this list short" in lines
    assert b"state: restricted  # ask again in spring" in lines
    assert open_desk(vault).read("reviewed paper spring short list again", 7).withheld == 0
    assert owner("reopen", ID).code == 0
    assert path.read_bytes() == raw("04-comments-kept")
    assert told(open_desk(vault), "reviewed paper spring short list again") == []
    assert len(told(open_desk(vault), "tabs")) == 1


def test_list_style_kept(vault: Path, owner: Command) -> None:
    """Three spellings of a list are three lists of text, and a decision leaves each as it is."""
    path = bring(vault, "05-list-style-kept")
    properties = shown(owner)
    assert properties["aliases"] == ["Tabs", "Indentation"]
    assert properties["tags"] == ["style", "editor"]
    assert properties["evidence"] == ["uses tabs"]
    assert owner("approve", ID).code == 0
    for spelling in (
        b"aliases: [Tabs, Indentation]\n",
        b"tags:\n- style\n- editor\n",
        b'evidence:\n    - "uses tabs"\n',
    ):
        assert spelling in path.read_bytes()


def test_long_line_not_folded(vault: Path, owner: Command) -> None:
    """A long quote stays on its line when another is added, and the added one is on one line, however long."""
    path = bring(vault, "06-long-line-not-folded")
    before = raw("06-long-line-not-folded")
    quote = "so much to say, " * 30 + "\nand a second line"
    desk = open_desk(vault)
    assert desk.propose("Prefers tabs over spaces.", quote, "tools") == Stored(ID, new=False, state=State.UNCONFIRMED)
    lines = path.read_bytes().split(b"\n")
    assert [line for line in lines if line not in before.split(b"\n")] == lines[6:7]
    assert lines[5] == before.split(b"\n")[5] and len(lines) == len(before.split(b"\n")) + 1
    assert lines[6].startswith(b'  - "so much to say, so much') and len(lines[6]) > 450
    assert len(shown(owner)["evidence"]) == 2
    made = desk.propose("Writes much.", quote, "tools")
    assert isinstance(made, Stored) and made.new
    (new,) = [file for file in (vault / "memories").rglob("*.md") if file != path]
    assert sum(line.startswith(b'  - "') and line.endswith(b'"') for line in new.read_bytes().split(b"\n")) == 1


BROKEN = {"16-broken-yaml-keeps-memory": "Prefers tabs.", "17-broken-yaml-never-wiped": "Really important text."}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_yaml_never_wiped(vault: Path, owner: Command, case: str) -> None:
    """No command and no proposal writes to a file that does not parse: each says so, and no byte changes."""
    bring(vault, case)
    before = tree_hash(vault)
    for verb in NEW_STATES:
        refused = owner(verb, ID)
        assert refused.code == 1 and "is held" in refused.err
    assert owner("propose", BROKEN[case], "--quote", "tabs").code == 1
    with pytest.raises(HeldFile) as refusal:
        open_desk(vault).propose(BROKEN[case].upper(), "tabs, please", "tools")
    assert "held" in str(refusal.value) and "mportant" not in str(refusal.value)
    assert tree_hash(vault) == before


def test_stale_write_refused(vault: Path) -> None:
    """A write that names an older version is refused with the version that is there, which stays."""
    path = bring(vault, "38-stale-write-refused", "v1.md", to="a.md")
    opened = open_vault(vault)
    remembered = opened.library.files["memories/a.md"].reading.digest
    bring(vault, "38-stale-write-refused", "v2.md", to="a.md")
    current = version_of(raw("38-stale-write-refused", "v2.md"), Kind.MEMORY)
    with opened.library.store.writing() as pen, pytest.raises(Conflict) as caught:
        pen.edit("memories/a.md", remembered, lambda old: set_key(old, "state", "approved"), called=ID)
    assert caught.value.current == current != remembered
    assert current in str(caught.value)
    assert path.read_bytes() == raw("38-stale-write-refused", "v2.md")


def test_stale_write_refused_and_two_quotes_at_once(vault: Path, owner: Command) -> None:
    """Two assistants that add a quote to one memory at the same time both get it into the file."""
    bring(vault, "38-stale-write-refused", "v1.md", to="a.md")
    with Client(vault) as one, Client(vault) as other:
        wanted = ["uses tabs, never spaces"]
        for number in range(4):
            for client, name in ((one, "one"), (other, "other")):
                wanted.append(f"quote {number} of {name}")
                call = {"text": "Prefers tabs over spaces.", "quote": wanted[-1]}
                params = {"name": "personakit_propose", "arguments": call}
                client.send({"jsonrpc": "2.0", "id": f"q{number}", "method": "tools/call", "params": params})
            for client in (one, other):
                assert client.receive()["result"]["structuredContent"]["new"] is False
    assert sorted(shown(owner)["evidence"]) == sorted(wanted)
    assert ids(owner) == [ID]


@pytest.mark.parametrize("upper", [False, True])
def test_create_never_overwrites(vault: Path, upper: bool) -> None:
    """A file that nobody has told us of keeps its bytes, in any case of its name; the new memory gets another."""
    clock = SetClock()
    desk = blind_desk(vault, clock, LostEvents)
    id_ = memory_id("Prefers tabs over spaces.")
    name = layout.file_name("Prefers tabs over spaces.", id_)
    month = clock.now().strftime("%Y-%m")
    taken = f"{month}/{name.removesuffix('.md').upper() + '.md' if upper else name}"
    path = bring(vault, "39-create-never-overwrites", "vault/m_0123456789ab.md", to=taken)
    stored = desk.propose("Prefers tabs over spaces.", "tabs, please", "tools")
    assert isinstance(stored, Stored) and stored.new
    assert path.read_bytes() == raw("39-create-never-overwrites", "vault/m_0123456789ab.md")
    (made,) = [file for file in path.parent.iterdir() if file != path]
    assert made.name == name.replace(".md", "-2.md")
    assert made.read_bytes().endswith(b"---\nPrefers tabs over spaces.\n")
    assert stored.id in {memory.id for memory in told(desk, "tabs")}


def test_create_never_overwrites_what_appears_meanwhile(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that appears after the names were looked at keeps its bytes too: creation is exclusive."""
    clock = SetClock()
    desk = blind_desk(vault, clock, LostEvents)
    name = layout.file_name("Prefers tabs over spaces.", memory_id("Prefers tabs over spaces."))
    taken = f"{clock.now().strftime('%Y-%m')}/{name}"
    path = bring(vault, "39-create-never-overwrites", "vault/m_0123456789ab.md", to=taken)
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: [] if str(folder) == str(path.parent) else real(folder))
    stored = desk.propose("Prefers tabs over spaces.", "tabs, please", "tools")
    assert isinstance(stored, Stored) and stored.new
    monkeypatch.undo()
    assert path.read_bytes() == raw("39-create-never-overwrites", "vault/m_0123456789ab.md")
    assert len(real(path.parent)) == 2


def test_atomic_write_keeps_mode_and_link(vault: Path, owner: Command) -> None:
    """A write keeps the file's mode; a link to it stays a link, is named, and is written to by no way in."""
    case = "41-atomic-write-keeps-mode-and-link"
    path = bring(vault, case, "vault/real.md")
    path.chmod(0o664)
    link = path.with_name("link.md")
    link.symlink_to(raw(case, "vault/link.md").decode())
    assert owner("approve", ID).code == 0
    assert path.stat().st_mode & 0o7777 == 0o664
    assert path.read_bytes() == raw(case, "vault/real.md").replace(b"unconfirmed", b"approved")
    assert link.is_symlink() and os.readlink(link) == "real.md"
    assert listed(owner) == [("memories/link.md", "link", 0)]
    opened = open_vault(vault)
    version = version_of(path.read_bytes(), Kind.MEMORY)
    with opened.library.store.writing() as pen, pytest.raises(NotEditable, match="link"):
        pen.edit("memories/link.md", version, lambda old: set_key(old, "state", "rejected"), called="The memory")
    assert link.is_symlink() and shown(owner)["state"] == "approved"
    assert sorted(os.listdir(path.parent)) == ["link.md", "real.md"]


def test_atomic_write_keeps_mode_and_link_when_a_file_becomes_a_link(vault: Path, owner: Command) -> None:
    """A memory that is replaced by a link while it is decided on is refused in a sentence, and the link stays."""
    path = bring(vault, "41-atomic-write-keeps-mode-and-link", "vault/real.md")
    put(vault, "other.md", "Likes tea", id="m_0000000000ff")
    path.unlink()
    path.symlink_to("other.md")
    refused = owner("approve", ID)
    assert refused.code == 1 and f"has the id {ID}" in refused.err
    assert path.is_symlink() and ("memories/real.md", "link", 0) in listed(owner)


KILLED = """
import os, signal, sys
from personakit.cli.main import run
step, words = sys.argv[1], sys.argv[2:]
name, _, when = step.partition(" ")
real = getattr(os, name)
def stand_in(first, *rest):
    path = os.readlink(f"/proc/self/fd/{first}") if isinstance(first, int) else first
    if "memories/.pk-" not in path:
        return real(first, *rest)
    if when == "half":
        real(first, rest[0][: len(rest[0]) // 2])
    if when == "after":
        real(first, *rest)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, stand_in)
run(words)
"""
STEPS = ["write before", "write half", "fsync before", "fsync after", "replace before", "replace after"]


@pytest.mark.parametrize("step", STEPS)
def test_atomic_write_keeps_mode_and_link_through_a_kill(vault: Path, step: str) -> None:
    """Killed at any point, a write leaves the file old or new and whole; its temporary file goes at a later start."""
    case = "41-atomic-write-keeps-mode-and-link"
    path = bring(vault, case, "vault/real.md")
    words = [sys.executable, "-c", KILLED, step, "approve", ID, "--vault", str(vault)]
    assert subprocess.run(words, check=False, capture_output=True).returncode == -signal.SIGKILL
    new = raw(case, "vault/real.md").replace(b"unconfirmed", b"approved")
    assert path.read_bytes() == (new if step == "replace after" else raw(case, "vault/real.md"))
    left = [name for name in os.listdir(path.parent) if name != "real.md"]
    assert len(left) == (step != "replace after")
    for name in left:
        assert name.startswith(".") and not name.endswith(".md")
        os.utime(path.with_name(name), (1, 1))
    desk = open_desk(vault)
    assert os.listdir(path.parent) == ["real.md"]
    assert [memory.id for memory in told(desk, "tabs")] == [ID]


def test_index_rebuild_keeps_hand_text(vault: Path, owner: Command, command: Command) -> None:
    """No command writes over a page that PersonaKit did not make; what it makes lies in a folder of its own."""
    page = vault / "MEMORY.md"
    page.write_bytes(raw("42-index-rebuild-keeps-hand-text", "vault/MEMORY.md"))
    bring(vault, "43-syncthing-conflict-copy", "vault/tabs.md")
    assert command("init", str(vault)).code == 0
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert before[page] == raw("42-index-rebuild-keeps-hand-text", "vault/MEMORY.md")
    calls = {
        **{name: [name] for name in ("list", "status", "doctor")},
        **{name: [name, ID] for name in ("show", "why", "reject", "restrict", "reopen", "approve")},
        "read": ["read", "tabs", "--why"],
        "palace": ["palace"],
        "facts": ["facts", "Ada"],
        "diary": ["diary", "Ada"],
        "sessions": ["sessions"],
        "trace": ["trace", ID],
        "served": ["served"],
        "forget": ["forget", "--journal", "--yes"],
        "proposals": ["proposals"],
        "find": ["find", "tabs"],
        "preview": ["preview", ID, "--reject"],
        "see": ["see", "--as", "alpha", "tabs"],
        "ask": ["ask", "tabs"],
    }
    nothing_to_do = {
        **{name: [name] for name in ("commit", "sync")},  # there is no repository
        "history": ["history", ID],
        "undo": ["undo", "--yes"],
        **{name: [name, "q_000000000000"] for name in ("accept", "decline")},  # and no such proposal
    }
    assert {*calls, *nothing_to_do} == set(COMMANDS) - {"init", "demo", "serve", "propose", "review"}
    for words in nothing_to_do.values():
        assert owner(*words).code == 1
    for words in calls.values():
        assert owner(*words).code == 0
    open_desk(vault)
    after = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    own = vault / ".personakit"
    assert {path: data for path, data in after.items() if own not in path.parents} == {
        path: data for path, data in before.items() if own not in path.parents
    }


def test_autocrlf_churn(vault: Path, owner: Command) -> None:
    """A change of line ends alone is no edit: the same version, the same reading, the same decision."""
    case = "56-autocrlf-churn"
    path = bring(vault, case, "lf.md", to="tabs.md")
    assert version_of(raw(case, "lf.md"), Kind.MEMORY) == version_of(raw(case, "crlf.md"), Kind.MEMORY)
    assert owner("approve", ID).code == 0
    opened = open_vault(vault)
    before = opened.library.files["memories/tabs.md"].reading
    entry = opened.library.table.get(ID)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    opened.freshness.before_call()
    assert opened.library.files["memories/tabs.md"].reading is before
    assert opened.library.table.get(ID) is entry
    assert shown(owner)["state"] == "approved" and listed(owner) == []
    watch = opened.freshness.watch
    assert isinstance(watch, KernelWatch)
    with opened.library.store.writing() as pen:
        pen.edit("memories/tabs.md", before.digest, lambda old: set_key(old, "state", "restricted"), called=ID)
    assert path.read_bytes() == raw(case, "crlf.md").replace(b"unconfirmed", b"restricted")


def test_autocrlf_churn_is_kept_out_by_attributes(tmp_path: Path, command: Command) -> None:
    """A new vault's memories carry git attributes by which git keeps their line ends."""
    root = tmp_path / "new"
    assert command("init", str(root), "--no-git").code == 0
    wanted = raw("56-autocrlf-churn", "dot-gitattributes").decode().splitlines()[0]
    lines = (root / "memories" / ".gitattributes").read_text().splitlines()
    assert wanted == "*.md text eol=lf" and any(line.startswith(wanted) for line in lines)
