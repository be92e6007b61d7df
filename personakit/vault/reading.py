"""One file's bytes to its notes: what it says, what is wrong with it, and whether it is held."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from personakit.model.document import fence_after
from personakit.model.identity import Claim
from personakit.model.memory import ID_SHAPE, memory_id, statement_of
from personakit.model.note import Kind, moment
from personakit.model.problem import Problem
from personakit.vault.frontmatter import Block, BlockError, TextHandler, decode, marker_line, read_block
from personakit.vault.kinds import Draft, declared_id, read_content

if TYPE_CHECKING:
    from personakit.model.note import Note

# In these the body is anything at all, so only the front matter can hold the file.
_VERBATIM = frozenset({Kind.DRAWER, Kind.DIARY, Kind.SESSION})
_ID_LINE = re.compile(r"^[ \t]*[\"']?id[\"']?[ \t]*:[ \t]*[\"']?(m_[0-9a-f]{12})\b", re.MULTILINE | re.IGNORECASE)
_HANDLER = TextHandler()


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
        claim: what it says about its id, nothing when it has no notes; None for documents.
        problems: what its owner should know.
        known_ids: ids that a proposal must not make anew while this file is held.
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
    if b"\r" in raw and kind not in _VERBATIM:
        raw = raw.replace(b"\r\n", b"\n")
    return hashlib.blake2b(raw, digest_size=12).hexdigest()


def read_file(path: str, kind: Kind, raw: bytes) -> Reading:
    """Read one file. Whatever its bytes are, this gives an answer and never raises."""
    digest = version_of(raw, kind)
    if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
        return Reading(path, Condition.UNFINISHED, digest, claim=silent(path, kind), problems=(_empty(path),))
    try:
        text = decode(raw)
        return _read_text(path, kind, text, digest)
    except BlockError as error:
        return _held(path, kind, raw.decode("utf-8", "replace"), digest, error)


def silent(path: str, kind: Kind) -> Claim | None:
    """Give the claim of a file without notes: it asks for no id, but a sync tool's copy of it is a copy still."""
    return None if kind is Kind.PASSAGE else Claim(path, "", "", "", None)


def _empty(path: str) -> Problem:
    return Problem(path, "empty", 0, "There is no statement in it, so it is not a memory. Write one or delete it.")


def _read_text(path: str, kind: Kind, text: str, digest: str) -> Reading:
    page = _HANDLER.page(text)
    first_body_line = 1 + text.count("\n", 0, len(text) - len(page.body))
    block = Block() if page.block is None else read_block(page.block)
    _check_body(kind, page.body, first_body_line, has_block=page.block is not None)
    draft = Draft(path, kind, block, page.body)
    content = read_content(draft)
    if not content.notes:
        draft.problems.append(_empty(path))
        return Reading(path, Condition.EMPTY, digest, claim=silent(path, kind), problems=tuple(draft.problems))
    if kind is not Kind.MEMORY and ID_SHAPE.fullmatch(block.text("id")):
        raise BlockError("misplaced", block.lines["id"], "it has a memory's id but lies outside memories/")
    claim = None
    if kind is not Kind.PASSAGE:
        first = content.notes[0]
        created = moment(first.created)
        claim = Claim(
            path,
            declared_id(draft),
            content.own,
            content.words,
            first.state,
            float("inf") if created is None else created,
        )
    return Reading(path, Condition.READ, digest, content.notes, claim, tuple(draft.problems))


def _held(path: str, kind: Kind, text: str, digest: str, error: BlockError) -> Reading:
    condition = Condition.UNFINISHED if error.code == "unclosed_block" else Condition.HELD
    ids: set[str] = set()
    if kind is Kind.MEMORY:
        ids.update(match[1].lower() for match in _ID_LINE.finditer(text))
        closing = re.search(r"^---[ \t]*\r?\n", text[3:], re.MULTILINE)
        statement = statement_of(text[3 + closing.end() :] if closing else text)
        if statement:
            ids.add(memory_id(statement))
    message = f"Held: {error.why}. Mend it in a text editor; until then no assistant sees it."
    problem = Problem(path, error.code, error.line, message)
    return Reading(path, condition, digest, claim=silent(path, kind), problems=(problem,), known_ids=frozenset(ids))


def _check_body(kind: Kind, body: str, first_line: int, *, has_block: bool) -> None:
    if kind in _VERBATIM:
        return
    line = marker_line(_without_fences(body) if kind is Kind.PASSAGE else body)
    if line:
        raise BlockError("merge_conflict", first_line + line - 1, "a merge left its conflict markers in it")
    start = body.lstrip()
    if not start.startswith("---"):
        return
    try:
        second = _HANDLER.page(start).block
        values = read_block(second).values if second else {}
    except BlockError:
        return
    if values:
        line = first_line + body.count("\n", 0, len(body) - len(start))
        if has_block:
            raise BlockError("two_blocks", line, "it has two blocks of front matter")
        raise BlockError("late_block", line, "its front matter does not start on the first line")


def _without_fences(body: str) -> str:
    if "```" not in body and "~~~" not in body:
        return body
    fence = ""
    kept = []
    for line in body.split("\n"):
        fence = fence_after(fence, line)
        kept.append("" if fence else line)
    return "\n".join(kept)
