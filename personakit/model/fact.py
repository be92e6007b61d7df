"""A fact: subject, predicate and object, with the days between which it holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

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


def entity_key(name: str) -> str:
    """Give the form in which entity names compare: NFKC, case, blanks and `_` equal, link brackets dropped."""
    plain = name.strip()
    if plain.startswith("[[") and plain.endswith("]]"):
        plain = plain[2:-2].split("|")[-1]
    return normalised(plain.replace("_", " "))


def fact_id(subject: str, predicate: str, obj: str, valid_from: str) -> str:
    """Give a fact's id: `t_` and 12 hex digits over the keys of its four parts."""
    keys = "\0".join((entity_key(subject), entity_key(predicate), entity_key(obj), valid_from.strip()))
    return "t_" + hashlib.sha256(keys.encode("utf-8", "surrogatepass")).hexdigest()[:12]
