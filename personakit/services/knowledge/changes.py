"""Changes: what happened to the documents in a time, newest first, and whether the caller was served the old words."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, NoHistory
from personakit.model.document import WITHDRAWN, Document, Passage
from personakit.model.note import moment
from personakit.model.pairing import Became, pair
from personakit.model.past import utc
from personakit.model.visibility import Sight, visible
from personakit.services.clock import stamp
from personakit.services.judged import Audience
from personakit.services.knowledge.chronicle import NO_HISTORY, Life, look_back, when
from personakit.services.knowledge.cursor import read_cursor, written_cursor
from personakit.vault.history.documents import ON_DISK
from personakit.vault.journal import SERVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from personakit.model.pairing import Pair
    from personakit.services.knowledge.chronicle import Reading
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.vault.history.documents import Edition

# So many seconds of the past are looked at in one go.
_AT_ONCE = 64
DOCUMENT_ADDED, DOCUMENT_REMOVED = "document added", "document removed"
DOCUMENT_WITHDRAWN, DOCUMENT_EXPIRED = "document withdrawn", "document expired"


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        at: when, in seconds since 1970.
        order: its place among all changes of that second.
        about: the document; of one that is served no more its id alone.
        kind: one of the published words.
        old, new: the passage before and since; None where there is none, or none to tell.
        ids: the passages whose words it takes away.
        withheld: whether the document is served no more, so that no word of it is told.
    """

    at: int
    order: tuple[int, str, int]
    about: Document
    kind: str
    old: Passage | None = None
    new: Passage | None = None
    ids: frozenset[str] = frozenset()
    withheld: bool = False

    @property
    def section(self) -> tuple[str, ...]:
        """Where it happened."""
        one = self.new or self.old
        return () if one is None else one.section

    @property
    def key(self) -> tuple[int, int, str, int]:
        """What sorts changes, oldest first, and tells this one from the others."""
        return (self.at, *self.order)


@dataclass(frozen=True, slots=True)
class Changes:
    """A page of changes; `served` are those whose old words the caller was served, `until` what the page covers."""

    rows: tuple[Change, ...]
    served: frozenset[tuple[int, int, str, int]]
    until: str
    cursor: str = ""
    reasons: tuple[str, ...] = ()


def changes(inquiry: Inquiry, since: str, limit: int, cursor: str) -> Changes:
    """Give the changes since a time, that second included, a page of them.

    Raises:
        ArgumentError
    """
    begin = moment(since)
    if begin is None:
        raise ArgumentError("since", "is no time; give a date-time such as 2026-11-12T09:30:00Z")
    now = stamp(inquiry.vault.clock)
    if begin > (moment(now) or 0.0) + 1:
        raise ArgumentError("since", f"lies in the future; it is {now}")
    given: list[object] = [utc(int(begin)), sorted(inquiry.wanted), sorted(inquiry.unknown)]
    until, after = now, None
    if cursor:
        until, after = _from_cursor(cursor, given)
    end = int(moment(until) or 0)
    reasons: tuple[str, ...] = ()
    try:
        wanted = _Page(int(begin), end, limit, after)
        rows = look_back(inquiry, lambda reading: _look(inquiry, reading, wanted))
    except NoHistory:
        rows, reasons = _expired_alone(inquiry, int(begin), end), (NO_HISTORY,)
    rows.sort(key=lambda one: one.key, reverse=True)
    places = _places(rows)
    left = [one for one in rows if after is None or places[one.key] < after]
    page = left[:limit]
    further = written_cursor(given, [until, list(places[page[-1].key])]) if len(left) > limit else ""
    served = _served(inquiry, page)
    inquiry.ends(
        [one.new for one in page if one.new is not None],
        repositories=len(inquiry.wanted),
        served=len(page),
    )
    return Changes(tuple(page), served, until, further, reasons)


def _places(rows: Sequence[Change]) -> dict[tuple[int, int, str, int], tuple[int, int]]:
    """Give the place of each row to a cursor, from rows newest first: its second, and which of that second it is.

    Counted among the rows themselves: a place among commits would tell of those that changed what is hidden.
    """
    found: dict[tuple[int, int, str, int], tuple[int, int]] = {}
    often: Counter[int] = Counter()
    for row in reversed(rows):
        found[row.key] = (row.at, often[row.at])
        often[row.at] += 1
    return found


