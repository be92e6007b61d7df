"""The verbs: find, open, browse, propose, decide. They join index and vault."""
