"""A fact's id is made from what it says, however that is spelled."""

from __future__ import annotations

import re

import pytest

from personakit.model.fact import entity_key, fact_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Max Mustermann", "max  mustermann"),
        ("Max", "[[Max]]"),
        ("Max", "[[people/max-m|Max]]"),
        ("works_at", "Works At"),
        ("ＡＣＭＥ", "acme"),
        (" Max. ", "max"),
    ],
)
def test_spellings_of_one_name_are_one(one: str, other: str) -> None:
    """Case, width, blanks, `_`, ending marks and link brackets do not make another entity."""
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Max", "Maxi"), ("C", "C#"), ("[Max]", "Max"), ("[[a|b]]", "a"), ("a-b", "a b")]
)
def test_other_names_are_others(one: str, other: str) -> None:
    """What reads differently is another entity."""
    assert entity_key(one) != entity_key(other)


def test_the_id_follows_all_four_parts() -> None:
    """Subject, predicate, object and first day make the id, each in its place."""
    id_ = fact_id("Max", "works_at", "ACME", "2020-01-01")
    assert re.fullmatch(r"t_[0-9a-f]{12}", id_)
    assert id_ == fact_id("[[max]]", "Works at", "acme.", " 2020-01-01 ")
    others = {
        fact_id("Mia", "works_at", "ACME", "2020-01-01"),
        fact_id("Max", "left", "ACME", "2020-01-01"),
        fact_id("Max", "works_at", "Other", "2020-01-01"),
        fact_id("Max", "works_at", "ACME", ""),
        fact_id("ACME", "works_at", "Max", "2020-01-01"),
        fact_id("Max works", "at", "ACME", "2020-01-01"),
    }
    assert len(others | {id_}) == 7
