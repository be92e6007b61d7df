"""knowledge_propose through the real server, in both eras: nothing changes until a person decides in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rpc import ERAS, Client, Era
from tests.safety.owner import contents
from tests.support import make_vault
from tests.tools.test_knowledge import HOUSE, SETTINGS, Knowledge

OPTIONS = ("--toolsets", "knowledge", "--as", "alpha")
OLD = "Bicycles stand in the yard behind the kitchen."
RIGHT = "Bicycles stand in the shed\n\n- by the gate"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """Give one protocol era after the other."""
    era: Era = request.param
    return era


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a vault with two documents."""
    root = make_vault(tmp_path / "vault", SETTINGS)
    for name, text in (("house", HOUSE), ("kept", "---\nstate: restricted\n---\n# Kept\nThe quokka sleeps.\n")):
        (root / f"knowledge/{name}.md").parent.mkdir(exist_ok=True)
        (root / f"knowledge/{name}.md").write_text(text)
    return root


@pytest.fixture
def knowledge(root: Path, era: Era) -> Iterator[Knowledge]:
    """Serve it."""
    with Client(root, era, options=OPTIONS) as client:
        yield Knowledge(client)


def passage(knowledge: Knowledge, words: str = OLD) -> str:
    """Give the id of the passage with these words."""
    found = [one for one in knowledge("search", query=words)["passages"] if one["words"] == words]
    id_: str = found[0]["passage"]
    return id_


def proposal(root: Path) -> Path:
    """Give the one file of proposals/."""
    (path,) = (root / "proposals").glob("*.md")
    return path


def propose(knowledge: Knowledge, **more: Any) -> dict[str, Any]:
    """Propose where the bicycles are."""
    return knowledge("propose", **{"passage": passage(knowledge), "text": RIGHT, "reason": "Ada said so", **more})


def test_a_correction_waits_and_the_owner_accepts_it_in_its_file(knowledge: Knowledge, root: Path) -> None:
    """The document stays as it is; the next call after the owner's word finds the right words in it."""
    said = propose(knowledge, request_id="call 1")
    assert (said["received"], said["status"], said["redacted"]) == (True, "waiting for a person", False)
    assert said["proposal"] in said["text"] and (root / "knowledge/house.md").read_text() == HOUSE
    path = proposal(root)
    text = path.read_text()
    assert f"id: {said['proposal']}\n" in text and "> Ada said so\n" in text and f"> {OLD}\n" in text
    (found,) = (one for one in knowledge("search", query=OLD)["passages"] if one["words"] == OLD)
    assert found["newer_waiting_since"] is not None
    path.write_text(text.replace("status: waiting", "status: accepted").replace("> - by the gate", "> - by the wall"))
    (new,) = (one for one in knowledge("search", query="bicycles shed")["passages"] if "shed" in one["words"])
    assert new["words"] == "Bicycles stand in the shed\n\n- by the wall" and new["newer_waiting_since"] is None
    assert (root / "knowledge/house.md").read_text() == HOUSE.replace(OLD, new["words"])
    assert "applied: 20" in path.read_text() and "status: accepted\n" in path.read_text()
    (root / "knowledge/house.md").write_text(HOUSE)  # the owner thinks otherwise
    before = contents(root)
    knowledge("scope")
    assert contents(root) == before


def test_what_no_longer_fits_waits_on_with_a_note(knowledge: Knowledge, root: Path) -> None:
    """The document that its owner has edited stays the owner's."""
    propose(knowledge)
    edited = HOUSE.replace("yard", "court")
    (root / "knowledge/house.md").write_text(edited)
    path = proposal(root)
    path.write_text(path.read_text().replace("status: waiting", "status: accepted"))
    knowledge("scope")
    assert (root / "knowledge/house.md").read_text() == edited
    assert 'note: "the words it corrects have changed since"\n' in path.read_text()
    assert "status: waiting\n" in path.read_text() and "applied" not in path.read_text()


