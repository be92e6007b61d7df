"""The cache gives back what was read, or nothing: it is private, disposable, and never believed when in doubt."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import personakit.vault.cache as module
from personakit.model.note import Kind
from personakit.vault.cache import RACY_NS, Cache, Words, cache_for
from personakit.vault.reading import Reading, read_file
from personakit.vault.scan import Stamp

NOW = 10_000_000_000_000
OLD = Stamp(1, 2, 3, 4)
WORDS: Words = ((("tea", "likes"), (1, 2), 3),)
AUDIENCE = "assistants: [claude]\nprojects: [p, q]\n"
FILES: list[tuple[str, Kind, str]] = [
    ("memories/a.md", Kind.MEMORY, "Likes tea\n"),
    (
        "memories/b.md",
        Kind.MEMORY,
        f"---\nid: m_0123456789ab\nstate: approved\ncreated: 2026-11-12\n{AUDIENCE}rule: true\n"
        "evidence: [a, ü]\ntags: x, y\naliases: [brew]\nsupersedes: [m_1]\nstale_after: 2027-01-01\n"
        "proposed_by: c\nsource: s\n---\nLikes ☕\n",
    ),
    ("memories/twice.md", Kind.MEMORY, "---\nid: 0\nstate: approved\nstate: restricted\n---\nx\n"),
    ("memories/held.md", Kind.MEMORY, "---\nid: m_0123456789ab\nstate: secret\n---\nx\n"),
    ("memories/empty.md", Kind.MEMORY, "---\na: b\n---\n"),
    ("palace/w/r/a.md", Kind.DRAWER, f"---\nwing: Сад\nstate: restricted\n{AUDIENCE}---\nverbatim\r\n\x00\u2028 \n"),
    ("facts/a.md", Kind.FACT, "---\nsubject: a\npredicate: b\nobject: c\nvalid_to: 2020\n---\n"),
    ("diary/c/a.md", Kind.DIARY, "---\nagent: c\ntopic: t\ntimestamp: 2026\n---\nentry"),
    ("knowledge/a.md", Kind.PASSAGE, "intro\n# A\ntext\n## B\nmore\n"),
    ("proposals/a.md", Kind.PROPOSAL, "---\nid: q_0123456789ab\nredacted: true\nbase: x\n---\nreason\n"),
    ("sessions/a.md", Kind.SESSION, "---\nid: s_0123456789abcdef\nagent: c\n---\n> hi\n"),
    (os.fsdecode(b"memories/caf\xe9.md"), Kind.MEMORY, "A name in another encoding\n"),
]
READINGS = {path: read_file(path, kind, text.encode()) for path, kind, text in FILES}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """Give a cache that is not written yet."""
    return Cache(str(tmp_path / "cache" / "x.jsonl"), '["version 1", "/vault"]')


def rows(*readings: Reading, stamp: Stamp = OLD) -> list[tuple[Stamp, Reading, Words]]:
    """Give what is to be kept of some files."""
    return [(stamp, reading, WORDS if reading.notes else ()) for reading in readings]


def test_every_kind_comes_back_as_it_was_read(cache: Cache) -> None:
    """Notes, claims, problems, known ids and words of every kind and condition survive a round trip."""
    assert {note.kind for reading in READINGS.values() for note in reading.notes} == set(Kind)
    assert cache.save(rows(*READINGS.values()), NOW)
    kept = cache.load()
    assert {path: one.reading for path, one in kept.items()} == READINGS
    assert {one.stamp for one in kept.values()} == {OLD}
    assert {path for path, one in kept.items() if one.words == WORDS} == {p for p, r in READINGS.items() if r.notes}


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=200))
def test_any_text_comes_back(text: str) -> None:
    """No character of a body is lost or changed."""
    reading = read_file("palace/w/r/a.md", Kind.DRAWER, text.encode())
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(f"{folder}/x", "key")
        assert cache.save(rows(reading), NOW)
        assert [one.reading for one in cache.load().values()] == [reading]


def test_no_cache_is_an_empty_one(cache: Cache) -> None:
    """Before the first start there is nothing to load."""
    assert cache.load() == {}


def test_a_cache_is_private(cache: Cache) -> None:
    """The file is 0600 in a folder of 0700, also where the folder was open before; no other file is left."""
    folder = Path(cache.path).parent
    folder.mkdir()
    folder.chmod(0o755)
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(cache.path).stat().st_mode) == 0o600
    assert os.listdir(folder) == ["x.jsonl"]


def test_a_save_replaces_the_one_before(cache: Cache) -> None:
    """An entry goes with its file."""
    assert cache.save(rows(*READINGS.values()), NOW)
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    assert list(cache.load()) == ["memories/a.md"]


@pytest.mark.parametrize(
    ("stamp", "kept"),
    [
        (Stamp(NOW - RACY_NS - 1, 1, 1, 1), True),
        (Stamp(1, NOW - RACY_NS - 1, 1, 1), True),
        (Stamp(NOW - RACY_NS, 1, 1, 1), False),
        (Stamp(1, NOW - RACY_NS, 1, 1), False),
        (Stamp(NOW + 1, 1, 1, 1), False),
    ],
)
def test_a_file_written_just_now_is_left_out(cache: Cache, stamp: Stamp, kept: bool) -> None:
    """What changed less than two seconds ago may have changed again unseen; nor is a time in the future trusted."""
    assert cache.save(rows(READINGS["memories/a.md"], stamp=stamp), NOW)
    assert bool(cache.load()) is kept


@pytest.mark.parametrize("key", ['["version 2", "/vault"]', '["version 1", "/other"]', "", '["version 1"'])
def test_a_cache_of_another_program_or_vault_is_dropped(cache: Cache, key: str) -> None:
    """The first line must be equal for anything to be believed."""
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    assert Cache(cache.path, key).load() == {}


@pytest.mark.parametrize(
    "line",
    [
        *(
            "{",
            "{}",
            "[]",
            "null",
            "1",
            '"x"',
            "[1,2,3]",
            "[" * 100_000,
            '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}',
        ),
        '["p",[1,2,3],"d","read",[],null,[],[],[]]',
        '["p",[1,2,3,4],"d","odd",[],null,[],[],[]]',
        '["p",[1,2,3,4],"d","read",[["memory"]],null,[],[],[]]',
        '["p",[1,2,3,4],"d","read",[["memory",null]],null,[],[],[]]',
        '["p",[1,2,3,4],"d","read",[["odd",null]],null,[],[],[]]',
        '["p",[1,2,3,4],"d","read",[[[],null]],null,[],[],[]]',
        '["p",[1,2,3,4],"d","read",[],[1],[],[],[]]',
        '["p",[1,2,3,4],"d","read",[],["","","","odd",1],[],[],[]]',
        '["p",[1,2,3,4],"d","read",[],null,[[1]],[],[]]',
        '["p",[1,2,3,4],"d","read",[],null,[],[[]],[]]',
        '["p",[1,2,3,4],"d","read",[],null,[],[],[1]]',
        '[[],[1,2,3,4],"d","read",[],null,[],[],[]]',
    ],
)
def test_a_damaged_line_drops_the_whole_cache(cache: Cache, line: str) -> None:
    """One line that is not what was written, and nothing is believed; reading it never fails."""
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    with open(cache.path, "a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert cache.load() == {}


@pytest.mark.parametrize("content", [b"", b"\x00\x01\xff\xfe", b"\x80\x04\x95pickle", b"\xff" * 1_000, b"\n\n"])
def test_a_binary_or_empty_file_is_dropped(cache: Cache, content: bytes) -> None:
    """Whatever lies where the cache should be, loading gives nothing."""
    Path(cache.path).parent.mkdir()
    Path(cache.path).write_bytes(content)
    assert cache.load() == {}
    Path(cache.path).write_bytes(cache.key.encode() + b"\n" + content)
    assert cache.load() == {}


def test_a_truncated_cache_is_never_half_believed(cache: Cache) -> None:
    """Cut anywhere, a cache gives only whole entries that were in it, or nothing."""
    assert cache.save(rows(*READINGS.values()), NOW)
    raw = Path(cache.path).read_bytes()
    whole = cache.load()
    for length in range(0, len(raw), 37):
        Path(cache.path).write_bytes(raw[:length])
        assert cache.load().items() <= whole.items()


def test_a_folder_in_the_place_of_the_cache_is_no_fault(cache: Cache) -> None:
    """What cannot be read or replaced is as if it were not there."""
    Path(cache.path).mkdir(parents=True)
    assert cache.load() == {}
    assert not cache.save(rows(READINGS["memories/a.md"]), NOW)
    assert os.listdir(Path(cache.path).parent) == ["x.jsonl"]


def test_a_cache_that_cannot_be_written_is_no_fault(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk gives False and leaves neither half a cache nor a temporary file; the old one stays."""
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)

    def refuse(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        assert not cache.save(rows(*READINGS.values()), NOW)
    assert os.listdir(Path(cache.path).parent) == ["x.jsonl"]
    assert list(cache.load()) == ["memories/a.md"]


def test_a_dropped_cache_is_gone(cache: Cache) -> None:
    """An owner who wants no cache has none; where there is none, dropping it is no fault."""
    cache.drop()
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    cache.drop()
    assert os.listdir(Path(cache.path).parent) == []


def test_a_cache_lies_in_the_users_folder(tmp_path: Path) -> None:
    """On one file system it lies in the user's cache folder, which need not exist, under a name made from the vault."""
    user = tmp_path / "home" / "cache"
    one, other = (cache_for(str(tmp_path / name), str(user), "v") for name in ("one", "other"))
    assert Path(one.path).parent == Path(other.path).parent == user
    assert one.path != other.path
    assert "one" not in Path(one.path).name
    assert one.key != other.key
    assert one.save(rows(READINGS["memories/a.md"]), NOW)
    assert list(one.load()) == ["memories/a.md"]
    assert other.load() == {}
    assert not (tmp_path / "one").exists()


def test_a_vault_on_another_file_system_keeps_its_own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words do not move to another disk: the cache lies inside `.personakit/`, private, and git never sees it."""
    root = tmp_path / "vault"
    root.mkdir()
    monkeypatch.setattr(module, "_device", lambda path: 1 if path == str(root) else 2)
    cache = cache_for(str(root), str(tmp_path / "user"), "v")
    assert Path(cache.path).parent == root / ".personakit" / "cache"
    assert cache.save(rows(READINGS["memories/a.md"]), NOW)
    assert (root / ".personakit/.gitignore").read_text() == "*\n"
    assert stat.S_IMODE((root / ".personakit").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / ".personakit/cache").stat().st_mode) == 0o700
    assert list(cache.load()) == ["memories/a.md"]
    assert not (tmp_path / "user").exists()


def test_a_vault_that_cannot_be_written_to_has_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `.personakit/` cannot be made, nothing is kept and nothing fails."""
    (tmp_path / ".personakit").write_text("in the way")
    monkeypatch.setattr(module, "_device", lambda path: 1 if path == str(tmp_path) else 2)
    assert not cache_for(str(tmp_path), "/user", "v").save(rows(READINGS["memories/a.md"]), NOW)


def test_a_device_is_that_of_the_nearest_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder not made yet lies where its parent lies; a system that tells nothing gives none."""
    assert module._device(str(tmp_path / "a" / "b")) == tmp_path.stat().st_dev

    def refuse(path: str) -> os.stat_result:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refuse)
        assert module._device("/a/b") is None