def _from_cursor(cursor: str, given: list[object]) -> tuple[str, tuple[int, int]]:
    said = read_cursor(cursor, given)
    match said:
        case [str(until), [int(at), int(number)]] if moment(until) is not None:
            return until, (at, number)
    raise ArgumentError("cursor", "is none that this tool gave")


@dataclass(frozen=True, slots=True)
class _Page:
    """Which changes are asked for: from when to when, how many, and after which place of the page before."""

    begin: int
    end: int
    limit: int
    after: tuple[int, int] | None

    @property
    def top(self) -> int:
        """The second to begin at: what is later stood on the pages before."""
        return self.end if self.after is None else min(self.end, self.after[0])


def _look(inquiry: Inquiry, reading: Reading, page: _Page) -> tuple[list[Change], list[Life]]:
    """Give the changes of a page, perhaps more, and the lives they are of.

    Seconds are looked at whole, the latest first and until there are enough: a place counts all changes of its second.
    """
    lives = [life for life in reading.chronicle.lives(reading) if _stood_in(inquiry, life) in inquiry.wanted]
    steps: defaultdict[int, list[tuple[Life, int]]] = defaultdict(list)
    for life in lives:
        for number in _inside(inquiry, life, page.begin, page.end, page.top):
            steps[when(life.editions[number], page.end)].append((life, number))
    seconds = sorted(steps, reverse=True)
    told: list[tuple[Change, Life]] = []
    lowest = page.begin
    for start in range(0, len(seconds), _AT_ONCE):
        some = seconds[start : start + _AT_ONCE]
        near = [life.editions[n] for at in some for life, number in steps[at] for n in (number - 1, number) if n >= 0]
        reading.learn(near)
        for at in some:
            told += [(row, one[0]) for one in steps[at] for row in _step(inquiry, reading, *one, page.end)]
        if sum(page.after is None or row.at < page.top for row, _ in told) > page.limit:
            lowest = some[-1]
            break
    for life in lives:
        told += [(row, life) for row in _besides(inquiry, reading, life, page.end) if lowest <= row.at <= page.top]
    return [row for row, _ in told], list({id(life): life for _, life in told}.values())


def _stood_in(inquiry: Inquiry, life: Life) -> str:
    """Give the repository that a document is in, or was in last while that may be read; "" for none."""
    settings, known = inquiry.settings, inquiry.viewer.repositories
    each = (settings.repository_of(edition.path) for edition in reversed(life.editions))
    return life.repository if life.repository in known else next((one for one in each if one in known), "")


def _inside(inquiry: Inquiry, life: Life, begin: int, end: int, top: int) -> Iterator[int]:
    """Give the numbers of the editions between two times, of a document that the viewer may see."""
    if life.is_seen(inquiry.viewer):
        for number, edition in enumerate(life.editions):
            if begin <= when(edition, end) <= top:
                yield number


def rows_of(inquiry: Inquiry, reading: Reading, life: Life, begin: int, end: int) -> list[Change]:
    """Give the changes of one document in a time, as the viewer may know of them."""
    found = [one for n in _inside(inquiry, life, begin, end, end) for one in _step(inquiry, reading, life, n, end)]
    return found + [one for one in _besides(inquiry, reading, life, end) if begin <= one.at <= end]


def _besides(inquiry: Inquiry, reading: Reading, life: Life, end: int) -> list[Change]:
    """Give the rows that are of no edition: that a document went where the viewer sees nothing, or that it expired."""
    if life.is_seen(inquiry.viewer):
        return list(_expiry(life, end))
    gone = _withheld(inquiry, reading, life, end)
    return [] if gone is None else [gone]


def seen_then(inquiry: Inquiry, reading: Reading, edition: Edition) -> tuple[Passage, ...]:
    """Give what an edition said, as far as the viewer might see it by its own state, audience and repository."""
    passages = reading.passages(edition)
    if not passages:
        return ()
    first, repository = passages[0], inquiry.settings.repository_of(edition.path)
    own = Audience(first.state, first.assistants, first.projects, repository=repository)
    return passages if visible(own, inquiry.viewer) is Sight.SERVED else ()


