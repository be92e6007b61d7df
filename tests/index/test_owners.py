"""Whose folder a folder is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personakit.index.owners import Owners

PATHS = [f"palace/{wing}/{room}/{number}.md" for wing in "ab" for room in "xy" for number in range(3)]
NAMES = st.tuples(st.sampled_from(["", "Ä", "B"]), st.sampled_from(["", "Attic", "X"]))


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
    assert owners.owner("palace/a") == "B" and owners.unsettled() == {"palace/a/x/0.md", "palace/a/y/2.md"}
    owners.put("palace/loose.md", ("", ""))
    owners.drop("palace/a/x/1.md")
    owners.drop("palace/a/y/2.md")
    assert (owners.owner("palace/a"), owners.owner("palace/a/y")) == ("a", "")


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.none() | NAMES), max_size=30))
def test_answers_follow_from_what_is_there(steps: list[tuple[str, tuple[str, str] | None]]) -> None:
    """After any changes it answers like one that was told only of what is left."""
    changed, left = Owners(), dict[str, tuple[str, str]]()
    for path, names in steps:
        if names is None:
            changed.drop(path)
            left.pop(path, None)
        else:
            changed.put(path, names)
            left[path] = names
    new = Owners()
    for path, names in left.items():
        new.put(path, names)
    folders = {"/".join(path.split("/")[:depth]) for path in PATHS for depth in (2, 3)}
    assert {folder: changed.owner(folder) for folder in folders} == {folder: new.owner(folder) for folder in folders}
