"""Seek: one literal search over everything in the vault, in named scopes."""
