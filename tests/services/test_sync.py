"""Sync between two clones with a bare repository between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from personakit.errors import CannotSync
from personakit.services import sync as module
from personakit.services.sync import Synced, sync
from personakit.vault.history import attributes, checkout, driver, remote, trees
from personakit.vault.history.checkout import Checkout
from personakit.vault.history.commits import Commits, Message
from personakit.vault.history.waits import why_waiting
from tests.services.machines import QUIET, WHO, Machine, git, two_machines
from tests.support import text_of, tree_hash

TEA = "memories/tea.md"
Two = tuple[Machine, Machine, Path]


def tea(statement: str = "Prefers tea", **keys: object) -> str:
    """Give the memory that both machines have, changed."""
    return text_of(statement, **{"state": "unconfirmed", "category": "tools", "evidence": ["I like tea"], **keys})


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give git an identity and no settings of this machine."""
    for name, value in {**WHO, **QUIET}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def two(tmp_path: Path) -> Two:
    """Give two machines in step."""
    return two_machines(tmp_path)


def refused(machine: Machine) -> str:
    """Give why a sync is refused, and show that it changed nothing."""
    before = (tree_hash(machine.top), machine.head(), machine.status())
    with pytest.raises(CannotSync) as error:
        machine.sync()
    assert (tree_hash(machine.top), machine.head(), machine.status()) == before
    assert "\n" not in str(error.value)
    return str(error.value)


def test_nothing_to_do_and_one_sided_changes(two: Two) -> None:
    """In step, ahead and behind: nothing, a push, and a fast-forward without a commit."""
    laptop, desk, _ = two
    assert laptop.sync() == Synced("origin/main")
    laptop.commit("memories/cup.md", text_of("Has a big cup"))
    assert laptop.sync() == Synced("origin/main", went=1)
    assert desk.sync() == Synced("origin/main", came=1)
    assert desk.head() == laptop.head() and desk.status() == "" and "big cup" in desk.read("memories/cup.md")


def test_both_sides_come_to_one_result(two: Two) -> None:
    """Files of either side, a memory that both changed, a deletion: merged by the rule, one merge commit, pushed."""
    laptop, desk, _ = two
    laptop.commit("memories/old.md", text_of("Was here"))
    laptop.sync(), desk.sync()
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    (laptop.root / "memories/old.md").unlink()
    laptop.commit(TEA, tea(state="approved", category="preferences"))
    desk.write("memories/day/deep/one.md", text_of("Works at night"))
    desk.commit(TEA, tea(state="restricted"))
    laptop.sync()
    assert desk.sync() == Synced("origin/main", came=3, merged=1, went=2)
    assert laptop.sync() == Synced("origin/main", came=2)
    assert laptop.head() == desk.head() and tree_hash(laptop.root) == tree_hash(desk.root)
    assert laptop.status() == desk.status() == ""
    assert desk.read(TEA) == tea(state="restricted", category="preferences")
    assert not (desk.root / "memories/old.md").exists()
    assert git(desk.top, "log", "-1", "--format=%s%n%(trailers)").split("\n")[:2] == [
        "Merge origin/main",
        "PersonaKit-Tool: sync",
    ]


def test_uncommitted_edits_elsewhere_stay(two: Two) -> None:
    """What the owner edits stays edited, what is staged stays staged, what is new stays new."""
    laptop, desk, _ = two
    for name in "abc":
        desk.write(f"memories/{name}.md", text_of(f"Letter {name}"))
    desk.commit()
    desk.sync(), laptop.sync()
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    desk.write("memories/a.md", text_of("Edited"))
    desk.write("memories/b.md", text_of("Staged"))
    git(desk.top, "add", "memories/b.md")
    desk.write("memories/new.md", text_of("New"))
    (desk.root / "memories/c.md").unlink()
    before = desk.status()
    desk.sync()
    assert desk.status() == before and "rejected" in desk.read(TEA)


