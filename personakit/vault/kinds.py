"""What a file of each kind says: its front matter and body as notes."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from personakit.model.correction import Correction
from personakit.model.diary import UNNAMED, DiaryEntry, diary_id
from personakit.model.document import Passage, day_of, described, document_id, own_id, passage_id, pieces
from personakit.model.drawer import GENERAL, Drawer, drawer_id
from personakit.model.drawer import ID_SHAPE as DRAWER_ID
from personakit.model.fact import Fact, fact_id
from personakit.model.memory import (
    ID_SHAPE,
    MAX_STATEMENT,
    Memory,
    category_of,
    memory_id,
    normalised,
    rule_of,
    statement_of,
)
from personakit.model.note import Kind, Note, label_key
from personakit.model.problem import Problem
from personakit.model.session import Transcript
from personakit.model.states import State, most_cautious, read_state
from personakit.vault.frontmatter import Block, BlockError, Value

if TYPE_CHECKING:
    from collections.abc import Callable

_ID_SHAPES = {
    Kind.MEMORY: ID_SHAPE,
    Kind.DRAWER: DRAWER_ID,
    Kind.FACT: re.compile(r"t_[0-9a-f]{12}"),
    Kind.DIARY: re.compile(r"e_[0-9a-f]{12}"),
    Kind.PROPOSAL: re.compile(r"q_[0-9a-f]{12}"),
    Kind.SESSION: re.compile(r"s_[0-9a-z]{16}"),
}
_NOBODY = ("",)
_DESCRIBING = ("title", "status", "authority", "effective_from", "effective_until", "link")
_SHOWN = 5


@dataclass(slots=True)
class Draft:
    """A file of one kind while it is read, with the problems met on the way; `version` is git's name for its bytes."""

    path: str
    kind: Kind
    block: Block
    body: str
    version: str = ""
    problems: list[Problem] = field(default_factory=list)

    def note(self, code: str, line: int, message: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(self.path, code, line, message))


@dataclass(frozen=True, slots=True)
class Content:
    """What a file says.

    Attributes:
        notes: its notes; none when it says nothing.
        own: the id its content gives, "" for kinds without such a rule.
        words: a key that is equal for equal words.
    """

    notes: tuple[Note, ...] = ()
    own: str = ""
    words: str = ""


def read_content(draft: Draft) -> Content:
    """Read a file's notes.

    Raises:
        BlockError: it must be held.
    """
    _check_keys(draft)
    return _READERS[draft.kind](draft)


def _check_keys(draft: Draft) -> None:
    for key, places in draft.block.repeats.items():
        lines = ", ".join(str(line) for _, line in places[:_SHOWN]) + (" and more" if len(places) > _SHOWN else "")
        name = key if key.isascii() and len(key) <= 40 else "one key"
        draft.note(
            "duplicate_key",
            places[1][1],
            f"`{name}` stands on lines {lines}. The most careful reading counts; delete all but one.",
        )


def _state(draft: Draft) -> State | None:
    """Read `state`; of several values the most cautious.

    Raises:
        BlockError: `unknown_state`.
    """
    block = draft.block
    if "state" not in block.values:
        return None
    found = []
    for value, line in block.repeats.get("state") or [(block.values["state"], block.lines["state"])]:
        state = read_state(value) if isinstance(value, str) else None
        if state is None and isinstance(value, str) and value.strip() in ("", "null", "~"):
            state = State.UNCONFIRMED if draft.kind is Kind.MEMORY else None
            if state is None:
                continue
        if state is None:
            raise BlockError("unknown_state", line, "its `state` is none of the four words")
        found.append(state)
    return most_cautious(found) if found else None


def _names(draft: Draft, key: str) -> tuple[str, ...]:
    """Read an audience list; of a key that stands twice what all have in common.

    A list that says something but names nobody we can read must not open the file to everyone: it names nobody.
    """
    block = draft.block
    if key not in block.values:
        return ()
    values = [value for value, _ in block.repeats[key]] if key in block.repeats else [block.values[key]]
    lists = [names for value in values if (names := _audience(value))]
    if not lists:
        return ()
    others = [set(map(label_key, names)) for names in lists[1:]]
    return tuple(name for name in lists[0] if all(label_key(name) in other for other in others)) or _NOBODY


