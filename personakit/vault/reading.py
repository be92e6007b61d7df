"""One file's bytes to its notes: what it says, what is wrong with it, and whether it is held."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from personakit.model.identity import Claim
from personakit.model.memory import ID_SHAPE, category_of
from personakit.model.note import Kind, moment
from personakit.model.problem import Problem
from personakit.model.states import read_state
from personakit.model.visibility import Sight, Viewer, visible
from personakit.vault.body import VERBATIM, check_body, possible_ids
from personakit.vault.conflict import sides
from personakit.vault.frontmatter import Block, BlockError, TextHandler, Value, decode, read_block
from personakit.vault.history.objects import blob_name
from personakit.vault.kinds import Draft, declared_id, passage_ids, read_content

if TYPE_CHECKING:
    from personakit.model.note import Note

_HANDLER = TextHandler()
# What a conflict's sides are compared in: the format's own keys, in its order.
_COMPARED = (
    *("type", "id", "state", "created", "category", "proposed_by", "evidence", "aliases", "tags", "projects"),
    *("assistants", "rule", "supersedes", "stale_after", "source"),
)


class Condition(Enum):
    """What reading a file came to."""

    READ = "read"
    HELD = "held"
    UNFINISHED = "unfinished"  # empty, or ends inside its front matter: a save may be going on
    EMPTY = "empty"  # a file without a statement


@dataclass(frozen=True, slots=True)
class Reading:
    """One file as it was read.

    Attributes:
        path: relative to the vault.
        condition: whether its notes may be served at all.
        digest: its `version_of`; equal digests mean nothing changed.
        notes: its notes, with the ids the file itself gives; none when it is held or empty.
        claim: what it says about its id, nothing when it has no notes.
        problems: what its owner should know.
        known_ids: ids that no tool may make anew while this file is held.
    """

    path: str
    condition: Condition
    digest: str
    notes: tuple[Note, ...] = ()
    claim: Claim | None = None
    problems: tuple[Problem, ...] = ()
    known_ids: frozenset[str] = frozenset()


def version_of(raw: bytes, kind: Kind) -> str:
    """Give the hash that names a file's content; line ends count only where the body is served byte for byte."""
    if b"\r" in raw and kind not in VERBATIM:
        raw = raw.replace(b"\r\n", b"\n")
    return hashlib.blake2b(raw, digest_size=12).hexdigest()


def read_file(path: str, kind: Kind, raw: bytes) -> Reading:
    """Read one file. Whatever its bytes are, this gives an answer and never raises."""
    digest = version_of(raw, kind)
    if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
        return Reading(path, Condition.UNFINISHED, digest, claim=silent(path), problems=(_empty(path),))
    try:
        return _read_text(path, kind, raw, digest)
    except BlockError as error:
        return _held(path, kind, raw, digest, error)


def ids_in(path: str, raw: bytes) -> frozenset[str]:
    """Give the ids of the passages that a document may have. Reading it says whether it has them: it may be held."""
    try:
        page = _HANDLER.page(decode(raw))
        block = Block() if page.block is None else read_block(page.block)
    except BlockError:
        return frozenset()
    return passage_ids(Draft(path, Kind.PASSAGE, block, page.body))


def silent(path: str) -> Claim:
    """Give the claim of a file without notes: it asks for no id, but a sync tool's copy of it is a copy still."""
    return Claim(path, "", "", "", None)


def _empty(path: str) -> Problem:
    return Problem(path, "empty", 0, "There is no statement in it, so it is not a memory. Write one or delete it.")


def _read_text(path: str, kind: Kind, raw: bytes, digest: str) -> Reading:
    text = decode(raw)
    page = _HANDLER.page(text)
    first_body_line = 1 + text.count("\n", 0, len(text) - len(page.body))
    block = Block() if page.block is None else read_block(page.block)
    check_body(kind, page.body, first_body_line, has_block=page.block is not None)
    draft = Draft(path, kind, block, page.body, blob_name(raw) if kind is Kind.PASSAGE else "")
    content = read_content(draft)
    if not content.notes:
        draft.problems.append(_empty(path))
        return Reading(path, Condition.EMPTY, digest, claim=silent(path), problems=tuple(draft.problems))
    if kind is not Kind.MEMORY and _is_memory(kind, block.text("id")):
        raise BlockError("misplaced", block.lines["id"], "it has a memory's id but lies outside memories/")
    first = content.notes[0]
    created = moment(first.created)
    claim = Claim(
        path,
        declared_id(draft),
        content.own,
        content.words,
        first.state,
        float("inf") if created is None else created,
        kind is Kind.PASSAGE and visible(first, Viewer()) is not Sight.SERVED,
    )
    return Reading(path, Condition.READ, digest, content.notes, claim, tuple(draft.problems))


def _is_memory(kind: Kind, id_: str) -> bool:
    """Say whether an id makes a file of another kind a misplaced memory; of a document rather too soon than late."""
    return ID_SHAPE.fullmatch(id_) is not None or (kind is Kind.PASSAGE and id_[:2].casefold() == "m_")


def _held(path: str, kind: Kind, raw: bytes, digest: str, error: BlockError) -> Reading:
    condition = Condition.UNFINISHED if error.code == "unclosed_block" else Condition.HELD
    ids = possible_ids(kind, raw)
    why = error.why + (_sides(raw.decode("utf-8")) if error.code == "merge_conflict" else "")
    message = f"Held: {why}. Mend it in a text editor; until then no assistant sees it."
    problem = Problem(path, error.code, error.line, message)
    return Reading(path, condition, digest, claim=silent(path), problems=(problem,), known_ids=ids)


def _sides(text: str) -> str:
    """Say in which keys the two sides of a conflict in front matter differ, in words of the format alone."""
    both = sides(_HANDLER.page(text).block or "")
    if both is None:
        return ""
    try:
        ours, theirs = (read_block(side).values for side in both)
    except BlockError:
        return ""
    names = [key for key in _COMPARED if ours.get(key) != theirs.get(key)]
    shown = [f"{key}{_words(key, ours.get(key), theirs.get(key))}" for key in names]
    return f"; its sides differ in {', '.join(shown)}" if shown else ""


def _words(key: str, ours: Value | None, theirs: Value | None) -> str:
    """Give both values of a key whose values are words of the format; of any other key nothing."""
    word = {"state": _state_word, "category": _category_word}.get(key)
    return f": {word(ours)} | {word(theirs)}" if word is not None else ""


def _state_word(value: Value | None) -> str:
    state = read_state(value) if isinstance(value, str) else None
    return state.value if state is not None else "none" if not value else "an unknown word"


def _category_word(value: Value | None) -> str:
    return category_of(value) if isinstance(value, str) and value else "none"


def keys_of(raw: bytes) -> dict[str, Value]:
    """Give a file's front matter, key to value as its owner sees it; empty when it cannot be read with certainty."""
    try:
        block = _HANDLER.page(decode(raw)).block
        return {} if block is None else read_block(block).values
    except BlockError:
        return {}
