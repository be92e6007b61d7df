"""The only room that touches the vault's files."""
