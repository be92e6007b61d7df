"""What a viewer may not see changes nothing in what a search tells, byte for byte, but how much of it matches."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.config import Launch
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.kaeru import SEARCH
from personakit.vault.watch import NoWatch
from tests.safety.owner import restore
from tests.safety.test_non_interference import (
    FEW,
    HIDDEN,
    MANY,
    SETTINGS,
    WITHHELD,
    WORDS,
    StillClock,
    Story,
    stories,
)

TEXTS = st.lists(st.sampled_from([*WORDS, "quokkz", "te"]), min_size=1, max_size=3).map(" ".join)
SCOPES = st.lists(st.sampled_from(["*", "personal", "garden", "kitchen", "gardn"]), min_size=1, max_size=2, unique=True)


@st.composite
def searches(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw some searches."""
    return draw(
        st.lists(
            st.fixed_dictionaries(
                {"initiatives": SCOPES, "text": TEXTS, "limit": st.integers(1, 4)},
                optional={
                    "prefix": st.booleans(),
                    "match": st.sampled_from(["any", "all"]),
                    "filters": st.sampled_from([{"current": "all"}, {"types": ["idea"]}, {"layers": ["core", "warm"]}]),
                },
            ),
            min_size=2,
            max_size=5,
        )
    )


def memories(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give the files that hide from a search too: other kinds and projects do not, since it looks into them."""
    return {path: data for path, data in files.items() if path.startswith("memories/") and b"projects" not in data}


def told(story: Story, calls: list[dict[str, Any]], unseen: dict[str, bytes], then: dict[str, bytes]) -> list[str]:
    """Search a vault with this hidden in it, and go on after what is hidden has changed; give the whole results."""
    numbers = itertools.count(1)

    def token(_bytes: int) -> str:
        return f"{next(numbers):016x}"

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("personakit.services.seek.pages.secrets.token_hex", token),
    ):
        root = Path(folder).resolve()
        restore(root, {"personakit.yaml": SETTINGS, **story.seen, **unseen})
        for path in story.seen:
            os.utime(root / path, (1_780_000_000, 1_780_000_000))
        vault = OpenVault(str(root), StillClock(), lambda _root, _documents: NoWatch())
        desk = Desk(Launch(vault=str(root), assistant="alpha", project=""), vault)
        desk.load()
        found = []
        for arguments in calls:
            result = call(SEARCH, Opening(lambda: desk), arguments)
            found.append(result.model_dump_json())
            more = (result.structured_content or {})["continuation"]
            if more is not None:
                for path in unseen.keys() - then.keys():
                    (root / path).unlink(missing_ok=True)
                restore(root, then)
                vault.library.apply({*unseen, *then})
                found.append(call(SEARCH, Opening(lambda: desk), more["next_arguments"]).model_dump_json())
        desk.close()
        return found


@FEW
@given(stories(HIDDEN), st.data())
def test_what_is_hidden_changes_nothing(story: Story, data: st.DataObject) -> None:
    """Rejected, held and others' memories, changed or taken out, also between two pages, change no byte."""
    calls = data.draw(searches())
    hidden, otherwise = memories(story.hidden), memories(story.otherwise)
    first = told(story, calls, hidden, otherwise)
    assert first == told(story, calls, {}, {}) == told(story, calls, otherwise, {})
    assert "internal" not in "".join(first)


@pytest.mark.long
@pytest.mark.timeout(3600)
@MANY
@given(stories(HIDDEN), st.data())
def test_what_is_hidden_changes_nothing_in_many_stories(story: Story, data: st.DataObject) -> None:
    """The same in many more stories."""
    calls = data.draw(searches())
    assert told(story, calls, memories(story.hidden), memories(story.otherwise)) == told(story, calls, {}, {})


@FEW
@given(stories(WITHHELD), st.data())
def test_what_is_withheld_changes_only_a_count(story: Story, data: st.DataObject) -> None:
    """Of what is restricted nothing is told but how much of it matches."""
    calls = data.draw(searches())
    withheld = memories(story.hidden)
    one, other = told(story, calls, withheld, withheld), told(story, calls, {}, {})
    assert list(map(_without_count, one)) == list(map(_without_count, other))


def _without_count(result: str) -> Any:
    content = json.loads(result)["structured_content"]
    coverage = content["coverage"]
    if coverage is not None:
        coverage["omitted"] = [each for each in coverage["omitted"] if each["reason"] != "restricted"]
    return content
