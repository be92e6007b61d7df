"""What one user has on one machine, beside every vault: a random name for its journals, and the key that hides words.

Both are made when first asked for and kept in the user's state folder, never in a vault.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets

import platformdirs

_NAME, _KEY = "machine", "key"


def machine_id() -> str:
    """Give the random name of this machine and user, made when it is first asked for; never the host's name."""
    name = _kept(_NAME, 4)
    return name or "00000000"  # nothing can be kept there: all such users of one vault share a journal


class Hasher:
    """Hides words behind a hash that only this user on this machine can make again."""

    def __init__(self) -> None:
        """Take the key of this machine; where none can be kept, one that lives as long as this process."""
        self._key = (_kept(_KEY, 32) or secrets.token_hex(32)).encode()

    def __call__(self, *parts: str) -> str:
        """Give the hash of some texts; where one ends and the next begins counts."""
        said = b"".join(len(raw).to_bytes(8, "big") + raw for raw in (p.encode("utf-8", "replace") for p in parts))
        return hmac.new(self._key, said, "sha256").hexdigest()[:16]


def _kept(name: str, size: int) -> str:
    """Give `size` random bytes in hex, the same each time; "" when they can be neither kept nor read."""
    folder = platformdirs.user_state_dir("personakit", appauthor=False)
    path = os.path.join(folder, name)
    with contextlib.suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(size) + "\n")
    with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
        found = file.read(2 * size + 1).strip()
        if len(found) == 2 * size and int(found, 16) >= 0:
            return found
    return ""
