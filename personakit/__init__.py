"""PersonaKit: a folder of Markdown files that remembers, read and added to by assistants over MCP."""

__version__ = "0.1.0"
__all__ = ["__version__"]
