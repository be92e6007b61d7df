"""What a viewer may not see changes nothing in what it is told, byte for byte, through both tools.

Source: docs/FORMAT.md, "Who sees what". The exceptions: `withheld` counts restricted memories, and who proposes words
is told which state those very words have.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from personakit.config import Launch
from personakit.model.memory import memory_id
from personakit.model.states import State
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.persona import PROPOSE, READ
from personakit.vault.watch import NoWatch
from tests.rpc import ERAS, Client, Era
from tests.safety.owner import restore
from tests.support import SetClock

# Words that are spelt, stemmed, folded or cut alike, so that one can stand in for another.
WORDS = (
    *("tea", "teas", "coffee", "cofee", "garden", "gardens", "gardener", "gardening", "kettle", "kettles", "kettel"),
    *("Gärten", "Garten", "naïve", "naive", "C++", "C#", "getUserName", "user_name", "日本語", "日本", "the", "not"),
    *("photograph", "photographer", "photografer", "oboe", "at", "dawn"),
    # More misspellings of one word than count for it.
    *("quokka", "quokkb", "quokkc", "quokkd", "quokke", "quokkf", "quokkg"),
)
IDS = tuple(f"m_{number:012x}" for number in range(12))
STATEMENTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join), min_size=8, max_size=16, unique_by=memory_id
)
KEYS = {
    "category": st.sampled_from(["preferences", "constraints", "other"]),
    "created": st.sampled_from(["2026-01-01", "2026-01-02T03:04:05Z", "2027-05-06"]),
    "rule": st.sampled_from(["true", "false"]),
    "stale_after": st.sampled_from(["2020-01-01", "2999-01-01"]),
    "proposed_by": st.sampled_from(["alpha", "beta"]),
    "aliases": st.lists(st.sampled_from(WORDS), max_size=3).map(json.dumps),
    "tags": st.lists(st.sampled_from(WORDS), max_size=3).map(json.dumps),
    "evidence": st.lists(st.sampled_from(["a quote about tea", "mail ana@fictiva.example"]), max_size=2).map(
        json.dumps
    ),
    "supersedes": st.lists(st.sampled_from(IDS), max_size=3).map(json.dumps),
}
HAND = st.fixed_dictionaries({}, optional=KEYS)
SEEN = st.sampled_from(
    [
        {"state": "approved"},
        {"state": "unconfirmed"},
        {},
        {"state": "approved", "assistants": '["alpha", "beta"]'},
        {"state": "approved", "projects": "Garden"},
    ]
)
HIDDEN = st.sampled_from(
    [
        {"state": "rejected"},
        {"state": "sure"},
        {"state": "approved", "assistants": "beta"},
        {"state": "unconfirmed", "assistants": "[beta, gamma]"},
        {"state": "restricted", "assistants": "beta"},
        {"state": "restricted", "projects": "kitchen"},
        {"state": "approved", "projects": "kitchen"},
        {"state": "approved\nstate: rejected"},
        {"state": "approved\nassistants: alpha\nassistants: beta"},
        {"state": "approved\nassistants: {}"},
        {"state": "approved\nnote: a: b"},
        {"state": "approved\nnote: *all"},
    ]
)
WITHHELD = st.just({"state": "restricted"})
# How a file is held, whatever its front matter says.
SPOILT: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data.replace(b"\n---\n", b"\n", 1),
    lambda data: data.replace(b"\n", b"\r"),
    lambda data: data + b"\n\xff\n",
    lambda data: b"\n" + data,
    lambda data: data + b"\n" + b"more " * 14_000,
    lambda data: data + b"<<<<<<< a\n=======\n>>>>>>> b\n",
)


def file_of(keys: dict[str, str], statement: str) -> bytes:
    """Give a memory's file."""
    return "\n".join(["---", *(f"{key}: {value}" for key, value in keys.items()), "---", statement, ""]).encode()


@dataclass(frozen=True)
class Story:
    """What the viewer may see, two times what it may not see with its words, and what it asks and proposes."""

    seen: dict[str, bytes]
    hidden: dict[str, bytes]
    otherwise: dict[str, bytes]
    calls: tuple[tuple[str, dict[str, Any]], ...]
    words: tuple[str, ...]


@st.composite
def files(
    draw: st.DrawFn, statements: list[str], folder: str, marks: st.SearchStrategy[dict[str, str]]
) -> dict[str, bytes]:
    """Draw a file for each statement."""
    found: dict[str, bytes] = {}
    for statement in statements:
        number = int(memory_id(statement)[2:], 16) % 10**9
        keys = {**draw(HAND), **draw(marks)}
        if folder == "seen" and draw(st.booleans()):
            keys["id"] = IDS[len(found) % len(IDS)]
        data = file_of(keys, statement)
        spoil = draw(st.sampled_from(SPOILT)) if folder == "hidden" and draw(st.integers(0, 4)) == 0 else None
        found[f"memories/{folder}/{number}.md"] = spoil(data) if spoil else data
    return found


