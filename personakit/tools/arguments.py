"""Argument types that several vocabularies share."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def clamped(low: int, high: int, default: int, meaning: str) -> Any:
    """Give the type of a number that is brought into a range instead of refused.

    Fractions are rounded down and numbers written as text are read; what is no number is refused.
    """

    def bring(value: object) -> int:
        number = _number(value)
        return max(low, min(high, number))

    return Annotated[
        int,
        BeforeValidator(bring),
        Field(default=default, description=meaning, json_schema_extra={"minimum": low, "maximum": high}),
    ]


def _number(value: object) -> int:
    if isinstance(value, str):
        try:
            value = float(value) if len(value) <= 400 else math.nan
        except ValueError:
            value = math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise ValueError("must be a number")
    if isinstance(value, float):
        return math.floor(max(-1e18, min(1e18, value)))
    return value
