"""personakit.yaml: every key and every wrong value, and where the vault is found."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.config import (
    KNOWLEDGE,
    Consent,
    Launch,
    Repository,
    Settings,
    SettingsFile,
    find_vault,
    parse_settings,
)
from personakit.errors import NotAVault, NoVault, SettingsError, VaultError, VaultMissing, VaultUnreadable


def parse(text: str) -> Settings:
    """Read settings that have the one key they need."""
    return parse_settings(f"format: 1\n{text}")


def refused(text: str) -> str:
    """Give the sentence with which settings are refused."""
    with pytest.raises(SettingsError) as caught:
        parse_settings(text)
    return str(caught.value)


def test_only_the_format_is_needed() -> None:
    """With nothing else said, everything has the value that the format names."""
    assert parse("") == Settings(
        format=1,
        owner="",
        language="en",
        consent=Consent.SERVE_ONLY,
        projects=(),
        repositories=KNOWLEDGE,
        commit="off",
        capture="tool",
        cache=True,
        proposals_per_minute=120,
        unconfirmed_per_proposer=200,
        warnings=(),
    )
    assert parse("").documents == ("knowledge",)
    assert parse("").read_only == ""


FULL = """\
# a comment
format: 1
owner: " Max Muster "
language: De-AT
consent: FULL
projects:
  Alpha: {consent: none}
  beta:
    consent: Full
  gamma: {}
repositories:
  - {id: r_knowledge, name: Knowledge, path: knowledge}
  - id: r_hand-book_1
    path: ./docs/team/
    via: Grant
    until: 2026-12-31
  - {id: r_x, path: "docs\\\\x", until: null, name: ""}
  - {id: r_all, path: ., until: "~"}
