"""What the drawer tools do: join their arguments and the services, and word what comes back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from personakit.services.duplicates import duplicates
from personakit.services.file_drawer import NewDrawer, delete_drawer, file_drawer
from personakit.services.palace import find_drawers
from personakit.services.palace import taxonomy as counted
from personakit.tools.palace.drawers import (
    AddResult,
    DeleteResult,
    DrawerHit,
    DuplicateMatch,
    DuplicateResult,
    Filters,
    NotDeleted,
    RoomsResult,
    SearchResult,
    SpecResult,
    StatusResult,
    TaxonomyResult,
    WingsResult,
)
from personakit.tools.palace.words import AAAK, PROTOCOL

if TYPE_CHECKING:
    from personakit.services.desk import Desk
    from personakit.services.duplicates import Match
    from personakit.services.palace import FoundDrawer, Taxonomy
    from personakit.tools.palace.drawers import AddRequest, DeleteRequest, DuplicateRequest, RoomsRequest, SearchRequest
    from personakit.tools.toolset import NoRequest

_CUT = 200


def _tree(desk: Desk) -> Taxonomy:
    return desk.look(lambda asking: counted(asking.vault, asking.viewer), {})


def _wings(tree: Taxonomy) -> dict[str, int]:
    return {wing: sum(rooms.values()) for wing, rooms in tree.items()}


def _rooms(tree: Taxonomy) -> dict[str, int]:
    found: Counter[str] = Counter()
    for rooms in tree.values():
        found.update(rooms)
    return dict(sorted(found.items()))


def status(desk: Desk, _request: NoRequest) -> StatusResult:
    """Run mempalace_status."""
    tree = _tree(desk)
    wings = _wings(tree)
    return StatusResult(
        total_drawers=sum(wings.values()),
        wings=wings,
        rooms=_rooms(tree),
        palace_path=desk.root,
        protocol=PROTOCOL,
        aaak_dialect=AAAK,
    )


def list_wings(desk: Desk, _request: NoRequest) -> WingsResult:
    """Run mempalace_list_wings."""
    return WingsResult(wings=_wings(_tree(desk)))


def list_rooms(desk: Desk, request: RoomsRequest) -> RoomsResult:
    """Run mempalace_list_rooms."""
    tree = _tree(desk)
    rooms = tree.get(request.wing, {}) if request.wing else _rooms(tree)
    return RoomsResult(wing=request.wing or "all", rooms=rooms)


def taxonomy(desk: Desk, _request: NoRequest) -> TaxonomyResult:
    """Run mempalace_get_taxonomy."""
    return TaxonomyResult(taxonomy=_tree(desk))


def search(desk: Desk, request: SearchRequest) -> SearchResult:
    """Run mempalace_search."""
    wing, room = request.wing or "", request.room or ""
    found: tuple[FoundDrawer, ...] = desk.look(
        lambda asking: find_drawers(
            asking.vault, asking.viewer, request.query, limit=request.limit, wing=wing, room=room
        ),
        (),
    )
    hits = [
        DrawerHit(
            text=one.drawer.text,
            wing=one.drawer.wing,
            room=one.drawer.room,
            source_file=one.drawer.source_file,
            similarity=one.similarity,
            drawer_id=one.drawer.id,
        )
        for one in found
    ]
    return SearchResult(query=request.query, filters=Filters(wing=request.wing, room=request.room), results=hits)


def check_duplicate(desk: Desk, request: DuplicateRequest) -> DuplicateResult:
    """Run mempalace_check_duplicate."""
    found: tuple[Match, ...] = desk.look(
        lambda asking: duplicates(asking.vault, asking.viewer, request.content, request.threshold), ()
    )
    matches = [
        DuplicateMatch(
            id=match.drawer.id,
            wing=match.drawer.wing,
            room=match.drawer.room,
            similarity=match.similarity,
            content=match.drawer.text if len(match.drawer.text) <= _CUT else match.drawer.text[:_CUT] + "…",
            **({"reason": match.reason} if match.reason else {}),
        )
        for match in found
    ]
    return DuplicateResult(is_duplicate=any(not match.reason for match in found), matches=matches)


def spec(_desk: Desk, _request: NoRequest) -> SpecResult:
    """Run mempalace_get_aaak_spec."""
    return SpecResult(aaak_spec=AAAK)


def add(desk: Desk, request: AddRequest) -> AddResult:
    """Run mempalace_add_drawer."""
    new = NewDrawer(request.wing, request.room, request.content, request.source_file, request.added_by)
    filed = desk.write(lambda asking: file_drawer(asking, new))
    known = {} if filed.new else {"reason": "already_exists"}
    return AddResult(success=True, **known, drawer_id=filed.id, wing=filed.wing, room=filed.room)


def delete(desk: Desk, request: DeleteRequest) -> DeleteResult:
    """Run mempalace_delete_drawer."""
    if desk.write(lambda asking: delete_drawer(asking, request.drawer_id)):
        return DeleteResult(success=True, drawer_id=request.drawer_id)
    return NotDeleted(success=False, error=f"Drawer not found: {request.drawer_id}")
