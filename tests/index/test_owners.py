"""Whose folder a folder is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personakit.index.owners import Owners

PATHS = [f"palace/{wing}/{room}/{number}.md" for wing in "ab" for room in "xy" for number in range(3)]
NAMES = st.tuples(st.sampled_from(["", "Ä", "B"]), st.sampled_from(["", "Attic", "X"]), st.booleans())


def test_most_files_say_whose_it_is() -> None:
    """The name most files give owns the folder; without one it is the folder's own; without files nobody's."""
    owners = Owners()
    assert owners.owner("palace/a") == ""
    owners.put("palace/a/x/0.md", ("", ""))
    assert (owners.owner("palace/a"), owners.owner("palace/a/x")) == ("a", "x")
    owners.put("palace/a/x/1.md", ("Ä", "Attic"))
    assert owners.unsettled() == {"palace/a/x/0.md"} and owners.unsettled() == set()
    assert (owners.owner("palace/a"), owners.owner("palace/a/x")) == ("Ä", "Attic")
    owners.put("palace/a/y/2.md", ("B", ""))
    assert owners.owner("palace/a") == "B" and owners.unsettled() == {"palace/a/x/0.md"}
    owners.put("palace/loose.md", ("", ""))
    owners.drop("palace/a/x/1.md")
    owners.drop("palace/a/y/2.md")
    assert (owners.owner("palace/a"), owners.owner("palace/a/y")) == ("a", "")


def test_what_is_not_open_names_nothing_but_keeps_its_folder() -> None:
    """A name that only hidden files give is passed on to no other file; without one the folder stays that name's."""
    owners = Owners()
    owners.put("palace/a/x/0.md", ("Nightjar", "Escape"), is_open=False)
    assert (owners.owner("palace/a"), owners.name_for("palace/a")) == ("Nightjar", "a")
    owners.put("palace/a/x/1.md", ("", ""))
    assert (owners.owner("palace/a"), owners.name_for("palace/a")) == ("a", "a")
    assert (owners.owner("palace/a/x"), owners.name_for("palace/a/x")) == ("x", "x")
    owners.unsettled()
    owners.put("palace/a/x/0.md", ("Nightjar", "Escape"))
    assert owners.name_for("palace/a") == "Nightjar" and owners.unsettled() == {"palace/a/x/1.md"}


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.none() | NAMES), max_size=30))
def test_answers_follow_from_what_is_there(steps: list[tuple[str, tuple[str, str, bool] | None]]) -> None:
    """After any changes it answers like one that was told only of what is left."""
    changed, left = Owners(), dict[str, tuple[str, str, bool]]()
    for path, said in steps:
        if said is None:
            changed.drop(path)
            left.pop(path, None)
        else:
            changed.put(path, said[:2], is_open=said[2])
            left[path] = said
    new = Owners()
    for path, said in left.items():
        new.put(path, said[:2], is_open=said[2])
    folders = {"/".join(path.split("/")[:depth]) for path in PATHS for depth in (2, 3)}
    for ask in (Owners.owner, Owners.name_for):
        assert {folder: ask(changed, folder) for folder in folders} == {folder: ask(new, folder) for folder in folders}
