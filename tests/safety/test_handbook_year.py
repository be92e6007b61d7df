"""A year of a small handbook, told by its commits, and what every knowledge tool answers at six points in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.handbook import Handbook
from tests.rpc import ERAS, Client, Era
from tests.server_at import STARTED_AT
from tests.tools.test_knowledge import Knowledge

SETTINGS = """format: 1
owner: Rosalind Fictiva
repositories:
- {id: r_knowledge, name: Knowledge, path: knowledge}
- {id: r_lent, name: Lent, path: knowledge/lent, via: grant, until: 2026-08-31}
"""
GUESTS = "Guests sign the book at the front desk."
GUESTS_REWORDED = "Guests sign the guest book at the front desk."
MEAL_20, MEAL_22, MEAL_25 = (f"A meal costs up to {number} crowns a day." for number in (20, 22, 25))
BICYCLES = "Bicycles stand in the yard behind the kitchen."
CELLAR = "The spare key hangs in the cellar behind the third barrel."
GARDEN = "The lent garden opens its gate at dawn for walkers."
POOL = "The pool opens at nine for swimmers."
DOGS = "Dogs wait at the porch."
HOUSE, CYCLES = "knowledge/house.md", "knowledge/cycles.md"


def house(guests: str, meal: str = "", dogs: str = "", heading: str = "Guests") -> str:
    """Give a version of the house book."""
    parts = [("Meals", meal), ("Dogs", dogs)]
    return f"# House book\n\n## {heading}\n{guests}\n" + "".join(f"\n## {h}\n{text}\n" for h, text in parts if text)


@dataclass
class Year:
    """The vault of one era's run, what was told in it, and which ids were given."""

    book: Handbook
    era: Era
    ids: dict[str, str] = field(default_factory=dict)

    def ask_at(self, at: str, check: Callable[[Year, Knowledge], None]) -> None:
        """Start a server at a time and check its answers."""
        environment = {STARTED_AT: at, "TZ": "UTC"}
        options = ("--toolsets", "knowledge", "--as", "alpha")
        with Client(self.book.root, self.era, options, environment, module="tests.server_at") as client:
            check(self, Knowledge(client))

    def decide(self, old: str, new: str) -> None:
        """Change a line of the one proposal's file, as its owner would."""
        path = self.proposal
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    @property
    def proposal(self) -> Path:
        """The one file of proposals/."""
        (path,) = (self.book.root / "proposals").glob("*.md")
        return path


def words(passages: list[dict[str, Any]]) -> list[str]:
    """Give what passages say."""
    return [one["words"] for one in passages]


def rows(said: dict[str, Any]) -> set[tuple[str, str, str | None, str | None]]:
    """Give the day, kind, old and new words of each change."""
    return {(one["time"][:10], one["kind"], one["old"], one["new"]) for one in said["changes"]}


def in_december(year: Year, knowledge: Knowledge) -> None:
    """The first version: three documents, both repositories, a correction that waits."""
    scope = knowledge("scope")
    assert (scope["acting_for"], scope["agent"]) == ("Rosalind Fictiva", "alpha")
    assert [one["id"] for one in scope["repositories"]] == ["r_knowledge", "r_lent"]
    meal = knowledge("ask", question="What does a meal cost?")
    assert meal["outcome"] == "answered" and words(meal["evidence"]) == [MEAL_20]
    assert meal["evidence"][0]["dates"]["changed"] == "2025-12-01T10:00:00Z"
    assert meal["evidence"][0]["section"] == ["House book", "Meals"]
    cellar, cycles = (knowledge("search", query=query)["passages"][0] for query in ("cellar barrel", "bicycles"))
    year.ids = {
        "answer": meal["id"],
        "meal": meal["evidence"][0]["passage"],
        "cellar": cellar["passage"],
        "cellar document": cellar["document"]["id"],
        "cycles": cycles["passage"],
        "guests": knowledge("search", query="guests sign")["passages"][0]["passage"],
    }
    opened = knowledge("open", passage=year.ids["meal"])
    assert words(opened["passages"]) == [MEAL_20] and opened["passages"][0]["status"] == "live"
    assert rows(knowledge("changes", since="2025-11-01T00:00:00Z")) == {("2025-12-01", "document added", None, None)}
    assert knowledge("search", query="meal", as_of="2025-11-30")["passages"] == []
    done = knowledge("propose", passage=year.ids["meal"], text=MEAL_22, reason="The cook said so", request_id="one")
    assert (done["received"], done["status"]) == (True, "waiting for a person")
    again = knowledge("propose", passage=year.ids["meal"], text=MEAL_22, reason="The cook said so", request_id="one")
    assert again["proposal"] == done["proposal"]
    assert knowledge("open", passage=year.ids["meal"])["passages"][0]["newer_waiting_since"][:10] == "2025-12-20"
    assert "judged" in [line["kind"] for line in knowledge("trace", answer=meal["id"])["lines"]]


