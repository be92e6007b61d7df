"""Memories and tables for the tests of the index, and what a table should answer, worked out the long way."""

from __future__ import annotations

from itertools import count
from math import inf, log
from typing import TYPE_CHECKING, TypedDict, Unpack

from hypothesis import strategies as st

from personakit.index.entry import entry_for
from personakit.index.grams import dice, grams
from personakit.index.ranking import search
from personakit.index.scripts import fold
from personakit.index.table import Table
from personakit.index.vocabulary import has_neighbours
from personakit.index.words import Tokeniser
from personakit.model.memory import Memory
from personakit.model.note import Kind, moment
from personakit.model.states import State
from personakit.model.visibility import Sight, Viewer, viewer, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from personakit.index.ranking import Found

ANYONE = viewer()
# One for all tests: stemming anew for each table is most of their time.
ENGLISH = Tokeniser()
VIEWERS = (ANYONE, viewer("claude"), viewer("codex", "garden"), viewer(None, "house"), viewer(every_list=True))

# Few letters and few words, so that words meet: some differ by a slip, an accent or an ending.
WORDS = [
    *(
        "coffee",
        "coffees",
        "cofee",
        "coffeepot",
        "espresso",
        "espressos",
        "tea",
        "münchen",
        "munchen",
        "garden",
        "gardens",
        "gardening",
    ),
    *("gardener", "kubernetes", "kuberntes", "pancake", "pancakes", "我喜", "喜欢", "c++", "résumé", "resume", "run"),
]


class Keys(TypedDict, total=False):
    """What a test may say of a memory."""

    state: State
    created: str
    assistants: tuple[str, ...]
    projects: tuple[str, ...]
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    category: str
    rule: bool | None
    supersedes: tuple[str, ...]
    stale_after: str


def memory(note_id: str, text: str = "", **keys: Unpack[Keys]) -> Memory:
    """Make a memory, approved unless said otherwise."""
    keys.setdefault("state", State.APPROVED)
    return Memory(kind=Kind.MEMORY, id=note_id, path=f"memories/{note_id}.md", text=text, **keys)


def table_of(notes: Iterable[Memory], tokeniser: Tokeniser = ENGLISH) -> Table:
    """Make a table of memories."""
    table = Table()
    for note in notes:
        table.add([entry_for(note, tokeniser)])
    return table


def ask(table: Table, question: str, who: Viewer = ANYONE, limit: int = 20, tokeniser: Tokeniser = ENGLISH) -> Found:
    """Search a table for a question as it is typed."""
    return search(table, tokeniser.words(question), who, limit=limit)


def ids(found: Found) -> list[str]:
    """Give the ids found, in order."""
    return [hit.note.id for hit in found.hits]


_names = st.sampled_from([(), (), (), ("Claude",), ("codex", "claude")])
_projects = st.sampled_from([(), (), (), ("garden",), ("House", "garden")])
_texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
NOTE_IDS = [f"m_{number}" for number in range(12)]


@st.composite
def memories(draw: st.DrawFn, states: Sequence[State] = tuple(State)) -> list[Memory]:
    """Draw memories with distinct ids, of every state and audience."""
    chosen = draw(st.lists(st.sampled_from(NOTE_IDS), unique=True, max_size=len(NOTE_IDS)))
    return [
        memory(
            note_id,
            draw(_texts),
            state=draw(st.sampled_from(states)),
            created=draw(st.sampled_from(["", "2024-01-01", "2024-05-01T10:00:00Z", "soon"])),
            assistants=draw(_names),
            projects=draw(_projects),
            category=draw(st.sampled_from(["other", "constraints"])),
            supersedes=tuple(draw(st.lists(st.sampled_from(NOTE_IDS), max_size=1))),
            stale_after=draw(st.sampled_from(["", "", "2024-02-01"])),
        )
        for note_id in chosen
    ]


