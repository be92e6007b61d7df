"""The commands that the README and the docs show, taken from them: what CI runs is what a reader runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PAGES = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md")))


def shown(page: Path) -> list[str]:
    """Give the command lines in a page's `sh` blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def readme(word: str) -> str:
    """Give the README's one set-up command that ends in a word.

    Raises:
        LookupError: there is not exactly one.
    """
    found = [line for line in shown(PAGES[0]) if line.endswith(word)]
    if len(found) != 1:
        raise LookupError(f"README.md shows {len(found)} commands that end in {word}")
    return found[0]


def main() -> None:
    """Print the command that is asked for: `demo` or `test`."""
    sys.stdout.write(readme({"demo": "demo", "test": "pytest"}[sys.argv[1]]) + "\n")


if __name__ == "__main__":
    main()
