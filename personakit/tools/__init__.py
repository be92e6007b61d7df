"""The tool vocabularies as tables of rows."""
