"""Every fault PersonaKit raises on purpose.

PersonaKitError
├── VaultError               the folder as a whole
│   ├── NoVault              no vault was named and none lies above
│   ├── NotAVault            a folder without personakit.yaml
│   ├── VaultUnreadable      rights are missing
│   ├── VaultMissing         the folder is gone
│   ├── VaultEmptied         every file vanished at once; not believed yet
│   ├── SettingsError        personakit.yaml cannot be used
│   └── ReadOnlyVault        a newer format, or a folder that cannot be written to
├── IndexBuilding            the first scan is still running
├── Unsettled                what would be answered never stops changing
├── ArgumentError            one argument of a call or command
│   ├── UnknownSession       no session of the caller's has this id
│   └── SessionEnded         it is closed
├── RefusedByConsent         the owner's consent setting does not allow it
├── UnknownId                no object has this id
├── AmbiguousId              several objects start like this
├── TooMany                  a limit on proposals
├── CannotUndo               the last change cannot be taken back
├── CannotCommit             the owner's changes cannot be committed
├── CannotInit               a folder cannot be made a vault
├── DemoFailed               a step of the demo did not do what it shows
├── NoHistory                git keeps no past of this vault, or cannot tell it
├── NotThen                  no such day or commit, or the memory was not there then
├── CannotSync               two machines cannot be brought together as things stand
└── WriteError               one file could not be written
    ├── Busy                 another process holds the lock
    ├── Conflict             the file changed since it was read
    ├── HeldFile             the file cannot be read, so it is not written
    ├── NotEditable          no safe edit of this file exists
    └── DiskError            the system refused

Each class words its own sentence: what, why, next step. No message holds a word of a stored text.
"""

from __future__ import annotations


class PersonaKitError(Exception):
    """The root of the tree. `code` is a fixed word for programs; `exit_code` is the command line's."""

    code = "error"
    exit_code = 1

    @property
    def told(self) -> str:
        """What an assistant is told: the sentence, unless it may hold words of the owner's."""
        return str(self)


class VaultError(PersonaKitError):
    """The vault folder as a whole cannot be used."""

    code = "vault"


class NoVault(VaultError):
    """No vault was named and none lies above the current folder."""

    code = "no_vault"
    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "No vault found: name one with --vault DIR or PERSONAKIT_VAULT, "
            "or run this inside one. `personakit init DIR` makes a new one."
        )


class NotAVault(VaultError):
    """The folder does not hold personakit.yaml, or is no folder."""

    code = "not_a_vault"
    exit_code = 2

    def __init__(self, folder: str, why: str = "it has no personakit.yaml") -> None:
        super().__init__(f"{folder} is not a vault: {why}. `personakit init {folder}` makes it one.")


class VaultUnreadable(VaultError):
    """The system does not let us read the folder."""

    code = "vault_unreadable"

    def __init__(self, folder: str, why: str) -> None:
        super().__init__(f"The vault {folder} cannot be read ({why}). Give your user read rights to it and try again.")


class VaultMissing(VaultError):
    """The folder was there and is gone."""

    code = "vault_missing"

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"The vault folder {folder} is missing. Bring it back (mount it, or restore it from git); "
            "no restart is needed."
        )


class VaultEmptied(VaultError):
    """All files went at once; waiting to see whether that is meant."""

    code = "vault_emptied"

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"Every file in {folder} vanished at once. If that is meant, ask again in two seconds; "
            "if not, bring them back."
        )


class SettingsError(VaultError):
    """personakit.yaml holds something that cannot be used."""

    code = "settings"
    exit_code = 2

    def __init__(self, key: str, why: str) -> None:
        what = f"the setting `{key}`" if key else "the file"
        super().__init__(f"personakit.yaml: {what} {why}. Correct it in a text editor; nothing was changed.")

    @property
    def told(self) -> str:
        """Say that it cannot be used: a setting may name a project, which is the owner's word."""
        return (
            "personakit.yaml cannot be used. The owner finds the reason with `personakit doctor`; nothing was changed."
        )


class ReadOnlyVault(VaultError):
    """Nothing may be written here."""

    code = "read_only"

    def __init__(self, why: str) -> None:
        super().__init__(f"This vault is read-only: {why}. Nothing was written.")


class IndexBuilding(PersonaKitError):
    """The first scan has not finished."""

    code = "index_building"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"The vault is still being read after {seconds} seconds. Ask again in a moment.")


class Unsettled(PersonaKitError):
    """What would be answered changed at each look."""

    code = "unsettled"

    def __init__(self) -> None:
        super().__init__("The files behind this answer never stopped changing. Ask again in a moment.")


class ArgumentError(PersonaKitError):
    """One argument is not what the call takes."""

    code = "invalid_argument"
    exit_code = 2

    def __init__(self, field: str, why: str) -> None:
        self.field = field
        super().__init__(f"{field}: {why}")


class UnknownSession(ArgumentError):
    """The caller has no session of this id: it never had, or the owner took it out of the journal."""

    code = "unknown_session"

    def __init__(self, field: str) -> None:
        super().__init__(field, "is no session of yours here. Call memory_start without it to open one")


