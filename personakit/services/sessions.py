"""The sessions that are open, in memory and, for those of an earlier or another process, as the journal tells them."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING, Any

from personakit.model.conversation import Conversation, Told, Turn, after, end
from personakit.model.label import SHORTEST, code_of
from personakit.model.memory import ID_SHAPE
from personakit.model.note import moment
from personakit.vault.journal import ENDED, SERVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from personakit.vault.journal import Journal

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_MOST_OPEN = 2_000


def new_id(kind: str) -> str:
    """Give a new id: `s` for a session, `p` for a prompt or reply; 80 random bits that nobody guesses."""
    return f"{kind}_" + "".join(secrets.choice(_LETTERS) for _ in range(16))


class Sessions:
    """The sessions of one vault on this machine. The journal is read when one is asked for that is not in memory."""

    def __init__(self, journal: Journal) -> None:
        self.lock = threading.RLock()
        self._journal = journal
        self._open: dict[str, Conversation] = {}
        # Ids that were issued where consent allows nothing: they are good for nothing, and kept nowhere else.
        self._silent: dict[str, None] = {}
        self._forgettings = journal.forgettings()
        self._mark = journal.mark()

    def find(self, id_: str, now: float) -> Conversation | None:
        """Give a session by its id; what its owner took out of the journal is forgotten here too."""
        forgettings = self._journal.forgettings()
        if forgettings != self._forgettings:
            self._open.clear()
            self._forgettings = forgettings
        self._catch_up(now)
        found = self._open.get(id_)
        if found is None:
            found = made_again(id_, self._journal.rows_with(f'"session":"{id_}"', SERVED, ENDED), now)
            if found is not None:
                self.put(found)
        return found

    def _catch_up(self, now: float) -> None:
        """Take in what the journal got since, from other processes too; our own rows once more change nothing."""
        rows, self._mark = self._journal.rows_since(self._mark, '"session":"', SERVED, ENDED)
        for row in rows:
            session = self._open.get(str(row.get("session")))
            if session is not None:
                self._open[session.id] = _after_row(session, row, now)

    def put(self, session: Conversation) -> None:
        """Remember a session as it is now; the one that waited longest makes room."""
        self._open.pop(session.id, None)
        self._open[session.id] = session
        if len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]

    def silence(self, id_: str) -> None:
        """Remember an id that was issued under consent none."""
        self._silent[id_] = None
        if len(self._silent) > _MOST_OPEN:
            del self._silent[next(iter(self._silent))]

    def is_silent(self, id_: str) -> bool:
        """Say whether an id was issued under consent none, by this process."""
        return id_ in self._silent


def made_again(id_: str, rows: Iterable[dict[str, Any]], now: float) -> Conversation | None:
    """Make a session from its rows, oldest first; None when none of them opened it."""
    session: Conversation | None = None
    for row in rows:
        if row.get("session") != id_:
            continue
        if session is None:
            if row["kind"] == ENDED or row.get("opened") is not True:
                continue
            at, project, parent = _time(row, now), str(row.get("project", "")), str(row.get("parent", ""))
            session = Conversation(id_, str(row.get("to")), project, parent, started=at, last=at)
        session = _after_row(session, row, now)
    return session


def _after_row(session: Conversation, row: dict[str, Any], now: float) -> Conversation:
    return end(session) if row["kind"] == ENDED else after(session, turn_of(row, _time(row, now)))


def _time(row: dict[str, Any], now: float) -> float:
    """Give a row's time; one that cannot be read is long ago, one to come is now."""
    return min(moment(str(row.get("at"))) or 0.0, now)


def row_of(turn: Turn) -> dict[str, Any]:
    """Give what a journal row says of an answer beside its ids."""
    said: dict[str, Any] = {
        "rules": turn.rules,
        "withdrawn": [list(one) for one in turn.withdrawn],
        "prompt": turn.prompt,
        "repeats": turn.repeats,
        "short": turn.short,
    }
    return {key: value for key, value in said.items() if value}


def ids_of(turn: Turn) -> list[list[str]]:
    """Give ids and revisions as a row says them, and a label where it is not the plain one."""
    return [
        [one.id, one.revision] if one.label == code_of(one.id)[:SHORTEST] else [one.id, one.revision, one.label]
        for one in turn.told
    ]


def turn_of(row: dict[str, Any], at: float) -> Turn:
    """Read an answer from its row. A part that cannot be read is left out: a memory is told once more, at worst."""
    listed = row.get("ids")
    told = [one for one in map(_told, listed if isinstance(listed, list) else ()) if one is not None]
    rules, withdrawn = row.get("rules"), row.get("withdrawn")
    pairs = withdrawn if isinstance(withdrawn, list) else []
    return Turn(
        at=at,
        told=tuple(told),
        rules=rules if isinstance(rules, int) and 0 <= rules <= len(told) else 0,
        withdrawn=tuple((str(one[0]), str(one[1])) for one in pairs if isinstance(one, list) and len(one) == 2),
        prompt=str(row.get("prompt", "")),
        query=str(row.get("query", "")) if row.get("tool") == "memory_recall" else "",
        repeats=row.get("repeats") is True,
        short=row.get("short") is True,
    )


def _told(said: object) -> Told | None:
    if not isinstance(said, list) or not 2 <= len(said) <= 3 or not all(isinstance(one, str) for one in said):
        return None
    id_, revision = said[:2]
    if not ID_SHAPE.fullmatch(id_):
        return None
    return Told(id_, revision, said[2] if len(said) == 3 else code_of(id_)[:SHORTEST])
