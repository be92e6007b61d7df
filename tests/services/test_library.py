"""The library: equal to a fresh scan after any sequence of changes, one file's fault staying its own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personakit.index.entry import entry_for
from personakit.index.words import Tokeniser
from personakit.model.diary import DiaryEntry
from personakit.model.drawer import Drawer
from personakit.model.visibility import viewer
from personakit.services import library as services_library
from personakit.services.file_drawer import NewDrawer, file_drawer
from personakit.services.freshness import Freshness
from personakit.services.library import Library
from personakit.services.palace import taxonomy
from personakit.vault.store import DiskVault
from personakit.vault.watch import NoWatch
from tests.support import SetClock, make_vault, open_desk, open_vault, put

NAMES = ("a.md", "a 1.md", "a (1).md", "a.sync-conflict-20261121-184717-5RQAITR.md", "b.md", "sub/c.md", "d.md")
IDS = ("m_00000000000a", "m_00000000000b", "m_1e8d6a5bd6f4", "nonsense", "")
STATEMENTS = ("Likes tea", "likes TEA.", "Likes coffee", "Sails at dawn", "")
STATES = ("approved", "unconfirmed", "restricted", "rejected", "sure", "")
TWO_BLOCKS = "---\nstate: approved\n---\n---\nid: x\n---\nLikes tea\n"
FAULTY = [
    b"\xff\xfe",
    b"---\n\x00: {\n---\nx",
    b"---\na: b: c\n---\nx",
    b"---\n- a\n---\nx",
    b"x" * 70_000,
    b"\x00" * 10,
]


def written(id_: str, state: str, statement: str, supersedes: str) -> str:
    """Give a file's text; empty parts are left out."""
    keys = {"id": id_, "state": state, "supersedes": supersedes}
    lines = [f"{key}: {value}" for key, value in keys.items() if value]
    return "\n".join(["---", *lines, "---", statement, ""])


TEXTS = st.one_of(
    st.builds(written, *map(st.sampled_from, (IDS, STATES, STATEMENTS, ("", *IDS[:2])))),
    st.sampled_from(
        ["", "Likes tea\n", "---\nstate: restricted\n", "---\nstate: approved\n---\n---\nid: x\n---\nLikes tea\n"]
    ),
)
CHANGES = st.lists(st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), TEXTS)), min_size=1, max_size=12)


def fresh(root: Path) -> Library:
    """Read the vault as a new process would, long after every save."""
    clock = SetClock()
    clock.ahead = 10.0
    library = Library(DiskVault(str(root)), clock, Tokeniser())
    Freshness(library, NoWatch(), clock, str(root)).load({})
    return library


def said(library: Library) -> object:
    """Give all that an answer or the doctor could tell from."""
    return (
        library.notes(),
        {path: (record.reading.condition, record.reading.notes) for path, record in library.files.items()},
        library.verdicts,
        sorted(id_ for id_ in IDS if library.is_held(id_)),
        {id_: library.claiming(id_) for id_ in IDS},
        sorted(library.table.superseded(viewer(every_list=True))) and len(library.table.superseded(viewer())),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CHANGES)
def test_equals_a_fresh_scan_after_any_changes(changes: list[tuple[str, str | None]]) -> None:
    """After any sequence of saves and deletions, taken in one by one, the library says what a fresh one says."""
    with tempfile.TemporaryDirectory() as folder:
        root = make_vault(Path(folder).resolve())
        clock = SetClock()
        library = Library(DiskVault(str(root)), clock, Tokeniser())
        freshness = Freshness(library, NoWatch(), clock, str(root))
        freshness.load({})
        for name, text in changes:
            path = root / "memories" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text)
            library.apply([f"memories/{name}"])
        clock.ahead += 10.0
        freshness.before_call()
        assert said(library) == said(fresh(root))


def test_a_changed_document_equals_a_fresh_scan(tmp_path: Path) -> None:
    """Whatever of it changes; of a section that says what it said no word is looked at again."""
    make_vault(tmp_path)
    (tmp_path / "knowledge").mkdir()
    path = tmp_path / "knowledge/a.md"
    (tmp_path / "knowledge/b.md").write_text("---\nid: b\n---\n# B\nOtters swim.\n")
    text = "---\nid: a\n---\n# A\n" + "\n".join(f"## Part {n}\nWords of part {n}." for n in range(9))
    path.write_text(text)
    library = fresh(tmp_path)
    changes = (
        text.replace("of part 3", "about part 3"),
        text.replace("## Part 4\nWords of part 4.\n", ""),
        text.replace("# A\n", "# New title\n"),
        text.replace("id: a", "id: a\nstate: restricted"),
        text.replace("id: a", "id: a\nassistants: beta"),
        text.replace("id: a", "id: a\ncreated: 2026-01-01"),
        text.replace("id: a", "id: b\ncreated: 2026-01-01"),
        text,
    )
    for changed in changes:
        path.write_text(changed)
        library.apply(["knowledge/a.md"])
        anew = fresh(tmp_path)
        assert said(library) == said(anew) and list(library.table) == list(anew.table)
    with mock.patch.object(services_library, "entry_for", side_effect=entry_for) as looked:
        path.write_text(text.replace("of part 3", "about part 3"))
        library.apply(["knowledge/a.md"])
    assert [call.args[0].text for call in looked.call_args_list] == ["Words about part 3."]


