"""The floor for a start: the SDK's low-level server with no tools, imported as `personakit serve` imports it."""

from __future__ import annotations

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    """Serve nothing on stdio."""
    server: Server[object] = Server("empty", version="0")
    async with stdio_server() as (into, out):
        await server.run(into, out, server.create_initialization_options())


anyio.run(main)
