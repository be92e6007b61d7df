"""Filing a drawer: what the owner has hidden is not filed again, and no password or key is kept in any of its parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from personakit.errors import ArgumentError, HeldFile
from personakit.services.desk import Desk
from personakit.services.file_drawer import Filed, NewDrawer, delete_drawer, file_drawer
from tests.safety.owner import contents
from tests.support import make_vault, open_desk

NEW = NewDrawer('the "shed"', "日本", "The kettle boils at nine")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty vault."""
    return make_vault(tmp_path / "vault")


def filed(desk: Desk, new: NewDrawer = NEW) -> Filed:
    """File a drawer as an assistant."""
    return desk.write(lambda asking: file_drawer(asking, new))


@pytest.mark.parametrize("mark", ["state: restrictd", "note: a: b", "state: restricted\nstate: [", "<<<<<<< ours"])
@pytest.mark.parametrize("moved", [False, True])
def test_the_words_of_a_held_drawer_are_not_filed_again(root: Path, mark: str, moved: bool) -> None:
    """A slip in the owner's edit hides a drawer; the same text sent again is refused and nothing is written."""
    desk = open_desk(root)
    id_ = filed(desk).id
    (path,) = (root / "palace").rglob("*.md")
    path.write_bytes(path.read_bytes().replace(b"---\n", f"---\n{mark}\n".encode(), 1))
    if moved:
        path.rename(root / "palace" / "elsewhere.md")
    before = contents(root)
    with pytest.raises(HeldFile):
        filed(desk)
    assert not desk.write(lambda asking: delete_drawer(asking, id_))
    assert contents(root) == before
    assert filed(desk, replace(NEW, content="Other words")).new
    desk.close()


@pytest.mark.parametrize("field", ["wing", "room", "content", "source_file", "added_by"])
def test_no_part_of_a_drawer_keeps_a_password(root: Path, field: str) -> None:
    """What is shaped like a password or key is refused wherever it would be stored, by the name of the argument."""
    desk = open_desk(root)
    before = contents(root)
    with pytest.raises(ArgumentError) as refused:
        filed(desk, replace(NEW, **{field: f"key {TOKEN}"}))
    assert refused.value.field == field and TOKEN not in str(refused.value)
    assert contents(root) == before
    desk.close()


def test_a_text_whose_drawer_its_owner_has_changed_is_not_called_stored(root: Path) -> None:
    """The words are served nowhere, so "already there" would be untrue; the owner's words stay as they are."""
    desk = open_desk(root)
    id_ = filed(desk).id
    (path,) = (root / "palace").rglob("*.md")
    path.write_bytes(path.read_bytes().replace(b"nine", b"ten"))
    before = contents(root)
    with pytest.raises(ArgumentError, match="its owner has changed it since") as refused:
        filed(desk)
    assert id_ in str(refused.value) and contents(root) == before
    desk.close()


def test_a_text_that_was_moved_is_found_where_it_is(root: Path) -> None:
    """The answer names the wing and the room of today."""
    desk = open_desk(root)
    id_ = filed(desk).id
    (path,) = (root / "palace").rglob("*.md")
    path.write_text(path.read_text().replace('room: "日本"', "room: attic"))
    assert filed(desk) == Filed(id_, NEW.wing, "attic", new=False)
    desk.close()


def test_a_launch_for_one_project_files_only_in_its_wing(root: Path) -> None:
    """What it could neither read nor delete again is refused, and nothing is written."""
    desk = open_desk(root, project="Harbour")
    before = contents(root)
    with pytest.raises(ArgumentError) as refused:
        filed(desk)
    assert refused.value.field == "wing" and contents(root) == before
    assert filed(desk, replace(NEW, wing="harbour")).new
    desk.close()