def in_february(year: Year, knowledge: Knowledge) -> None:
    """The meal's price was changed by hand, so that the accepted correction fits no more and waits on."""
    meal = knowledge("ask", question="What does a meal cost?")
    assert words(meal["evidence"]) == [MEAL_25]
    text = year.proposal.read_text()
    assert "status: waiting" in text and "note:" in text and MEAL_25 in (year.book.root / HOUSE).read_text()
    old = knowledge("open", passage=year.ids["meal"])["passages"][0]
    assert (old["words"], old["status"]) == (MEAL_20, "replaced")
    assert old["replaced_by"] == {"passage": meal["evidence"][0]["passage"], "when": "2026-01-15T10:00:00Z"}
    then = knowledge("ask", question="What did a meal cost in December 2025?")
    assert words(then["evidence"]) == [MEAL_20]
    assert any("answered as of 2025-12-31" in note for note in then["notes"])
    said = knowledge("changes", since="2025-12-20T12:00:00Z")
    assert rows(said) == {
        ("2026-01-15", "changed", MEAL_20, MEAL_25),
        ("2026-01-15", "reworded", GUESTS, GUESTS_REWORDED),
    }
    assert all(one["served"] and not one["withheld"] for one in said["changes"])
    refused = knowledge.fails("propose", passage=year.ids["meal"], text=MEAL_22, reason="Still")
    assert refused["field"] == "passage" and meal["evidence"][0]["passage"] in refused["message"]
    assert knowledge("trace", answer=year.ids["answer"])["lines"][0]["at"][:10] == "2025-12-20"


def in_march(year: Year, knowledge: Knowledge) -> None:
    """The old price is back and the owner accepts again: applied. A pool is announced, a document has moved."""
    meal = knowledge("ask", question="What does a meal cost?")
    assert words(meal["evidence"]) == [MEAL_22] and MEAL_22 in (year.book.root / HOUSE).read_text()
    assert "status: accepted" in year.proposal.read_text() and "applied: " in year.proposal.read_text()
    year.ids["meal 22"] = meal["evidence"][0]["passage"]
    pool = knowledge("ask", question="When does the pool open?")
    assert words(pool["evidence"] + pool["related"])[0] == POOL
    assert {one["status"] for one in pool["evidence"] + pool["related"] if one["words"] == POOL} == {
        "not yet in effect"
    }
    moved = [one for one in knowledge("changes", since="2026-03-01T00:00:00Z")["changes"] if one["kind"] == "moved"]
    assert [one["time"][:10] for one in moved] == ["2026-03-05"] and moved[0]["served"] is True
    cycles = knowledge("open", passage=year.ids["cycles"])["passages"][0]
    assert (cycles["words"], cycles["status"]) == (BICYCLES, "replaced")
    now = knowledge("open", passage=cycles["replaced_by"]["passage"])["passages"][0]
    assert (now["words"], now["status"]) == (BICYCLES, "live")
    year.ids["cycles now"] = now["passage"]
    garden = knowledge("search", query="garden gate", repositories=["r_lent"])["passages"]
    assert words(garden) == [GARDEN]
    year.ids["garden"] = garden[0]["passage"]


def in_may(year: Year, knowledge: Knowledge) -> None:
    """The pool is open; the cellar is hidden, with all its past."""
    pool = knowledge("ask", question="When does the pool open?")
    assert (pool["outcome"], words(pool["evidence"]), pool["evidence"][0]["status"]) == ("answered", [POOL], "live")
    for said in (
        knowledge("ask", question="Where does the spare key hang?"),
        knowledge("search", query="spare key cellar barrel"),
        knowledge("search", query="spare key cellar barrel", as_of="2026-01-01"),
        knowledge("open", passage=year.ids["cellar"]),
        knowledge("open", document=year.ids["cellar document"]),
    ):
        assert CELLAR not in str(said) and "barrel" not in str(said)
    said = knowledge("changes", since="2026-04-01T00:00:00Z")
    (gone,) = said["changes"]
    assert (gone["kind"], gone["time"][:10], gone["withheld"], gone["served"]) == (
        *("document removed", "2026-04-20"),
        *(True, True),
    )
    assert gone["document"] == {"id": year.ids["cellar document"], "title": None} and gone["old"] is None
    assert knowledge.fails("propose", passage=year.ids["cellar"], text="x", reason="y")["field"] == "passage"


def in_july(year: Year, knowledge: Knowledge) -> None:
    """The meals are gone, the dogs have come, and the guests have another heading."""
    meal = knowledge("open", passage=year.ids["meal 22"])["passages"][0]
    assert (meal["words"], meal["status"], meal["removed_at"]) == (MEAL_22, "removed", "2026-06-15T10:00:00Z")
    assert knowledge("ask", question="What does a meal cost?")["evidence"] == []
    before = knowledge("ask", question="What does a meal cost?", as_of="2026-06-01")
    assert words(before["evidence"]) == [MEAL_22] and before["evidence"][0]["status"] == "removed"
    said = knowledge("changes", since="2026-06-01T00:00:00Z")
    assert rows(said) == {
        ("2026-06-15", "removed", MEAL_22, None),
        ("2026-06-15", "added", None, DOGS),
        ("2026-07-01", "moved", GUESTS_REWORDED, GUESTS_REWORDED),
    }
    guests = knowledge("ask", question="Where do guests sign the guest book?")
    assert guests["evidence"][0]["section"] == ["House book", "Visitors"]
    assert sorted(one["kind"] for one in guests["changes"]) == ["added", "moved", "removed"]
    assert words(knowledge("search", query="garden gate")["passages"]) == [GARDEN]
    whole = knowledge("open", document=guests["evidence"][0]["document"]["id"], limit=1)
    assert words(whole["passages"]) == [GUESTS_REWORDED] and whole["reading"]["of"] == 2
    rest = knowledge("open", document=guests["evidence"][0]["document"]["id"], limit=1, cursor=whole["cursor"])
    assert words(rest["passages"]) == [DOGS] and rest["cursor"] is None


