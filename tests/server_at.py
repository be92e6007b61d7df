"""The program at another time: `python -m tests.server_at …` runs it as if it had been started at `STARTED_AT`."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

from personakit.cli.main import main
from personakit.services.clock import SystemClock

STARTED_AT = "PERSONAKIT_TESTS_STARTED_AT"


def at(start: datetime) -> None:
    """Let the clock tell the time from a start on."""
    begun = time.monotonic()

    def now(_clock: SystemClock) -> datetime:
        return start + timedelta(seconds=time.monotonic() - begun)

    SystemClock.now = now  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    at(datetime.fromisoformat(os.environ[STARTED_AT]).astimezone(UTC))
    main()