commit: auto
capture: hooks
cache: off
proposals_per_minute: 0
unconfirmed_per_proposer: 7
"""


def test_every_key_is_read() -> None:
    """All settings together are the values that are written, spelled as an owner may."""
    assert parse_settings(FULL) == Settings(
        owner="Max Muster",
        language="de",
        consent=Consent.FULL,
        projects=(("Alpha", Consent.NONE), ("beta", Consent.FULL), ("gamma", Consent.SERVE_ONLY)),
        repositories=(
            Repository("r_knowledge", "Knowledge", "knowledge"),
            Repository("r_hand-book_1", "r_hand-book_1", "docs/team", "grant", "2026-12-31"),
            Repository("r_x", "r_x", "docs/x"),
            Repository("r_all", "r_all", "."),
        ),
        commit="auto",
        capture="hooks",
        cache=False,
        proposals_per_minute=0,
        unconfirmed_per_proposer=7,
    )


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ("format: 0", "format", "must be 1"),
        ("format: one", "format", "whole number"),
        ("format:", "format", "whole number"),
        ("format: -1", "format", "whole number"),
        ("format: 1.0", "format", "whole number"),
        ("format: [1]", "format", "whole number"),
        ("owner: [a]", "owner", "must be a text"),
        ("language: english", "language", "language code"),
        ("language: e", "language", "language code"),
        ("language: ''", "language", "language code"),
        ("language: [en]", "language", "must be a text"),
        ("consent: maybe", "consent", "one of: none, serve_only, full"),
        ("consent: true", "consent", "one of"),
        ("consent:", "consent", "one of"),
        ("consent: {a: none}", "consent", "must be a text"),
        ("projects: alpha", "projects", "list of project names"),
        ("projects: [alpha]", "projects", "list of project names"),
        ("projects: {alpha: none}", "projects.alpha", "must hold `consent`"),
        ("projects: {alpha: {consent: x}}", "projects.alpha.consent", "one of"),
        ("projects: {alpha: {consent: none, other: x}}", "projects.alpha", "nothing else"),
        ("repositories: {a: b}", "repositories", "must be a list"),
        ("repositories:", "repositories", "must be a list"),
        ("repositories: [a]", "repositories[0]", "must hold id and path"),
        ("repositories: [{id: r_a, path: a}, {id: r_b}]", "repositories[1]", "must hold id and path"),
        ("repositories: [{id: r_a, path: a, x: y}]", "repositories[0]", "must hold id and path"),
        ("repositories: [{id: a, path: a}]", "repositories[0].id", "must look like r_handbook"),
        ("repositories: [{id: r_A, path: a}]", "repositories[0].id", "must look like r_handbook"),
        ("repositories: [{id: r_a, path: [a]}]", "repositories[0].path", "must be a text"),
        ("repositories: [{id: r_a, path: a}, {id: r_a, path: b}]", "repositories", "names one id twice"),
        ("repositories: [{id: r_a, path: a}, {id: r_b, path: ./a/}]", "repositories", "names one folder twice"),
        ("repositories: [{id: r_a, path: a, until: soon}]", "repositories[0].until", "YYYY-MM-DD"),
        ("repositories: [{id: r_a, path: a, via: x}]", "repositories[0].via", "one of: person, grant"),
        ("commit: on", "commit", "one of: auto, off"),
        ("commit: [auto]", "commit", "must be a text"),
        ("capture: x", "capture", "one of: tool, hooks"),
        ("cache: yes", "cache", "one of: on, off"),
        ("proposals_per_minute: many", "proposals_per_minute", "whole number"),
        ("proposals_per_minute: 1.5", "proposals_per_minute", "whole number"),
        ("proposals_per_minute: 12345678901", "proposals_per_minute", "whole number"),
        ("unconfirmed_per_proposer: -1", "unconfirmed_per_proposer", "whole number"),
    ],
)
def test_every_wrong_value_names_its_key(text: str, key: str, why: str) -> None:
    """A value that cannot be used is an error that names the key and what it may be."""
    sentence = refused(text if text.startswith("format") else f"format: 1\n{text}\n")
    assert f"the setting `{key}` " in sentence
    assert why in sentence
    assert "nothing was changed" in sentence


@pytest.mark.parametrize(
    "path",
    [
        "/etc",
        "\\\\host\\x",
        "..",
        "../x",
        "a/../..",
        "a/../b",
        "C:/x",
        ".git",
        ".obsidian/x",
        "a/.trash",
        ".personakit",
    ],
)
def test_documents_lie_below_the_vault(path: str) -> None:
    """A path that leads out of the vault, or into a hidden folder, is refused."""
    assert "must be a folder below the vault" in refused(f"format: 1\nrepositories: [{{id: r_a, path: '{path}'}}]")


@pytest.mark.parametrize(("path", "folder"), [("", "."), (".", "."), ("./", "."), ("a//b/", "a/b"), ("./a/./b", "a/b")])
def test_a_path_is_kept_in_one_spelling(path: str, folder: str) -> None:
    """Dots and slashes that say nothing are dropped."""
    assert parse(f"repositories: [{{id: r_a, path: '{path}'}}]").documents == (folder,)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "null\n", "owner: x\n", "---\n"])
def test_a_file_without_a_format_is_refused(text: str) -> None:
    """The one key that is needed is asked for, with the line to write."""
    sentence = refused(text)
    assert "`format` is missing: write `format: 1`" in sentence or "not a list of keys" in sentence


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("consent: none\nconsent: full", "consent"),
        ("odd: 1\nodd: 2", "odd"),
        ("projects: {a: {consent: none}, a: {consent: full}}", "projects.a"),
        ("projects: {a: {consent: none, consent: full}}", "projects.a.consent"),
        ("repositories: [{id: r_a, path: a}, {id: r_b, path: a, path: b}]", "repositories[1].path"),
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str, key: str) -> None:
    """Nobody can say which of two values is meant, at whatever depth they stand."""
    assert f"the setting `{key}` stands there more than once" in refused(f"format: 1\n{text}\n")


def test_one_name_at_two_places_is_no_repetition() -> None:
    """The same key in two projects is two keys."""
    assert len(parse("projects: {a: {consent: none}, b: {consent: none}}").projects) == 2


def test_an_unknown_key_is_a_warning() -> None:
    """A key that means nothing here is named and ignored."""
    settings_ = parse("Consent: none\nfuture: {a: b}\n")
    assert settings_.warnings == (
        "personakit.yaml: `Consent` is no setting; it is ignored.",
        "personakit.yaml: `future` is no setting; it is ignored.",
    )
    assert settings_.consent is Consent.SERVE_ONLY


def test_a_newer_format_is_read_and_never_written() -> None:
    """A higher number makes the vault read-only, with a sentence that names both numbers."""
    settings_ = parse_settings("format: 2\n")
    assert settings_.format == 2
    assert "format 2" in settings_.read_only
    assert "update PersonaKit" in settings_.read_only


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: b: c\n", "is not valid YAML (line 1)"),
        ("format: 1\n\ta: b\n", "is not valid YAML (line 2)"),
        ("format: 1\n--- \nformat: 1\n", "is not valid YAML"),
        ("a: \x00\n", "is not valid YAML"),
        ("? [a]\n: b\n", "is not valid YAML"),
        ("a: *b\n", "is not valid YAML"),
        ("[" * 5_000, "is not valid YAML"),
        ("- a\n", "is not a list of keys and values"),
        ("words\n", "is not a list of keys and values"),
    ],
)
def test_what_is_no_settings_file_is_refused(text: str, why: str) -> None:
    """Text that is no list of keys is one sentence, never a crash."""
    assert f"personakit.yaml: the file {why}" in refused(text)


def test_a_bomb_of_aliases_costs_no_more_than_its_length() -> None:
    """Aliases of aliases are read at once, and a list that holds itself is refused."""
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    start = time.process_time()
    assert len(parse(bomb).warnings) == 60
    assert "is not valid YAML" in refused("format: 1\nme: &me [*me]\n")
    assert time.process_time() - start < 1.0


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("format: 1\n[]{}-&*!'\"abc,#|>\x00é"), max_size=60))
def test_any_text_gives_settings_or_a_sentence(text: str) -> None:
    """Whatever the file holds, it is read or refused."""
    try:
        assert parse_settings(text).format >= 1
    except SettingsError as error:
        assert str(error).startswith("personakit.yaml: ")


def test_launch_options_have_defaults() -> None:
    """A server started with a vault alone serves the persona tools to nobody in particular."""
    launch = Launch(vault="/v")
    assert (launch.assistant, launch.project, launch.toolsets, launch.tools) == ("", "", ("persona",), None)
    assert (launch.exclude_tools, launch.read_only) == ((), False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give the folder of a vault."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "personakit.yaml").write_text("format: 1\nowner: Max\n")
    return (tmp_path / "vault").resolve()


def test_settings_are_read_when_the_file_changes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unchanged file is not read again; a change counts in the next call, a mistake until it is mended."""
    file = SettingsFile(str(root))
    first = file.read()
    assert first.owner == "Max"
    assert file.read() is first
    (root / "personakit.yaml").write_text("format: 1\nconsent: maybe\n")
    for _ in range(2):
        with pytest.raises(SettingsError, match="consent"):
            file.read()
    (root / "personakit.yaml").write_text("\ufeffformat: 1\r\nowner: Mia\r\n", "utf-8")
    assert file.read().owner == "Mia"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"owner: M\xfcller\n", "is not UTF-8 text"), (b"#" * (1024 * 1024 + 1), "is larger than 1 MiB")],
)
def test_a_file_that_is_no_text_is_refused(root: Path, content: bytes, why: str) -> None:
    """Another encoding or a huge file is named as what it is."""
    (root / "personakit.yaml").write_bytes(content)
    with pytest.raises(SettingsError, match=why):
        SettingsFile(str(root)).read()


