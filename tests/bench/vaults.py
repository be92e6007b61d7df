"""Vaults of any size, the same bytes on every machine: Zipf-like words, several scripts, some aliases."""

from __future__ import annotations

import itertools
import os
import random
from typing import TYPE_CHECKING

from personakit.model.memory import CATEGORIES, memory_id
from personakit.vault.layout import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VOCABULARY = 60_000
# fmt: off
_HEADS = ("b", "bl", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gl", "gr", "h", "j", "k", "l", "m", "n", "p",
          "pl", "pr", "qu", "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w", "z")
_CORES = ("a", "e", "i", "o", "u", "ai", "ea", "ee", "oa", "oo", "ou")
_TAILS = ("b", "ck", "d", "g", "l", "ll", "m", "n", "nd", "ng", "nt", "p", "r", "rk", "rn", "s", "ss", "st", "t", "th",
          "x")
# fmt: on
# Two words in five carry an ending of English, as in its running text.
_ENDINGS = ("",) * 12 + ("s", "ing", "ed", "er", "ly", "tion", "ment", "y")
_OTHER = (
    "Bevorzugt ausführliche Erklärungen über {} und Grundstücksverwaltung",
    "Предпочитает короткие ответы про {} и железные дороги",
    "喜欢关于{}的简短说明和铁路历史",
    "{}についての短い説明と鉄道の歴史を好む",
    "Prefiere explicaciones breves sobre {} y la jardinería",
)
STATES = ("approved",) * 5 + ("unconfirmed",) * 4 + ("restricted",)


def vocabulary() -> list[str]:
    """Give pronounceable words, the most frequent first."""
    syllables = ["".join(parts) for parts in itertools.product(_HEADS, _CORES, _TAILS)]
    source = random.Random(11)
    words = dict.fromkeys(
        source.choice(syllables) + (source.choice(syllables) if source.random() < 0.4 else "") + source.choice(_ENDINGS)
        for _ in range(VOCABULARY * 2)
    )
    return list(words)[:VOCABULARY]


def statements(count: int, seed: int = 7) -> Iterator[tuple[random.Random, str]]:
    """Give statements and the source of randomness that goes on with each."""
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) ** 1.05 for rank in range(len(words))))
    for number in range(count):
        source = random.Random(f"{seed}:{number}")
        chosen = source.choices(words, cum_weights=weights, k=source.randint(8, 18))
        if number % 20 == 19:
            yield source, _OTHER[number // 20 % len(_OTHER)].format(chosen[0])
        else:
            yield source, " ".join(chosen).capitalize()


def memory(source: random.Random, statement: str) -> tuple[str, bytes]:
    """Give one memory's path and bytes."""
    id_ = memory_id(statement)
    month = f"2026-{source.randint(1, 11):02d}"
    lines = [
        "---",
        "type: memory",
        f"id: {id_}",
        f"state: {source.choice(STATES)}",
        f"created: {month}-{source.randint(1, 28):02d}T{source.randint(6, 22):02d}:{source.randint(0, 59):02d}:00Z",
        f"category: {source.choice(CATEGORIES)}",
        'proposed_by: "bench"',
        "evidence:",
        f'  - "I said that {statement.lower()}"',
    ]
    if source.random() < 0.2:
        lines += ["aliases:", f"  - {statement.split()[0].lower()} {source.randint(1, 999)}"]
    text = "\n".join([*lines, "---", statement, ""])
    return f"memories/{month}/{file_name(statement, id_)}", text.encode()


def make_vault(root: Path, count: int, settings: str = "format: 1\n") -> list[str]:
    """Make a vault of `count` memories and give their paths."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "personakit.yaml").write_text(settings)
    paths = []
    for source, statement in statements(count):
        path, data = memory(source, statement)
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        paths.append(path)
    # Older than a cache's doubt: a vault at rest is what a start meets.
    for path in paths:
        os.utime(root / path, (1_790_000_000, 1_790_000_000))
    return paths


def questions(count: int, seed: int = 3) -> list[str]:
    """Give questions in the words of the vault, some with a word it does not know."""
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) ** 1.05 for rank in range(len(words))))
    found = []
    for number in range(count):
        source = random.Random(f"{seed}:{number}")
        chosen = source.choices(words, cum_weights=weights, k=source.randint(4, 10))
        if number % 4 == 0:
            chosen.append(chosen[0][:-1] + "q")
        found.append("How does one " + " ".join(chosen) + "?")
    return found
