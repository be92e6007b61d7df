"""An owner who decides without pause, in a process that may be killed: each decision is said before and after."""

from __future__ import annotations

import random
import sys

from personakit.errors import PersonaKitError
from personakit.model.states import State
from personakit.services.clock import SystemClock
from personakit.services.decide import decide
from personakit.services.opened import OpenVault
from personakit.vault.watch import watch_for


def main(root: str, seed: str) -> None:
    """Decide on memories at random until the process is killed."""
    chance = random.Random(int(seed))
    vault = OpenVault(root, SystemClock(), watch_for)
    vault.load()
    while True:
        vault.freshness.before_call()
        ids = [note.id for note in vault.library.notes()]
        if ids:
            id_, state = chance.choice(ids[-20:]), chance.choice([*State])
            sys.stdout.write(f"try {id_} {state}\n")
            sys.stdout.flush()
            try:
                decide(vault, id_, state)
            except PersonaKitError as fault:
                sys.stdout.write(f"not {id_} {fault.code}\n")
            else:
                sys.stdout.write(f"did {id_} {state}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
