"""The verb: search in scopes, judge what leaves at this moment, tell what was left out, and go on from a cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from personakit.services.seek.scopes import Sights, scopes_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from personakit.model.note import Note
    from personakit.services.library import Record
    from personakit.services.opened import OpenVault
    from personakit.services.seek.asked import Hit
    from personakit.services.seek.scopes import Scopes

# So many of the last hits a cursor names, since some of them may change before it is used.
_REMEMBERED = 5
# Hits that were told in a row and stand further apart by now have moved.
_NEARBY = 10
_VIEWERS = 32
_CHANGED = Issue(
    INDEX_CHANGED, "The vault has changed since the page before; each hit is still told once.", "cursor", True
)


class Seeker:
    """Searches of one process in one vault; it keeps the orders of the latest for their cursors."""

    def __init__(self, vault: OpenVault) -> None:
        self._orders = Orders(vault.clock.monotonic)
        self._index = LiteralIndex()
        self._sights: dict[Viewer, Sights] = {}

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
        # One call may look several times, until all that leaves is as it is on the disk: what one look saw counts.
        news: list[bool] = []

        def pick(table: Table) -> Sought:
            self._index.follow(table)
            return _Search(vault.library.files, self._index, table, self._sights_of(viewer), day).run(
                wanted, self._orders, cursor, news
            )

        return vault.answer(pick, lambda found: [hit.node.note for hit in found.hits])

    def _sights_of(self, viewer: Viewer) -> Sights:
        found = self._sights.get(viewer)
        if found is None:
            if len(self._sights) >= _VIEWERS:
                self._sights.clear()
            found = self._sights[viewer] = Sights(viewer)
        return found


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


@dataclass(frozen=True, slots=True)
class _Way:
    """Along which order a page is told, from where on, under which name it is kept, and what has become of it.

    `goes_on`: an earlier page went before; else the order may hold the first hits alone.
    """

    order: list[str]
    at: int
    name: str
    changed: bool
    goes_on: bool


class _Search:
    """One search in the table as it is now. Its caller holds the library's lock."""

    def __init__(
        self, files: Mapping[str, Record], index: LiteralIndex, table: Table, sights: Sights, day: str
    ) -> None:
        self._files = files
        self._index = index
        self._table = table
        self._viewer = sights.viewer
        self._sights = sights
        self._day = day
        self._mark = table.mark

    def run(self, wanted: Wanted, orders: Orders, cursor: Cursor | None, news: list[bool]) -> Sought:
        """Search and give one page; `news` gets an item when what is seen has changed since the page before."""
        scopes = scopes_for(self._sights, self._index, wanted.initiatives)
        if not scopes.names:
            return rejected(*scopes.issues)
        kept = None if cursor is None else self._kept(orders, cursor)
        if kept is not None and kept.mark == self._mark:
            matcher = kept.matcher
        else:
            matcher = Matcher(self._index, self._table, scopes, self._day, self._recorded)
            matcher.run(wanted)
        way = self._way(wanted, matcher, kept, cursor)
        if way.changed:
            news.append(True)
        return self._page(wanted, scopes, matcher, orders, replace(way, changed=bool(news)))

    def _way(self, wanted: Wanted, matcher: Matcher, kept: Order | None, cursor: Cursor | None) -> _Way:
        if cursor is None:
            return _Way(matcher.first(wanted.limit + 1), 0, "", changed=False, goes_on=False)
        changed = kept is None or (kept.mark != self._mark and self._renew(kept, matcher))
        if kept is None or (changed and not kept.ids):
            order = matcher.whole()
            return _Way(order, _after(order, cursor.last, matcher), "", changed=True, goes_on=True)
        if not kept.ids:
            kept.ids = matcher.whole()
        return _Way(kept.ids, cursor.at, cursor.order, changed=changed, goes_on=True)

    def _page(self, wanted: Wanted, scopes: Scopes, matcher: Matcher, orders: Orders, way: _Way) -> Sought:
        order, name = way.order, way.name
        docs = (doc for id_ in order[way.at :] if matcher.has(id_) and (doc := self._index.doc_of(id_)) is not None)
        hits, by_budget = paged((self._node(doc, matcher, scopes) for doc in docs), wanted.limit, wanted.budget)
        told = way.at + _reach(order[way.at :], hits)
        left = sum(map(matcher.has, order[told:])) if way.goes_on else len(matcher.found.docs) - told
        further = None
        if left and hits:
            if not name:
                # The order of a first page is worked out when somebody goes on.
                ids = order if way.goes_on else []
                all_docs, life = frozenset(matcher.found.docs), self._index.life
                name = orders.keep(Order(ids, matcher, self._mark, self._viewer, self._day, all_docs, life))
            further = Cursor(wanted.digest, name, told, self._last(hits, matcher)).written()
        issues = (*scopes.issues, *_hints(wanted, matcher), *([_CHANGED] if way.changed else []))
        return Sought(
            state=PARTIAL if scopes.issues else OK,
            hits=hits,
            total=len(matcher.found.docs),
            initiatives=scopes.names,
            omitted=_omitted(matcher, left, by_budget=by_budget),
            issues=issues,
            cursor=further,
        )

    def _kept(self, orders: Orders, cursor: Cursor) -> Order | None:
        """Give the order that a cursor names, if it was made for this viewer, today."""
        kept = orders.find(cursor.order)
        same = kept is not None and (kept.viewer, kept.day, kept.life) == (self._viewer, self._day, self._index.life)
        return kept if same else None

    def _renew(self, kept: Order, matcher: Matcher) -> bool:
        """Put what came since at the end of an order; say whether anything that is seen has changed."""
        now, then = (self._by_id(docs) for docs in (matcher.found.docs, kept.docs))
        changed = now != then
        if kept.ids:
            known = set(kept.ids)
            kept.ids += [one.id for one in sorted(matcher.place_of(id_) for id_ in now if id_ not in known)]
        kept.matcher, kept.mark, kept.docs = matcher, self._mark, frozenset(matcher.found.docs)
        return changed

    def _by_id(self, docs: Iterable[int]) -> dict[str, Note]:
        return {note.id: note for note in map(self._index.notes.__getitem__, docs)}

    def _last(self, hits: tuple[Hit, ...], matcher: Matcher) -> tuple[Place, ...]:
        ends = (self._index.doc_of(hit.node.note.id) for hit in hits[-_REMEMBERED:])
        return tuple(matcher.place(doc) for doc in ends if doc is not None)

    def _node(self, doc: int, matcher: Matcher, scopes: Scopes) -> Node:
        note = self._index.notes[doc]
        record = self._files.get(note.path)
        return Node(
            note,
            matcher.facets(doc),
            scopes.served[self._index.group[doc]],
            matcher.successors.get(note.id, ()),
            revision_of("" if record is None else record.reading.digest),
            "" if record is None else utc(self._recorded(note.path) // 10**9),
        )

    def _recorded(self, path: str) -> int:
        record = self._files.get(path)
        return 0 if record is None else record.stamp.mtime_ns


def _after(order: list[str], last: tuple[Place, ...], matcher: Matcher) -> int:
    """Give the place after the last of the hits told last that still stands near the others."""
    found_at = [order.index(one.id) for one in last if matcher.stands(one)]
    if not found_at:
        return sum(one <= last[-1] for one in map(matcher.place_of, order))
    middle = sorted(found_at)[len(found_at) // 2]
    return next(at for at in reversed(found_at) if abs(at - middle) <= _NEARBY) + 1


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
    return _Search({}, LiteralIndex(), Table(), Sights(Viewer()), "").run(wanted, Orders(float), None, [])


def _reach(order: list[str], hits: tuple[object, ...]) -> int:
    """Give how far into an order a page reaches: after its last hit."""
    return order.index(hits[-1].node.note.id) + 1 if hits else 0  # type: ignore[attr-defined]


def _omitted(matcher: Matcher, left: int, *, by_budget: bool) -> tuple[Omission, ...]:
    number, successors = matcher.found.left_out
    every = (
        Omission(SUPERSEDED, number, successors),
        Omission(RESTRICTED, matcher.found.withheld),
        Omission(BUDGET if by_budget else LIMIT, left),
    )
    return tuple(one for one in every if one.number)


def _hints(wanted: Wanted, matcher: Matcher) -> list[Issue]:
    if (
        matcher.found.docs
        or wanted.text is None
        or not wanted.text.strip().casefold().startswith(("tag:", "topic:", "#"))
    ):
        return []
    return [Issue(HINT, "The text was searched as plain words; tags are found by filters.tags.", "text")]
