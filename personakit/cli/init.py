"""`personakit init`: a new vault from the template, or what a folder lacks to be one."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from dataclasses import dataclass

import click

from personakit.cli import repository, template
from personakit.cli.connecting import connect_line
from personakit.cli.terminal import one_line, say
from personakit.config import Settings, SettingsFile
from personakit.errors import CannotInit, ReadOnlyVault
from personakit.vault.history import driver
from personakit.vault.layout import SETTINGS
from personakit.vault.scan import walk

# Folders whose Markdown a vault serves; in a folder that is none yet they may hold anything.
_SERVED = ("memories", "knowledge", "palace", "facts", "diary")
_COMMIT_AUTO = (
    "\n# Whether what PersonaKit writes is committed to the vault's git repository: auto or off.\ncommit: auto\n"
)


@dataclass(frozen=True, slots=True)
class Site:
    """A folder before it is made a vault.

    Attributes:
        root: its real path; it may not be there yet.
        is_vault: whether it is one already.
        is_used: whether it holds anything at all.
        work_tree: the git work tree it lies in, "" for none.
        served: folder -> number of Markdown files that a vault here would serve.
    """

    root: str
    is_vault: bool
    is_used: bool
    work_tree: str
    served: dict[str, int]


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".")
@click.option("--empty", is_flag=True, help="Leave out the example memories.")
@click.option("--no-git", is_flag=True, help="Make no git repository.")
@click.option("--yes", is_flag=True, help="Agree that the Markdown files that are there already are served.")
def init_command(folder: str, empty: bool, no_git: bool, yes: bool) -> None:
    """Make a vault in DIR (else here), or add what a folder lacks to be one; no file that is there is changed."""
    site = _survey(os.path.realpath(os.path.expanduser(folder)))
    if not yes:
        _ask(site)
    with_git = not (no_git or site.is_vault or site.work_tree) and repository.has_git()
    files, said = _build(site, examples=not (empty or site.is_used), with_git=with_git)
    said = said or _without_repository(site, no_git=no_git)
    if not no_git and repository.has_git() and repository.work_tree_above(site.root):
        driver.register(site.root)  # a repository that refuses it is named by `doctor`
    say(_summary(site, files))
    if said:
        say(one_line(said))
    say()
    say("Next:")
    say(f"  1. Connect an assistant: {one_line(connect_line(site.root))}")
    say(f"  2. Open {one_line(os.path.join(site.root, 'Home.md'))} in Obsidian or any editor.")


def _survey(root: str) -> Site:
    """Look at a folder without changing anything.

    Raises:
        CannotInit: it is no folder, or nothing can be written there.
        SettingsError, ReadOnlyVault: it is a vault that is not to be written to.
    """
    if os.path.lexists(root) and not os.path.isdir(root):
        raise CannotInit(root, "it is not a folder")
    above = root
    while not os.path.isdir(above):
        above = os.path.dirname(above)
    if not os.access(above, os.R_OK | os.W_OK | os.X_OK):
        raise CannotInit(root, f"your user may not write to {above}")
    entries = os.listdir(root) if os.path.isdir(root) else []
    if SETTINGS in entries:
        _refuse_newer(SettingsFile(root).read())
    served = Counter(path.split("/", 1)[0] for path in walk(root, ("knowledge",)).files) if entries else Counter()
    return Site(
        root=root,
        is_vault=SETTINGS in entries,
        is_used=bool(entries),
        work_tree=repository.work_tree_above(above),
        served={name: served[name] for name in _SERVED if served[name]},
    )


def _refuse_newer(settings: Settings) -> None:
    """Refuse a vault of a newer format: what it may hold is not known here.

    Raises:
        ReadOnlyVault
    """
    if settings.read_only:
        raise ReadOnlyVault(settings.read_only)


def _ask(site: Site) -> None:
    """Have the owner agree that what lies there already would be served.

    Raises:
        CannotInit: there is nobody to ask.
        click.Abort: they do not agree.
    """
    if site.is_vault or not site.served:
        return
    counts = ", ".join(f"{number} in {name}/" for name, number in site.served.items())
    total = sum(site.served.values())
    are = "Markdown file that is there would be" if total == 1 else "Markdown files that are there would be"
    warning = f"{total} {are} served to assistants ({counts})"
    if not sys.stdin.isatty():
        raise CannotInit(site.root, f"{warning}; add --yes if that is meant")
    click.confirm(f"{warning}. Go on?", abort=True)


def _build(site: Site, *, examples: bool, with_git: bool) -> tuple[list[str], str]:
    """Make the vault, and its repository; give the files made, and what is to be said of the repository."""
    made = template.copy(site.root, examples=examples)
    if not with_git:
        template.mark(site.root, made)
        return made.files, ""
    refused = repository.make(site.root)
    try:
        template.mark(site.root, made, "" if refused else _COMMIT_AUTO)
    except CannotInit:
        repository.unmake(site.root)
        made.undo(site.root)
        raise
    return made.files, f"No git repository: {refused}." if refused else _first_commit(site.root, made.files)


def _first_commit(root: str, paths: list[str]) -> str:
    repository.stage(root, paths)
    if not repository.knows_identity(root):
        return (
            "Its git repository waits for its first commit until git knows your name: "
            '`git config --global user.name "Your Name"` and `git config --global user.email you@example.org`, '
            f"then `git -C {shlex.quote(root)} commit -m Begin`."
        )
    refused = repository.commit(root, "Begin a PersonaKit vault")
    if refused:
        return f"Its git repository waits for its first commit: {refused}."
    return "Its git repository holds them."


def _summary(site: Site, files: list[str]) -> str:
    root, number = one_line(site.root), len(files)
    added = f"added {number} {'file' if number == 1 else 'files'}" if files else "nothing was missing"
    if site.is_vault:
        return f"{root} is a vault already; {added}, changed none." if files else f"{root} is a vault already; {added}."
    if site.is_used:
        return f"Made {root} a vault: {added}, changed none."
    examples = sum(path.startswith(template.EXAMPLES) for path in files)
    return f"Made a vault in {root}: {number} files{f', {examples} of them example memories' if examples else ''}."


def _without_repository(site: Site, *, no_git: bool) -> str:
    """Say why there is no repository of its own, where that is news to the owner."""
    if site.is_vault or no_git:
        return ""
    if site.work_tree:
        return f"It lies in the git work tree {site.work_tree}; commit the new files there when you like."
    return "No git repository, since this machine has no `git`: everything works but history."