def _audience(value: Value) -> tuple[str, ...]:
    if isinstance(value, str) and value.strip() in ("", "null", "~"):
        return ()
    if value == []:
        return ()
    return _split_names(tuple(_scalars(value))) or _NOBODY


def _scalars(value: Value) -> list[str]:
    """Give the strings in a value; `[[name]]`, a link without quotes, is a list in a list."""
    found, waiting = list[str](), [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            waiting += reversed(one)
    return found


def _split_names(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for value in values for part in value.split(",") if (name := part.strip(" \t\n[]")))


def declared_id(draft: Draft) -> str:
    """Give the id the file declares, "" when it has none of its kind's shape (listed unless it is missing)."""
    written = draft.block.text("id")
    if draft.kind is Kind.PASSAGE:
        return own_id(written)  # an id that is none of ours is the owner's own business
    if _ID_SHAPES[draft.kind].fullmatch(written):
        return written
    if "id" in draft.block.values:
        what = "counts as one without an id" if draft.kind is Kind.MEMORY else "gets the id its content gives"
        draft.note("bad_id", draft.block.lines["id"], f"The `id` has not the shape of its kind's ids; the file {what}.")
    return ""


def _memory(draft: Draft) -> Content:
    block = draft.block
    statement = statement_of(draft.body)
    if not statement:
        return Content()
    own = memory_id(statement)
    state = _state(draft)
    declared = block.text("id")
    note = Memory(
        kind=Kind.MEMORY,
        id=declared if ID_SHAPE.fullmatch(declared) else own,
        path=draft.path,
        state=State.UNCONFIRMED if state is None else state,
        created=block.text("created"),
        assistants=_names(draft, "assistants"),
        projects=_names(draft, "projects"),
        text=statement[:MAX_STATEMENT],
        aliases=block.strings("aliases"),
        category=category_of(block.text("category")),
        evidence=block.strings("evidence"),
        tags=_split_names(block.strings("tags")),
        rule=rule_of(block.text("rule")),
        supersedes=block.strings("supersedes"),
        stale_after=block.text("stale_after")[:10],
        proposed_by=sys.intern(block.text("proposed_by")),
        source=block.text("source"),
        own_id=own,
    )
    return Content((note,), own, own)


def _common(draft: Draft) -> dict[str, object]:
    block = draft.block
    return {
        "path": draft.path,
        "kind": draft.kind,
        "state": _state(draft),
        "created": block.text("created"),
        "assistants": _names(draft, "assistants"),
        "projects": _names(draft, "projects"),
    }


def _folders(path: str) -> list[str]:
    return path.split("/")[1:-1]


def _drawer(draft: Draft) -> Content:
    block, folders = draft.block, _folders(draft.path)
    if not draft.body:
        return Content()
    # A name that is not written comes from whose folder it is; the id, which must not change, from the folder's own.
    wing, room = block.text("wing"), block.text("room")
    own = drawer_id(
        wing or (folders[0] if folders else GENERAL), room or (folders[1] if len(folders) > 1 else GENERAL), draft.body
    )
    note = Drawer(
        **_common(draft),  # type: ignore[arg-type]  # the keys are Note's own
        id=block.text("id") or own,
        text=draft.body,
        wing=wing,
        room=room,
        hall=block.text("hall"),
        source_file=block.text("source_file"),
        added_by=block.text("added_by"),
        filed_at=block.text("filed_at"),
    )
    return Content((note,), own, own)


def _fact(draft: Draft) -> Content:
    block = draft.block
    parts = [block.text(key) for key in ("subject", "predicate", "object", "valid_from")]
    if not all(parts[:3]):
        return Content()
    own = fact_id(*parts)
    note = Fact(
        **_common(draft),  # type: ignore[arg-type]  # the keys are Note's own
        id=block.text("id") or own,
        text=" ".join(parts[:3]),
        subject=parts[0],
        predicate=parts[1],
        object=parts[2],
        valid_from=parts[3],
        valid_to=block.text("valid_to"),
        source=block.text("source"),
    )
    return Content((note,), own, own + note.valid_to)


def _diary(draft: Draft) -> Content:
    block, folders = draft.block, _folders(draft.path)
    if not draft.body.strip():
        return Content()
    agent = block.text("agent")
    stamp = block.text("timestamp") or block.text("created")
    own = diary_id(agent or (folders[0] if folders else UNNAMED), stamp, draft.body)
    note = DiaryEntry(
        **_common(draft),  # type: ignore[arg-type]  # the keys are Note's own
        id=block.text("id") or own,
        text=draft.body,
        agent=agent,
        topic=block.text("topic"),
        timestamp=stamp,
    )
    return Content((note,), own, own)


def _document(draft: Draft) -> Content:
    block, own = draft.block, document_id(draft.path)
    for key in ("effective_from", "effective_until"):
        if day_of(block.text(key)) is None:
            draft.note("bad_day", block.lines[key], f"Its `{key}` is no day, YYYY-MM-DD; it counts as not written.")
    parts = pieces(draft.body)
    if not parts:
        return Content()
    about = described(declared_id(draft) or own, {key: block.text(key) for key in _DESCRIBING}, draft.body)
    about = about._replace(version=draft.version, parts=len(parts))
    common = _common(draft)
    notes = [
        Passage(
            **common,  # type: ignore[arg-type]  # the keys are Note's own
            id=passage_id(about.id, part.headings, part.text),
            text=part.text,
            aliases=_around(part.headings, about.title),
            about=about,
            section=part.headings,
            at=number,
        )
        for number, part in enumerate(parts, 1)
    ]
    return Content(tuple(notes), own, _hash_of(draft.body))


def passage_ids(draft: Draft) -> frozenset[str]:
    """Give the ids that the passages of a document have, whether or not it may be served."""
    document = declared_id(draft) or document_id(draft.path)
    return frozenset(passage_id(document, part.headings, part.text) for part in pieces(draft.body))


def _around(headings: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Give the words over a passage: they find it, and are told as its place and not as its words."""
    return headings if title in headings or not title else (title, *headings)


def _hash_of(body: str) -> str:
    plain = body.replace("\r\n", "\n").strip()
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _correction(draft: Draft) -> Content:
    block = draft.block
    id_ = block.text("id")
    note = Correction(
        **_common(draft),  # type: ignore[arg-type]  # the keys are Note's own
        id=id_,
        text=draft.body,
        passage=block.text("passage"),
        document=block.text("document"),
        base=block.text("base"),
        agent=block.text("agent"),
        session=block.text("session"),
        request_id=block.text("request_id"),
        status=block.text("status").casefold() or "waiting",
        applied=block.text("applied"),
        note=block.text("note"),
        redacted=block.text("redacted").casefold() == "true",
    )
    return Content((note,) if id_ else (), "", normalised(draft.body))


def _session(draft: Draft) -> Content:
    block = draft.block
    id_ = block.text("id")
    note = Transcript(
        **_common(draft),  # type: ignore[arg-type]  # the keys are Note's own
        id=id_,
        text=draft.body,
        agent=block.text("agent"),
        project=block.text("project"),
        parent=block.text("parent"),
        started=block.text("started"),
        ended=block.text("ended"),
    )
    return Content((note,) if id_ else (), "", normalised(draft.body))


_READERS: dict[Kind, Callable[[Draft], Content]] = {
    Kind.MEMORY: _memory,
    Kind.DRAWER: _drawer,
    Kind.FACT: _fact,
    Kind.DIARY: _diary,
    Kind.PASSAGE: _document,
    Kind.PROPOSAL: _correction,
    Kind.SESSION: _session,
}
