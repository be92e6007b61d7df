"""`python -m tests.bench.locomo FILE`: how often the session that holds the evidence is found, sessions as drawers.

The file is LoCoMo (snap-research/locomo, CC BY-NC 4.0), each conversation as `{turns: [{s, sp, t, cap}], dates:
{s: day}, qa: [{q, ev}]}`; a drawer is a session: its date, then who said what, pictures by their captions. It is
measured with and not kept here. Recall at k is the part of a question's evidence sessions among the first k, the mean
over all questions with evidence. Conversations are halved by number: whatever is tuned looks at the first half.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

from personakit.config import Launch
from personakit.services.clock import SystemClock
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.services.palace import FoundDrawer, find_drawers
from personakit.vault.watch import NoWatch

NONE: tuple[FoundDrawer, ...] = ()


def recalls(conversation: dict[str, Any]) -> list[tuple[float, float]]:
    """Give recall at 5 and at 10 for each question of a conversation."""
    sessions: defaultdict[int, list[str]] = defaultdict(list)
    for turn in conversation["turns"]:
        seen = f" [{turn['cap']}]" if "cap" in turn else ""
        sessions[turn["s"]].append(f'{turn["sp"]} said, "{turn["t"]}"{seen}')
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "palace").mkdir()
        (root / "personakit.yaml").write_text("format: 1\ncache: off\n")
        for number, lines in sessions.items():
            words = "\n".join([conversation["dates"].get(str(number), ""), *lines])
            (root / f"palace/{number}.md").write_text(f"---\nroom: s{number}\nwing: w\n---\n{words}", "utf-8")
        vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
        desk = Desk(Launch(vault=str(root), assistant="bench"), vault)
        desk.load()
        found = [_recall(desk, question) for question in conversation["qa"] if _evidence(question)]
        desk.close()
    return found


def _evidence(question: dict[str, Any]) -> set[int]:
    parts = (part for one in question.get("ev", []) for part in str(one).replace(";", " ").split())
    return {int(part[1:].split(":")[0]) for part in parts if part[:1] == "D" and part[1:].split(":")[0].isdigit()}


def _recall(desk: Desk, question: dict[str, Any]) -> tuple[float, float]:
    hits = desk.look(lambda one: find_drawers(one.vault, one.viewer, question["q"], limit=10), NONE)
    order = [int(hit.drawer.room[1:]) for hit in hits]
    wanted = _evidence(question)
    five, ten = (len(wanted & set(order[:k])) / len(wanted) for k in (5, 10))
    return five, ten


def main() -> None:
    """Run and print."""
    conversations = json.loads(Path(sys.argv[1]).read_text("utf-8"))["conversations"]
    halves: dict[str, list[tuple[float, float]]] = {"first": [], "other": []}
    for number, conversation in enumerate(conversations):
        halves["first" if number < len(conversations) // 2 else "other"] += recalls(conversation)
    rows = {**halves, "all": halves["first"] + halves["other"]}
    json.dump({name: _means(found) for name, found in rows.items()}, sys.stdout, indent=1)
    sys.stdout.write("\n")


def _means(found: list[tuple[float, float]]) -> dict[str, float]:
    fives, tens = zip(*found, strict=True)
    return {"questions": len(found), "r5": round(100 * mean(fives), 1), "r10": round(100 * mean(tens), 1)}


if __name__ == "__main__":
    main()
