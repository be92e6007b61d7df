"""An answer's trace: how an answer about documents came about, in fixed words, from its one journal row.

Nothing of it depends on what the vault holds now, and no row holds a word of a question or a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from personakit.model.block import tame
from personakit.model.trace import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 80


class _Step(NamedTuple):
    """One line: its kind, its words with the value of the first key, and the keys that it tells."""

    kind: str
    words: str
    keys: tuple[str, ...]


_STEPS = (
    _Step("time", "answered as of {}", ("as_of",)),
    _Step("scope", "repositories looked in: {}", ("repositories",)),
    _Step("words", "distinct words looked up: {}", ("terms", "names")),
    _Step("matched", "passages looked at: {}", ("matched",)),
    _Step("judged", "judged by shared words: {}", ("outcome", "coverage", "window")),
    _Step("proposed", "stored a correction, {}, which waits for a person", ("proposal",)),
    _Step("served", "passages served: {}", ("served",)),
)


def answer_lines(row: Mapping[str, Any]) -> list[Line]:
    """Give the lines of the answer that a journal row is about; what a row says in no known way is left out."""
    at = _short(row.get("at"))
    how = row.get("how")
    said: dict[str, str | int] = {
        key: value if isinstance(value, int) and not isinstance(value, bool) else _short(value)
        for key, value in (how.items() if isinstance(how, dict) else ())
        if isinstance(key, str) and isinstance(value, (str, int, float))
    }
    told = {key for step in _STEPS for key in step.keys}
    others = tuple((key, value) for key, value in said.items() if key not in told and key.isidentifier())
    session = row.get("session")
    more = (("session", _short(session)),) if isinstance(session, str) else ()
    tool = _short(row.get("tool"))
    lines = [("asked", f"asked by {_short(row.get('to'))} through {tool}", (("tool", tool), *more, *others))]
    for step in _STEPS:
        if step.keys[0] in said:
            details = tuple((key, said[key]) for key in step.keys if key in said)
            lines.append((step.kind, step.words.format(said[step.keys[0]]), details))
    for one in row["ids"] if isinstance(row.get("ids"), list) else []:
        if isinstance(one, list) and len(one) >= 2 and all(isinstance(part, str) for part in one):
            lines.append(
                ("passage", f"gave {_short(one[0])}", (("passage", _short(one[0])), ("revision", _short(one[1]))))
            )
    return [Line(n, at, kind, words, details) for n, (kind, words, details) in enumerate(lines, 1)]


def _short(value: object) -> str:
    return tame(str(value))[:_SHOWN]
