"""Facts: what is known about an entity and when, one more, one ended."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from personakit.errors import ArgumentError, Conflict
from personakit.model.credentials import credential_kind
from personakit.model.days import checked_day, span_of
from personakit.model.fact import Fact, entity_key, fact_id, is_current, outlasts, shown_entity, triple_key
from personakit.model.note import Kind, moment
from personakit.model.visibility import Sight, visible
from personakit.services.clock import stamp, today
from personakit.vault.journal import Change
from personakit.vault.layout import file_name
from personakit.vault.lines import quoted, set_key
from personakit.vault.reading import version_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from personakit.index.table import Order, Table
    from personakit.model.visibility import Viewer
    from personakit.services.desk import Asking
    from personakit.services.opened import OpenVault

MAX_ENTITY = 500
ADD, END = "kg_add", "kg_invalidate"


@dataclass(frozen=True, slots=True)
class SeenFact:
    """A fact as it is told: names in their first spelling, and whether it holds today."""

    fact: Fact
    subject: str
    predicate: str
    object: str
    current: bool


@dataclass(frozen=True, slots=True)
class Added:
    """A fact that is on disk: its id, whether an equal open one was there, and what else is said of its subject."""

    id: str
    already: bool
    conflicts: tuple[SeenFact, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many entities, facts, and facts that hold or have ended, and every predicate."""

    entities: int
    facts: int
    current: int
    predicates: tuple[str, ...]


def facts_seen(vault: OpenVault, viewer: Viewer, wanted: Callable[[Fact], bool]) -> list[SeenFact]:
    """Give the facts a viewer may see, oldest start first and undated last. The vault is looked at first."""
    vault.freshness.before_call()
    day = today(vault.library.clock)

    def pick(table: Table) -> list[SeenFact]:
        every = _visible_facts(table, viewer)
        return _told([fact for _, fact in every if wanted(fact)], every, day)

    return vault.answer(pick, lambda seen: [one.fact for one in seen])


def about(entity: str, as_of: str = "", direction: str = "both") -> Callable[[Fact], bool]:
    """Give what tells the facts that have an entity on one side or the other, and hold on a day; "" is any."""
    key = entity_key(entity)

    def wanted(fact: Fact) -> bool:
        outgoing = direction != "incoming" and entity_key(fact.subject) == key
        incoming = direction != "outgoing" and entity_key(fact.object) == key
        return (outgoing or incoming) and (not as_of or is_current(fact, as_of))

    return wanted


def numbers(vault: OpenVault, viewer: Viewer) -> Numbers:
    """Count what a viewer may see. The vault is looked at first."""
    seen = facts_seen(vault, viewer, lambda _fact: True)
    entities = {entity_key(name) for one in seen for name in (one.fact.subject, one.fact.object)}
    return Numbers(
        len(entities), len(seen), sum(one.current for one in seen), tuple(sorted({one.predicate for one in seen}))
    )


def add_fact(asking: Asking, subject: str, predicate: str, obj: str, *, valid_from: str, source: str) -> Added:
    """Store a fact; an equal one that is open is not stored again, whenever it began.

    Raises:
        ArgumentError: a part that is empty, too long or a credential; a day that is none.
        Conflict, Busy, DiskError, ReadOnlyVault
    """
    parts = _parts(subject, predicate, obj)
    begins = checked_day("valid_from", valid_from) if valid_from else ""
    _part("source_closet", source or "-")
    vault, library = asking.vault, asking.vault.library
    day = today(library.clock)
    begun = (span_of(begins) or ("", ""))[0]
    with library.store.writing() as pen:
        vault.freshness.before_write()
        equal = _equal(library.table, parts)
        seen = [fact for fact in equal if visible(fact, asking.viewer) is Sight.SERVED]
        conflicts = _conflicts(library.table, asking.viewer, parts, day, begun)
        still = next((fact for fact in [*seen, *equal] if not fact.valid_to), None)
        if still is not None:
            return Added(still.id, already=True, conflicts=conflicts)
        id_ = fact_id(*parts, begins)
        after = max((fact.valid_to for fact in equal), default="-")
        while library.claiming(id_):
            id_, after = fact_id(*parts, begins, after), f"{after}+"
        raw = _written(id_, parts, begins, source, stamp(library.clock))
        path = pen.create(f"facts/{stamp(library.clock)[:7]}", file_name(" ".join(parts), id_), raw)
        vault.recorder.written(Change(path, version_of(raw, Kind.FACT), "", ADD, asking.by, (id_,)))
    library.apply([path])
    if library.note(id_) is None:
        raise Conflict(id_, "gone")
    return Added(id_, already=False, conflicts=conflicts)


