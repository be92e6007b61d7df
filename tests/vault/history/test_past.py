"""The past as git keeps it: which commits changed what, contents in one process, and the commit a day ends with."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from personakit.errors import NoHistory
from personakit.vault.history.git import Git
from personakit.vault.history.health import troubles
from personakit.vault.history.objects import Objects, blob_name, blob_names
from personakit.vault.history.past import Past
from tests.vault.history.repositories import BEGIN, DAY, Owner


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    """Give a repository without a commit."""
    return Owner(tmp_path / "vault")


def subjects(owner: Owner, past: Past, *paths: str) -> list[str]:
    """Give the subjects of the commits of a log, oldest first."""
    return [owner.git("log", "-1", "--format=%s", one.commit.id) for one in past.log(*paths)][::-1]


def test_a_log_holds_times_names_and_trailers(owner: Owner) -> None:
    """Each commit comes with its times, its author, its trailers and the blobs before and after."""
    owner.put("tea.md", "Likes tea", id="m_0000000000aa")
    first = owner.commit("Begin")
    owner.put("tea.md", "Likes green tea", id="m_0000000000aa")
    trailers = ("PersonaKit-Tool: personakit_propose", "PersonaKit-Assistant: claude-code", "PersonaKit-Id: m_1")
    second = owner.commit("Change", *trailers, "personakit-id: m_2")
    with Past(str(owner.root)) as past:
        newest, oldest = past.log("memories/tea.md")
    assert (newest.commit.id, oldest.commit.id) == (second, first)
    assert newest.commit.parents == (first,) and oldest.commit.parents == ()
    assert (oldest.commit.at, oldest.commit.written) == (BEGIN + DAY, BEGIN + DAY)
    assert newest.commit.author == "Rosalind Fictiva" and newest.commit.short == second[:10]
    assert (newest.commit.tool, newest.commit.assistant) == ("personakit_propose", "claude-code")
    assert newest.commit.ids == ("m_1", "m_2") and oldest.commit.assistant == ""
    (file,) = newest.files
    assert file.before == (oldest.files[0].blob,) and oldest.files[0].before == ("",)


def test_a_log_does_not_follow_a_file_to_other_names(owner: Owner) -> None:
    """A file that took most of another's text has none of its commits, whatever the repository's settings say."""
    owner.git("config", "log.follow", "true")
    owner.git("config", "diff.renames", "copies")
    old = owner.put("old.md", "Likes tea", id="m_0000000000aa", evidence=["a", "b", "c", "d"])
    owner.commit("Old")
    old.unlink()
    owner.put("new.md", "Likes tea", id="m_0000000000bb", evidence=["a", "b", "c", "d"])
    owner.commit("New")
    with Past(str(owner.root)) as past:
        assert subjects(owner, past, "memories/new.md") == ["New"]
        assert [file.path for one in past.log("memories/new.md") for file in one.files] == ["memories/new.md"]


def test_settings_of_a_repository_change_and_run_nothing(owner: Owner, tmp_path: Path) -> None:
    """Programs for showing, comparing and signing stay off, and no setting bends what a log says."""
    owner.put("tea.md", "Likes tea", id="m_0000000000aa")
    owner.commit("Begin")
    owner.put("tea.md", "Likes green tea", id="m_0000000000aa")
    (owner.root / ".gitattributes").write_text("*.md diff=odd\n")
    owner.commit("Change", "PersonaKit-Tool: approve", "PersonaKit-Assistant: Zoë")
    with Past(str(owner.root)) as past:
        before = list(past.log("memories"))
    assert before[0].commit.assistant == "Zoë"
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name in ("diff.external", "diff.odd.textconv", "diff.odd.command", "gpg.program", "core.pager"):
        owner.git("config", name, str(program))
    odd = {"log.showSignature": "true", "log.showRoot": "false", "diff.relative": "true", "color.ui": "always"}
    odd |= {"diff.orderFile": "nowhere", "log.diffMerges": "off", "format.pretty": "fuller", "log.decorate": "full"}
    odd |= {"log.date": "relative", "diff.noprefix": "true", "core.abbrev": "4", "i18n.logOutputEncoding": "latin1"}
    odd |= {"trailer.separators": "#", "core.commentChar": "P", "trailer.personakit-tool.key": "Signed-off-by"}
    for name, value in odd.items():
        owner.git("config", name, value)
    with Past(str(owner.root)) as past:
        assert list(past.log("memories")) == before
        assert past.changed_in(before[-1].commit.id) == before[-1].files
        assert past.contents([before[0].files[0].blob], 1_000)
    assert not mark.exists()


def test_a_merge_shows_what_it_has_from_no_parent(owner: Owner) -> None:
    """A merge that takes one side is no change; one that makes a third content is, beside both parents' blobs."""
    owner.put("a.md", "one", id="m_0000000000aa")
    owner.put("b.md", "one", id="m_0000000000bb")
    owner.commit("Begin")
    owner.git("checkout", "-qb", "side")
    owner.put("a.md", "two", id="m_0000000000aa")
    owner.put("b.md", "two", id="m_0000000000bb")
    owner.commit("Side")
    owner.git("checkout", "-q", "main")
    owner.put("a.md", "three", id="m_0000000000aa")
    owner.commit("Main")
    owner.git("merge", "-q", "side", ok=False)
    owner.put("a.md", "four", id="m_0000000000aa")
    merge = owner.commit("Merge")
    with Past(str(owner.root)) as past:
        top, *rest = past.log("memories/a.md")
        assert top.commit.id == merge and len(top.files[0].before) == 2
        assert {one.files[0].blob for one in rest} >= set(top.files[0].before)
        assert subjects(owner, past, "memories/b.md") == ["Begin", "Side"]


