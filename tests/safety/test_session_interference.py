"""What a viewer may not see changes nothing in what a session is told, byte for byte, through all five tools.

The exception stands in docs/SESSIONS.md: "No longer a rule" for a rule that the session was told before.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.config import Launch
from personakit.model.label import code_of
from personakit.model.memory import memory_id
from personakit.server import Opening, call
from personakit.services import converse, talk
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.session import SESSION
from personakit.vault.watch import NoWatch
from tests.rpc import ERAS, Client, Era
from tests.safety.owner import restore
from tests.safety.test_non_interference import (
    FEW,
    HIDDEN,
    IDS,
    MANY,
    SETTINGS,
    WITHHELD,
    WORDS,
    StillClock,
    Story,
    file_of,
    stories,
)

TOOLS = {tool.name: tool for tool in SESSION.tools}
ANY = st.one_of(HIDDEN, WITHHELD)
QUESTIONS = st.lists(st.sampled_from([*WORDS, "quokkz"]), min_size=1, max_size=4).map(" ".join)


@st.composite
def talks(draw: st.DrawFn, story: Story) -> list[tuple[str, dict[str, Any]]]:
    """Draw what is called in one session, the ids of what is hidden among what is traced."""
    ids = [*IDS[:4], *map(memory_id, story.words)]
    refs = st.sampled_from([*ids, *(f"#{code_of(id_)[:6]}" for id_ in ids), "#zzzzzz"])
    project = draw(st.sampled_from(["", "garden", "kitchen", "gardn"]))
    calls: list[tuple[str, dict[str, Any]]] = [("start", {"prompt": draw(QUESTIONS), "project": project})]
    for _ in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["recall", "recall", "save_turn", "trace", "start"]))
        arguments: dict[str, Any] = {
            "recall": {"query": draw(QUESTIONS), "step": draw(st.sampled_from(["", "tea", "garden kettle"]))},
            "save_turn": {"kind": "prompt", "speaker": "person", "text": draw(QUESTIONS)},
            "trace": {"memory": draw(refs)},
            "start": {"prompt": draw(QUESTIONS)},
        }[kind]
        calls.append((kind, {**arguments, "session_id": "s_0000000000000001"}))
    calls.append(("recall", {"query": " ".join(story.words), "step": "", "session_id": "s_0000000000000001"}))
    return [*calls, ("end", {"session_id": "s_0000000000000001"})]


def told(story: Story, calls: list[tuple[str, dict[str, Any]]], unseen: dict[str, bytes], *ceiling: str) -> list[str]:
    """Hold a session in a vault with this hidden in it, and give the whole results of all calls."""
    numbers = itertools.count(1)

    def new_id(kind: str) -> str:
        return f"{kind}_{next(numbers):016d}"

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(converse, "new_id", new_id),
        mock.patch.object(talk, "new_id", new_id),
    ):
        root = Path(folder).resolve()
        restore(root, {"personakit.yaml": SETTINGS, **story.seen, **unseen})
        launch = Launch(vault=str(root), assistant="alpha", project=next(iter(ceiling), ""))
        desk = Desk(launch, OpenVault(str(root), StillClock(), lambda _root, _documents: NoWatch()))
        desk.load()
        results = [call(TOOLS[f"memory_{name}"], Opening(lambda: desk), arguments) for name, arguments in calls]
        desk.close()
        return [result.model_dump_json() for result in results]


@FEW
@given(stories(ANY), st.data())
def test_what_is_hidden_changes_nothing(story: Story, data: st.DataObject) -> None:
    """Restricted, rejected, held and others' memories, changed or taken out, change no byte of any answer."""
    calls = data.draw(talks(story))
    first = told(story, calls, story.hidden, "garden")
    assert first == told(story, calls, story.otherwise, "garden") == told(story, calls, {}, "garden")
    assert '"is_error":false' in first[0] and "internal" not in "".join(first)


@pytest.mark.long
@pytest.mark.timeout(3600)
@MANY
@given(stories(ANY), st.data())
def test_what_is_hidden_changes_nothing_in_many_stories(story: Story, data: st.DataObject) -> None:
    """The same in many more stories."""
    calls = data.draw(talks(story))
    assert told(story, calls, story.hidden, "garden") == told(story, calls, {}, "garden")


@pytest.mark.parametrize("era", ERAS)
def test_the_real_server_tells_nothing(tmp_path: Path, era: Era) -> None:
    """In both eras a session is told the same, whatever is hidden; but for ids and times, to the byte."""
    seen = {f"memories/{n}.md": file_of({"state": "approved"}, f"Likes tea in garden {n}") for n in range(3)}
    marks = [
        {"state": "rejected", "rule": "true"},
        {"state": "restricted", "category": "constraints"},
        {"state": "approved", "assistants": "beta", "supersedes": memory_id("Likes tea in garden 0")},
        {"state": "approved", "projects": "kitchen", "rule": "true", "assistants": "beta"},
    ]
    hidden = {f"memories/h{n}.md": file_of(mark, f"Hates tea and gardening {n}") for n, mark in enumerate(marks)}
    results = []
    for number, unseen in enumerate(({}, hidden, dict(list(hidden.items())[1:3]))):
        root = tmp_path / str(number)
        restore(root, {"personakit.yaml": b"format: 1\n", **seen, **unseen})
        with Client(root, era, options=("--as", "alpha", "--toolsets", "session")) as client:
            answers = [client.call("memory_start", {"prompt": "tea and gardening", "project": "kitchn"})]
            id_ = {"session_id": answers[0]["structuredContent"]["session_id"]}
            answers.append(client.call("memory_recall", {"query": "hates", "step": "tea", **id_}))
            for n in range(4):
                ref = memory_id(f"Hates tea and gardening {n}")
                answers.append(client.call("memory_trace", {"memory": ref, **id_}))
            answers.append(client.call("memory_trace", {"memory": memory_id("Likes tea in garden 0"), **id_}))
        results.append(re.sub(r"[sp]_[a-z2-7]{16}|\d{4}-\d\d-\d\dT[\d:]{8}Z", "…", str(answers)))
    assert results[0] == results[1] == results[2]
    assert "Likes tea in garden 0" in results[0] and "Hates" not in results[0]