def _step(inquiry: Inquiry, reading: Reading, life: Life, number: int, end: int) -> Iterator[Change]:
    """Give what one edition changed, as rows; `end` is the time of what nobody can tell the time of."""
    edition = life.editions[number]
    old = seen_then(inquiry, reading, life.editions[number - 1]) if number else ()
    new = seen_then(inquiry, reading, edition)
    if not old and not new:
        return
    about = (new or old)[0].about
    ids = frozenset(one.id for one in old)

    def row(n: int, kind: str, **more: object) -> Change:
        return Change(when(edition, end), (edition.order, about.id, n), about, kind, **more)  # type: ignore[arg-type]

    if not old:
        yield row(0, DOCUMENT_ADDED)
        return
    if not new:
        yield row(0, DOCUMENT_REMOVED, ids=ids)
        return
    moved = old[0].about.id != about.id
    if moved:
        yield row(0, Became.MOVED.value, ids=ids)
    if (old[0].about.status == WITHDRAWN) != (about.status == WITHDRAWN):
        yield row(1, DOCUMENT_WITHDRAWN if about.status == WITHDRAWN else DOCUMENT_ADDED, ids=ids)
    tokeniser = inquiry.vault.library.tokeniser
    told = [one for one in pair(old, new, tokeniser.words, moved=moved) if one.kind is not Became.SAME]
    for n, one in enumerate(told, 2):
        yield row(n, one.kind.value, old=one.old, new=one.new, ids=_ids(one))


def _ids(one: Pair) -> frozenset[str]:
    return frozenset() if one.old is None else frozenset({one.old.id})


def _withheld(inquiry: Inquiry, reading: Reading, life: Life, end: int) -> Change | None:
    """Give the one row of a document that the viewer may see no more: when it went, and no word of it."""
    last: tuple[Passage, ...] = ()
    went: Edition | None = None
    for edition in reversed(life.editions):
        last = seen_then(inquiry, reading, edition)
        if last:
            break
        went = edition
    if not last:
        return None
    # What is hidden by what another file says, such as a copy, has no edition of its own that hides it.
    edition = went or life.editions[-1]
    about = Document(last[0].about.id)
    ids = frozenset(one.id for one in last)
    # When a hidden file was saved is nobody's business: until a commit tells when it went, it has just gone.
    at = end if edition.blob == ON_DISK else when(edition, end)
    return Change(at, (edition.order, about.id, 0), about, DOCUMENT_REMOVED, ids=ids, withheld=True)


def _expiry(life: Life, end: int) -> Iterator[Change]:
    """Give the row of a document whose last day came within a time; no commit tells it."""
    if not life.notes or not life.notes[0].about.effective_until:
        return
    about = life.notes[0].about
    at = start_of_day(about.effective_until)
    if at <= end and about.status != WITHDRAWN:
        yield Change(at, (-1, about.id, 0), about, DOCUMENT_EXPIRED, ids=frozenset(one.id for one in life.notes))


def _expired_alone(inquiry: Inquiry, begin: int, end: int) -> list[Change]:
    """Give what is known without git: the documents on the disk whose last day came."""
    vault = inquiry.vault
    vault.freshness.before_call()

    def pick(_table: object) -> list[Change]:
        _, among = inquiry.shelves(vault.library.table)
        notes = [vault.library.table.entry(slot).note for shelf in among for slot in shelf.slots]
        firsts: dict[str, list[Passage]] = {}
        for note in notes:
            if isinstance(note, Passage):
                firsts.setdefault(note.path, []).append(note)
        lives = [Life((), tuple(some), None, "") for some in firsts.values()]
        return [row for life in lives for row in _expiry(life, end) if begin <= row.at]

    return vault.answer(pick, lambda _rows: ())


def start_of_day(day: str) -> int:
    """Give when a day begins in the owner's own zone, in seconds since 1970."""
    try:
        return int(datetime.combine(date.fromisoformat(day), time()).astimezone().timestamp())
    except (OverflowError, ValueError):
        return 0


def _served(inquiry: Inquiry, rows: Iterable[Change]) -> frozenset[tuple[int, int, str, int]]:
    """Say which rows take away words that the caller was served, as the journal of this machine tells."""
    wanted = {id_ for row in rows for id_ in row.ids}
    if not wanted or inquiry.call is None:
        return frozenset()
    known: set[str] = set()
    for row in inquiry.vault.recorder.journal.rows_with('"k_', SERVED):
        listed = row.get("ids")
        if row.get("to") == inquiry.by and isinstance(listed, list):
            known.update(one[0] for one in listed if isinstance(one, list) and one and isinstance(one[0], str))
    return frozenset(row.key for row in rows if row.ids & known)