def in_november(year: Year, knowledge: Knowledge) -> None:
    """The grant has ended, the pool's season too, and the bicycles' page is withdrawn."""
    assert [one["id"] for one in knowledge("scope")["repositories"]] == ["r_knowledge"]
    for said in (
        knowledge("search", query="lent garden gate"),
        knowledge("search", query="lent garden gate", as_of="2026-05-01"),
        knowledge("ask", question="When does the lent garden open its gate?"),
        knowledge("open", passage=year.ids["garden"]),
    ):
        assert GARDEN not in str(said)
    unknown = knowledge("search", query="garden", repositories=["r_lent"])
    never = knowledge("search", query="garden", repositories=["r_nothing"])
    assert unknown["text"].replace("r_lent", "r_nothing") == never["text"]
    assert "PersonaKit has nothing under r_lent for you." in unknown["text"]
    assert knowledge("search", query="pool swimmers")["passages"] == []
    assert words(knowledge("search", query="pool swimmers", as_of="2026-08-01")["passages"]) == [POOL]
    said = knowledge("changes", since="2026-08-15T00:00:00Z")
    assert {row[:2] for row in rows(said)} == {
        ("2026-09-10", "document withdrawn"),
        ("2026-10-01", "document expired"),
    }
    assert knowledge("search", query="bicycles yard")["passages"] == []
    assert knowledge("open", passage=year.ids["cycles now"])["passages"][0]["status"] == "withdrawn"
    assert knowledge("trace", answer=year.ids["answer"])["lines"][-1]["words"] == f"gave {year.ids['meal']}"
    assert knowledge.fails("propose", passage=year.ids["cycles now"], text="Gone.", reason="x")["field"] == "passage"


@pytest.mark.parametrize("era", ERAS)
def test_a_year(tmp_path: Path, era: Era) -> None:
    """Edits, a move, a renamed heading, withdrawals, days of effect, a grant's end, a correction that had to wait."""
    book = Handbook(tmp_path / "vault", SETTINGS)
    year = Year(book, era)
    first = [(HOUSE, house(GUESTS, MEAL_20)), ("knowledge/bikes.md", f"# Bicycles\n{BICYCLES}\n")]
    book.commit("2025-12-01T10:00:00Z", *first, ("knowledge/cellar.md", f"# Cellar\n{CELLAR}\n"))
    year.ask_at("2025-12-20T12:00:00Z", in_december)
    book.commit("2026-01-15T10:00:00Z", (HOUSE, house(GUESTS_REWORDED, MEAL_25)))
    year.decide("status: waiting", "status: accepted")
    year.ask_at("2026-02-01T12:00:00Z", in_february)
    season = "---\neffective_from: 2026-05-01\neffective_until: 2026-10-01\n---\n"
    book.commit("2026-02-10T10:00:00Z", ("knowledge/pool.md", f"{season}# Pool\n{POOL}\n"))
    book.commit("2026-02-12T10:00:00Z", ("knowledge/lent/garden.md", f"# Garden\n{GARDEN}\n"))
    book.commit("2026-02-15T10:00:00Z", (HOUSE, house(GUESTS_REWORDED, MEAL_20)))
    year.decide("status: waiting", "status: accepted")
    book.git("mv", "knowledge/bikes.md", CYCLES)
    book.commit("2026-03-05T10:00:00Z")
    year.ask_at("2026-03-10T12:00:00Z", in_march)
    book.commit("2026-03-11T10:00:00Z")
    hidden = f"---\nstate: restricted\n---\n# Cellar\n{CELLAR}\n"
    book.commit("2026-04-20T10:00:00Z", ("knowledge/cellar.md", hidden))
    year.ask_at("2026-05-20T12:00:00Z", in_may)
    book.commit("2026-06-15T10:00:00Z", (HOUSE, house(GUESTS_REWORDED, dogs=DOGS)))
    book.commit("2026-07-01T10:00:00Z", (HOUSE, house(GUESTS_REWORDED, dogs=DOGS, heading="Visitors")))
    year.ask_at("2026-07-10T12:00:00Z", in_july)
    book.commit("2026-09-10T10:00:00Z", (CYCLES, f"---\nstatus: withdrawn\n---\n# Bicycles\n{BICYCLES}\n"))
    year.ask_at("2026-11-12T12:00:00Z", in_november)
