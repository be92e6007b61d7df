"""Sync: bring the vault's repository and its remote together: fetch, merge by the rule, push. Never by force."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from personakit.errors import CannotSync
from personakit.model.note import Kind
from personakit.vault import layout
from personakit.vault.conflict import marker_line
from personakit.vault.history import driver, remote, state, trees
from personakit.vault.history.checkout import Checkout, Moved
from personakit.vault.history.state import Repository
from personakit.vault.history.trees import GONE, Entry, Plan
from personakit.vault.reading import read_file

TRIES = 5
TRAILER = "PersonaKit-Tool: sync"
_LOCK = "personakit-sync.lock"


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync came to.

    Attributes:
        remote: what was synced with, as `NAME/BRANCH`.
        came: how many files came or changed here.
        merged: how many of them both sides had changed.
        went: how many commits went to the remote.
        open: paths in which the owner must choose; nothing is pushed while there are any.
    """

    remote: str
    came: int = 0
    merged: int = 0
    went: int = 0
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tools:
    """What a sync needs of who runs it.

    Attributes:
        root: the vault's real path.
        documents: the folders that hold documents.
        locked: holds the vault's lock.
        commit_waiting: commits PersonaKit's own writes that wait for it.
        tell: is told what goes on, with how much is done of how much; 0 of 0 is not counted.
    """

    root: str
    documents: tuple[str, ...]
    locked: Callable[[], AbstractContextManager[object]]
    commit_waiting: Callable[[], object]
    tell: Callable[[str, int, int], None]

    def kind_of(self, top: str) -> Callable[[str], Kind | None]:
        """Give what tells the kind of a path of the repository. None: not one of the vault's own files."""
        inside = os.path.relpath(self.root, top).replace(os.sep, "/")
        start = "" if inside == "." else f"{inside}/"

        def kind(path: str) -> Kind | None:
            within = path.removeprefix(start) if path.startswith(start) else ""
            return layout.kind_at(within, self.documents) if layout.is_markdown(within) else None

        return kind


def sync(tools: Tools, *, dry_run: bool = False) -> Synced:
    """Bring both sides together.

    Raises:
        CannotSync: as things stand it cannot be done; nothing was changed.
        WriteError
    """
    repository = state.find(tools.root)
    with _alone(repository):
        _settled(repository, tools)
        if not dry_run:
            driver.register(tools.root)
            tools.commit_waiting()
        came = merged = 0
        for _ in range(TRIES):
            checkout = _settled(repository, tools)
            tools.tell("Fetching", 0, 0)
            plan = _planned(repository, tools, _fetched(repository))
            changed, both = len(plan.changes), plan.both
            checkout.check(plan)
            if dry_run:
                return _outcome(repository, plan, came=changed, merged=both)
            try:
                if plan.changes or plan.new != plan.old:
                    tools.tell("Writing files", 0, 0)
                    checkout.apply(plan, _message(repository))
            except Moved:
                continue
            came, merged = came + changed, merged + both
            if plan.clashes:
                return _outcome(repository, plan, came=came, merged=merged)
            pushed = _pushed(repository, tools, plan)
            if pushed is not None:
                return Synced(_name(repository), came, merged, pushed)
    raise CannotSync("somebody else was always faster; try again in a moment")


def go_on(tools: Tools) -> Synced:
    """End a merge that waited for the owner, and sync.

    Raises:
        CannotSync: there is none, or a file still holds both sides.
        WriteError
    """
    repository = state.find(tools.root)
    with _alone(repository):
        checkout, plan = _waiting(repository, tools)
        kind_of = tools.kind_of(repository.top)
        chosen: dict[str, Entry] = {}
        for path, three in plan.clashes.items():
            chosen[path] = _chosen(repository, path, three, kind_of(path))
        entries = {path: new for path, (_, new) in plan.changes.items() if path not in chosen} | chosen
        tree = trees.tree_with(repository, plan.old, entries)
        new = trees.commit(repository, tree, [plan.old, plan.theirs], _message(repository))
        checkout.conclude(plan, chosen, new)
    return sync(tools)


def give_up(tools: Tools) -> None:
    """Take a merge back that waits for the owner; everything is as it was before.

    Raises:
        CannotSync: there is none.
        WriteError
    """
    repository = state.find(tools.root)
    with _alone(repository):
        checkout, plan = _waiting(repository, tools)
        checkout.close_merge()
        checkout.take_back(plan, choices=True)


@contextlib.contextmanager
def _alone(repository: Repository) -> Iterator[None]:
    # Imported here: commands that do not sync do not owe its time.
    from personakit.vault.history.alone import alone  # noqa: PLC0415

    with alone(os.path.join(repository.folder, _LOCK)):
        yield


