"""The one clock: passed in everywhere, so that a test can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the services ask of time."""

    def monotonic(self) -> float:
        """Give seconds that never go back."""

    def now(self) -> datetime:
        """Give the time of day, with its zone."""

    def nanoseconds(self) -> int:
        """Give the time of day in the unit of file stamps."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Give seconds that never go back."""
        return time.monotonic()

    def now(self) -> datetime:
        """Give the time in UTC."""
        return datetime.now(UTC)

    def nanoseconds(self) -> int:
        """Give nanoseconds since 1970."""
        return time.time_ns()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def today(clock: Clock) -> str:
    """Give the owner's day, YYYY-MM-DD, in the machine's own zone."""
    return clock.now().astimezone().date().isoformat()


def stamp(clock: Clock) -> str:
    """Give the time as PersonaKit writes it: UTC, whole seconds, `Z`."""
    return clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
