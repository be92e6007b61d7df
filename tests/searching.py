"""A random vault of every kind, random searches in it, and a reference that finds their hits without an index."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personakit.model.memory import Memory
from personakit.model.node import body_of, facets_of, name_of, scopes_of
from personakit.model.note import Note, label_key
from personakit.services.opened import OpenVault
from tests.support import make_vault, text_of

WORDS = ("heron", "otter", "badger", "falcon", "lynx", "heronry", "plan", "release", "river", "topic", "and", "not")
PROJECTS = ("garden", "Release Plan", "kitchen")
TAGS = ("bird", "Water", "kind:idea")
NAMES = ("alpha", "beta")
KINDS = frozenset({"memory", "drawer", "passage", "fact", "diary", "proposal"})
_WORD = re.compile(r"[a-z0-9]+")


def sentence(source: random.Random, most: int = 9) -> str:
    """Give some words with marks among them that a search has to cut at."""
    words = source.choices(WORDS, k=source.randint(1, most))
    return "".join(word + source.choice((" ", " ", "-", ", ", "_", "/")) for word in words).rstrip(" -,_/") or "heron"


def keys_for(source: random.Random, *, states: tuple[str, ...]) -> dict[str, object]:
    """Give a random audience and state."""
    keys: dict[str, object] = {}
    state = source.choice(states)
    if state:
        keys["state"] = state
    if source.random() < 0.3:
        keys["projects"] = [source.choice(PROJECTS)]
    if source.random() < 0.15:
        keys["assistants"] = [source.choice(NAMES)]
    return keys


def fill(root: Path, source: random.Random, number: int) -> Path:
    """Make a vault with about so many things of every kind."""
    make_vault(root)
    ids = [f"m_{n:012x}" for n in range(number)]
    for n, id_ in enumerate(ids):
        states = ("approved", "approved", "unconfirmed", "restricted", "rejected")
        keys = {"id": id_, "created": f"2026-0{n % 9 + 1}-01", **keys_for(source, states=states)}
        keys["category"] = source.choice(("tools", "constraints", "background"))
        if source.random() < 0.3:
            keys["tags"] = [source.choice(TAGS)]
        if source.random() < 0.5:
            keys["supersedes"] = source.sample(ids, k=2)
        if source.random() < 0.1:
            keys["stale_after"] = source.choice(("2020-01-01", "2999-01-01"))
        _write(root / "memories" / f"{n}.md", text_of(sentence(source) + f" {n}", **keys))
    plain = ("", "", "approved", "restricted")
    for n in range(number // 4):
        wing = source.choice(PROJECTS)
        drawer = {"wing": f'"{wing}"', "room": "r", **keys_for(source, states=plain)}
        _write(root / "palace" / "w" / f"{n}.md", text_of(sentence(source, 60) + f" {n}", type="drawer", **drawer))
        fact = {"subject": source.choice(WORDS), "predicate": "knows", "object": sentence(source, 2) + f" {n}"}
        days = source.choice(({}, {"valid_to": "2021-01-01"}, {"valid_from": "2999-01-01"}))
        _write(root / "facts" / f"{n}.md", text_of("", type="fact", **fact, **days, **keys_for(source, states=plain)))
        entry = {"agent": "alpha", "topic": source.choice(WORDS), "timestamp": f"2026-01-01T00:00:{n % 60:02}.{n:06}Z"}
        _write(root / "diary" / "alpha" / f"{n}.md", text_of(sentence(source), type="diary", **entry))
        head = text_of("", **source.choice(({}, {"status": "withdrawn"}, {"effective_until": "2020-01-01"})))
        parts = "\n\n".join(f"## {source.choice(WORDS)} {n}\n{sentence(source, 30)} {n} {k}" for k in range(2))
        _write(root / "knowledge" / f"{n}.md", head + f"# Book {n}\n{parts}\n")
    return root


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def request(source: random.Random) -> dict[str, Any]:  # noqa: C901 - each argument may be there or not
    """Give the arguments of a search."""
    scopes = source.sample([*PROJECTS, "personal", "*", "RELEASE_plan", "gardn"], k=source.randint(1, 3))
    found: dict[str, Any] = {"initiatives": scopes}
    if source.random() < 0.8:
        found["text"] = source.choice(
            (sentence(source, 3), "herons", "her", "HERON*", "tag:bird", "nothing like it", "7")
        )
    filters: dict[str, Any] = {}
    if source.random() < 0.3:
        filters["types"] = source.sample(["idea", "draft", "reference", "entity", "episode", "task"], k=2)
    if source.random() < 0.2:
        filters["tags"] = [source.choice(("BIRD", "water", "category:tools", "kind:idea"))]
    if source.random() < 0.2:
        filters["statuses"] = [source.choice(("Approved", "unconfirmed", "ended", "current"))]
    if source.random() < 0.2:
        filters["layers"] = source.sample(["core", "warm", "cold", "hot"], k=2)
    if source.random() < 0.2:
        filters["tiers"] = [source.choice(("operational", "archival"))]
    if source.random() < 0.3 or (not filters and "text" not in found):
        filters["current"] = source.choice(("preferred", "all"))
    if filters:
        found["filters"] = filters
    options = {
        "match": ("any", "all"),
        "prefix": (True, False),
        "limit": (1, 3, 10, 50),
        "budget_chars": (512, 2_000, 64_000),
    }
    return found | {key: source.choice(values) for key, values in options.items() if source.random() < 0.5}


@dataclass(frozen=True)
class Expected:
    """What a search has to give: all hits in their order, and how many are left out for which reason."""

    ids: list[str]
    superseded: int
    restricted: int


class Reference:
    """The rules of the search by a look at every note, with words cut by a pattern of its own. ASCII alone."""

    def __init__(self, vault: OpenVault, assistant: str, day: str) -> None:
        self.notes = [note for note in vault.library.notes() if note.kind.value in KINDS]
        self.files = vault.library.files
        self.assistant, self.day = assistant, day

    def scopes(self, note: Note) -> set[str]:
        """Give the keys of the scopes in which a note may be told at all."""
        if note.assistants and label_key(self.assistant) not in map(label_key, note.assistants):
            return set()
        scopes = {label_key(name) for name in scopes_of(note)}
        return scopes & set(map(label_key, note.projects)) if note.projects else scopes

    def find(self, arguments: dict[str, Any]) -> Expected | None:  # noqa: C901, PLR0915 - all the rules in one look
        """Give what a search has to give; None where no scope that is asked for is there."""
        open_ = [note for note in self.notes if note.state not in ("restricted", "rejected")]
        known = {"personal"}.union(*(self.scopes(note) for note in open_))
        asked = {"*" if name == "*" else label_key(name) for name in arguments["initiatives"]}
        if not asked & (known | {"*"}):
            return None
        keys = known if "*" in asked else asked & known
        # What is withheld makes no scope known, but counts wherever everything is asked for.
        served = [note for note in open_ if self.scopes(note) & keys]
        kept = [
            note for note in self.notes if note.state == "restricted" and ("*" in asked or self.scopes(note) & keys)
        ]
        kept = [note for note in kept if self.scopes(note)]
        successors: dict[str, list[str]] = {}
        for note in served:
            if isinstance(note, Memory) and note.confirmed:
                for old in note.supersedes:
                    if old != note.id:
                        successors.setdefault(old, []).append(note.id)
        by_id = {note.id: note for note in served}

        def facets(note: Note) -> Any:
            return facets_of(note, self.day, superseded=note.id in successors)

        def replaced(id_: str) -> bool:
            reached, todo = {id_}, [id_]
            while todo:
                for one in successors.get(todo.pop(), ()):
                    if facets(by_id[one]).is_current and one != id_:
                        return True
                    if one not in reached:
                        reached.add(one)
                        todo.append(one)
            return False

        scores = self.scores(served, arguments)
        if not _filtered(arguments):
            found = [note for note in served if note.id in scores]
        else:
            found = [note for note in served if note.id in scores and _takes(arguments["filters"], facets(note))]
        everything = arguments.get("filters", {}).get("current") == "all"
        gone = [] if everything else [note for note in found if not facets(note).is_current and replaced(note.id)]
        found = [note for note in found if note not in gone]
        layers = ("core", "hot", "warm", "cold", "frozen")

        def key(note: Note) -> tuple[Any, ...]:
            layer = 0 if "text" in arguments else layers.index(facets(note).layer)
            past = not everything and not facets(note).is_current
            return past, layer, -scores[note.id], -self.files[note.path].stamp.mtime_ns, note.id

        matching = self.scores(kept, arguments)
        withheld = [
            n
            for n in kept
            if n.id in matching and (not _filtered(arguments) or _takes(arguments["filters"], facets(n)))
        ]
        return Expected([note.id for note in sorted(found, key=key)], len(gone), len(withheld))

    def scores(self, notes: list[Note], arguments: dict[str, Any]) -> dict[str, float]:  # noqa: C901 - as above
        """Give the BM25 of each note that holds the words, the name's counted double."""
        if "text" not in arguments:
            return {note.id: 0.0 for note in notes}
        held = {
            note.id: _WORD.findall(body_of(note).lower()) + 2 * _WORD.findall(name_of(note).lower()) for note in notes
        }
        average = sum(map(len, held.values())) / max(1, len(held)) or 1.0
        terms = list(dict.fromkeys(_WORD.findall(arguments["text"].lower())))
        if not terms:
            return {}

        def times(term: str, words: list[str]) -> int:
            if arguments.get("prefix"):
                return sum(min(255, words.count(word)) for word in set(words) if word.startswith(term))
            return min(255, words.count(term))

        counts = {term: {id_: n for id_, words in held.items() if (n := times(term, words))} for term in terms}
        join = all if arguments.get("match") == "all" else any
        found: dict[str, float] = {}
        for id_, words in held.items():
            if join(id_ in counts[term] for term in terms):
                score = 0.0
                for docs in counts.values():
                    if id_ in docs:
                        weight = math.log(1 + (len(held) - len(docs) + 0.5) / (len(docs) + 0.5)) * 2.2
                        score += weight * docs[id_] / (docs[id_] + 1.2 * 0.25 + 1.2 * 0.75 / average * len(words))
                found[id_] = round(score, 9)
        return found


def _filtered(arguments: dict[str, Any]) -> bool:
    return bool(arguments.get("filters", {}).keys() - {"current"})


def _takes(filters: dict[str, Any], facets: Any) -> bool:
    values = {
        "types": [facets.node_type],
        "tiers": [facets.tier],
        "layers": [facets.layer],
        "statuses": [facets.status],
        "tags": facets.tags,
    }
    return all(
        any(one.casefold() in values[key] for one in wanted) for key, wanted in filters.items() if key != "current"
    )
