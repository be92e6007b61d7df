"""A repository whose own config names programs wherever git would run one: a sync runs none of them."""

from __future__ import annotations

import http.server
import os
import shutil
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from personakit.errors import CannotSync
from personakit.vault.history import remote, state
from tests.services.machines import QUIET, WHO, Machine, git, two_machines
from tests.support import text_of

TEA = "memories/tea.md"
HOOKS = (
    *("pre-commit", "post-commit", "pre-push", "post-merge", "post-checkout", "reference-transaction", "pre-auto-gc"),
    *(
        "post-index-change",
        "pre-merge-commit",
        "prepare-commit-msg",
        "commit-msg",
        "fsmonitor-watchman",
        "post-rewrite",
    ),
    *("pre-receive", "update", "post-receive", "post-update", "proc-receive"),
)
PROGRAMS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.alternateRefsCommand"),
    *("diff.external", "diff.evil.textconv", "diff.evil.command", "merge.evil.driver", "merge.personakit.driver"),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "gpg.program", "gpg.ssh.program"),
    *("filter.od=d.clean", "filter.od=d.smudge", "filter.od=d.process"),
    *(
        "credential.helper",
        "credential.https://fictiva.example.helper",
        "sequence.editor",
        "uploadpack.packObjectsHook",
    ),
)


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give git an identity and no settings of this machine."""
    for name, value in {**WHO, **QUIET}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Machine, Path, Path]:
    """Give a clone with something to merge and a program everywhere, the program, and the mark that it makes."""
    laptop, desk, bare = two_machines(tmp_path)
    for name in ("other.txt", "Home.md"):
        laptop.write(name, "one\n\ntwo\n\nthree\n")
    laptop.commit()
    laptop.sync(), desk.sync()
    laptop.write("other.txt", "ONE\n\ntwo\n\nthree\n")
    laptop.commit(TEA, text_of("Prefers tea", state="approved", category="tools", evidence=["I like tea"]))
    laptop.sync()
    desk.write("other.txt", "one\n\ntwo\n\nTHREE\n")
    desk.commit(TEA, text_of("Prefers tea", state="rejected", category="tools", evidence=["I like tea"]))
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\nexec cat\n')
    program.chmod(0o755)
    for hooks in (desk.top / ".git/hooks", bare / "hooks"):
        shutil.rmtree(hooks, ignore_errors=True)
        hooks.mkdir()
        for name in HOOKS:
            (hooks / name).symlink_to(program)
    for name in PROGRAMS:
        git(desk.top, "config", name, str(program))
    for name in ("commit.gpgSign", "push.gpgSign", "tag.gpgSign", "log.showSignature"):
        git(desk.top, "config", name, "true")
    git(desk.top, "config", "alias.merge", f"!{program}")
    git(desk.top, "config", "alias.update-ref", f"!{program}")
    (desk.top / ".git/info").mkdir(exist_ok=True)
    (desk.top / ".git/info/attributes").write_text(
        "*.txt diff=evil merge=evil\n*.md diff=evil merge=evil\nHome.md filter=evil\npersonakit.yaml filter=od=d\n"
    )
    (desk.top / "Home.md").touch()
    (desk.top / "personakit.yaml").touch()
    mark.unlink(missing_ok=True)
    return desk, program, mark


def test_no_program_of_the_repository_runs(hostile: tuple[Machine, Path, Path]) -> None:
    """Hooks, watchers, drivers, filters, helpers, signing: a sync merges and pushes, and none leaves a mark."""
    desk, _, mark = hostile
    done = desk.sync()
    assert (done.came, done.merged, done.went) == (1, 2, 2)
    assert not mark.exists(), mark.read_text()
    assert "rejected" in desk.read(TEA) and desk.read("other.txt") == "ONE\n\ntwo\n\nTHREE\n"


def test_a_file_younger_than_the_index_runs_none(hostile: tuple[Machine, Path, Path]) -> None:
    """Git compares such a file whenever it writes its index, by way of its filter: a sync has it do without."""
    desk, _, mark = hostile
    later = time.time() + 60
    os.utime(desk.top / "Home.md", (later, later))
    off = (f"filter.evil.{key}=" for key in ("clean", "process"))
    words = [word for one in (*off, "core.fsmonitor=false", "core.hooksPath=/dev/null") for word in ("-c", one)]
    git(desk.top, *words, "add", "--refresh", "Home.md")
    mark.unlink(missing_ok=True)
    desk.sync()
    assert not mark.exists(), mark.read_text()


def test_a_merge_that_waits_runs_none_either(hostile: tuple[Machine, Path, Path]) -> None:
    """Nor do opening a merge, taking it back and ending it."""
    desk, _, mark = hostile
    desk.write("other.txt", "1\n")
    words = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false")
    git(desk.top, *words, "add", "other.txt")
    git(desk.top, *words, "commit", "-qm", "Clash")
    mark.unlink(missing_ok=True)
    assert desk.sync().open == ("other.txt",)
    desk.give_up()
    desk.sync()
    desk.write("other.txt", "2\n")
    desk.go_on()
    assert not mark.exists(), mark.read_text()


def test_a_filter_on_what_comes_stops_it(hostile: tuple[Machine, Path, Path]) -> None:
    """Switching a filter off would store what it is there to hide: the sync names the file and stops."""
    desk, _, mark = hostile
    (desk.top / ".git/info/attributes").write_text("*.txt filter=evil\n")
    with pytest.raises(CannotSync, match="`filter`"):
        desk.sync()
    assert not mark.exists()


@pytest.mark.parametrize("name", ["remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.proxy"])
def test_programs_for_the_other_side_are_refused(hostile: tuple[Machine, Path, Path], name: str) -> None:
    """They have no value of the owner's to fall back on."""
    desk, program, mark = hostile
    git(desk.top, "config", name, str(program))
    with pytest.raises(CannotSync, match=name):
        desk.sync()
    assert not mark.exists()


