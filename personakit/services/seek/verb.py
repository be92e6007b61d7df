"""The verb: search in scopes, judge what leaves at this moment, tell what was left out, and go on from a cursor."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from personakit.index.literal import LiteralIndex
from personakit.index.table import Table
from personakit.index.words import literals
from personakit.model.node import Node, revision_of
from personakit.model.past import utc
from personakit.model.visibility import Viewer
from personakit.services.clock import today
from personakit.services.seek.asked import (
    BAD_CURSOR,
    BUDGET,
    CURSOR_MISMATCH,
    EMPTY_TEXT,
    HINT,
    INDEX_CHANGED,
    LIMIT,
    NO_SELECTOR,
    OK,
    PARTIAL,
    RESTRICTED,
    SUPERSEDED,
    Issue,
    Omission,
    Sought,
    Wanted,
    rejected,
)
from personakit.services.seek.match import Matcher, Place
from personakit.services.seek.pages import Cursor, Order, Orders, paged, read_cursor
from personakit.services.seek.scopes import scopes_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from personakit.model.note import Note
    from personakit.services.library import Record
    from personakit.services.opened import OpenVault
    from personakit.services.seek.match import Matches
    from personakit.services.seek.scopes import Scopes

# So many of the last hits a cursor names, since some of them may change before it is used.
_REMEMBERED = 5
# Hits that were told in a row and stand further apart by now have moved.
_NEARBY = 10
_CHANGED = Issue(
    INDEX_CHANGED, "The vault has changed since the page before; each hit is still told once.", "cursor", True
)


class Seeker:
    """Searches of one process in one vault; it keeps the orders of the latest for their cursors."""

    def __init__(self, vault: OpenVault) -> None:
        self._orders = Orders(vault.clock.monotonic)
        self._index = LiteralIndex()

    def seek(self, vault: OpenVault, viewer: Viewer, wanted: Wanted) -> Sought:
        """Search; what is wrong with the search is told in its answer.

        Raises:
            Unsettled, VaultEmptied
        """
        flaw, cursor = _checked(wanted)
        if flaw is not None:
            return rejected(flaw)
        vault.freshness.before_call()
        day = today(vault.clock)

        def pick(table: Table) -> Sought:
            self._index.follow(table)
            return _Search(self, vault.library.files, self._index, table, day).run(viewer, wanted, cursor)

        return vault.answer(pick, lambda found: [hit.node.note for hit in found.hits])

    @property
    def orders(self) -> Orders:
        """The orders that are kept."""
        return self._orders


def _checked(wanted: Wanted) -> tuple[Issue | None, Cursor | None]:
    if wanted.text is None and wanted.filters is None:
        return Issue(NO_SELECTOR, "Give text, filters, or both.", "text"), None
    if wanted.text is not None and not literals(wanted.text, asked=True):
        return Issue(EMPTY_TEXT, "The text holds no word; leave it out to browse by filters.", "text"), None
    if wanted.cursor is None:
        return None, None
    cursor = read_cursor(wanted.cursor, Place)
    if cursor is None:
        return Issue(BAD_CURSOR, "The cursor is none that this tool gave.", "cursor"), None
    if cursor.query != wanted.digest:
        said = "The cursor belongs to a search with other arguments; repeat those, or leave the cursor out."
        return Issue(CURSOR_MISMATCH, said, "cursor"), None
    return None, cursor


class _Search:
    """One search in the table as it is now. Its caller holds the library's lock."""

    def __init__(
        self, seeker: Seeker | None, files: Mapping[str, Record], index: LiteralIndex, table: Table, day: str
    ) -> None:
        self._seeker = seeker
        self._files = files
        self._index = index
        self._table = table
        self._day = day

    def run(self, viewer: Viewer, wanted: Wanted, cursor: Cursor | None) -> Sought:
        """Search and give one page."""
        scopes = scopes_for(self._index, viewer, wanted.initiatives)
        if not scopes.names:
            return rejected(*scopes.issues)
        matcher = Matcher(self._index, self._table, scopes, self._day)
        found = matcher.matches(wanted)
        issues = [*scopes.issues, *_hints(wanted, found)]
        place = matcher.place_of(found, self._recorded)
        if cursor is None or self._seeker is None:
            order, at, name = _first(found, place, wanted.limit), 0, ""
        else:
            order, at, name, changed = self._on(self._seeker, cursor, found, place)
            issues += [_CHANGED] if changed else []
        docs = (doc for id_ in order[at:] if (doc := self._index.doc_of(id_)) is not None and doc in found.scores)
        hits, by_budget = paged((self._node(doc, matcher, scopes) for doc in docs), wanted.limit, wanted.budget)
        told = at + _reach(order[at:], hits)
        left = self._left(found, order, told, cursor)
        further = None
        if left and hits and self._seeker is not None:
            if not name:
                order = _whole(found, place)
                name = self._seeker.orders.keep(self._order(order, found))
                told = _reach(order, hits)
            ends = (self._index.doc_of(hit.node.note.id) for hit in hits[-_REMEMBERED:])
            last = tuple(place(doc) for doc in ends if doc is not None)
            further = Cursor(wanted.digest, name, told, last).written()
        return Sought(
            state=PARTIAL if scopes.issues else OK,
            hits=hits,
            total=len(found.scores),
            initiatives=scopes.names,
            omitted=_omitted(found, left, by_budget=by_budget),
            issues=tuple(issues),
            cursor=further,
        )

    def _on(
        self, seeker: Seeker, cursor: Cursor, found: Matches, place: Callable[[int], Place]
    ) -> tuple[list[str], int, str, bool]:
        """Give the order that a cursor goes on in, its place there, its name, and whether anything has changed."""
        kept = seeker.orders.find(cursor.order)
        if kept is not None:
            return kept.ids, cursor.at, cursor.order, self._renewed(kept, found, place)
        order = _whole(found, place)
        at = self._after(order, cursor.last, found, place)
        return order, at, seeker.orders.keep(self._order(order, found)), True

    def _order(self, ids: list[str], found: Matches) -> Order:
        mark, _ = self._table.changed_since(0)
        return Order(ids, mark, {self._id(doc): score for doc, score in found.scores.items()})

    def _renewed(self, kept: Order, found: Matches, place: Callable[[int], Place]) -> bool:
        """Put what came since at the end of a kept order; say whether anything that is seen has changed."""
        mark, _ = self._table.changed_since(0)
        if mark == kept.mark:
            return False
        known = set(kept.ids)
        now = {self._id(doc): score for doc, score in found.scores.items()}
        kept.ids += [one.id for one in sorted(place(doc) for doc in found.scores if self._id(doc) not in known)]
        changed = now != kept.seen
        kept.mark, kept.seen = mark, now
        return changed

    def _after(self, order: list[str], last: tuple[Place, ...], found: Matches, place: Callable[[int], Place]) -> int:
        """Give the place after the last of the hits told last that still stands near the others."""
        docs = [(one, self._index.doc_of(one.id)) for one in last]
        found_at = [
            order.index(one.id)
            for one, doc in docs
            if doc is not None and doc in found.scores and place(doc).recorded == one.recorded
        ]
        if not found_at:
            return sum(place(doc) <= last[-1] for doc in found.scores)
        middle = sorted(found_at)[len(found_at) // 2]
        return next(at for at in reversed(found_at) if abs(at - middle) <= _NEARBY) + 1

    def _left(self, found: Matches, order: list[str], told: int, cursor: Cursor | None) -> int:
        if cursor is None:
            return len(found.scores) - told
        docs = (self._index.doc_of(id_) for id_ in order[told:])
        return sum(doc is not None and doc in found.scores for doc in docs)

    def _id(self, doc: int) -> str:
        note = self._index.notes[doc]
        return "" if note is None else note.id

    def _node(self, doc: int, matcher: Matcher, scopes: Scopes) -> Node:
        note = self._note(doc)
        record = self._files.get(note.path)
        return Node(
            note,
            matcher.facets(doc),
            scopes.served[self._index.group[doc]],
            matcher.successors.get(note.id, ()),
            revision_of("" if record is None else record.reading.digest),
            "" if record is None else utc(self._recorded(doc) // 10**9),
        )

    def _note(self, doc: int) -> Note:
        note = self._index.notes[doc]
        if note is None:
            raise LookupError(doc)
        return note

    def _recorded(self, doc: int) -> int:
        record = self._files.get(self._note(doc).path)
        return 0 if record is None else record.stamp.mtime_ns


def seeker_of(vault: OpenVault) -> Seeker:
    """Give what searches an open vault, made when it is first asked for."""
    with vault.library.lock:
        if not vault.seekers:
            vault.seekers.append(Seeker(vault))
        return vault.seekers[0]


def nothing(wanted: Wanted) -> Sought:
    """Give what a search comes to in an empty vault."""
    flaw, _ = _checked(wanted)
    if flaw is not None:
        return rejected(flaw)
    return _Search(None, {}, LiteralIndex(), Table(), "").run(Viewer(), wanted, None)


def _first(found: Matches, place: Callable[[int], Place], limit: int) -> list[str]:
    """Give the ids of the first hits in their order, more than a page of them."""
    most = limit + 1
    if found.by_layer or len(found.scores) <= most:
        return _whole(found, place)
    # What comes first by score alone is found without a look at the files; only equals need one.
    keys = [(doc in found.past, score) for doc, score in found.scores.items()] if found.past else None
    if keys is None:
        worst = heapq.nsmallest(most, found.scores.values())[-1]
        near: Iterable[int] = (doc for doc, score in found.scores.items() if score <= worst)
    else:
        bound = heapq.nsmallest(most, keys)[-1]
        near = (doc for doc, score in found.scores.items() if (doc in found.past, score) <= bound)
    return [place_.id for place_ in sorted(map(place, near))]


def _whole(found: Matches, place: Callable[[int], Place]) -> list[str]:
    return [one.id for one in sorted(map(place, found.scores))]


def _reach(order: list[str], hits: tuple[object, ...]) -> int:
    """Give how far into an order a page reaches: after its last hit."""
    return order.index(hits[-1].node.note.id) + 1 if hits else 0  # type: ignore[attr-defined]


def _omitted(found: Matches, left: int, *, by_budget: bool) -> tuple[Omission, ...]:
    number, successors = found.left_out
    every = (
        Omission(SUPERSEDED, number, successors),
        Omission(RESTRICTED, found.withheld),
        Omission(BUDGET if by_budget else LIMIT, left),
    )
    return tuple(one for one in every if one.number)


def _hints(wanted: Wanted, found: Matches) -> list[Issue]:
    if found.scores or wanted.text is None or not wanted.text.strip().casefold().startswith(("tag:", "topic:", "#")):
        return []
    return [Issue(HINT, "The text was searched as plain words; tags are found by filters.tags.", "text")]