@pytest.mark.parametrize("what", ["folder", "link", "pipe"])
def test_what_is_no_file_in_the_place_of_the_settings_is_refused(root: Path, what: str) -> None:
    """A folder, a link out of the vault and a pipe are neither followed nor waited for."""
    file = root / "personakit.yaml"
    file.rename(root.parent / "outside.yaml")
    if what == "folder":
        file.mkdir()
    elif what == "link":
        file.symlink_to(root.parent / "outside.yaml")
    else:
        os.mkfifo(file)
    with pytest.raises(SettingsError, match="is a link or a device"):
        SettingsFile(str(root)).read()


def test_settings_that_cannot_be_opened_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system does not let us open is an error with its reason."""

    def refuse(path: str, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(SettingsError, match=r"cannot be read \(Permission denied\)"):
            SettingsFile(str(root)).read()


def test_a_vault_that_is_gone_or_no_vault_says_which(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing folder, a folder without the file, a file and a folder without rights are four errors."""
    file = SettingsFile(str(root))
    (root / "personakit.yaml").unlink()
    with pytest.raises(NotAVault, match=r"it has no personakit\.yaml"):
        file.read()
    root.rmdir()
    with pytest.raises(VaultMissing, match="missing"):
        file.read()
    root.write_text("a file")
    with pytest.raises(NotAVault, match="it is not a folder"):
        file.read()

    def refuse(path: str) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", refuse)
        with pytest.raises(VaultUnreadable, match="Permission denied"):
            file.read()


