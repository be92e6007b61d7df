"""The owner's command line."""
