"""Fetching and pushing, so that no program that a repository's own config names is run on the way.

A downloaded vault may name a program as credential helper, as ssh command, as the other side's upload-pack, or a remote
on this machine whose hooks run. The owner's own settings, global and of the system, count; the repository's do not.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from personakit.errors import CannotSync
from personakit.vault.history.git import allowing, settings
from personakit.vault.history.programs import configured

if TYPE_CHECKING:
    from personakit.vault.history.git import Answer
    from personakit.vault.history.state import Repository

SECONDS = 600.0
_OWN = frozenset({"system", "global", "command"})
# Reset and given the owner's own values, where the repository has some of its own: programs, and the file that what
# the other side says is written to.
_RESET = re.compile(
    r"credential\.(?:.*\.)?helper|core\.sshcommand|core\.askpass|http\.(?:.*\.)?(?:proxy|cookiefile|savecookies)",
    re.DOTALL,
)
# Nothing of the owner's to fall back on.
_REFUSED = re.compile(r"remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|core\.gitproxy", re.DOTALL)
_TRANSPORTS = ("https", "http", "ssh", "git", "file")
_PLAIN = (
    "push.gpgSign=false",
    "fetch.writeCommitGraph=false",
    "transfer.credentialsInUrl=allow",
)
# What a remote on this machine is run with: it is another repository, and as little to be trusted.
_THERE = (
    f"git -c core.hooksPath={os.devnull} -c core.fsmonitor=false -c core.alternateRefsCommand=true"
    " -c receive.autogc=false -c gc.auto=0 -c receive.denyCurrentBranch=refuse"
)


def fetch(repository: Repository) -> Answer:
    """Fetch the branch that ours follows, into its tracking ref.

    Raises:
        CannotSync: the repository's config names a program, or an address that could not be pushed to.
    """
    _other_side(repository, "--receive-pack", "receive-pack", push=True)
    refspec = f"+refs/heads/{repository.branch}:{repository.tracking}"
    # Without `--refmap=` every branch that the repository's own refspecs name would be moved as well.
    options = ["--quiet", "--refmap=", "--no-tags", "--no-recurse-submodules"]
    options += ["--no-auto-maintenance", "--no-write-fetch-head"]
    other = _other_side(repository, "--upload-pack", "upload-pack", push=False)
    words = ["fetch", *options, *other, "--", repository.remote, refspec]
    return repository.git.tell(*guard(repository), *words, seconds=SECONDS, environment=allowing(_TRANSPORTS))


def push(repository: Repository, commit: str) -> Answer:
    """Push a commit to the branch that ours follows, never by force.

    Raises:
        CannotSync: the repository's config names a program.
    """
    options = ["--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no", "--no-follow-tags"]
    other = _other_side(repository, "--receive-pack", "receive-pack", push=True)
    words = ["push", *options, *other, "--", repository.remote, f"{commit}:refs/heads/{repository.branch}"]
    return repository.git.tell(*guard(repository), *words, seconds=SECONDS, environment=allowing(_TRANSPORTS))


def is_behind(refused: Answer) -> bool:
    """Say whether a push was refused because somebody pushed in between."""
    lines = refused.out.decode("utf-8", "replace").splitlines()
    return any(
        line.startswith("!") and any(word in line for word in ("[rejected]", "cannot lock ref", "failed to update ref"))
        for line in lines
    )


def said(answer: Answer) -> str:
    """Give what git complained of, without a password that an address may hold."""
    lines = [line.split("\t") for line in answer.out.decode("utf-8", "replace").splitlines() if line.startswith("!")]
    told = lines[0][-1] if lines else answer.said
    return re.sub(r"//[^/@\s]*@", "//", told)


def guard(repository: Repository) -> list[str]:
    """Give the options that keep the repository's own programs from running, and the owner's as they are.

    Raises:
        CannotSync: what it names cannot be kept from running otherwise.
    """
    own, local = defaultdict[str, list[str]](list), set[str]()
    for scope, name, value in configured(repository.git):
        if scope in _OWN:
            own[name].append(value)
        elif _REFUSED.fullmatch(name):
            raise CannotSync(
                f"its repository's own config names a program or proxy for its remote (`{name}`); remove it"
            )
        elif _RESET.fullmatch(name):
            local.add(name)
    options = list(_PLAIN)
    for name in sorted(local):
        if "=" in name:
            raise CannotSync(
                f"its repository's own config has a setting that cannot be switched off (`{name}`); remove it"
            )
        # Of these the last value counts, and an empty ssh command is run as one; helpers are a list that "" empties.
        fallback = "ssh" if name == "core.sshcommand" else ""
        options += [f"{name}={value}" for value in (fallback, *own[name])]
    return settings(options)


def _other_side(repository: Repository, option: str, program: str, *, push: bool) -> list[str]:
    """Say what is run on the other side: on this machine without hooks, elsewhere git's own and no other.

    Raises:
        CannotSync: the remote lies in the work tree itself, its address needs a program, or it has addresses of
            several kinds.
    """
    # A push goes to every address that is named, a fetch to the first.
    which = ["--all", "--push"] if push else []
    said = repository.git.ask("remote", "get-url", *which, "--", repository.remote)
    if not said.ok:
        raise CannotSync("the address of its remote cannot be used")
    options = [_at(repository, address, option, program) for address in said.paths]
    if any(one != options[0] for one in options):
        raise CannotSync("its remote has several addresses, some on this machine and some elsewhere; leave one")
    return options[0]


def _at(repository: Repository, address: str, option: str, program: str) -> list[str]:
    """Say what is run at one address.

    Raises:
        CannotSync
    """
    if re.match(r"[A-Za-z0-9][A-Za-z0-9+.-]*::", address):
        raise CannotSync("the address of its remote cannot be used")
    path = address.removeprefix("file://")
    is_here = "://" not in path and (
        ":" not in path.split("/", 1)[0] or os.path.isdir(os.path.join(repository.top, path))
    )
    if not is_here:
        return [f"{option}=git-{program}"] if "://" not in address or address.startswith(("ssh", "git+ssh")) else []
    there = os.path.realpath(os.path.join(repository.top, os.path.expanduser(path)))
    if there == repository.top or there.startswith(repository.top + os.sep):
        raise CannotSync("its remote lies inside the repository itself")
    return [f"{option}={_THERE} {program}"]
