"""`personakit list` and `personakit show`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import COFFEE, JOKE, SECRET, TEA, Command
from tests.support import put, tree_hash


def test_list_shows_every_state_oldest_first(command: Command, stocked: Path) -> None:
    """Each memory is one line with id, state, category and statement."""
    lines = command("list").out.splitlines()
    assert [line.split()[:3] for line in lines] == [
        [TEA, "approved", "preferences"],
        [COFFEE, "unconfirmed", "tools"],
        [SECRET, "restricted", "other"],
        [JOKE, "rejected", "other"],
    ]
    assert lines[0].endswith("Likes green tea")


def test_list_of_one_state(command: Command, stocked: Path) -> None:
    """`--state` narrows it, in any case; none of a state is said in words."""
    assert command("list", "--state", "Restricted").out.split()[0] == SECRET
    assert command("approve", COFFEE).code == 0
    assert command("list", "--state", "unconfirmed").out == "No memory is unconfirmed.\n"


def test_list_json(command: Command, stocked: Path) -> None:
    """`--json` gives the same memories as objects."""
    found = command("list", "--json").json
    assert set(found) == {"memories"}
    assert found["memories"][0] == {
        "id": TEA,
        "state": "approved",
        "category": "preferences",
        "created": "2026-01-02",
        "path": "memories/tea.md",
        "text": "Likes green tea",
    }
    assert [each["id"] for each in found["memories"]] == [TEA, COFFEE, SECRET, JOKE]


def test_an_empty_vault_says_so(command: Command, vault: Path) -> None:
    """An empty list is words for people and an empty list for programs."""
    assert command("list", "--vault", str(vault)).out == "There is no memory here yet.\n"
    assert command("list", "--json", "--vault", str(vault)).json == {"memories": []}


def test_list_marks_an_audience(command: Command, stocked: Path) -> None:
    """A memory for some assistants or projects is marked."""
    put(stocked, "only.md", "Likes rain", id="m_0000000000ee", assistants=["claude-code"], projects=["Garden"])
    (line,) = [line for line in command("list").out.splitlines() if "rain" in line]
    assert line.endswith("Likes rain  [only claude-code, project Garden]")


def test_show_gives_all_there_is(command: Command, stocked: Path) -> None:
    """Every property that is set is shown, the evidence in full and unmasked."""
    assert command("show", COFFEE).out.splitlines() == [
        f"id:           {COFFEE}",
        "kind:         memory",
        "path:         memories/coffee.md",
        "state:        unconfirmed",
        "created:      2026-02-03T04:05:06Z",
        "category:     tools",
        "proposed_by:  claude-code",
        "evidence:     ask me at ana@fictiva.example",
        "evidence:     second",
        "evidence:     third",
        "text:         Likes strong coffee",
    ]


def test_show_json(command: Command, stocked: Path) -> None:
    """`--json` gives every property, set or not."""
    found = command("show", "m_0000000000ab", "--json").json
    assert list(found)[:6] == ["id", "kind", "path", "state", "created", "category"]
    assert list(found)[-3:] == ["evidence", "text", "yours"]
    assert found["evidence"] == ["ask me at ana@fictiva.example", "second", "third"]
    assert found["assistants"] == [] and found["rule"] is None and found["supersedes"] == []
    assert set(found) == {
        *("id", "kind", "path", "state", "created", "category", "evidence", "text", "aliases", "assistants"),
        *("projects", "tags", "rule", "supersedes", "stale_after", "proposed_by", "source", "yours"),
    }
    assert found["yours"] == {}


def test_show_gives_the_owners_own_keys(command: Command, stocked: Path) -> None:
    """Keys that the format does not name are shown as they are written, after the others, and nothing hides in them."""
    path = put(stocked, "home.md", "Lives in town", id="m_0000000000ee", Postcode="02142", note="")
    path.write_text(path.read_text().replace("note:", 'text: mine\nat: {lunch: 12:30, "\\e[2j": ["no", "yes"]}\nnote:'))
    own = command("show", "m_0000000000ee", "--json").json["yours"]
    assert own == {"postcode": "02142", "text": "mine", "at": {"lunch": "12:30", "\x1b[2j": ["no", "yes"]}, "note": ""}
    assert command("show", "m_0000000000ee").out.splitlines()[-6:] == [
        "text:         Lives in town",
        "postcode:     02142",
        "text:         mine",
        "at.lunch:     12:30",
        "at.\\u{1B}[2j: no",
        "at.\\u{1B}[2j: yes",
    ]


def test_show_reveals_what_hides(command: Command, stocked: Path) -> None:
    """Hidden and control characters of a file are shown as marks by every command, never sent to the terminal."""
    put(
        stocked,
        "sly.md",
        "Likes \x1b[31mred\u202e wine",
        id="m_0000000000ee",
        state="approved",
        rule="true",
        assistants=["a\\x1b[0m"],
        evidence=["one\\e[2J\\u200btwo\\nthree"],
    )
    shown = command("show", "m_0000000000ee").out
    assert "rule:         yes" in shown
    assert "evidence:     one\\u{1B}[2J\\u{200B}two\n              three" in shown
    for words in (["show", "m_0000000000ee"], ["list"], ["read", "wine", "--why"], ["read", "wine", "--json"]):
        out = command(*words).out
        assert "red" in out or "one" in out
        assert not {"\x1b", "\u202e", "\u200b"} & set(out)


def test_ids(command: Command, stocked: Path) -> None:
    """A start is enough when it fits one; several and none are errors that say so."""
    assert command("show", "m_0000000000d").code == 0
    several = command("show", "m_0")
    assert several.code == 1 and "fits several" in several.err
    none = command("show", "m_f")
    assert none.code == 1 and "has the id m_f" in none.err
    assert command("show", "").code == 1


def test_other_kinds_are_shown(command: Command, stocked: Path) -> None:
    """A drawer is shown as it is, its text on indented lines."""
    folder = stocked / "palace" / "wing" / "room"
    folder.mkdir(parents=True)
    (folder / "note.md").write_text("first line\nsecond line\n")
    id_ = next(iter(drawers(stocked)))
    shown = command("show", id_).out
    assert "kind:         drawer" in shown
    assert "first line\n              second line" in shown


def drawers(root: Path) -> list[str]:
    """Give the ids of all drawers."""
    from tests.support import open_vault  # noqa: PLC0415 - one test needs it

    return [note.id for note in open_vault(root).library.notes() if note.kind == "drawer"]


def test_looking_changes_nothing(command: Command, stocked: Path) -> None:
    """Commands that only look leave every byte outside `.personakit/` as it was, and make nothing there."""
    before = tree_hash(stocked)
    for words in (["list"], ["show", TEA], ["read", "tea"], ["status"], ["doctor"], ["doctor", "--report"]):
        assert command(*words).code == 0
    assert tree_hash(stocked) == before
    assert not (stocked / ".personakit").exists()
