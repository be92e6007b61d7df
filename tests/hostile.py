"""A repository whose own set-up names programs wherever git would run one; each leaves a mark."""

from __future__ import annotations

from pathlib import Path

from tests.cases.inputs import git

HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change", "reference-transaction"),
    *("pre-auto-gc", "post-checkout", "post-merge", "post-rewrite", "pre-push", "fsmonitor-watchman"),
)


def make_hostile(root: Path, marks: Path) -> None:
    """Have every program that a repository can name leave a file in `marks` when it runs."""
    marks.mkdir()

    def program(name: str) -> str:
        path = marks.parent / f"program-{name}"
        path.write_text(f"#!/bin/sh\ntouch '{marks / name}'\nexec cat\n")
        path.chmod(0o755)
        return str(path)

    (root / "other.bin").write_text("one\n")
    git(root, "add", "other.bin")
    git(root, "commit", "-qm", "Another file of the repository's")
    hooks = root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).unlink(missing_ok=True)
        (hooks / name).symlink_to(program(name))
    settings = {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": program("fsmonitor"),
        "core.editor": program("editor"),
        "core.pager": program("pager"),
        "core.sshCommand": program("ssh"),
        "core.askPass": program("askpass"),
        "core.alternateRefsCommand": program("refs"),
        "credential.helper": program("credential"),
        "commit.gpgSign": "true",
        "gpg.program": program("gpg"),
        "gpg.ssh.program": program("gpg-ssh"),
        "diff.external": program("external-diff"),
        "diff.evil.textconv": program("textconv"),
        "diff.evil.command": program("diff-command"),
        "filter.evil.clean": program("clean"),
        "filter.evil.smudge": program("smudge"),
        "filter.evil.process": program("process"),
        "filter.evil.required": "true",
        "merge.evil.driver": program("merge"),
        "trailer.PersonaKit-Tool.command": program("trailer"),
        "trailer.PersonaKit-Tool.cmd": program("trailer-cmd"),
        "alias.commit": f"!{program('alias')}",
        "alias.status": f"!{program('alias-status')}",
        "gc.auto": "1",
        "gc.recentObjectsHook": program("gc"),
        "maintenance.strategy": "incremental",
        "log.showSignature": "true",
    }
    for name, value in settings.items():
        git(root, "config", name, value)
    # The attributes come last: a file of the repository's own that git looks at beside the vault's.
    (root / ".git/info/attributes").write_text("*.bin filter=evil diff=evil merge=evil\n*.md diff=evil\n")
    (root / "other.bin").write_text("two\n")