@st.composite
def stories(draw: st.DrawFn, marks: st.SearchStrategy[dict[str, str]]) -> Story:
    """Draw a story; what is hidden shares words with what is seen, and is never what is proposed."""
    statements = draw(STATEMENTS)
    third = len(statements) // 3
    seen, hidden, new = statements[:third], statements[third : 2 * third], statements[2 * third :]
    one = draw(files(hidden, "hidden", marks))
    other = draw(files(draw(st.lists(st.sampled_from(hidden), unique=True)), "hidden", marks))
    if draw(st.booleans()):
        words = " ".join(hidden).encode()
        other |= {"knowledge/a.md": b"# Tea\n\n" + words, "palace/tea/garden/a.md": words, "diary/alpha/a.md": words}
    calls: list[tuple[str, dict[str, Any]]] = []
    for _ in range(draw(st.integers(2, 6))):
        question = " ".join(draw(st.lists(st.sampled_from([*WORDS, "quokkz"]), max_size=4)))
        calls.append(("personakit_read", {"question": question, "limit": draw(st.integers(1, 20))}))
        if draw(st.booleans()):
            text = draw(st.sampled_from(seen + new))
            calls.append(("personakit_propose", {"text": text, "quote": "my tea", "category": "tools"}))
    calls.append(("personakit_read", {"question": " ".join(hidden), "limit": 20}))
    return Story(draw(files(seen, "seen", SEEN)), one, other, tuple(calls), tuple(hidden))


class StillClock(SetClock):
    """A clock whose day and hour never change, so that two tellings of one story get the same stamps."""

    def now(self) -> datetime:
        """Give always the same time."""
        return datetime(2026, 11, 12, 9, 30, tzinfo=UTC)


SETTINGS = b"format: 1\ncache: off\nunconfirmed_per_proposer: 3\n"


def told(story: Story, unseen: dict[str, bytes]) -> list[str]:
    """Tell a story in a vault with this hidden in it, and give the JSON of all answers."""
    tools = {tool.name: tool for tool in (READ, PROPOSE)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        restore(root, {"personakit.yaml": SETTINGS, **story.seen, **unseen})
        launch = Launch(vault=str(root), assistant="alpha", project="garden")
        desk = Desk(launch, OpenVault(str(root), StillClock(), lambda _root, _documents: NoWatch()))
        desk.load()
        results = [call(tools[name], Opening(lambda: desk), arguments) for name, arguments in story.calls]
        desk.close()
        return [content.text for result in results for content in result.content if content.type == "text"]


def uncounted(answers: list[str]) -> list[str]:
    """Give answers without what they count as withheld."""
    return [re.sub(r'"withheld":\d+', '"withheld":…', answer) for answer in answers]


FEW = settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=3000)


@FEW
@given(stories(HIDDEN))
def test_what_is_hidden_changes_nothing(story: Story) -> None:
    """Rejected, held and others' memories, changed or taken out, change no byte of any answer."""
    assert told(story, story.hidden) == told(story, story.otherwise) == told(story, {})


@FEW
@given(stories(st.one_of(HIDDEN, WITHHELD)))
def test_what_is_restricted_changes_only_a_count(story: Story) -> None:
    """Restricted memories among them change what is counted as withheld, and nothing else."""
    assert uncounted(told(story, story.hidden)) == uncounted(told(story, story.otherwise)) == uncounted(told(story, {}))


@pytest.mark.long
@pytest.mark.timeout(3600)
@MANY
@given(stories(HIDDEN))
def test_what_is_hidden_changes_nothing_in_many_stories(story: Story) -> None:
    """The same in many more stories."""
    assert told(story, story.hidden) == told(story, story.otherwise) == told(story, {})


@FEW
@given(stories(st.one_of(HIDDEN, WITHHELD)), st.data())
def test_who_proposes_hidden_words_learns_their_state_alone(story: Story, data: st.DataObject) -> None:
    """Words that a hidden file holds get `new: false` and its state, or `held`; no other answer changes by it."""
    text = data.draw(st.sampled_from(story.words))
    sent = ("personakit_propose", {"text": text, "quote": "a secret quote"})
    before, answer, *after = told(replace(story, calls=(story.calls[0], sent, *story.calls)), story.hidden)
    first, *rest = told(replace(story, calls=(story.calls[0], *story.calls)), story.hidden)
    assert (before, after) == (first, rest)
    found = json.loads(answer)
    if "error" in found:
        assert found["error"]["code"] in ("held", "not_editable")
        assert set(re.findall(r"m_[0-9a-f]{12}", answer)) <= {memory_id(text)}
    else:
        assert set(found) == {"stored", "id", "new", "state"}
        assert (found["stored"], found["new"]) == (True, False) and found["state"] in [*State]
    assert "secret" not in "".join([*after, answer])


@pytest.mark.parametrize("era", ERAS)
def test_the_real_server_tells_nothing(tmp_path: Path, era: Era) -> None:
    """In both eras the whole results of the real server are the same, whatever is hidden."""
    seen = {f"memories/{n}.md": file_of({"state": "approved"}, f"Likes tea in garden {n}") for n in range(3)}
    marks = [
        {"state": "rejected"},
        {"state": "sure"},
        {"state": "approved", "assistants": "beta", "supersedes": memory_id("Likes tea in garden 0")},
        {"state": "approved", "projects": "kitchen", "rule": "true", "category": "constraints"},
    ]
    hidden = {f"memories/h{n}.md": file_of(mark, f"Hates tea and gardening {n}") for n, mark in enumerate(marks)}
    questions = ("tea garden", "gardenign", "hates", "", "tae")
    results = []
    for number, unseen in enumerate(({}, hidden, dict(list(hidden.items())[1:3]))):
        root = tmp_path / str(number)
        restore(root, {"personakit.yaml": b"format: 1\n", **seen, **unseen})
        with Client(root, era, options=("--as", "alpha")) as client:
            told = [client.call("personakit_read", {"question": question, "limit": 20}) for question in questions]
            proposal = {"text": "Likes tea at dawn", "quote": "at dawn"}
            told += [client.call("personakit_propose", proposal) for _ in range(2)]
            told.append(client.call("personakit_read", {"question": "dawn tea"}))
        results.append(json.dumps(told, ensure_ascii=False))
    assert results[0] == results[1] == results[2]
    assert "Likes tea at dawn" in results[0] and "Hates" not in results[0]