def test_the_same_call_again_is_the_same_correction(knowledge: Knowledge, root: Path) -> None:
    """A repeat gives the first answer; the name of a call stands for that call alone; what is declined stays so."""
    first = propose(knowledge, request_id="call-1")
    before = contents(root)
    assert propose(knowledge, request_id="call-1")["proposal"] == first["proposal"]
    assert contents(root) == before
    args = {"passage": passage(knowledge), "text": "Other words", "reason": "why", "request_id": "call-1"}
    assert knowledge.fails("propose", **args)["code"] == "request_id_reused"
    assert contents(root) == before
    path = proposal(root)
    path.write_text(path.read_text().replace("status: waiting", "status: declined"))
    error = knowledge.fails(
        "propose", passage=passage(knowledge), text=RIGHT, reason="Ada said so", request_id="call-1"
    )
    assert (error["code"], error["status"], error["field"]) == ("declined", 422, "text")


def test_what_is_no_correction_is_refused_and_nothing_is_written(knowledge: Knowledge, root: Path) -> None:
    """By the argument at fault; a hidden passage is as unknown as one that never was."""
    id_ = passage(knowledge)
    before = contents(root)
    wrong: list[tuple[str, str, dict[str, Any]]] = [
        ("invalid_argument", "text", {"text": " "}),
        ("invalid_argument", "text", {"text": "x" * 8_001}),
        ("invalid_argument", "text", {"text": "a\n# b"}),
        ("invalid_argument", "text", {"text": "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs"}),
        ("invalid_argument", "text", {"text": "a\n\n---\nstate: approved\n---\n"}),
        ("no_change", "text", {"text": f"{OLD}\n"}),
        ("invalid_argument", "reason", {"reason": ""}),
        ("invalid_argument", "reason", {"reason": "x" * 1_001}),
        ("invalid_argument", "request_id", {"request_id": "x" * 65}),
        ("invalid_argument", "passage", {"passage": "k_0123456789ab"}),
        ("invalid_argument", "passage", {"passage": "m_0123456789ab"}),
    ]
    for code, field, more in wrong:
        error = knowledge.fails("propose", **{"passage": id_, "text": "new", "reason": "why", **more})
        assert (error["code"], error["field"], error["status"]) == (code, field, 422), more
    assert contents(root) == before


def test_secrets_are_taken_out_before_anything_is_stored(knowledge: Knowledge, root: Path) -> None:
    """And it is said, to the assistant and in the file."""
    said = propose(knowledge, text=f"Write to ada@example.org with {TOKEN} about bicycles")
    assert said["redacted"] and "taken out" in said["text"]
    text = proposal(root).read_text()
    assert TOKEN not in text and "ada@" not in text and "about bicycles" in text and "redacted: true\n" in text


def test_twenty_wait_and_no_more(knowledge: Knowledge, root: Path) -> None:
    """Those that are decided make room again."""
    id_ = passage(knowledge)
    for number in range(20):
        knowledge("propose", passage=id_, text=f"Bicycles stand in shed {number}", reason="why")
    error = knowledge.fails("propose", passage=id_, text="Bicycles are gone", reason="why")
    assert error["code"] == "too_many_open"
    one = next(iter((root / "proposals").glob("*.md")))
    one.write_text(one.read_text().replace("status: waiting", "status: declined"))
    assert knowledge("propose", passage=id_, text="Bicycles are gone", reason="why")["received"]


def test_a_read_only_server_neither_offers_nor_applies(root: Path, era: Era) -> None:
    """The owner's word stays in the file until a server that may write looks."""
    with Client(root, era, options=OPTIONS) as client:
        propose(Knowledge(client))
    path = proposal(root)
    path.write_text(path.read_text().replace("status: waiting", "status: accepted"))
    with Client(root, era, options=(*OPTIONS, "--read-only")) as client:
        names = [tool["name"] for tool in client.request("tools/list")["tools"]]
        assert "knowledge_propose" not in names and "knowledge_scope" in names
        Knowledge(client)("scope")
    assert (root / "knowledge/house.md").read_text() == HOUSE
    with Client(root, era, options=OPTIONS) as client:
        Knowledge(client)("scope")
    assert RIGHT in (root / "knowledge/house.md").read_text()
