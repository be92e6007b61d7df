"""What was served to whom: one journal row for each call that let something out, and never a word of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from personakit.model.revision import revision
from personakit.services.clock import stamp

if TYPE_CHECKING:
    from personakit.services.opened import OpenVault

# A question for all facts of a vault lets thousands out; the rest of them is counted.
MOST_IDS = 200


@dataclass(slots=True)
class Call:
    """One call of one tool, as the journal will tell it.

    Attributes:
        tool: its name, "" for one that no journal names.
        question: what was asked; only a keyed hash of it is kept.
        session: the session it belongs to, "" for none.
        ids: the ids and revisions that left, in their order; None: what the vault remembers of the call.
        more: what else the row says.
        kept: whether there is a row at all, also when nothing left; None: when something did.
    """

    tool: str = ""
    question: tuple[str, ...] = ()
    session: str = ""
    ids: list[list[str]] | None = None
    more: dict[str, Any] = field(default_factory=dict)
    kept: bool | None = None


def note_served(vault: OpenVault, call: Call, to: str) -> None:
    """Write the row of one call. Where there can be no journal, the answer leaves without one."""
    if not call.tool or call.kept is False:
        return
    ids = [[note.id, revision(note)] for note in vault.left.values()] if call.ids is None else call.ids
    if not ids and not call.kept:
        return
    row: dict[str, Any] = {"at": stamp(vault.clock), "to": to, "tool": call.tool}
    if call.session:
        row["session"] = call.session
    row["ids"] = ids[:MOST_IDS] if call.ids is None else ids
    if len(ids) > len(row["ids"]):
        row["others"] = len(ids) - MOST_IDS
    if call.question:
        row["query"] = vault.recorder.hasher(*call.question)
    vault.recorder.serve({**row, **call.more})
