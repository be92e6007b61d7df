"""`personakit serve`: the MCP server on stdio."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

import click

from personakit.cli.vault import vault_option
from personakit.config import Launch, find_vault

if TYPE_CHECKING:
    from personakit.services.desk import Desk


@click.command("serve")
@vault_option
@click.option("--as", "assistant", metavar="NAME", default="", help="The assistant's name, as `assistants` lists it.")
@click.option("--project", metavar="NAME", default="", help="The only project this assistant may ask for.")
@click.option("--toolsets", default="persona", show_default=True, help="Comma-separated toolsets, or `all`.")
@click.option("--tools", default=None, help="Exactly these tools, comma-separated.")
@click.option("--exclude-tools", default="", help="Tools to leave out, comma-separated.")
@click.option("--read-only", is_flag=True, help="Offer only tools that write nothing.")
def serve_command(  # noqa: PLR0913 - click gives a command one parameter for each of its options
    vault: str | None,
    assistant: str,
    project: str,
    toolsets: str,
    tools: str | None,
    exclude_tools: str,
    read_only: bool,
) -> None:
    """Serve the vault to one assistant over stdio; its client starts this."""
    launch = Launch(
        vault=find_vault(vault, os.environ, os.getcwd()),
        assistant=assistant.strip(),
        project=project.strip(),
        toolsets=_names(toolsets),
        tools=None if tools is None else _names(tools),
        exclude_tools=_names(exclude_tools),
        read_only=read_only,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))  # until the server's own loop takes them
    # The SDK's import makes a million objects that all stay: collecting garbage meanwhile costs a sixth of it.
    gc.disable()
    # Imported here: the SDK takes half a second, which no other command owes.
    from personakit.server import serve  # noqa: PLC0415

    gc.enable()
    gc.freeze()
    serve(launch, lambda: _open_desk(launch))


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name for part in listed.split(",") if (name := part.strip()))


def _open_desk(launch: Launch) -> Desk:
    """Open the vault; runs when the client has its first answer."""
    from personakit.services.clock import SystemClock  # noqa: PLC0415
    from personakit.services.desk import Desk  # noqa: PLC0415
    from personakit.services.opened import OpenVault  # noqa: PLC0415
    from personakit.vault.watch import watch_for  # noqa: PLC0415

    # All that is made here stays: collecting garbage meanwhile, and looking through it at each later round, is waste.
    gc.disable()
    desk = Desk(launch, OpenVault(launch.vault, SystemClock(), watch_for))
    desk.load()
    gc.freeze()
    gc.enable()
    return desk
