"""Measure personakit.model.credentials: `python tests/bench/credentials.py DATA` prints one JSON object.

DATA is a folder with credential_shapes.json (strings in base64), locomo.json, xquad_sent_*.json and
jsquad_sent_*.json. Of each set, the strings whose sha256 is divisible by three are reported apart, as the third that
no rule was tuned on; where a set comes without that third, its count is 0 and no figure can be claimed from it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from personakit.model.credentials import credential_kind

LENGTH = 50_000
ADVERSARIAL = (
    "a", "aB1", "-", "://a:", "password", "password=", "password = a1b", "secret ", "token=abcdefgh1 ", "eyJ", "eyJa.",
    "sk-", "ghp_a", "ghp_ghp_ghp_ ", "xoxb-1 ", "Q~", "1Q~", "authorization:", "authorization: bearer ", "bearer 1",
    "curl -u a:", "curl", ".a", "a.", "a-b.", "|", "1|", ":AA", "-us", "hv", "hvs.a", "SG.", "dp.", "sig=", "&sig=",
    "-----BEGIN ", "-----BEGIN private key ", "aB1cD2eF3gH4iJ5kL6mN7oP8 ", "getUserNameFromDatabaseV2Handler3 ",
    "EAA" + "a" * 40 + "_ ", "AKIA", "AKC ", "/a1", "[", '"', "密码", "api_key", "x" * 24 + "= ", "a1 ", "p", "t",
)  # fmt: skip
ALL_HINTS = (
    "private key putty-user-key-file service_account :// hooks.slack.com/ /api/webhooks/ /webhookb2/ q~ accountkey= "
    "sharedaccesskey= sig= x-amz-signature= eyj hv sg. ya29. dp. dt0 sk.eyj | :aa -us bearer authorization curl "
)


def _third(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3 == 0


def _figures(texts: list[str], *, entropy: bool) -> dict[str, float | int]:
    hits = sum(credential_kind(text, entropy=entropy) is not None for text in texts)
    return {"strings": len(texts), "hits": hits, "percent": round(100 * hits / len(texts), 2) if texts else 0.0}


def _set(texts: list[str]) -> dict[str, Any]:
    tuned, aside = [text for text in texts if not _third(text)], [text for text in texts if _third(text)]
    return {
        "tuned_on": _figures(tuned, entropy=True),
        "untouched_third": _figures(aside, entropy=True),
        "without_entropy": _figures(texts, entropy=False),
    }


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _shapes(folder: Path) -> dict[str, Any]:
    sets: dict[str, list[str]] = {
        name: [base64.b64decode(text).decode("utf-8") for text in texts]
        for name, texts in _load(folder / "credential_shapes.json").items()
        if isinstance(texts, list)
    }
    trues = [text for name, texts in sets.items() if name.endswith("_true") for text in texts]
    return {name: _set(texts) for name, texts in sets.items()} | {"all_true": _set(trues)}


def _prose(folder: Path) -> dict[str, Any]:
    sets: dict[str, list[str]] = {"locomo_turns": [], "locomo_observations": []}
    for talk in _load(folder / "locomo.json")["conversations"]:
        sets["locomo_turns"] += [turn["t"] for turn in talk["turns"]]
        sets["locomo_observations"] += [seen["t"] for seen in talk["obs"]]
    for path in sorted((*folder.glob("xquad_sent_*.json"), *folder.glob("jsquad_sent_*.json"))):
        sets[path.stem] = _load(path)["docs"]
    sets["all_sentences"] = [text for texts in sets.values() for text in texts]
    return {name: _figures(texts, entropy=True) for name, texts in sets.items()}


def _milliseconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        credential_kind(text)
        best = min(best, time.perf_counter() - start)
    return round(best * 1_000, 2)


def _times() -> dict[str, Any]:
    times: dict[str, float] = {}
    for piece in ADVERSARIAL:
        for lead in ("", ALL_HINTS):
            text = (lead + piece * LENGTH)[:LENGTH]
            if credential_kind(text) is None:
                times[f"{'all hints + ' if lead else ''}{piece[:30]}"] = _milliseconds(text)
    slowest = sorted(times, key=lambda name: -times[name])[:8]
    return {"characters": LENGTH, "texts": len(times), "slowest_ms": {name: times[name] for name in slowest}}


def main() -> None:
    """Print the figures."""
    folder = Path(sys.argv[1])
    print(json.dumps({"shapes": _shapes(folder), "sentences": _prose(folder), "time": _times()}, indent=2))


if __name__ == "__main__":
    main()