def test_an_edit_that_the_merge_would_touch_stops_it(two: Two) -> None:
    """Edited, staged, deleted or newly there: it is named, and nothing has changed."""
    laptop, desk, _ = two
    laptop.write("memories/new.md", text_of("New"))
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    desk.write(TEA, tea(state="approved"))
    assert TEA in refused(desk)
    git(desk.top, "add", TEA)
    assert TEA in refused(desk)
    git(desk.top, "checkout", "-q", "HEAD", "--", TEA)
    (desk.root / TEA).unlink()
    assert TEA in refused(desk)
    git(desk.top, "checkout", "-q", "--", TEA)
    desk.write("memories/new.md", text_of("Other"))
    assert "memories/new.md" in refused(desk)
    desk.write("memories/new.md", text_of("New"))
    desk.sync()
    assert desk.status() == ""


def conflict(two: Two) -> Machine:
    """Bring two machines to a merge that waits for its owner."""
    laptop, desk, _ = two
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    laptop.commit(TEA, tea("Prefers mint"))
    laptop.sync()
    desk.commit(TEA, tea("Prefers cola"))
    desk.write("Home.md", "mine\n")
    done = desk.sync()
    assert done.open == (TEA,) and not done.went
    return desk


def test_words_that_conflict_wait_for_the_owner(two: Two) -> None:
    """Both sides stand in the file, git and doctor see it, `--continue` ends it once it is mended."""
    desk = conflict(two)
    assert "mint" in desk.read(TEA) and "cola" in desk.read(TEA)
    assert f"UU {TEA}" in desk.status() or f"AA {TEA}" in desk.status()
    assert "--continue" in refused(desk)
    with pytest.raises(CannotSync, match="still holds both sides"):
        desk.go_on()
    desk.write(TEA, tea("Prefers mint and cola"))
    desk.write("memories/cup.md", text_of("Has a small cup"))
    assert desk.go_on().went == 2
    assert desk.status() == " M memories/cup.md\n?? Home.md\n"
    assert len(git(desk.top, "log", "-1", "--format=%P").split()) == 2
    laptop = two[0]
    laptop.sync()
    assert laptop.read(TEA) == desk.read(TEA)


def test_giving_up_restores_what_was(two: Two) -> None:
    """Files, index and branch are as before; a later sync comes to the same place."""
    laptop, desk, _ = two
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    laptop.commit(TEA, tea("Prefers mint"))
    laptop.sync()
    desk.commit(TEA, tea("Prefers cola"))
    before = (tree_hash(desk.top), desk.head(), desk.status(), git(desk.top, "ls-files", "-s"))
    desk.sync()
    first = desk.read(TEA)
    desk.write(TEA, "half mended")
    desk.give_up()
    assert (tree_hash(desk.top), desk.head(), desk.status(), git(desk.top, "ls-files", "-s")) == before
    with pytest.raises(CannotSync, match="no merge"):
        desk.give_up()
    desk.sync()
    assert desk.read(TEA) == first


def test_a_merge_that_git_ended_is_ended(two: Two) -> None:
    """The owner may as well end it with git itself, either way."""
    desk = conflict(two)
    git(desk.top, "merge", "--abort")
    assert "cola" in desk.read(TEA) and desk.sync().open
    desk.write(TEA, tea("Prefers both"))
    git(desk.top, "add", TEA)
    git(desk.top, "commit", "-qm", "Mended")
    assert desk.sync().went == 2


