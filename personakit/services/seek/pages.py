"""Pages: how much of what was found one answer holds, and how the next one goes on, each hit once."""

from __future__ import annotations

import base64
import json
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from personakit.model.node import body_of
from personakit.services.seek.asked import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from personakit.model.node import Node
    from personakit.model.visibility import Viewer
    from personakit.services.seek.match import Matcher, Place

KEPT_SECONDS = 600.0
KEPT = 32
LEAST_BODY = 160
_VERSION = 1
_LONGEST_CURSOR = 2_000


@dataclass(slots=True)
class Order:
    """The hits of one search in the order of their first page.

    Attributes:
        ids: the hits; what came since stands at the end. [] as long as nobody has gone on.
        matcher: what found them last, `mark` what the table was then, `viewer` and `day` for whom and when.
        docs: what was found then, in the index of this `life`.
        made: when, in seconds.
    """

    ids: list[str]
    matcher: Matcher
    mark: int
    viewer: Viewer
    day: str
    docs: frozenset[int]
    life: int
    made: float = 0.0


class Orders:
    """The orders of the latest searches, for some minutes. Several calls may use them at once."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: OrderedDict[str, Order] = OrderedDict()
        self._turn = threading.Lock()

    def keep(self, order: Order) -> str:
        """Keep an order and give the name under which it is found again, which says nothing of others."""
        with self._turn:
            name = secrets.token_hex(8)
            order.made = self._now()
            self._kept[name] = order
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return name

    def find(self, name: str) -> Order | None:
        """Give a kept order, None when it is gone."""
        with self._turn:
            found = self._kept.get(name)
            if found is not None and self._now() - found.made > KEPT_SECONDS:
                del self._kept[name]
                found = None
            return found


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a search goes on.

    Attributes:
        query: the digest of its other arguments.
        order: the name of the order that was kept, and `at` the place in it.
        last: the places of the last hits that were told, the very last one last.
    """

    query: str
    order: str
    at: int
    last: tuple[Place, ...]

    def written(self) -> str:
        """Give it as text."""
        parts = [_VERSION, self.query, self.order, self.at, [list(one) for one in self.last]]
        plain = json.dumps(parts, separators=(",", ":"))
        return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def read_cursor(written: str, place: Callable[..., Place]) -> Cursor | None:
    """Read a cursor; None for what is none. It holds no secret, so whoever forges one learns nothing by it."""
    if len(written) > _LONGEST_CURSOR or not written.isascii():
        return None
    try:
        parts = json.loads(base64.urlsafe_b64decode(written + "=" * (-len(written) % 4)))
    except (ValueError, RecursionError):
        return None
    match parts:
        case [1, str(query), str(order), int(at), list(last)] if at >= 0 and last:
            read = [found for one in last if (found := _read_place(one, place)) is not None]
            return Cursor(query, order, at, tuple(read)) if len(read) == len(last) else None
    return None


def _read_place(last: object, place: Callable[..., Place]) -> Place | None:
    match last:
        case [bool(is_past), int(layer), float(score) | int(score), int(recorded), str(id_)]:
            return place(is_past, layer, float(score), recorded, id_)
    return None


def paged(nodes: Iterable[Node], limit: int, budget: int) -> tuple[tuple[Hit, ...], bool]:
    """Give as many hits as there is room for, and whether it was the budget that ended them.

    The budget is counted in characters of the compact JSON of the hits. The first hit always comes; a later one comes
    when at least `LEAST_BODY` characters of its body, or all of it, find room.
    """
    hits: list[Hit] = []
    room = budget - 2
    for node in nodes:
        if len(hits) == limit:
            return tuple(hits), False
        hit = _fitted(node, room - bool(hits), first=not hits)
        if hit is None:
            return tuple(hits), True
        hits.append(hit)
        room -= size_of(hit) + (len(hits) > 1)
    return tuple(hits), False


def _fitted(node: Node, room: int, *, first: bool) -> Hit | None:
    body = body_of(node.note)
    whole = Hit(node, len(body))
    if size_of(whole) <= room:
        return whole
    low, high = -1, len(body)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size_of(Hit(node, middle)) <= room else (low, middle)
    if low >= LEAST_BODY or (first and low > 0):
        return Hit(node, low)
    return Hit(node, 0, has_body=False) if first else None


def size_of(hit: Hit) -> int:
    """Give how many characters the compact JSON of a hit has."""
    return len(compact(hit.data(body_of(hit.node.note))))


def compact(value: dict[str, Any] | Sequence[Any]) -> str:
    """Give the JSON of a value without a blank."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
