"""knowledge_trace through the real server, in both eras: own answers alone, in fixed words, after a restart too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rpc import ERAS, Client, Era
from tests.support import make_vault
from tests.tools.test_knowledge import HOUSE, Knowledge


def options(name: str) -> tuple[str, ...]:
    """Give the launch of one assistant."""
    return ("--toolsets", "knowledge", "--as", name)


def traced(client: Client, answer: str) -> list[dict[str, object]]:
    """Give the lines of an answer's trace; where there are none, there is the one sentence."""
    found = client.call("knowledge_trace", {"answer": answer})
    content = found["structuredContent"]
    if not content["lines"]:
        sentence = f"PersonaKit has no trace of {answer} for you."
        assert (content["id"], content["text"], content["more"]) == ("", sentence, None)
        assert found["content"][0]["text"] == sentence
    lines: list[dict[str, object]] = content["lines"]
    return lines


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with one document."""
    root = make_vault(tmp_path / "vault")
    (root / "knowledge").mkdir()
    (root / "knowledge/house.md").write_text(HOUSE)
    return root


@pytest.mark.parametrize("era", ERAS)
def test_an_answers_trace(root: Path, era: Era) -> None:
    """How it was judged and what it gave, told by whichever process comes next; each answer has one."""
    with Client(root, era, options=options("alpha")) as client:
        asked = Knowledge(client)("ask", question="Where do guests sign the book?")
        nothing = Knowledge(client)("search", query="quokka")
        scope = Knowledge(client)("scope")
    with Client(root, era, options=options("alpha")) as client:
        told = Knowledge(client)("trace", answer=asked["id"])
        assert told["id"] == asked["id"] and told["more"] is None
        kinds = [line["kind"] for line in told["lines"]]
        assert kinds[:2] == ["asked", "scope"] and kinds[-1] == "passage" and "judged" in kinds
        assert told["lines"][0]["words"] == "asked by alpha through knowledge_ask"
        assert asked["evidence"][0]["passage"] in told["text"] and "guest" not in told["text"].casefold()
        assert Knowledge(client)("trace", **{"answer": asked["id"], "from": 3})["lines"][0]["n"] == 3
        assert Knowledge(client)("trace", **{"answer": asked["id"], "from": 300})["lines"] == []
        assert client.call("knowledge_trace", {"answer": asked["id"], "from": 0})["isError"] is True
        assert traced(client, nothing["id"]) and traced(client, scope["id"])


@pytest.mark.parametrize("era", ERAS)
def test_nobody_elses_answers_have_a_trace(root: Path, era: Era) -> None:
    """Nor a made-up one, nor any where the owner's consent is none."""
    with Client(root, era, options=options("alpha")) as client:
        asked = Knowledge(client)("ask", question="Where do guests sign the book?")["id"]
        assert traced(client, asked)
        for id_ in ("a_aaaaaaaaaaaaaaaa", "a_x", "m_0123456789ab", asked.upper()):
            assert not traced(client, id_)
    with Client(root, era, options=options("beta")) as client:
        assert not traced(client, asked)
    (root / "personakit.yaml").write_text("format: 1\nconsent: none\n")
    with Client(root, era, options=options("alpha")) as client:
        assert not traced(client, asked)
