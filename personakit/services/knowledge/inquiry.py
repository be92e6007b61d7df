"""An inquiry: one call about documents, once it is known who asks, in which repositories, and about which day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from personakit.config import Consent, Repository
from personakit.errors import ArgumentError
from personakit.model.block import tame
from personakit.model.days import checked_day
from personakit.model.note import Kind
from personakit.model.revision import revision
from personakit.model.visibility import viewer
from personakit.services.clock import today
from personakit.services.knowledge.corrections import apply_due
from personakit.services.sessions import new_id
from personakit.services.talk import viewer_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from personakit.config import Settings
    from personakit.index.shelf import Shelf
    from personakit.index.table import Table
    from personakit.model.document import Passage
    from personakit.model.visibility import Viewer
    from personakit.services.opened import OpenVault
    from personakit.services.served import Call
    from personakit.services.talk import Talk

_SHOWN = 60


@dataclass(slots=True)
class Inquiry:
    """One call about documents.

    Attributes:
        vault, viewer, settings: as for every call.
        by: who asks; "" for the owner.
        consent: what the owner lets assistants do here.
        id: the answer's id.
        day: the owner's day, YYYY-MM-DD.
        session: the session that the call names, "" for none.
        open: the repositories that may be read today.
        wanted: the ids of those that the call is about.
        unknown: ids that it named and that are none to the caller.
        call: what the journal will tell of it; None where nothing is told.
    """

    vault: OpenVault
    viewer: Viewer
    settings: Settings
    by: str
    consent: Consent
    id: str
    day: str
    session: str = ""
    open: tuple[Repository, ...] = ()
    wanted: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    call: Call | None = None

    @property
    def among(self) -> frozenset[str] | None:
        """The repositories to look in; None for all that are open."""
        return None if len(self.wanted) == len(self.open) else self.wanted

    def shelves(self, table: Table) -> tuple[Sequence[Shelf], Sequence[Shelf]]:
        """Give the shelves of passages that the viewer may see, and those of them to look in."""
        seen = table.shelves(Kind.PASSAGE, self.viewer).served
        return seen, seen if self.among is None else [one for one in seen if one.repository in self.wanted]

    def ends(self, passages: Iterable[Passage], **how: Any) -> None:
        """Say what leaves and how it came about, for the journal."""
        if self.call is None:
            return
        self.call.session = self.session
        self.call.ids = [[one.id, revision(one)] for one in passages]
        self.call.more = {"answer": self.id, "how": {key: value for key, value in how.items() if value is not None}}
        self.call.kept = True


def inquire(talk: Talk, session_id: str = "", repositories: Sequence[str] = ()) -> Inquiry:
    """Begin a call; ids of repositories that are unknown, hidden or ended count alike.

    Raises:
        ArgumentError, UnknownSession
    """
    asking = talk.asking
    with talk.sessions.lock:
        talk.visit(session_id)
    seeing = viewer_in(talk) if talk.session is not None else asking.viewer
    if not asking.launch.read_only:
        asking.vault.freshness.before_call()
        apply_due(asking.vault)
    inquiry = _inquiry(asking.vault, seeing, asking.settings, repositories)
    inquiry.by, inquiry.consent = asking.by, talk.consent
    inquiry.session = session_id if talk.session is not None else ""
    asking.call.kept = False
    if talk.consent is not Consent.NONE:
        inquiry.call = asking.call
    return inquiry


def owners_inquiry(vault: OpenVault, name: str = "") -> Inquiry:
    """Begin a call of the owner's own, as one assistant or as any that a list names; the journal is told nothing."""
    opened = frozenset(one.id for one in vault.settings.open_repositories(today(vault.clock)))
    seeing = viewer(name or None, every_list=not name, repositories=opened)
    return _inquiry(vault, seeing, vault.settings, ())


def _inquiry(vault: OpenVault, viewer: Viewer, settings: Settings, repositories: Sequence[str]) -> Inquiry:
    day = today(vault.clock)
    opened = settings.open_repositories(day)
    known = {one.id for one in opened}
    asked = list(dict.fromkeys(repositories))
    return Inquiry(
        vault=vault,
        viewer=viewer,
        settings=settings,
        by="",
        consent=settings.consent,
        id=new_id("a"),
        day=day,
        open=opened,
        wanted=frozenset(one for one in asked if one in known) if asked else frozenset(known),
        unknown=tuple(one for one in asked if one not in known),
    )


def checked_as_of(written: str, day: str) -> str:
    """Give the day a call is about; "" for now.

    Raises:
        ArgumentError: it is no date, or lies after today.
    """
    if not written:
        return ""
    given = checked_day("as_of", written, whole=True)
    if given > day:
        raise ArgumentError("as_of", f"lies after today, {day}; leave it out for what holds now")
    return given


def checked_question(field_: str, written: str) -> str:
    """Give a question without the blanks around it.

    Raises:
        ArgumentError: nothing is left.
    """
    given = written.strip()
    if not given:
        raise ArgumentError(field_, "is empty; give words to look for")
    return given


def nothing_under(ref: str) -> str:
    """Give the one sentence for everything that is not there to the caller."""
    return f"PersonaKit has nothing under {tame(ref)[:_SHOWN]} for you."
