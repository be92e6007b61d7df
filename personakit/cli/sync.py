"""`personakit sync`: two machines, one vault, through the remote of its git repository."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from personakit.cli.terminal import one_line, say
from personakit.cli.vault import vault_option
from personakit.config import SettingsFile, find_vault
from personakit.errors import ReadOnlyVault

if TYPE_CHECKING:
    from personakit.services.sync import Synced, Tools

_CHOOSE = (
    "Both versions stand there between markers, and no assistant sees them. Mend each, then run "
    "`personakit sync --continue`; or take the merge back with `personakit sync --abort`."
)


@click.command("sync")
@click.option("--continue", "go_on", is_flag=True, help="End a merge that waited for you, and sync.")
@click.option("--abort", is_flag=True, help="Take back a merge that waits for you; all is as it was before.")
@click.option("--dry-run", is_flag=True, help="Fetch and say what would be merged; change no file.")
@vault_option
def sync_command(go_on: bool, abort: bool, dry_run: bool, vault: str | None) -> int:
    """Bring the vault's repository and its remote together: fetch, merge key by key, push. Exit code 1: you choose."""
    if go_on + abort + dry_run > 1:
        raise click.UsageError("--continue, --abort and --dry-run exclude each other.")
    # Imported here: help and wrong usage do without it.
    from personakit.services import sync  # noqa: PLC0415

    with _Line() as line:
        tools = _tools(vault, line)
        if abort:
            sync.give_up(tools)
        else:
            done = sync.go_on(tools) if go_on else sync.sync(tools, dry_run=dry_run)
    if abort:
        say("The merge was taken back; everything is as it was.")
        return 0
    for text in _told(done, dry_run=dry_run):
        say(one_line(text))
    return 1 if done.open else 0


def _tools(named: str | None, line: _Line) -> Tools:
    from personakit.services.clock import SystemClock  # noqa: PLC0415  # as above
    from personakit.services.recording import Recorder  # noqa: PLC0415
    from personakit.services.sync import Tools  # noqa: PLC0415
    from personakit.vault.store import DiskVault  # noqa: PLC0415

    root = find_vault(named, os.environ, os.getcwd())
    file = SettingsFile(root)
    settings = file.read()
    if settings.read_only:
        raise ReadOnlyVault(settings.read_only)
    store = DiskVault(root, settings.documents)
    recorder = Recorder(root, SystemClock(), file.read)
    recorder.store = store
    return Tools(root, settings.documents, store.writing, recorder.flush, line.tell)


def _told(done: Synced, *, dry_run: bool) -> list[str]:
    if done.open:
        must = "would have to choose" if dry_run else "choose"
        lines = [f"{done.remote}: you {must} in {_number(len(done.open), 'file')} whose words both sides changed:"]
        lines += [f"- {path}" for path in done.open]
        return lines if dry_run else [*lines, _CHOOSE]
    if not (done.came or done.went):
        return [f"{done.remote}: nothing to do." if not dry_run else f"{done.remote}: nothing would come."]
    parts = [f"{_number(done.came, 'file')} {'would come' if dry_run else 'came'}"]
    if done.merged:
        parts.append(f"{done.merged} of both sides merged")
    if done.went:
        parts.append(f"{_number(done.went, 'commit')} went")
    return [f"{done.remote}: {', '.join(parts)}."]


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


class _Line:
    """One line on a terminal's stderr that says what goes on, and is gone at the end."""

    def __enter__(self) -> _Line:
        self._shown = False
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, what: str, done: int, every: int) -> None:
        """Show what goes on, and how far it is; often enough, and not at each file."""
        if sys.stderr.isatty() and done % 20 == 0:
            self._shown = True
            sys.stderr.write(f"\r\x1b[K{what} {done} of {every}" if every else f"\r\x1b[K{what} …")
            sys.stderr.flush()