def test_a_named_vault_is_found(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one named counts, then PERSONAKIT_VAULT, then the nearest above; links and ~ are resolved."""
    inner = root / "memories" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    monkeypatch.setenv("HOME", str(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (other / "personakit.yaml").write_text("format: 1\n")
    assert find_vault(str(root), {"PERSONAKIT_VAULT": str(other)}, str(other)) == str(root)
    assert find_vault(None, {"PERSONAKIT_VAULT": str(root)}, str(other)) == str(root)
    assert find_vault("", {"PERSONAKIT_VAULT": ""}, str(inner)) == str(root)
    assert find_vault(str(tmp_path / "link"), {}, "/") == str(root)
    assert find_vault("~/link", {}, "/") == str(root)
    assert find_vault(None, {}, str(tmp_path / "link")) == str(root)


def test_what_is_no_vault_is_said(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads nowhere, to a file, to a plain folder or to one without rights is refused; nothing is made."""
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(NotAVault, match="there is no such folder"):
        find_vault(str(tmp_path / "none"), {}, "/")
    with pytest.raises(NotAVault, match="there is no such folder"):
        find_vault(str(root / "personakit.yaml"), {}, "/")
    with pytest.raises(NotAVault, match="personakit init"):
        find_vault(str(tmp_path), {}, str(root))
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(VaultUnreadable):
            find_vault(str(root), {}, "/")
    with monkeypatch.context() as patch:
        patch.setattr(os.path, "isfile", lambda path: False)
        with pytest.raises(NoVault) as caught:
            find_vault(None, {}, str(root))
    assert isinstance(caught.value, VaultError)
    assert caught.value.exit_code == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_document_belongs_to_its_innermost_repository() -> None:
    """Of repositories inside one another the innermost counts, and one whose last day has passed is closed."""
    text = (
        "repositories:\n- {id: r_all, path: .}\n- {id: r_k, path: knowledge}\n"
        "- {id: r_h, path: knowledge/hand, via: grant, until: 2026-05-01}"
    )
    found = parse(text)
    paths = ("a.md", "knowledge/a.md", "knowledge/handbook.md", "knowledge/hand/a.md")
    assert [found.repository_of(path) for path in paths] == ["r_all", "r_k", "r_k", "r_h"]
    assert parse("").repository_of("a.md") == ""
    assert [one.id for one in found.open_repositories("2026-05-01")] == ["r_all", "r_k", "r_h"]
    assert [one.id for one in found.open_repositories("2026-05-02")] == ["r_all", "r_k"]
