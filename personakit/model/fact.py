"""A fact: subject, predicate and object, with the days between which it holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from personakit.model.days import lies_in
from personakit.model.memory import normalised
from personakit.model.note import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Note):
    """One statement about an entity. Days are YYYY-MM-DD or as the file writes them; "" is open."""

    subject: str = ""
    predicate: str = ""
    object: str = ""
    valid_from: str = ""
    valid_to: str = ""
    source: str = ""


def is_current(fact: Fact, day: str) -> bool:
    """Say whether a fact holds on a day, YYYY-MM-DD."""
    return lies_in(day, fact.valid_from, fact.valid_to)


def outlasts(fact: Fact, day: str) -> bool:
    """Say whether a fact still holds on a day, YYYY-MM-DD, or begins to hold after it."""
    return lies_in(day, "", fact.valid_to)


def shown_entity(name: str) -> str:
    """Give an entity's name without the brackets of a link."""
    plain = name.strip()
    return plain[2:-2].split("|")[-1].strip() if plain.startswith("[[") and plain.endswith("]]") else plain


def triple_key(fact: Fact) -> tuple[str, str, str]:
    """Give the form in which two facts that say the same are equal, whenever they hold."""
    return entity_key(fact.subject), entity_key(fact.predicate), entity_key(fact.object)


# A vault names few entities, each again and again.
@lru_cache(maxsize=1 << 16)
def entity_key(name: str) -> str:
    """Give the form in which entity names compare: NFKC, case, blanks and `_` equal, link brackets dropped."""
    return normalised(shown_entity(name).replace("_", " "))


def fact_id(subject: str, predicate: str, obj: str, valid_from: str, after: str = "") -> str:
    """Give a fact's id: `t_` and 12 hex digits over the keys of its four parts.

    `after` is the end of the last equal fact, where another one has the id of the four alone.
    """
    parts = (entity_key(subject), entity_key(predicate), entity_key(obj), valid_from.strip())
    keys = "\0".join((*parts, after) if after else parts)
    return "t_" + hashlib.sha256(keys.encode("utf-8", "surrogatepass")).hexdigest()[:12]
