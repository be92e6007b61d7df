"""The palace vocabulary: verbatim drawers in rooms and wings, dated facts, and diaries."""

from __future__ import annotations

from personakit.tools.palace import diary, drawers, facts, walks
from personakit.tools.toolset import Toolset

PALACE = Toolset("palace", (*drawers.OVERVIEW, *drawers.WRITES, *facts.TOOLS, *walks.TOOLS, *diary.TOOLS))
