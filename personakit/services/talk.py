"""Talk: one call in a session, after the gate: whose it is, which session it names, and what consent is there."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from personakit.config import Consent
from personakit.errors import ArgumentError, SessionEnded, UnknownSession
from personakit.model.conversation import Conversation
from personakit.model.note import label_key, moment
from personakit.services.clock import stamp
from personakit.services.consent import consent_of
from personakit.services.sessions import new_id

if TYPE_CHECKING:
    from personakit.model.visibility import Viewer
    from personakit.services.desk import Asking
    from personakit.services.sessions import Sessions
    from personakit.services.telling import Labels

_SESSION_ID = re.compile(r"s_[0-9a-z]{16}")


@dataclass(slots=True)
class Talk:
    """One call in a session, after the gate: who asks, in which session, and what the owner's consent is there."""

    asking: Asking
    sessions: Sessions
    labels: Labels
    consent: Consent = Consent.NONE
    session: Conversation | None = None
    asked_project: str = ""

    @property
    def now(self) -> float:
        """The time of this call, in whole seconds as the journal has it."""
        return moment(stamp(self.asking.vault.clock)) or 0.0

    def enter(self, id_: str, field: str = "session_id", *, closed: bool = False) -> None:
        """Find the session that a call names; where consent is none, any id of the right shape will do.

        Raises:
            ArgumentError: it is no session id.
            UnknownSession: the caller has none of this id.
            SessionEnded: it is closed, and `closed` ones will not do.
        """
        if not _SESSION_ID.fullmatch(id_):
            raise ArgumentError(field, "is no session id; give one that memory_start has given")
        found = self.sessions.find(id_, self.now)
        if found is not None and not self._is_mine(found):
            found = None
        self._allow(found.project if found is not None else self.asking.launch.project)
        if self.sessions.is_silent(id_):
            self.consent = Consent.NONE
        if self.consent is Consent.NONE:
            return
        if found is None:
            raise UnknownSession(field)
        if found.is_closed(self.now) and not closed:
            raise SessionEnded(field)
        self.session = found

    def visit(self, id_: str) -> None:
        """Let a call that is no turn of a session name one all the same; "" for none.

        Raises:
            ArgumentError, UnknownSession: as for `enter`; one that has ended will do.
        """
        if id_:
            self.enter(id_, closed=True)
        else:
            self._allow(self.asking.launch.project)

    def _is_mine(self, session: Conversation) -> bool:
        """Say whether the caller opened a session, and may still ask for its project."""
        ceiling = label_key(self.asking.launch.project)
        return session.agent == self.asking.by and (not ceiling or label_key(session.project) in ("", ceiling))

    def open(self, project: str, parent: str) -> str:
        """Open a session and give its id.

        Raises:
            ArgumentError, UnknownSession, SessionEnded: of the parent.
        """
        inherits = bool(parent) and not project
        if parent:
            self.enter(parent, "parent")
            project = project or (self.session.project if self.session is not None else "")
        project = project or self.asking.launch.project
        if not (inherits and self.consent is Consent.NONE):  # whose project is not known, and nor is the child's
            self._allow(project)
        id_ = new_id("s")
        if self.consent is Consent.NONE:
            self.sessions.silence(id_)
            self.session = None
            return id_
        now = self.now
        self.asked_project = project
        if ceiling := label_key(self.asking.launch.project):
            project = project if label_key(project) == ceiling else ""  # every other one is unknown
        self.session = Conversation(id_, self.asking.by, project, parent, now, now)
        return id_

    def _allow(self, project: str) -> None:
        """Find the consent for a project; a launch for one project stays with that one's."""
        found = consent_of(self.asking.settings, self.asking.launch.project or project)
        if found is Consent.FULL and (self.asking.launch.read_only or self.asking.settings.read_only):
            found = Consent.SERVE_ONLY
        self.consent = found


def viewer_in(talk: Talk) -> Viewer:
    """Give what may be seen in a call's session: its project is the one asked for, whatever the launch asks for."""
    project = talk.session.project if talk.session is not None else ""
    return replace(talk.asking.viewer, project=label_key(project) or None)