@pytest.mark.parametrize("address", ["ext::{program} %S", "evil::there", "{desk}/evil.git", "ssh://fictiva.example/x"])
def test_addresses_that_run_a_program(
    hostile: tuple[Machine, Path, Path], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper's address, or a repository inside this one, is refused; ssh goes by the owner's own program."""
    desk, program, mark = hostile
    own = program.with_name("own-ssh")
    own.write_text("#!/bin/sh\nexit 1\n")
    own.chmod(0o755)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(program.with_name("gitconfig")))
    program.with_name("gitconfig").write_text(f"[core]\n\tsshCommand = {own}\n[credential]\n\thelper = own\n")
    git(desk.top, "config", "remote.origin.url", address.format(program=program, desk=desk.top))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:evil:ssh")
    with pytest.raises(CannotSync):
        desk.sync()
    assert not mark.exists()
    options = remote.guard(state.find(str(desk.root)))
    values = options[1::2]
    assert f"core.sshcommand={own}" in values and not any(str(program) in value for value in values)
    assert values.index("credential.helper=") < values.index("credential.helper=own")


def test_a_second_address_runs_no_hook_either(
    hostile: tuple[Machine, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push goes to every address: one on this machine, behind one elsewhere, would run that repository's hooks."""
    desk, program, mark = hostile
    own = program.with_name("own-ssh")
    own.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nexec sh -c "$1"\n')
    own.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(own))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    there, here = program.with_name("there.git"), program.with_name("here.git")
    shutil.copytree(program.with_name("bare.git"), here)
    shutil.copytree(program.with_name("bare.git"), there)
    shutil.rmtree(there / "hooks")
    git(desk.top, "config", "remote.origin.url", f"ssh://fictiva.example{there}")
    for address in (f"ssh://fictiva.example{there}", str(here)):
        git(desk.top, "config", "--add", "remote.origin.pushurl", address)
    head = desk.head()
    with pytest.raises(CannotSync, match="several addresses"):
        desk.sync()
    assert desk.head() == head and not mark.exists(), mark.read_text()
    git(desk.top, "config", "--unset", "remote.origin.pushurl", "/here")
    assert desk.sync().went == 2 and not mark.exists()


class _Cookies(http.server.SimpleHTTPRequestHandler):
    """Serves files, and a cookie with each."""

    def end_headers(self) -> None:
        """Set the cookie."""
        self.send_header("Set-Cookie", "evil=1; Max-Age=99999")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("scope", ["http.", "http.http://127.0.0.1/."])
def test_nothing_of_the_other_side_is_written_to_a_named_file(tmp_path: Path, scope: str) -> None:
    """A file that the repository's own config has cookies saved in is not written over."""
    _, desk, bare = two_machines(tmp_path)
    git(bare, "update-server-info")
    precious = tmp_path / "precious"
    precious.write_text("mine\n")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Cookies, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        git(desk.top, "config", "remote.origin.url", f"{address}/bare.git")
        scope = scope.replace("http://127.0.0.1", address)
        git(desk.top, "config", f"{scope}cookieFile", str(precious))
        git(desk.top, "config", f"{scope}saveCookies", "true")
        assert desk.sync().came == 0
        server.shutdown()
    assert precious.read_text() == "mine\n"


def test_a_transport_that_the_owner_shut_stays_shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sync opens none that the owner's own environment leaves out."""
    _, desk, _ = two_machines(tmp_path)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https")
    with pytest.raises(CannotSync, match="'file' not allowed"):
        desk.sync()
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https:file")
    assert desk.sync().came == 0