def test_one_files_fault_stays_its_own(tmp_path: Path) -> None:
    """Files that cannot be read are held and named, and everything else is served."""
    root = make_vault(tmp_path)
    put(root, "good.md", "Likes tea", state="approved")
    for number, raw in enumerate(FAULTY):
        (root / "memories" / f"{number}.md").write_bytes(raw)
    vault = open_vault(root)
    assert [note.text for note in vault.library.notes() if note.text.startswith("Likes")] == ["Likes tea"]
    assert len(vault.library.files) == 7


def test_every_kind_is_taken_in(tmp_path: Path) -> None:
    """Drawers, facts, diary entries, documents, proposals and transcripts are read, gated and counted like memories."""
    root = make_vault(tmp_path)
    files = {
        "palace/house/attic/a.md": "An old trunk\n",
        "facts/2026-11/a.md": "---\nsubject: Max\npredicate: owns\nobject: a boat\n---\n",
        "diary/codex/a.md": "---\nstate: restricted\n---\nToday was long\n",
        "knowledge/guide.md": "# One\n\nFirst part\n\n# Two\n\nSecond part\n",
        "proposals/q.md": "---\nid: q_0123456789ab\nstatus: waiting\n---\nBetter words\n",
        "sessions/2026-11/s.md": "---\nid: s_0123456789abcdef\n---\n> hello\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    kinds = [note.kind.value for note in open_vault(root).library.notes()]
    assert sorted(kinds) == ["diary", "drawer", "fact", "passage", "passage", "proposal", "session"]


def test_a_cached_start_says_the_same(tmp_path: Path, cache_home: Path) -> None:
    """A second start from the cache says what the first one said, and reads only what changed."""
    root = make_vault(tmp_path / "vault")
    for number in range(30):
        put(root, f"{number}.md", f"Likes tea number {number}", state="approved", tags=["drinks"])
    clock = SetClock()
    clock.ahead = 10.0
    first = open_vault(root, clock)
    assert list(cache_home.rglob("*.jsonl"))
    second = open_vault(root, clock)
    assert said(first.library) == said(second.library)
    assert [(entry.words, entry.counts) for entry in first.library.table] == [
        (entry.words, entry.counts) for entry in second.library.table
    ]
    put(root, "7.md", "Likes coffee", state="approved")
    third = open_vault(root, clock)
    assert sum(note.text == "Likes coffee" for note in third.library.notes()) == 1


def test_cache_off_leaves_nothing(tmp_path: Path, cache_home: Path) -> None:
    """Under `cache: off` no word of the vault is kept outside it, and what was kept before goes."""
    root = make_vault(tmp_path / "vault")
    put(root, "a.md", "Likes tea", state="approved")
    clock = SetClock()
    clock.ahead = 10.0
    open_vault(root, clock)
    assert list(cache_home.rglob("*.jsonl"))
    (root / "personakit.yaml").write_text("format: 1\ncache: off\n")
    open_vault(root, clock)
    assert not list(cache_home.rglob("*.jsonl")) and not (root / ".personakit" / "cache").exists()


def test_an_entry_goes_with_its_file(tmp_path: Path, cache_home: Path) -> None:
    """The words of a deleted memory leave the cache at the next start, however small a part of the vault it was."""
    root = make_vault(tmp_path / "vault")
    for number in range(200):
        put(root, f"{number}.md", f"Likes tea number {number}", state="approved")
    path = put(root, "gone.md", "Keeps a zebrafinch", state="approved")
    clock = SetClock()
    clock.ahead = 10.0
    open_vault(root, clock)
    (cache,) = cache_home.rglob("*.jsonl")
    assert "zebrafinch" in cache.read_text()
    path.unlink()
    open_vault(root, clock)
    assert "zebrafinch" not in cache.read_text() and "number" in cache.read_text()


def test_a_killed_processs_litter_goes_at_the_next_start(tmp_path: Path) -> None:
    """Temporary files of ours older than a minute go when a server starts; younger ones may be in use and stay."""
    root = make_vault(tmp_path)
    old, young, theirs = (
        root / "memories" / name for name in (".pk-0123456789ab.tmp", ".pk-ba9876543210.tmp", "x.tmp")
    )
    for path in (old, young, theirs):
        path.write_text("half")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    os.utime(theirs, (1_700_000_000, 1_700_000_000))
    open_desk(root)
    assert [path.exists() for path in (old, young, theirs)] == [False, True, True]


def test_a_file_without_names_belongs_to_whose_folder_it_is(vault: Path) -> None:
    """A drawer or an entry that gives no name takes that of its folder's other files, in the very next call."""
    folder = vault / "palace/grun/attic"
    folder.mkdir(parents=True)
    (folder / "dropped.md").write_text("Verbatim words")
    diary = vault / "diary/ada/2026-11"
    diary.mkdir(parents=True)
    (diary / "dropped.md").write_text("Dear diary")
    opened = open_vault(vault)

    def names() -> set[tuple[str, ...]]:
        opened.freshness.before_call()
        notes = opened.library.notes()
        drawers = {(note.wing, note.room) for note in notes if isinstance(note, Drawer)}
        return drawers | {(note.agent,) for note in notes if isinstance(note, DiaryEntry)}

    assert names() == {("grun", "attic"), ("ada",)}
    (folder / "named.md").write_text("---\nwing: Grün\nroom: The Attic\n---\nOther words")
    (diary / "named.md").write_text("---\nagent: Ada Fictiva\n---\nOther words")
    assert names() == {("Grün", "The Attic"), ("Ada Fictiva",)}
    (folder / "named.md").unlink()
    (diary / "named.md").unlink()
    assert names() == {("grun", "attic"), ("ada",)}


@pytest.mark.parametrize(
    "mark", ["state: restricted", "state: rejected", "state: sure", "assistants: beta", "projects: kitchen"]
)
def test_a_hidden_name_is_passed_on_to_no_file(vault: Path, mark: str) -> None:
    """A file without names tells nothing of a hidden one beside it, not after a write and not in the next call."""
    folder = vault / "palace/nightjar/escape"
    folder.mkdir(parents=True)
    (folder / "dropped.md").write_text("Verbatim words")
    desk = open_desk(vault, assistant="alpha")

    def told() -> dict[str, dict[str, int]]:
        return desk.look(lambda asking: taxonomy(asking.vault, asking.viewer), {})

    hidden = folder / "named.md"
    hidden.write_text(f"---\n{mark}\nwing: Project Nightjar\nroom: The Escape\n---\nOther words")
    assert told() == {"nightjar": {"escape": 1}}
    desk.write(lambda asking: file_drawer(asking, NewDrawer("Nightjar", "escape", "new words")))
    assert told() == {"Nightjar": {"escape": 1}, "nightjar": {"escape": 1}}
    hidden.write_text("---\nwing: Project Nightjar\nroom: The Escape\n---\nOther words")
    assert told() == {"Nightjar": {"escape": 1}, "Project Nightjar": {"The Escape": 2}}
    copy = folder / "named.sync-conflict-20261121-184717-5RQAITR.md"
    copy.write_text(hidden.read_text().replace("---\n", f"---\n{mark}\n", 1))
    expected = (
        {"nightjar": {"escape": 1}}
        if mark in ("state: restricted", "state: rejected")
        else {"Project Nightjar": {"The Escape": 2}}
    )
    assert told() == {"Nightjar": {"escape": 1}, **expected}
    desk.close()


DRAWERS = ("a.md", "a 1.md", "b.md", "b.sync-conflict-20261121-184717-5RQAITR.md", "c.md")
DRAWER_TEXTS = st.builds(
    lambda mark, wing, words: f"---\n{mark}\n{wing}\n---\n{words}",
    st.sampled_from(["x: y", "state: restricted", "state: sure", "assistants: beta", "id: drawer_a_b_" + "0" * 24]),
    st.sampled_from(["y: z", "wing: Ä", "wing: B", "wing: Ä\nroom: X"]),
    st.sampled_from(["one", "two"]),
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(DRAWERS), st.none() | DRAWER_TEXTS), min_size=1, max_size=10))
def test_whose_a_drawer_is_equals_a_fresh_scan(changes: list[tuple[str, str | None]]) -> None:
    """After any sequence of changes every drawer has the names that a process which starts now gives it."""
    with tempfile.TemporaryDirectory() as folder:
        root = make_vault(Path(folder).resolve() / "vault")
        (root / "palace/p/q").mkdir(parents=True)
        library = fresh(root)
        for name, text in changes:
            path = root / "palace/p/q" / name
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text)
            library.apply([f"palace/p/q/{name}"])
        assert library.notes() == fresh(root).notes()
