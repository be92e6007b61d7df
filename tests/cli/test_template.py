"""Where the template is, and copying it."""

from __future__ import annotations

from pathlib import Path

import pytest

import personakit
from personakit.cli.template import EXAMPLES, copy, mark, template_folder
from personakit.errors import CannotInit


def test_the_installed_template_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package carries its template; a source checkout has it beside the package; else that is said."""
    package = tmp_path / "site" / "personakit"
    package.mkdir(parents=True)
    monkeypatch.setattr(personakit, "__file__", str(package / "__init__.py"))
    with pytest.raises(CannotInit, match="lacks its template"):
        template_folder()
    for folder in (tmp_path / "site" / "vault-template", package / "template"):
        folder.mkdir()
        (folder / "personakit.yaml").write_text("format: 1\n")
        assert template_folder() == str(folder)


def test_the_folder_is_a_vault_only_at_the_end(tmp_path: Path) -> None:
    """personakit.yaml is not among what is copied first, so that a cut-off copy is no vault."""
    made = copy(str(tmp_path / "v"), examples=True)
    assert not (tmp_path / "v" / "personakit.yaml").exists()
    assert any(path.startswith(EXAMPLES) for path in made.files)
    mark(str(tmp_path / "v"), made, "cache: off\n")
    assert made.files[-1] == "personakit.yaml"
    assert (tmp_path / "v" / "personakit.yaml").read_text().endswith("cache: off\n")


def test_undo_leaves_what_others_put_there(tmp_path: Path) -> None:
    """Undoing takes away what was made and keeps a folder that holds something else by now."""
    made = copy(str(tmp_path / "v"), examples=True)
    (tmp_path / "v" / "views" / "mine").write_text("x")
    made.undo(str(tmp_path / "v"))
    assert [path.name for path in tmp_path.rglob("*")] == ["v", "views", "mine"]
