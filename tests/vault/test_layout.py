"""Which folder holds which kind, which names are skipped, and the names PersonaKit gives."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.model.memory import memory_id
from personakit.model.note import Kind
from personakit.vault.layout import (
    FOLDERS,
    MAX_MEMORY,
    MAX_NAME,
    MAX_OTHER,
    cloud_stub,
    file_name,
    holds,
    is_markdown,
    is_of_vault,
    is_temporary,
    kind_at,
    max_bytes,
    skips,
)

RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@pytest.mark.parametrize(
    "name", [".git", ".trash", ".x.md", "node_modules", "a.tmp", "a.md~", "#a.md#", ".#a.md", "~", ".tmp"]
)
def test_editors_and_tools_own_names_are_skipped(name: str) -> None:
    """Dot names, node_modules and what editors leave for a moment are never looked at."""
    assert skips(name)


@pytest.mark.parametrize("name", ["a.md", "4913", "tmp.md", "#a.md", "a#", "a~b.md", "node_modules2", "a.tmp.md"])
def test_an_owners_names_are_not_skipped(name: str) -> None:
    """A name that only resembles an editor's own is the owner's."""
    assert not skips(name)


@pytest.mark.parametrize(
    ("name", "is_one"), [("a.md", True), ("A.MD", True), ("a.Md", True), ("a.mdx", False), ("md", False)]
)
def test_markdown_is_told_by_its_ending(name: str, is_one: bool) -> None:
    """The ending counts, in any case."""
    assert is_markdown(name) is is_one


def test_our_own_temporary_names_are_told() -> None:
    """Only `.pk-*.tmp` is ours to sweep."""
    assert is_temporary(".pk-0123456789ab.tmp")
    assert not any(is_temporary(name) for name in (".pk-1.md", "pk-1.tmp", "x.tmp", ".pk-1.tmp~"))


@pytest.mark.parametrize(
    ("name", "stands_for"),
    [
        (".a.md.icloud", "a.md"),
        (".A b.MD.icloud", "A b.MD"),
        (".md.icloud", None),
        ("a.md.icloud", None),
        (".a.md", None),
    ],
)
def test_a_cloud_stub_names_the_file_it_stands_for(name: str, stands_for: str | None) -> None:
    """Only `.name.md.icloud` is a stub."""
    assert cloud_stub(name) == stands_for


@pytest.mark.parametrize(("folder", "kind"), sorted(FOLDERS.items()))
def test_the_top_folder_decides_the_kind(folder: str, kind: Kind) -> None:
    """A file is what its top folder says, however deep it lies."""
    assert kind_at(f"{folder}/a.md") is kind
    assert kind_at(f"{folder}/b/c/a.md") is kind


@pytest.mark.parametrize(
    "path", ["a.md", "Home.md", "templates/a.md", "views/a.md", "Memories/a.md", ".personakit/a.md"]
)
def test_other_folders_hold_no_kind(path: str) -> None:
    """Nothing outside the known folders is read."""
    assert kind_at(path) is None


def test_documents_lie_where_the_settings_say() -> None:
    """Registered folders hold documents; no registration opens a folder of another kind, templates or our own."""
    assert kind_at("docs/team/a.md", ("docs/team",)) is Kind.PASSAGE
    assert kind_at("docs/a.md", ("docs/team",)) is None
    assert kind_at("docs/teams/a.md", ("docs/team/",)) is None
    assert kind_at("knowledge/a.md", ("docs",)) is None
    for everywhere in ("", "."):
        assert kind_at("a.md", (everywhere,)) is Kind.PASSAGE
        assert kind_at("knowledge/a.md", (everywhere,)) is Kind.PASSAGE
        assert kind_at("memories/a.md", (everywhere,)) is Kind.MEMORY
        assert kind_at("templates/a.md", (everywhere,)) is None
        assert kind_at(".personakit/a.md", (everywhere,)) is None
    assert kind_at("palace/a.md", ("palace",)) is Kind.DRAWER


def test_a_folder_holds_what_lies_below_it() -> None:
    """A folder holds its files, not its neighbours with a longer name, nor itself."""
    assert holds("a/b", "a/b/c")
    assert holds("/", "/x")
    assert not holds("a/b", "a/bc")
    assert not holds("a/b", "a/b")


def test_a_memory_is_smaller_than_other_files() -> None:
    """64 KiB for a memory, 1 MiB for any other file."""
    assert max_bytes(Kind.MEMORY) == MAX_MEMORY == 65_536
    assert {max_bytes(kind) for kind in Kind if kind is not Kind.MEMORY} == {MAX_OTHER} == {1_048_576}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Prefers direct, practical feedback", "prefers-direct-practical-feedback-0123456789ab.md"),
        ("Grüße an Zoë!", "grue-an-zoe-0123456789ab.md"),
        ("CON", "note-0123456789ab.md"),
        ("com7", "note-0123456789ab.md"),
        ("🍵🍵", "note-0123456789ab.md"),
        ("お茶", "note-0123456789ab.md"),
        ("", "note-0123456789ab.md"),
        ("../../etc/passwd", "etc-passwd-0123456789ab.md"),
        ("a" * 300, "a" * 60 + "-0123456789ab.md"),
        ("word " * 30, "word-" * 11 + "word-0123456789ab.md"),
    ],
)
def test_a_name_is_a_slug_and_the_ids_hex(words: str, name: str) -> None:
    """Words become ASCII, cut between words; what no system can hold becomes `note`."""
    assert file_name(words, "m_0123456789ab") == name


@settings(deadline=None)
@given(st.text(max_size=400), st.sampled_from(["m_", "t_", "drawer_w_r_"]))
def test_any_words_make_a_name_for_every_system(words: str, prefix: str) -> None:
    """A name has `[a-z0-9-]` and one dot, at most 100 bytes, ends in the id and is never a device's."""
    id_ = prefix + memory_id(words)[2:] * (2 if prefix.startswith("drawer") else 1)
    name = file_name(words, id_)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.md", name)
    assert len(name.encode()) <= MAX_NAME
    assert name.endswith(id_.rpartition("_")[2] + ".md")
    assert not RESERVED.fullmatch(name)
    assert not skips(name)


def test_the_vaults_own_files() -> None:
    """Files of a known kind, and those that the template or PersonaKit makes, are the vault's own; no others are."""
    for path in (
        *("personakit.yaml", "Home.md", ".gitignore", "views/A.base", "templates/memory.md", "records/forgotten.txt"),
        *("memories/a.md", "memories/x/b.MD", "memories/.gitattributes", "knowledge/a.md", "palace/w/r/a.md"),
    ):
        assert is_of_vault(path), path
    for path in (
        *("thesis.md", "src/a.md", "memories/a.png", "memories/.a.md", ".personakit/lock", "src/.gitattributes"),
        *("memories/node_modules/a.md", ".obsidian/app.json", "views/.x"),
    ):
        assert not is_of_vault(path), path
