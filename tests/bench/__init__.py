"""Measurements: run with `python -m tests.bench`."""
