"""A session of thirty turns, the owner deciding in between, the server killed half-way: what exactly is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personakit.services.telling import NOTHING_NEW
from tests.rpc import ERAS, Client, Era
from tests.support import make_vault, put

OPTIONS = ("--toolsets", "session", "--as", "alpha")
NAMES = {"deploy": "1", "delete": "2", "tea": "3", "quince": "4", "kettle": "5", "oboe": "6", "garden": "7"}
STATEMENTS = {
    "deploy": "Never deploy on Fridays",
    "delete": "Ask before you delete",
    "tea": "Likes green tea",
    "quince": "Grows quinces in pots",
    "kettle": "The kettle is blue",
    "oboe": "Plays the oboe at dawn",
    "garden": "Waters the garden at noon",
}
LABELS = {name: f"#{'0123456789abcdefg'[2 * int(digit)]}00000" for name, digit in NAMES.items()}


class Owner:
    """Decides on memories in an editor."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state: dict[str, dict[str, str]] = {}

    def save(self, name: str, text: str = "", **keys: str) -> None:
        """Write a memory, with what it said before where nothing else is said."""
        text = text or self.state.get(name, {}).get("text", STATEMENTS[name])
        self.state[name] = {**self.state.get(name, {}), **keys, "text": text}
        said = {key: value for key, value in self.state[name].items() if key != "text"}
        created = f"2026-01-0{NAMES[name]}"
        put(self.root, f"{name}.md", text, id=f"m_{NAMES[name]}00000000000", created=created, **said)

    def delete(self, name: str) -> None:
        """Delete a memory's file."""
        (self.root / "memories" / f"{name}.md").unlink()


def line(name: str, mark: str = "", text: str = "") -> str:
    """Give the line of a memory."""
    return f"- {text or STATEMENTS[name]}{mark} {LABELS[name]}"


@pytest.mark.parametrize("era", ERAS)
def test_thirty_turns(tmp_path: Path, era: Era) -> None:  # noqa: PLR0915 - one story
    """Each decision counts in the next answer, nothing is told twice, rules come first, a restart changes nothing."""
    root = make_vault(tmp_path / "vault")
    owner = Owner(root)
    owner.save("deploy", state="approved", category="constraints")
    owner.save("tea", state="approved")
    owner.save("quince")
    owner.save("kettle", state="restricted")
    turns = 0
    id_ = ""

    def told(client: Client, wanted: list[str], tool: str = "recall", **arguments: Any) -> dict[str, Any]:
        nonlocal turns
        turns += 1
        if tool == "recall":
            arguments = {"step": "", **arguments}
        result = client.call(f"memory_{tool}", {**({"session_id": id_} if id_ else {}), **arguments})
        assert not result.get("isError"), (turns, result)
        content: dict[str, Any] = result["structuredContent"]
        assert content.get("text", "ok").split("\n") == (wanted or [NOTHING_NEW]), turns
        return content

    def first_half(client: Client) -> None:
        nonlocal id_
        start = ["Rules:", line("deploy"), "Memories:", line("tea"), line("quince", " (unconfirmed)")]
        id_ = told(client, start, "start", prompt="green tea, quinces and the kettle")["session_id"]
        told(client, [], query="tea")
        owner.save("quince", state="approved")
        told(client, ["Memories:", line("quince")], query="quinces")
        told(client, ["Memories:", line("quince")], query="  QUINCES. ")
        owner.save("quince", state="restricted")
        told(client, [], query="quinces")
        owner.save("delete", state="approved", rule="true")
        told(client, ["Rules:", line("delete")], query="tea")
        owner.save("deploy", "Never deploy on Mondays")
        new = line("deploy", text="Never deploy on Mondays")
        told(client, ["Rules:", new], query="kettle")
        told(client, [], query="a kettle?")
        owner.save("kettle", state="approved")
        told(client, ["Memories:", line("kettle")], query="blue kettle")
        whole = ["Rules:", new, line("delete")]
        told(client, whole, "start", prompt="green tea")
        owner.save("delete", rule="false")
        gone = f"No longer a rule: {LABELS['delete']}"
        prompt = told(client, [gone], "save_turn", kind="prompt", speaker="person", text="the oboe")["id"]
        told(client, ["ok"], "save_turn", kind="reply", speaker="agent", text="done", reply_to=prompt)
        told(client, ["Memories:", line("delete")], query="delete it")
        owner.save("oboe", state="approved")
        told(client, ["Memories:", line("oboe")], query="oboe", step="tea")

    def second_half(client: Client) -> None:
        told(client, ["Memories:", line("oboe")], query="Oboe!", step="TEA")
        told(client, [], query="green tea")
        told(client, [], query="delete that")
        owner.save("delete", rule="true")
        told(client, ["Rules:", line("delete"), "Memories:", line("oboe")], query="oboe", step="tea")
        told(client, ["Memories:", line("oboe")], query="oboe", step="tea")
        owner.save("oboe", "Plays the oboe at dusk")
        dusk = line("oboe", text="Plays the oboe at dusk")
        told(client, ["Memories:", dusk], query="oboe", step="tea")
        owner.save("deploy", state="rejected")
        gone = f"No longer a rule: {LABELS['deploy']}"
        told(client, [gone, "Memories:", dusk], query="oboe", step="tea")
        told(client, ["Memories:", dusk], query="oboe", step="tea")
        owner.save("deploy", state="approved")
        told(client, ["Rules:", line("deploy", text="Never deploy on Mondays")], query="monday")
        owner.delete("oboe")
        told(client, [], query="oboe", step="tea")
        owner.save("garden")
        wanted = ["Memories:", line("garden", " (unconfirmed)")]
        told(client, wanted, "save_turn", kind="prompt", speaker="person", text="garden")
        owner.save("garden", state="approved", category="constraints")
        told(client, ["Rules:", line("garden")], query="noon")
        owner.delete("garden")
        told(client, [f"No longer a rule: {LABELS['garden']}"], query="noon")
        told(client, [], query="at noon")
        told(client, [], "save_turn", kind="prompt", speaker="person", text="nothing more")
        told(client, ["ok"], "end")

    halves: list[Callable[[Client], None]] = [first_half, second_half]
    for half in halves:
        with Client(root, era, options=OPTIONS) as client:
            half(client)
            client.process.kill()
            client.process.wait()
    assert turns == 30