def test_a_rejected_push_fetches_and_merges_again(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who pushes in between is merged as well; one who never stops is an error."""
    laptop, desk, _ = two
    desk.commit("memories/desk.md", text_of("Works at a desk"))
    real = remote.push
    pushed: list[str] = []

    def racing(*arguments: object) -> object:
        if len(pushed) < 2:
            pushed.append("once")
            laptop.commit(f"memories/{len(pushed)}.md", text_of(f"Number {len(pushed)}"))
            git(laptop.top, "push", "-q")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(remote, "push", racing)
    done = desk.sync()
    assert (done.came, len(pushed)) == (2, 2)
    laptop.sync()
    assert laptop.head() == desk.head()


def test_what_stands_in_the_way_is_said(two: Two, tmp_path: Path) -> None:
    """Each state in which a sync cannot work is one sentence, and nothing is changed."""
    _, desk, bare = two
    hidden = tmp_path / "hidden.git"
    bare.rename(hidden)
    assert "cannot be reached" in refused(desk)
    hidden.rename(bare)
    git(desk.top, "checkout", "-q", "--detach")
    assert "detached HEAD" in refused(desk)
    git(desk.top, "checkout", "-qb", "side")
    assert "git push -u origin side" in refused(desk)
    git(desk.top, "checkout", "-q", "main")
    for name, what in (("rebase-merge", "a rebase"), ("CHERRY_PICK_HEAD", "a cherry-pick"), ("MERGE_HEAD", "a merge")):
        (desk.top / ".git" / name).write_text("")
        assert what in refused(desk)
        (desk.top / ".git" / name).unlink()
    git(desk.top, "remote", "remove", "origin")
    assert "no remote" in refused(desk)


def test_unrelated_and_shallow_histories(two: Two, tmp_path: Path) -> None:
    """A branch that shares nothing, and a clone that is cut off before the common commit, are named."""
    laptop, desk, bare = two
    git(desk.top, "checkout", "-q", "--orphan", "other")
    git(desk.top, "commit", "-qm", "Alone")
    git(desk.top, "branch", "-qM", "other", "main")
    git(desk.top, "config", "branch.main.remote", "origin")
    git(desk.top, "config", "branch.main.merge", "refs/heads/main")
    assert "no common history" in refused(desk)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{bare}", str(tmp_path / "shallow"))
    shallow = Machine(tmp_path / "shallow")
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    assert shallow.sync().came == 1


def test_no_repository_and_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vault outside git, and one without a first commit, are told what to do."""
    machine = Machine(tmp_path)
    with pytest.raises(CannotSync, match="no git repository"):
        machine.sync()
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "remote", "add", "origin", str(tmp_path / "x.git"))
    git(tmp_path, "config", "branch.main.remote", "origin")
    git(tmp_path, "config", "branch.main.merge", "refs/heads/main")
    (tmp_path / "personakit.yaml").write_text("format: 1\n")
    with pytest.raises(CannotSync, match=r"inside the repository|no commit yet"):
        machine.sync()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotSync, match="no `git`"):
        machine.sync()


def test_a_filter_is_never_run_or_worked_around(two: Two) -> None:
    """A changed file with a filter attribute stops the sync, whether ours or theirs brings the attribute."""
    laptop, desk, _ = two
    laptop.write("memories/.gitattributes", "*.md filter=lfs\n")
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    assert "`filter`" in refused(desk)


