"""Review: the owner judges what waits, one memory at a time."""