def end_fact(asking: Asking, subject: str, predicate: str, obj: str, ended: str) -> tuple[int, str]:
    """End every open fact of these three parts that the caller may see; give how many, and the day.

    `ended` is "" for today.

    Raises:
        ArgumentError: a day that is none, or lies before one of them began.
        Conflict, NotEditable, HeldFile, Busy, DiskError, ReadOnlyVault
    """
    parts = _parts(subject, predicate, obj)
    vault, library = asking.vault, asking.vault.library
    day = checked_day("ended", ended) if ended else today(library.clock)
    with library.store.writing() as pen:
        vault.freshness.before_write()
        equal = [fact for fact in _equal(library.table, parts) if visible(fact, asking.viewer) is Sight.SERVED]
        still = [fact for fact in equal if not fact.valid_to]
        for fact in still:
            begun = span_of(fact.valid_from)
            last = span_of(day)
            if begun is not None and last is not None and last[1] < begun[0]:
                raise ArgumentError("ended", f"lies before the fact began ({fact.valid_from})")
        for fact in still:
            before = library.files[fact.path].reading.digest
            now = pen.edit(fact.path, before, lambda raw: set_key(raw, "valid_to", day), called=fact.id)
            vault.recorder.written(Change(fact.path, now, before, END, asking.by, (fact.id,)))
        library.apply([fact.path for fact in still])
    return len(still), day


def _visible_facts(table: Table, viewer: Viewer) -> list[tuple[Order, Fact]]:
    """Give the facts a viewer may see, each with what says which is older; in no order."""
    slots = (slot for shelf in table.shelves(Kind.FACT, viewer).served for slot in shelf.slots)
    return [(table.order(slot), note) for slot in slots if isinstance(note := table.entry(slot).note, Fact)]


def _equal(table: Table, parts: tuple[str, ...]) -> list[Fact]:
    """Give the facts with these three parts, whoever may see them, oldest first."""
    keys = tuple(map(entity_key, parts))
    found = (entry.note for entry in table.of_kind(Kind.FACT))
    return sorted((note for note in found if isinstance(note, Fact) and triple_key(note) == keys), key=_first)


def _conflicts(table: Table, viewer: Viewer, parts: tuple[str, ...], day: str, since: str) -> tuple[SeenFact, ...]:
    """Give what else is said to hold after a fact with these parts began, and has not ended by today."""
    subject, predicate, obj = map(entity_key, parts)
    every = _visible_facts(table, viewer)
    other = [
        fact
        for _, fact in every
        if entity_key(fact.subject) == subject
        and entity_key(fact.predicate) == predicate
        and entity_key(fact.object) != obj
        and outlasts(fact, max(day, since))
    ]
    return tuple(_told(other, every, day))


def _told(chosen: list[Fact], every: list[tuple[Order, Fact]], day: str) -> list[SeenFact]:
    """Give facts as they are told, oldest start first: each name as the oldest of `every` that has it spells it."""
    keys = {key for fact in chosen for key in triple_key(fact)}
    first: dict[str, tuple[tuple[float, str], str]] = {}
    for (_, made, id_), fact in every if keys else ():
        age = made, id_
        for name in (fact.subject, fact.predicate, fact.object):
            key = entity_key(name)
            if key in keys and (key not in first or age < first[key][0]):
                first[key] = age, name

    def spelt(name: str) -> str:
        return shown_entity(first[entity_key(name)][1])

    return [
        SeenFact(fact, spelt(fact.subject), spelt(fact.predicate), spelt(fact.object), is_current(fact, day))
        for fact in sorted(chosen, key=_order)
    ]


def _first(fact: Fact) -> tuple[float, str]:
    made = moment(fact.created)
    return inf if made is None else made, fact.id


def _order(fact: Fact) -> tuple[bool, str, str]:
    begins = span_of(fact.valid_from)
    return begins is None, "" if begins is None else begins[0], fact.id


def _parts(subject: str, predicate: str, obj: str) -> tuple[str, str, str]:
    return _part("subject", subject), _part("predicate", predicate), _part("object", obj)


def _part(field: str, value: str) -> str:
    given = " ".join(value.split())
    if not given:
        raise ArgumentError(field, "is empty; name it")
    if len(given) > MAX_ENTITY:
        raise ArgumentError(field, f"is longer than {MAX_ENTITY} characters; a fact is short")
    if not given.isprintable():
        raise ArgumentError(field, "holds a character that cannot be shown; leave it out")
    if credential_kind(given, entropy=False) is not None:
        raise ArgumentError(field, "looks like a password or key; leave it out")
    return given


def _written(id_: str, parts: tuple[str, ...], begins: str, source: str, now: str) -> bytes:
    subject, predicate, obj = parts
    lines = [
        "---",
        "type: fact",
        f"id: {id_}",
        f"created: {now}",
        f"subject: {quoted(subject)}",
        f"predicate: {quoted(predicate)}",
        f"object: {quoted(obj)}",
        *([f"valid_from: {begins}"] if begins else []),
        *([f"source: {quoted(source)}"] if source else []),
        "---",
        "",
    ]
    return "\n".join(lines).encode()