class SessionEnded(ArgumentError):
    """The session was closed, by a call or by a day of silence."""

    code = "session_ended"

    def __init__(self, field: str) -> None:
        super().__init__(field, "is a session that has ended. Call memory_start without it to open a new one")


class RefusedCorrection(ArgumentError):
    """A correction that is not taken, though its arguments are of the right shape. `code` says which kind it is."""

    def __init__(self, code: str, field: str, why: str) -> None:
        self.code = code
        super().__init__(field, why)


class NotApplied(PersonaKitError):
    """A correction does not fit its document any more, or is decided already; no document was changed."""

    code = "not_applied"

    def __init__(self, id_: str, why: str, next_step: str) -> None:
        super().__init__(f"{id_} was not applied: {why}. {next_step}")


class RefusedByConsent(PersonaKitError):
    """`consent: none`."""

    code = "consent_none"

    def __init__(self) -> None:
        super().__init__("The owner's setting `consent: none` lets assistants store nothing here.")


class UnknownId(PersonaKitError):
    """No object has this id or starts like it."""

    code = "unknown_id"

    def __init__(self, given: str) -> None:
        super().__init__(
            f"Nothing in this vault has the id {given}. `personakit list` shows all that have one, "
            "`personakit doctor` what cannot be read."
        )


class AmbiguousId(PersonaKitError):
    """More than one object starts like this."""

    code = "ambiguous_id"

    def __init__(self, given: str, some: list[str]) -> None:
        super().__init__(f"{given} fits several: {', '.join(some)}. Give more of the id.")


class TooMany(PersonaKitError):
    """A limit of personakit.yaml on proposals is reached."""

    code = "too_many"

    def __init__(self, setting: str, limit: int, next_step: str) -> None:
        super().__init__(f"The limit `{setting}: {limit}` is reached. {next_step}")


class CannotInit(PersonaKitError):
    """The folder cannot be made a vault; nothing was created."""

    code = "cannot_init"

    def __init__(self, folder: str, why: str) -> None:
        super().__init__(f"{folder} was not made a vault: {why}. Nothing was created.")


class CannotUndo(PersonaKitError):
    """The last change cannot be taken back; nothing was changed."""

    code = "cannot_undo"

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing was taken back: {why}.")


class CannotCommit(PersonaKitError):
    """The owner's changes cannot be committed now; they are as they were."""

    code = "cannot_commit"

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing was committed: {why}.")


class DemoFailed(PersonaKitError):
    """A step of the demo did not do what it shows."""

    code = "demo_failed"

    def __init__(self, step: str, why: str, folder: str) -> None:
        super().__init__(f"The demo stopped at `{step}`: {why}. Its folder {folder} is kept; please report this.")


class NoHistory(PersonaKitError):
    """Git keeps no past of this vault, or cannot tell it.

    Attributes:
        reason: `no_git`, `no_repository`, `no_commit`, `other_owner` or `broken`.
    """

    code = "no_history"

    def __init__(self, reason: str, what: str = "") -> None:
        self.reason = reason
        said = {
            "no_git": "the `git` command is not on this machine. Install it",
            "no_repository": "the vault lies in no git repository. `git init` in it makes one",
            "no_commit": "nothing is committed yet. Commit the vault once",
            "other_owner": f"the repository {what} belongs to another user, and git refuses to read it. If you trust "
            f"it: git config --global --add safe.directory {what}",
            "broken": f"git cannot read the repository ({what}). `git fsck` in it says more",
        }
        super().__init__(f"There is no history: {said[reason]}.")

    @property
    def told(self) -> str:
        """Say that there is none: the reason may name a folder of the owner's."""
        return "There is no history of this vault; the owner finds the reason with `personakit history`."


class NotThen(PersonaKitError):
    """What is asked for was not there at that time."""

    code = "not_then"

    def __init__(self, what: str) -> None:
        super().__init__(what)


class CannotSync(PersonaKitError):
    """The repository and its remote cannot be brought together as things stand; nothing was changed."""

    code = "cannot_sync"

    def __init__(self, why: str) -> None:
        super().__init__(f"The vault was not synced: {why}.")


class WriteError(PersonaKitError):
    """One file could not be written; the bytes on disk are as they were."""

    code = "write"


class Busy(WriteError):
    """Another process holds the vault's lock."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("Another program is writing to this vault and did not finish in 5 seconds. Try again.")


class Conflict(WriteError):
    """The file is no longer the version that was read."""

    code = "conflict"

    def __init__(self, what: str, current: str) -> None:
        self.current = current
        super().__init__(f"{what} changed while it was being edited (now version {current}). Read it again and retry.")


class HeldFile(WriteError):
    """The file is held: it cannot be read with certainty, so it is not written."""

    code = "held"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is held: its file cannot be read with certainty. `personakit doctor` says why.")


class NotEditable(WriteError):
    """There is no edit of this file that is sure to keep its other bytes."""

    code = "not_editable"

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what} was not changed: {why}. Edit it in a text editor.")


class DiskError(WriteError):
    """The system refused the write."""

    code = "disk"

    def __init__(self, why: str) -> None:
        super().__init__(f"The vault could not be written to ({why}). Nothing was stored; mend that and try again.")