def test_a_day_ends_with_the_last_commit_of_first_parents(owner: Owner) -> None:
    """The commit of a time is the last one not after it; what was merged later does not count; before all: none."""
    owner.put("a.md", "one")
    first = owner.commit("Begin")
    owner.git("checkout", "-qb", "side")
    owner.put("b.md", "two")
    side = owner.commit("Side")
    owner.git("checkout", "-q", "main")
    owner.put("c.md", "three")
    owner.commit("Main")
    owner.git("merge", "-q", "-m", "Merge", "side")
    with Past(str(owner.root)) as past:
        found = past.commit_at(BEGIN + 2 * DAY)
        assert found is not None and found.id == first
        assert past.commit_at(BEGIN) is None and past.commit_at(5) is None and past.commit_at(-5) is None
        latest = past.commit_at(BEGIN + 900 * DAY)
        assert latest is not None and latest.id == past.repository.head
        for name in (side[:8], "side", "main^2", "HEAD~1^0"):
            assert past.commit_named(name) is not None, name
        for name in ("", "--all", "nowhere", "HEAD:memories", ":/Side", "a b", "-n1"):
            assert past.commit_named(name) is None, name


def test_contents_come_through_one_process(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hundred files at a commit are two questions: which blobs, and their contents; large ones are left out."""
    for number in range(300):
        owner.put(f"{number}.md", f"Likes tea number {number}")
    big = owner.root / "memories" / "big.md"
    big.write_text("x" * 200_000)
    owner.commit("Begin")
    shutil.rmtree(owner.root / "memories")
    owner.commit("Gone")
    started: list[tuple[str, ...]] = []
    real = Git.start

    def start(git: Git, *words: str) -> subprocess.Popen[bytes]:
        started.append(words)
        return real(git, *words)

    monkeypatch.setattr(Git, "start", start)
    with Past(str(owner.root)) as past:
        assert past.tree("HEAD", "memories") == {}
        tree = past.tree("HEAD~1", "memories")
        found = past.contents(tree.values(), 64 * 1024)
        assert len(tree) == 301 and len(found) == 300
        assert b"number 299" in found[tree["memories/299.md"]] and tree["memories/big.md"] not in found
        past.contents(tree.values(), 64 * 1024)
        assert past.contents(["0" * 40, "1234", past.repository.head], 1_000) == {}
    assert started == [("cat-file", "--batch")]


def test_a_damaged_object_costs_itself_alone(owner: Owner) -> None:
    """Where git dies of an object, the others are read all the same."""
    for name in "abc":
        owner.put(f"{name}.md", f"Likes {name}")
    owner.commit("Begin")
    with Past(str(owner.root)) as past:
        tree = past.tree("HEAD", "memories")
        blob = tree["memories/b.md"]
        file = owner.root / ".git/objects" / blob[:2] / blob[2:]
        file.chmod(0o644)
        file.write_bytes(b"damaged")
        assert set(past.contents(tree.values(), 1_000)) == set(tree.values()) - {blob}
        file.unlink()
        assert set(past.contents(tree.values(), 1_000)) == set(tree.values()) - {blob}
    with pytest.raises(NoHistory) as fault, Objects(Git(str(owner.root / "memories"))) as objects:
        shutil.rmtree(owner.root / ".git")
        list(objects.read([f"{number:040x}" for number in range(30)], 10))
    assert fault.value.reason == "broken"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_blobs_are_named_as_git_names_them(tmp_path: Path, object_format: str) -> None:
    """A file's hash is git's, in either object format; a CRLF file under `text eol=lf` is known by its LF blob."""
    owner = Owner(tmp_path / "vault", f"--object-format={object_format}")
    (owner.root / "memories").mkdir()
    (owner.root / "memories/.gitattributes").write_text("*.md text eol=lf\n")
    (owner.root / "memories/a.md").write_bytes(b"tea\r\nmilk\r\n")
    (owner.root / "memories/b.md").write_bytes(b"tea\n")
    owner.commit("Begin")
    with Past(str(owner.root)) as past:
        assert past.repository.object_format == object_format
        tree = past.tree("HEAD", "memories")
        assert blob_name(b"tea\n", object_format) == tree["memories/b.md"]
        assert tree["memories/a.md"] in blob_names(b"tea\r\nmilk\r\n", object_format)
        assert past.contents([tree["memories/b.md"]], 10) == {tree["memories/b.md"]: b"tea\n"}
        (one,) = past.log("memories/b.md")
        assert one.files[0].blob == tree["memories/b.md"]


def test_names_may_hold_anything(owner: Owner) -> None:
    """Names with blanks, line ends, marks of git's own and bytes that are no text are read as they are."""
    names = ["a b.md", "line\nend.md", ":(glob)*.md", "-x.md", "ü.md", os.fsdecode(b"\xff.md"), "\x01.md", '"q".md']
    for name in names:
        (owner.root / "memories").mkdir(exist_ok=True)
        (owner.root / "memories" / name).write_text(f"Likes {len(name)}")
    owner.commit("Begin")
    with Past(str(owner.root)) as past:
        assert set(past.tree("HEAD", "memories")) == {f"memories/{name}" for name in names}
        for name in names:
            (one,) = past.log(f"memories/{name}")
            assert [file.path for file in one.files] == [f"memories/{name}"]


def in_a_folder(tmp_path: Path) -> Owner:
    """Put the vault into a folder of a repository with other things."""
    owner = Owner(tmp_path / "outer")
    (owner.root / "memories").mkdir()
    (owner.root / "memories/other.md").write_text("not ours\n")
    owner.commit("Other")
    inner = Owner(owner.root / "my vault", make=False)
    inner.root.mkdir()
    return inner


def in_a_work_tree(tmp_path: Path) -> Owner:
    """Make the vault a linked work tree."""
    owner = Owner(tmp_path / "first")
    owner.commit("Begin")
    owner.git("worktree", "add", "-q", "-b", "vault", str(tmp_path / "vault"))
    return Owner(tmp_path / "vault", make=False)


def in_a_submodule(tmp_path: Path) -> Owner:
    """Make the vault a submodule."""
    inner, outer = Owner(tmp_path / "inner"), Owner(tmp_path / "outer")
    inner.commit("Begin")
    outer.git("submodule", "--quiet", "add", str(inner.root), "vault")
    return Owner(outer.root / "vault", make=False)


@pytest.mark.parametrize("place", [in_a_folder, in_a_work_tree, in_a_submodule])
def test_the_vault_may_lie_anywhere_in_a_repository(tmp_path: Path, place: object) -> None:
    """As a folder of a repository, a linked work tree or a submodule, paths are the vault's and nothing else shows."""
    owner: Owner = place(tmp_path)  # type: ignore[operator]
    owner.put("tea.md", "Likes tea", id="m_0000000000aa")
    commit = owner.commit("Begin")
    with Past(str(owner.root)) as past:
        (one,) = past.log("memories")
        assert one.commit.id == commit and [file.path for file in one.files] == ["memories/tea.md"]
        assert list(past.tree(commit, "")) == ["memories/tea.md"]
        assert list(past.tree(commit, "memories/tea.md")) == ["memories/tea.md"]
        assert [file.path for file in past.changed_in(commit)] == ["memories/tea.md"]


def test_a_shallow_clone_says_where_it_begins(owner: Owner, tmp_path: Path) -> None:
    """The commits whose parents are missing are known, and so is the earliest of them."""
    for number in range(3):
        owner.put("a.md", f"Likes {number}")
        owner.commit(str(number))
    clone = Owner(tmp_path / "clone", make=False)
    owner.git("clone", "-q", "--depth=2", f"file://{owner.root}", str(clone.root))
    with Past(str(clone.root)) as past:
        begin = past.beginning()
        assert begin is not None and begin.at == BEGIN + 2 * DAY and past.repository.cuts == {begin.id}
        assert len(list(past.log("memories"))) == 2
    with Past(str(owner.root)) as past:
        assert past.beginning() is None


def test_why_there_is_no_history(owner: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reason has its own word, and a sentence with a next step."""

    def reason(folder: Path) -> str:
        with pytest.raises(NoHistory) as fault:
            Past(str(folder))
        assert str(fault.value).startswith("There is no history: ") and "history" in fault.value.told
        return fault.value.reason

    assert reason(tmp_path) == "no_repository"
    (tmp_path / "odd/.git").mkdir(parents=True)
    assert reason(tmp_path / "odd") == "no_repository"
    assert reason(owner.root) == "no_commit"
    owner.put("a.md", "Likes tea")
    owner.commit()
    owner.git("config", "core.worktree", str(tmp_path))
    assert reason(owner.root) == "broken"
    owner.git("config", "--unset", "core.worktree")
    (owner.root / ".git/refs/heads/main").write_text("0" * 39 + "1\n")
    assert reason(owner.root) == "broken"
    (owner.root / ".git/HEAD").write_text("nonsense\n")
    assert reason(owner.root) == "broken"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reason(owner.root) == "no_git"


def test_another_owners_repository_names_the_setting(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git refuses, the sentence names the folder and `safe.directory`."""
    owner.put("a.md", "Likes tea")
    owner.commit()
    if os.geteuid() == 0:
        os.lchown(owner.root, 12_345, 12_345)
        os.lchown(owner.root / ".git", 12_345, 12_345)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    with pytest.raises(NoHistory, match=r"safe\.directory") as fault:
        Past(str(owner.root))
    assert fault.value.reason == "other_owner" and str(owner.root) in str(fault.value)


def test_a_log_that_breaks_off_says_so(owner: Owner) -> None:
    """Where an earlier commit is missing, what is there is given and then the fault."""
    owner.put("a.md", "one")
    first = owner.commit()
    owner.put("a.md", "two")
    owner.commit()
    (owner.root / ".git/objects" / first[:2] / first[2:]).unlink()
    with Past(str(owner.root)) as past, pytest.raises(NoHistory):
        list(past.log("memories"))
    with Past(str(owner.root)) as past, pytest.raises(NoHistory):
        past.tree(first, "")


def test_a_partial_clone_fetches_nothing(owner: Owner, tmp_path: Path) -> None:
    """What a clone without contents lacks is missing; it is not fetched, and no program of its remote runs."""
    owner.put("a.md", "one")
    owner.commit()
    owner.git("config", "uploadpack.allowFilter", "true")
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {mark}\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    clone = tmp_path / "clone"
    owner.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{owner.root}", str(clone))
    Owner(clone, make=False).git("config", "remote.origin.uploadpack", str(program))
    with Past(str(clone)) as past:
        tree = past.tree("HEAD", "memories")
        assert list(tree) == ["memories/a.md"] and past.contents(tree.values(), 1_000) == {}
        assert len(list(past.log("memories"))) == 1
    assert [code for code, _ in troubles(str(clone))] == ["objects_missing"]
    assert not mark.exists()
