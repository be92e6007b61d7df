"""Propose: check a statement, find whether it is known, and store it as unconfirmed."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from personakit.errors import Conflict, HeldFile, TooMany
from personakit.model.memory import Memory
from personakit.model.note import Kind
from personakit.model.proposal import Accepted, check_proposal
from personakit.model.states import State
from personakit.services.answers import Refusal, Stored
from personakit.services.clock import stamp
from personakit.vault.journal import Change
from personakit.vault.layout import file_name
from personakit.vault.lines import add_item, quoted
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from personakit.config import Settings
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault
    from personakit.vault.store import Pen

MOST_QUOTES = 10
FULL_BLOCK = 24 * 1024
TOOL = "propose"


class Proposer:
    """Stores proposals. One for each server, since it counts them."""

    def __init__(self, vault: OpenVault, viewer: Viewer) -> None:
        self._vault = vault
        self._viewer = viewer
        self._recent: deque[float] = deque()

    def propose(
        self, text: str, quote: str, category: str, *, by: str, settings: Settings | None, source: str = ""
    ) -> Stored | Refusal:
        """Store one statement, or give the reason why not. `by` is the assistant, "" for the owner.

        `settings` hold the limits; None: none apply (the owner's own command). `source` is the turn of a session in
        which a person said the quote, "" when none is known.

        Raises:
            HeldFile: a file that cannot be read holds these words.
            TooMany: a limit is reached.
            Conflict, NotEditable, Busy, DiskError, ReadOnlyVault
        """
        checked = check_proposal(text, quote, category)
        if not isinstance(checked, Accepted):
            return Refusal(checked.reason)
        library = self._vault.library
        with library.store.writing() as pen:
            # Under the lock no other PersonaKit can store the same words between this look and the write.
            self._vault.freshness.before_write()
            known = self._known(checked.id)
            if known is not None:
                return self._again(pen, known, checked.quote, by)
            if settings is not None:
                self._count(by, settings)
            raw = _written(checked, by=by, created=stamp(library.clock), source=source)
            path = pen.create(f"memories/{stamp(library.clock)[:7]}", file_name(checked.statement, checked.id), raw)
            self._record(Change(path, version_of(raw, Kind.MEMORY), "", TOOL, by, (checked.id,)))
        library.apply([path])
        return Stored(checked.id, new=True, state=State.UNCONFIRMED)

    def _known(self, id_: str) -> Memory | None:
        """Give the memory that has this id or these words, in any state.

        Raises:
            HeldFile: only a held file does.
        """
        memories = [note for note in self._vault.library.claiming(id_) if isinstance(note, Memory)]
        if memories:
            return memories[0]
        if self._vault.library.is_held(id_):
            raise HeldFile(f"The memory {id_}")
        return None

    def _again(self, pen: Pen, known: Memory, quote: str, by: str) -> Stored:
        """Answer for a memory that is there: add the quote while it is unconfirmed, change nothing else."""
        for last in (False, True):
            note = self._vault.library.note(known.id)
            if not isinstance(note, Memory) or note.state is None:
                raise Conflict(f"The memory {known.id}", "gone")
            if note.state is not State.UNCONFIRMED or quote in note.evidence or len(note.evidence) >= MOST_QUOTES:
                return Stored(note.id, new=False, state=note.state)
            version = self._vault.library.files[note.path].reading.digest
            try:
                now = pen.edit(note.path, version, lambda raw: _with_quote(raw, quote), called=f"The memory {note.id}")
                self._record(Change(note.path, now, version, TOOL, by, (note.id,)))
            except Conflict:
                if last:
                    raise
            self._vault.library.apply([note.path])
        return Stored(known.id, new=False, state=State.UNCONFIRMED)

    def _record(self, change: Change) -> None:
        if change.version != change.before:
            self._vault.recorder.written(change)

    def _count(self, by: str, settings: Settings) -> None:
        """Count a new proposal against both limits.

        Raises:
            TooMany: it is one too many, and is not counted.
        """
        now = self._vault.library.clock.monotonic()
        while self._recent and now - self._recent[0] >= 60:
            self._recent.popleft()
        if len(self._recent) >= settings.proposals_per_minute:
            raise TooMany("proposals_per_minute", settings.proposals_per_minute, "Wait a minute.")
        waiting = self._vault.library.waiting_from(by, self._viewer)
        if waiting >= settings.unconfirmed_per_proposer:
            limit = settings.unconfirmed_per_proposer
            raise TooMany("unconfirmed_per_proposer", limit, "The owner has to decide on some of them first.")
        self._recent.append(now)


def _with_quote(raw: bytes, quote: str) -> bytes:
    """Add a quote unless the front matter would grow past 24 KiB."""
    changed = add_item(raw, "evidence", quote)
    return changed if changed.find(b"\n---", 3) < FULL_BLOCK else raw


def _written(proposal: Accepted, *, by: str, created: str, source: str) -> bytes:
    """Give a new memory's file."""
    lines = [
        "---",
        "type: memory",
        f"id: {proposal.id}",
        f"state: {State.UNCONFIRMED}",
        f"created: {created}",
        f"category: {proposal.category}",
        *([f"proposed_by: {quoted(by)}"] if by else []),
        *([f"source: {quoted(source)}"] if source else []),
        "evidence:",
        f"  - {quoted(proposal.quote)}",
        "---",
        proposal.statement,
        "",
    ]
    return "\n".join(lines).encode()