def _settled(repository: Repository, tools: Tools) -> Checkout:
    """Take back what a killed sync began, and make sure that nothing else is under way.

    Raises:
        CannotSync
    """
    checkout = Checkout(repository, tools.locked)
    noted = checkout.noted()
    if noted is not None and noted[1].clashes and checkout.is_concluded(noted[1]):
        checkout.close_merge()
        checkout.forget()
        noted = None
    what = state.under_way(repository)
    if what and noted is not None and noted[1].clashes:
        names = ", ".join(noted[1].clashes)
        raise CannotSync(
            f"a merge waits for you in {names}; mend it and run `personakit sync --continue`, "
            "or take it back with `personakit sync --abort`"
        )
    if what:
        raise CannotSync(f"{what} is under way in its repository; end it first")
    if noted is not None:
        ref, plan = noted
        if ref == repository.ref and repository.head() == plan.old:
            checkout.take_back(plan)
        checkout.forget()
    return checkout


def _waiting(repository: Repository, tools: Tools) -> tuple[Checkout, Plan]:
    checkout = Checkout(repository, tools.locked)
    noted = checkout.noted()
    if noted is None or not noted[1].clashes or state.under_way(repository) != "a merge":
        raise CannotSync("no merge of a sync waits for you")
    if noted[0] != repository.ref or repository.head() != noted[1].old:
        raise CannotSync("the branch has moved since the merge began; end it with git")
    return checkout, noted[1]


def _fetched(repository: Repository) -> str:
    """Fetch, and give the other side's commit; "" when the remote has no such branch yet."""
    answer = remote.fetch(repository)
    if not answer.ok:
        if "couldn't find remote ref" in answer.said:
            return ""
        raise CannotSync(f"the remote {repository.remote} cannot be reached ({remote.said(answer)})")
    return repository.git.ask("rev-parse", "--verify", "-q", repository.tracking).line


def _planned(repository: Repository, tools: Tools, theirs: str) -> Plan:
    """Work out what the merge changes.

    Raises:
        CannotSync: the two have no common history.
    """
    ours = repository.head()
    plan = Plan(ours, theirs, new=ours)
    if not theirs or theirs == ours:
        return plan
    common = trees.bases(repository, ours, theirs)
    if not common:
        if repository.git.ask("rev-parse", "--is-shallow-repository").line == "true":
            raise CannotSync("its clone is shallow and lacks the common history; `git fetch --unshallow` brings it")
        raise CannotSync("its branch and the remote's have no common history")
    if common == [theirs]:
        return plan
    if common == [ours]:
        plan.new = theirs
        plan.changes = trees.difference(repository, ours, theirs)
        return plan
    plan.new = ""
    trees.merge_trees(
        repository,
        common,
        plan,
        tools.kind_of(repository.top),
        lambda done, every: tools.tell("Merging", done, every),
    )
    if not plan.clashes:
        plan.new = trees.commit(repository, plan.tree, [ours, theirs], _message(repository))
    return plan


def _pushed(repository: Repository, tools: Tools, plan: Plan) -> int | None:
    """Push, and give how many commits went; None when somebody pushed in between.

    Raises:
        CannotSync: the remote refused.
    """
    ahead = [plan.new, *([f"^{plan.theirs}"] if plan.theirs else [])]
    number = int(repository.git.ask("rev-list", "--count", *ahead, "--").line or 0)
    if not number:
        return 0
    tools.tell("Pushing", 0, 0)
    answer = remote.push(repository, plan.new)
    if answer.ok:
        return number
    if remote.is_behind(answer):
        return None
    raise CannotSync(
        f"the remote {repository.remote} refused the push ({remote.said(answer)}); what came is merged here"
    )


def _chosen(repository: Repository, path: str, three: trees.Three, kind: Kind | None) -> Entry:
    """Store what the owner made of a file, and give it.

    Raises:
        CannotSync: it still holds both sides.
    """
    full = os.path.join(repository.top, path)
    if not os.path.lexists(full):
        return GONE
    with open(full, "rb") as file:
        data = file.read()
    like = three.ours if three.ours.mode else three.theirs
    if data.count(b"\r\n") and data.count(b"\r\n") == data.count(b"\n"):
        data = data.replace(b"\r\n", b"\n")
    held = kind is not None and any(problem.holds for problem in read_file(path, kind, data).problems)
    if held or marker_line(data.decode("utf-8", "replace")):
        raise CannotSync(f"{path} still holds both sides, or cannot be read; mend it first")
    if b"\0" in data and repository.git.ask("ls-files", "-u", "-z", "--", path).out:
        raise CannotSync(f"{path} still waits for you; choose a version and `git add` it")
    answer = repository.git.tell("hash-object", "-w", "--no-filters", "--stdin", stdin=data)
    if not answer.ok:
        raise CannotSync(f"git cannot store {path} ({answer.said})")
    return Entry(like.mode, answer.line)


def _outcome(repository: Repository, plan: Plan, *, came: int, merged: int) -> Synced:
    return Synced(_name(repository), came, merged, 0, tuple(plan.clashes))


def _name(repository: Repository) -> str:
    return f"{repository.remote}/{repository.branch}"


def _message(repository: Repository) -> str:
    return f"Merge {_name(repository)}\n\n{TRAILER}\n"