questions = st.lists(st.sampled_from([*WORDS, "cofffee", "munich", "gardenings", "kubernetse", "pancaks"]), max_size=6)


def slips(one: str, other: str) -> int:
    """Give the optimal string alignment distance, by the textbook's table."""
    rows = [[max(a, b) if not (a and b) else 0 for b in range(len(other) + 1)] for a in range(len(one) + 1)]
    for a in range(1, len(one) + 1):
        for b in range(1, len(other) + 1):
            change = rows[a - 1][b - 1] + (one[a - 1] != other[b - 1])
            rows[a][b] = min(rows[a - 1][b] + 1, rows[a][b - 1] + 1, change)
            if a > 1 and b > 1 and one[a - 1] == other[b - 2] and one[a - 2] == other[b - 1]:
                rows[a][b] = min(rows[a][b], rows[a - 2][b - 2] + 1)
    return rows[-1][-1]


def shares(asked: str, known: set[str]) -> dict[str, tuple[float, bool]]:
    """Give the words an asked one counts through, among known ones: share of the weight, and whether they match."""
    others = known - {asked}
    found: dict[str, tuple[float, bool]] = {}
    near = has_neighbours(asked)
    allowed = 0 if len(asked) < 4 else 2 if len(asked) >= 8 else 1
    slipped = sorted(
        (slips(asked, word), word)
        for word in others
        if near and has_neighbours(word) and word[0] == asked[0] and slips(asked, word) <= allowed
    )
    alike = sorted((-dice(grams(asked), grams(word)), word) for word in others if near and has_neighbours(word))
    for likeness, word in [pair for pair in alike if -pair[0] >= 0.5][:4]:
        found[word] = (0.5 * -likeness, asked not in known)
    if asked not in known:
        for distance, word in slipped[:4]:
            found[word] = max(found.get(word, (0.0, True)), (1 - 0.3 * distance, True))
    for word in sorted(word for word in others if fold(word) == fold(asked))[:4]:
        found[word] = (0.9, True)
    if asked in known:
        found[asked] = (1.0, True)
    return found


def expected(notes: Iterable[Memory], words: Iterable[str], who: Viewer, limit: int) -> list[tuple[str, float, int]]:
    """Give id, score and number of matched words of the best memories, worked out note by note."""
    served = {note.id: note for note in notes if visible(note, who) is Sight.SERVED}
    held = {note_id: set(entry_for(note, ENGLISH).words) for note_id, note in served.items()}
    known = set().union(*held.values())

    def rarity(word: str) -> float:
        size = sum(word in words for words in held.values())
        return log(1 + (len(served) - size + 0.5) / (size + 0.5))

    ranked = []
    for note_id, note in served.items():
        gains, matches = [], False
        for asked in sorted(set(words)):
            columns = {word: share for word, share in shares(asked, known).items() if word in held[note_id]}
            if columns:
                most = rarity(asked) if asked in known else inf
                gains.append(max(share * min(most, rarity(word)) for word, (share, _) in columns.items()))
                matches = matches or any(match for _, match in columns.values())
        if matches and note_id not in replaced_for(served):
            score, made = round(sum(gains), 9), moment(note.created)
            ranked.append(
                (-score, -len(gains), note.state is State.UNCONFIRMED, inf if made is None else made, note_id)
            )
    return [(note_id, -score, -matched) for score, matched, _, _, note_id in sorted(ranked)[:limit]]


def replaced_for(served: dict[str, Memory]) -> set[str]:
    """Give the ids that approved memories among these replace, rings left alone."""
    edges = {note.id: set(note.supersedes) for note in served.values() if note.state is State.APPROVED}
    reach = {note_id: set(olds) for note_id, olds in edges.items()}
    for _ in zip(count(), edges, strict=False):
        for olds in reach.values():
            olds |= set().union(*(edges.get(old, set()) for old in olds))
    return {old for newer, olds in edges.items() for old in olds if old != newer and newer not in reach.get(old, set())}
