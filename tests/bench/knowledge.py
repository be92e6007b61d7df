"""`python -m tests.bench.knowledge [DATA]`: how well and how fast documents are found, answered, reread and recounted.

DATA is a folder with xquad_sent_en.json, xquad_sent_zh.json and jsquad_sent_ja.json (CC BY-SA 4.0; measured with, not
kept here): `{docs: [sentence], queries: [[question, number of the sentence that answers]]}`; a section is five
sentences in a row. Beside them stands a handbook of our own with questions that it answers, answers in part, does not
answer, or asks of somebody else; they are halved, and whatever is tuned looks at half `a` alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from personakit.services.clock import SystemClock
from personakit.services.knowledge.ask import ask
from personakit.services.knowledge.inquiry import Inquiry, owners_inquiry
from personakit.services.knowledge.search import search
from personakit.services.opened import OpenVault
from personakit.vault.watch import NoWatch
from tests.bench.documents import speed

if TYPE_CHECKING:
    from collections.abc import Mapping

SETS = {"en": "xquad_sent_en.json", "zh": "xquad_sent_zh.json", "ja": "jsquad_sent_ja.json"}
ROW = 5
HANDBOOK = Path(__file__).parent / "handbook"


def opened(root: Path, files: Mapping[str, str], language: str = "en") -> OpenVault:
    """Make a vault of documents and open it."""
    root = root.resolve()
    (root / "personakit.yaml").write_text(f"format: 1\ncache: off\nlanguage: {language}\n")
    for name, text in files.items():
        path = root / "knowledge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    vault = OpenVault(str(root), SystemClock(), lambda _root, _documents: NoWatch())
    vault.load()
    return vault


def asked(vault: OpenVault) -> Inquiry:
    """Begin a call."""
    return owners_inquiry(vault)


def sections_of(sentences: list[str]) -> list[list[str]]:
    """Give rows of five sentences."""
    plain = [" ".join(one.split()) for one in sentences]
    return [plain[at : at + ROW] for at in range(0, len(plain), ROW)]


def recall(file: Path, language: str, *, without: bool = False) -> dict[str, float]:
    """Give how often the right section is among the first k, and what `ask` makes of the questions."""
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    rows = sections_of(data["docs"])
    with tempfile.TemporaryDirectory() as folder:
        text = "\n\n".join(f"## Part\n{' '.join(row)}" for row in rows)
        vault = opened(Path(folder), {"set.md": text}, language)
        hits: Counter[int] = Counter()
        outcomes: Counter[str] = Counter()
        right = 0
        for question, sentence in data["queries"]:
            gold = " ".join(rows[sentence // ROW])
            found = [one.passage.text for one in search(asked(vault), question[:2_000], "", 5).quotes]
            for k in (1, 3, 5):
                hits[k] += gold in found[:k]
            answer = ask(asked(vault), question[:2_000], "")
            outcomes[answer.outcome.value] += 1
            if answer.outcome.value == "answered":
                right += gold in [one.passage.text for one in answer.evidence[:3]]
    number = len(data["queries"])
    shares = {f"top_{k}": round(hits[k] / number, 4) for k in (1, 3, 5)}
    shares |= {name: round(times / number, 4) for name, times in sorted(outcomes.items())}
    return {
        "sections": len(rows),
        "questions": number,
        **shares,
        "right_of_answered": round(right / max(outcomes["answered"], 1), 4),
    }


def handbook(half: str = "") -> dict[str, dict[str, float]]:
    """Give what `ask` makes of our own questions, kind by kind: of each outcome the share, and whether it was right."""
    files = {path.name: path.read_text("utf-8") for path in HANDBOOK.glob("*.md")}
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        vault = opened(Path(folder), files)
        for line in (HANDBOOK / "questions.tsv").read_text("utf-8").splitlines():
            which, kind, question, heading = line.split("\t")
            if half in ("", which):
                answer = ask(asked(vault), question, "")
                found[kind][answer.outcome.value] += 1
                found[kind]["all"] += 1
                found[kind]["right section first"] += (
                    bool(answer.quotes) and heading in answer.quotes[0].passage.section
                )
    return {
        kind: {
            name: round(number / counts["all"], 3) if name != "all" else number
            for name, number in sorted(counts.items())
        }
        for kind, counts in found.items()
    }


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--half", default="")
    parser.add_argument("--sets", default="en,zh,ja")
    parser.add_argument("--speed", type=int, default=400, help="questions for the figures of speed; 0: leave those out")
    options = parser.parse_args()
    result: dict[str, Any] = {"handbook": handbook(options.half)}
    if options.speed:
        result["speed"] = speed(options.speed)
    if options.data is not None:
        result["recall"] = {name: recall(options.data / SETS[name], name) for name in options.sets.split(",")}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
