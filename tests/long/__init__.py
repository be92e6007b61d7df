"""Tests that take minutes: `.ci/long` runs them."""