def test_attributes_that_cannot_be_asked_for_stop_it(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sync that was killed left of its own index is no reason to take files for free of filters."""
    laptop, desk, _ = two
    laptop.write("memories/.gitattributes", "*.md filter=lfs\n")
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    lock = desk.top / ".git/personakit-merge.index.lock"
    lock.touch()
    assert "`filter`" in refused(desk) and not lock.exists()
    desk.commit("memories/cup.md", text_of("Has a big cup"))
    lock.touch()
    assert "`filter`" in refused(desk)
    nowhere = {"GIT_INDEX_FILE": str(desk.top / ".git/nowhere/index")}
    monkeypatch.setattr(attributes, "scratch_index", lambda _: nullcontext(nowhere))
    assert "cannot tell the attributes" in refused(desk)


def test_links_and_modes(two: Two) -> None:
    """A link that the other side brings is not made; a mode is."""
    laptop, desk, _ = two
    laptop.commit("run.sh", "true\n")
    laptop.sync(), desk.sync()
    (laptop.root / "run.sh").chmod(0o755)
    laptop.commit()
    laptop.sync(), desk.sync()
    assert os.access(desk.root / "run.sh", os.X_OK) and desk.status() == ""
    (laptop.root / "memories/link.md").symlink_to("/etc/passwd")
    laptop.commit()
    laptop.sync()
    assert "is a link" in refused(desk)


def test_nothing_is_written_behind_a_link(two: Two, tmp_path: Path) -> None:
    """A folder that is a link on this machine is not followed."""
    laptop, desk, _ = two
    (tmp_path / "outside").mkdir()
    (desk.root / "memories/day").symlink_to(tmp_path / "outside")
    laptop.commit("memories/day/one.md", text_of("Works at night"))
    laptop.sync()
    assert "behind a link" in refused(desk)
    assert not list((tmp_path / "outside").iterdir())


def test_a_vault_in_a_bigger_repository(tmp_path: Path) -> None:
    """The merge covers the whole repository: by the rule inside the vault, by git's text merge outside it."""
    laptop, desk, _ = two_machines(tmp_path, "notes/vault")
    for machine in (laptop, desk):
        (machine.top / "code.py").write_text("a = 1\n\nb = 1\n\nc = 1\n")
    laptop.commit()
    laptop.sync()
    (desk.top / "code.py").unlink()
    desk.sync()
    (laptop.top / "code.py").write_text("a = 2\n\nb = 1\n\nc = 1\n")
    laptop.commit(TEA, tea(state="approved"))
    (desk.top / "code.py").write_text("a = 1\n\nb = 1\n\nc = 2\n")
    desk.commit(TEA, tea(state="restricted"))
    laptop.sync(), desk.sync()
    assert (desk.top / "code.py").read_text() == "a = 2\n\nb = 1\n\nc = 2\n" and "restricted" in desk.read(TEA)
    (laptop.top / "code.py").write_text("a = 3\n")
    laptop.commit()
    laptop.sync(), desk.sync()
    (laptop.top / "code.py").write_text("a = 4\n")
    laptop.commit()
    (desk.top / "code.py").write_text("a = 5\n")
    desk.commit()
    laptop.sync()
    assert desk.sync().open == ("code.py",)
    desk.give_up()
    assert (desk.top / "code.py").read_text() == "a = 5\n"


def test_deleted_on_one_side_and_changed_on_the_other(two: Two) -> None:
    """A memory survives; one that the other side left alone goes."""
    laptop, desk, _ = two
    (laptop.root / TEA).unlink()
    laptop.commit()
    desk.commit(TEA, tea(state="approved"))
    laptop.sync(), desk.sync(), laptop.sync()
    assert laptop.read(TEA) == desk.read(TEA) == tea(state="approved")


def test_line_ends_of_the_work_tree_stay(two: Two) -> None:
    """A file that lies here with CRLF, as git wrote it, is no edit, and stays so."""
    laptop, desk, _ = two
    desk.write(TEA, tea().replace("\n", "\r\n"))
    laptop.commit(TEA, tea(state="approved"))
    laptop.sync(), desk.sync()
    assert (desk.root / TEA).read_bytes() == tea(state="approved").replace("\n", "\r\n").encode()


def test_a_dry_run_changes_nothing(two: Two) -> None:
    """It says what would come and what the owner would have to choose."""
    laptop, desk, _ = two
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    laptop.commit(TEA, tea("Prefers mint"))
    laptop.sync()
    desk.commit(TEA, tea("Prefers cola"))
    before = (tree_hash(desk.top), desk.head(), desk.status())
    assert desk.sync(dry_run=True) == Synced("origin/main", came=2, merged=1, open=(TEA,))
    assert (tree_hash(desk.top), desk.head(), desk.status()) == before
    assert driver.trouble(str(desk.root)) != ""


def test_own_writes_are_committed_first_and_the_driver_registered(two: Two) -> None:
    """What waits to be committed is committed before the merge, and plain git merges alike from then on."""
    laptop, _, _ = two
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    assert sync(replace(laptop.tools(), commit_waiting=laptop.commit)).went == 1
    assert driver.trouble(str(laptop.root)) == ""


class Killed(BaseException):
    """A process that ends here."""


STEPS: list[tuple[object, str, int]] = [
    (checkout, "atomic_note", 0),
    (Checkout, "_write_files", 0),
    (Checkout, "_put", 1),
    (Checkout, "_put", 2),
    (Checkout, "_set_index", 0),
    (Checkout, "_move_branch", 0),
    (Checkout, "_open_merge", 0),
    (checkout, "atomic_note", 1),
    (checkout, "atomic_note", 2),
    (checkout, "atomic_note", 3),
    (module, "_pushed", 0),
    (trees, "write_blobs", 0),
    (trees, "tree_with", 0),
]


@pytest.mark.parametrize("words", ["Prefers tea", "Prefers cola"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step[1]}-{step[2]}")
def test_killed_anywhere_the_next_sync_works(
    two: Two, monkeypatch: pytest.MonkeyPatch, step: tuple[object, str, int], after: bool, words: str
) -> None:
    """A sync that is killed loses nothing, and the next one comes to what it would have come to."""
    laptop, desk, _ = two
    laptop.write("memories/cup.md", text_of("Has a big cup"))
    laptop.commit(TEA, tea("Prefers mint" if words != "Prefers tea" else words, state="rejected"))
    laptop.sync()
    desk.commit(TEA, tea(words, category="preferences"))
    desk.write("Home.md", "mine\n")
    place, name, times = step
    left = [times]
    real = getattr(place, name)

    def deadly(*arguments: object, **named: object) -> object:
        if left[0]:
            left[0] -= 1
            return real(*arguments, **named)
        if after:
            real(*arguments, **named)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(place, name, deadly)
        for _ in _until_killed(desk):
            pass
    laptop.commit("memories/more.md", text_of("One more"))
    laptop.sync()
    _recover(desk, words)
    laptop.sync()
    assert desk.head() == laptop.head() and desk.status() == "?? Home.md\n"
    assert tree_hash(laptop.root / "memories") == tree_hash(desk.root / "memories")
    assert "rejected" in desk.read(TEA) and "preferences" in desk.read(TEA)
    assert not list((desk.top / ".git").glob("personakit-merge*"))


def test_what_a_killed_sync_began_is_taken_back(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before the branch moves, with one file changed once more since: what lies there half done is no edit."""
    laptop, desk, _ = two
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    desk.commit(TEA, tea(category="preferences"))

    def deadly(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkout, "_move_branch", deadly)
        with pytest.raises(Killed):
            desk.sync()
    assert desk.status() != ""
    laptop.commit(TEA, tea(state="rejected", evidence=["I like tea", "Every day"]))
    laptop.sync()
    try:
        desk.sync()
    except CannotSync as error:
        pytest.fail(str(error))
    assert desk.status() == ""
    assert desk.read(TEA) == tea(state="rejected", category="preferences", evidence=["I like tea", "Every day"])


def _until_killed(desk: Machine) -> Iterator[None]:
    try:
        desk.sync()
    except Killed:
        yield


def _recover(desk: Machine, words: str) -> None:
    try:
        done = desk.sync()
    except CannotSync as error:
        assert "--continue" in str(error)
        done = replace(Synced(""), open=(TEA,))
    if words == "Prefers tea":
        assert not done.open
        return
    assert done.open == (TEA,) and "mint" in desk.read(TEA) and "cola" in desk.read(TEA)
    desk.write(TEA, tea("Prefers both", state="rejected", category="preferences"))
    desk.go_on()
    desk.sync()


@pytest.mark.parametrize("name", ["_tell_index", "_move_branch", "close_merge", "forget"])
@pytest.mark.parametrize("after", [False, True])
def test_killed_while_it_is_ended(two: Two, monkeypatch: pytest.MonkeyPatch, name: str, after: bool) -> None:
    """The end of an open merge can be cut off anywhere, and asked for again."""
    desk = conflict(two)
    desk.write(TEA, tea("Prefers both"))
    real = getattr(Checkout, name)

    def deadly(*arguments: object) -> None:
        if after:
            real(*arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkout, name, deadly)
        with pytest.raises(Killed):
            desk.go_on()
    try:
        desk.sync()
    except CannotSync:
        desk.go_on()
    assert desk.read(TEA) == tea("Prefers both") and desk.status() == "?? Home.md\n"
    two[0].sync()
    assert two[0].head() == desk.head()


def test_another_sync_is_waited_for_by_nobody(two: Two) -> None:
    """Two at once: the second says so."""
    _, desk, _ = two
    assert "another sync" in _told_inside(desk)


def _told_inside(desk: Machine) -> str:
    said: list[str] = []

    def again() -> None:
        said.append(refused(desk))

    sync(replace(desk.tools(), commit_waiting=again))
    return said[0]


def test_the_owner_is_faster(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes while the merge is worked out, or a commit in between, is taken into account anew."""
    laptop, desk, _ = two
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    real = Checkout.check
    turns = [0]

    def busy(self: Checkout, plan: trees.Plan) -> None:
        real(self, plan)
        turns[0] += 1
        if turns[0] == 1:
            desk.commit("memories/late.md", text_of("Came late"))

    monkeypatch.setattr(Checkout, "check", busy)
    desk.sync()
    assert turns[0] == 2 and desk.status() == "" and "rejected" in desk.read(TEA)
    assert "memories/late.md" in git(desk.top, "ls-files")


def test_a_work_tree_elsewhere_is_refused(two: Two, tmp_path: Path) -> None:
    """Where `core.worktree` says that the files lie in another folder, none is written here nor there."""
    laptop, desk, _ = two
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    (tmp_path / "else").mkdir()
    git(desk.top, "config", "core.worktree", str(tmp_path / "else"))
    head = desk.head()
    with pytest.raises(CannotSync, match=r"core\.worktree"):
        desk.sync()
    assert desk.head() == head and "rejected" not in desk.read(TEA) and not list((tmp_path / "else").iterdir())
    git(desk.top, "config", "core.worktree", str(desk.top))
    assert desk.sync().came == 1


@pytest.mark.parametrize("name", [b" notes ", b"n\xf6tes", "n\u2028tes".encode()])
def test_the_repository_may_lie_in_any_folder(tmp_path: Path, name: bytes) -> None:
    """Blanks at the ends of a folder's name, and bytes that are no text, are part of it."""
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    laptop, desk, _ = two_machines(folder, os.fsdecode(name))
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    desk.commit(TEA, tea(category="preferences"))
    assert desk.sync().merged == 1 and desk.status() == ""
    desk.write(TEA, tea(state="rejected", category="preferences", mood="calm"))
    commits = Commits(str(desk.root))
    assert why_waiting(str(desk.root)) is None and commits.changes(["."]) == {TEA: " M"}
    assert commits.commit([TEA], Message("commit 1 file", "commit")).commit and desk.status() == ""


def test_no_other_branch_is_moved(two: Two) -> None:
    """What the repository's own settings would fetch into beside the branch that is followed stays where it is."""
    laptop, desk, _ = two
    git(desk.top, "branch", "other")
    git(desk.top, "config", "remote.origin.fetch", "+refs/heads/main:refs/heads/other")
    before = desk.head()
    laptop.commit(TEA, tea(state="rejected"))
    laptop.sync()
    assert desk.sync().came == 1 and desk.head() == laptop.head()
    assert git(desk.top, "rev-parse", "other").strip() == before


def test_names_of_objects_may_be_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository of SHA-256 names is synced alike: deletions, conflicts, their end and their taking back."""
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    laptop, desk, _ = two_machines(tmp_path)
    laptop.commit("memories/old.md", text_of("Was here"))
    laptop.sync(), desk.sync()
    (laptop.root / "memories/old.md").unlink()
    laptop.commit(TEA, tea("Prefers mint"))
    laptop.sync()
    desk.commit("memories/cup.md", text_of("Has a big cup"))
    assert desk.sync().went == 2 and desk.status() == "" and not (desk.root / "memories/old.md").exists()
    laptop.sync()
    laptop.commit(TEA, tea("Prefers milk"))
    laptop.sync()
    desk.commit(TEA, tea("Prefers cola"))
    assert desk.sync().open == (TEA,) and "UU" in desk.status()
    desk.give_up()
    assert desk.status() == "" and desk.sync().open == (TEA,)
    desk.write(TEA, tea("Prefers both"))
    assert desk.go_on().went == 2 and desk.status() == ""


def test_a_shallow_clone_that_lacks_the_common_history(two: Two, tmp_path: Path) -> None:
    """It is told how to fetch it, nothing is changed, and then it syncs."""
    laptop, _, bare = two
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{bare}", str(tmp_path / "shallow"))
    shallow = Machine(tmp_path / "shallow")
    shallow.commit("memories/cup.md", text_of("Has a big cup"))
    for state in ("approved", "rejected"):
        laptop.commit(TEA, tea(state=state))
    laptop.sync()
    git(shallow.top, "fetch", "-q", "--depth=1")
    assert "git fetch --unshallow" in refused(shallow)
    git(shallow.top, "fetch", "-q", "--unshallow")
    assert shallow.sync() == Synced("origin/main", came=1, went=2)


def test_the_machines_own_folder_is_never_written_to(two: Two) -> None:
    """What the other side put into git of its `.personakit/` is not taken for what this machine noted."""
    laptop, desk, _ = two
    laptop.write(".personakit/seen.jsonl", "{}\n")
    git(laptop.top, "add", "-f", ".personakit")
    laptop.commit()
    laptop.sync()
    assert ".personakit" in refused(desk) and not (desk.root / ".personakit/seen.jsonl").exists()
