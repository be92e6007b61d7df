"""The past of documents: what held on a day, what became of a passage, what changed, and what stays hidden."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.handbook import Handbook

ONE = "# Guests\nGuests sign the book at the front desk.\n\n# Meals\nA meal costs up to 20 crowns a day.\n"
TWO = "# Guests\nGuests sign the book at the front desk.\n\n# Meals\nA meal costs up to 25 crowns a day.\n"
THREE = "# Guests\nGuests sign the book at the front desk.\n"


@pytest.fixture
def book(tmp_path: Path) -> Handbook:
    """Give a vault with a document of three versions."""
    book = Handbook(tmp_path / "vault")
    book.commit("2026-01-10T10:00:00Z", ("knowledge/house.md", ONE))
    book.commit("2026-03-10T10:00:00Z", ("knowledge/house.md", TWO))
    book.commit("2026-05-10T10:00:00Z", ("knowledge/house.md", THREE), ("knowledge/pool.md", "# Pool\nOpen at nine.\n"))
    return book


def kinds(said: dict[str, Any]) -> list[tuple[str, str, str | None, str | None]]:
    """Give the day, kind and words of each change."""
    rows = [(one["time"][:10], one["kind"], one["old"], one["new"]) for one in said["changes"]]
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    return sorted(rows, key=lambda row: (row[0], row[1]), reverse=True)


def test_what_held_on_a_day(book: Handbook) -> None:
    """A question about a day is answered from the documents of that day, with what became of the passage since."""
    ask = book.desk()
    now = ask("ask", question="What does a meal cost?")
    assert now["outcome"] == "not found" and not now["evidence"]
    first = ask("ask", question="What does a meal cost?", as_of="2026-02-01")
    (meal,) = first["evidence"]
    assert (first["outcome"], meal["words"]) == ("answered", "A meal costs up to 20 crowns a day.")
    assert meal["status"] == "replaced" and meal["replaced_by"]["when"] == "2026-03-10T10:00:00Z"
    second = ask("ask", question="What did a meal cost in April 2026?")
    (later,) = second["evidence"]
    assert later["passage"] == meal["replaced_by"]["passage"] and later["status"] == "removed"
    assert later["removed_at"] == "2026-05-10T10:00:00Z"
    assert "The question names a time; answered as of 2026-04-30." in second["notes"]
    assert [one["words"] for one in ask("search", query="meal", as_of="2026-02-01")["passages"]] == [meal["words"]]
    assert ask("search", query="meal", as_of="2026-11-12")["passages"] == []


def test_before_the_first_commit(book: Handbook) -> None:
    """Nothing is known of a day before the first commit; a time in the words alone then counts for nothing."""
    ask = book.desk()
    said = ask("ask", question="What is the book for guests?", as_of="2025-12-31")
    assert said["outcome"] == "not found" and "2025-12-31" in said["notes"][0]
    assert ask("search", query="guests", as_of="2025-12-31")["passages"] == []
    said = ask("ask", question="Where did guests sign the book in 2020?")
    assert said["outcome"] == "answered" and "2020-12-31" in said["notes"][0]


def test_an_old_passage_is_opened(book: Handbook) -> None:
    """An id that only history knows tells what the passage said, what replaced it and when it was removed."""
    ask = book.desk()
    old = ask("ask", question="What does a meal cost?", as_of="2026-02-01")["evidence"][0]["passage"]
    said = ask("open", passage=old)
    (one,) = said["passages"]
    assert one["words"] == "A meal costs up to 20 crowns a day." and one["place"]["n"] == 2
    newer = ask("open", passage=one["replaced_by"]["passage"])["passages"][0]
    assert (newer["status"], newer["removed_at"]) == ("removed", "2026-05-10T10:00:00Z")
    assert said["reading"]["from"] == 2 and said["reading"]["of"] == 2
    live = ask("search", query="guests")["passages"][0]
    assert ask("open", passage=live["passage"])["passages"] == [{**live, "highlights": []}]
    for ref in ("k_0123456789ab", "k_", "nonsense", "m_0123456789ab"):
        nothing = ask("open", passage=ref)
        assert (nothing["passages"], nothing["reading"], nothing["cursor"]) == ([], None, None)
        assert nothing["text"] == f"PersonaKit has nothing under {ref} for you."


def test_a_correction_of_an_old_passage_is_refused(book: Handbook) -> None:
    """By the name of what stands there now, or with when it went; of what is unknown nothing is said."""
    ask = book.desk()
    first = ask("ask", question="What does a meal cost?", as_of="2026-02-01")["evidence"][0]
    for ref, why in (
        (first["passage"], f"was replaced by {first['replaced_by']['passage']} at 2026-03-10T10:00:00Z"),
        (first["replaced_by"]["passage"], "was removed at 2026-05-10T10:00:00Z"),
        ("k_0123456789ab", "is none that holds. PersonaKit has nothing under k_0123456789ab for you."),
    ):
        error = ask.fails("propose", passage=ref, text="A meal is free.", reason="They said so")
        assert error["field"] == "passage" and why in error["message"]
    assert not list(book.root.glob("proposals/*"))


def test_what_changed(book: Handbook) -> None:
    """Changes since a time, newest first; a page goes on where the last one ended, whatever came meanwhile."""
    ask = book.desk()
    meal = "A meal costs up to 25 crowns a day."
    every = ask("changes", since="2026-01-01T00:00:00Z")
    assert kinds(every) == [
        ("2026-05-10", "removed", meal, None),
        ("2026-05-10", "document added", None, None),
        ("2026-03-10", "changed", "A meal costs up to 20 crowns a day.", meal),
        ("2026-01-10", "document added", None, None),
    ]
    assert every["until"] == "2026-11-12T12:00:00Z" and every["cursor"] is None
    assert not any(one["served"] or one["withheld"] for one in every["changes"])
    first = ask("changes", since="2026-01-01T00:00:00Z", limit=3)
    book.clock.set("2026-11-13T12:00:00Z")
    book.commit("2026-11-13T10:00:00Z", ("knowledge/new.md", "# New\nNew words.\n"))
    rest = ask("changes", since="2026-01-01T00:00:00Z", limit=3, cursor=first["cursor"])
    told = [{**one, "served": False} for one in (*first["changes"], *rest["changes"])]
    assert told == every["changes"]  # what a list of changes quotes was served with it
    assert rest["until"] == every["until"] and rest["cursor"] is None
    assert kinds(ask("changes", since=every["until"])) == [("2026-11-13", "document added", None, None)]


def test_pages_of_a_long_past(tmp_path: Path) -> None:
    """However long the pages are, they hold every change once, those of one second too."""
    book = Handbook(tmp_path / "vault")
    for number in range(70):
        at = f"2026-01-{1 + number // 3:02}T10:00:{number % 3 // 2:02}Z"
        book.commit(
            at,
            *(
                (f"knowledge/{name}.md", f"# {name}\nNumber {number} of {name}{'.' * (1 + number % 3)}\n")
                for name in "ab"
            ),
        )
    book.commit("2026-02-01T10:00:00Z", ("knowledge/b.md", "---\nstate: restricted\n---\n# b\n"))
    book.commit("2026-01-02T10:00:00Z", ("knowledge/c.md", "---\neffective_until: 2026-01-09\n---\n# c\nLate.\n"))
    ask = book.desk()

    def paged(limit: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        cursor = ""
        while True:
            said = ask("changes", since="2026-01-01T00:00:00Z", limit=limit, cursor=cursor)
            assert len(said["changes"]) == limit or said["cursor"] is None
            rows += [{**one, "served": False} for one in said["changes"]]
            cursor = said["cursor"] or ""
            if not cursor:
                return rows

    every = paged(50)
    assert paged(1) == paged(7) == every
    assert [one["time"] for one in every] == sorted((one["time"] for one in every), reverse=True)
    kinds = Counter(one["kind"] for one in every)
    assert kinds == {"document added": 2, "changed": 69, "document removed": 1, "document expired": 1}


def test_served_old_words(book: Handbook) -> None:
    """Who was served a passage that changed learns it; another assistant was not."""
    ask = book.desk()
    ask("search", query="meal", as_of="2026-02-01")
    changed = [one for one in ask("changes", since="2026-03-01T00:00:00Z")["changes"] if one["served"]]
    assert [one["kind"] for one in changed] == ["changed"]
    assert not any(one["served"] for one in book.desk("beta")("changes", since="2026-03-01T00:00:00Z")["changes"])


def test_what_is_not_committed(book: Handbook) -> None:
    """What was saved and not committed counts at once: an edit when it was saved, a deletion when it is told."""
    book.write("knowledge/house.md", TWO.replace("front", "back"), at="2026-11-01T08:00:00Z")
    book.write("knowledge/late.md", "# Late\nThe gate closes late.\n", at="2026-11-02T08:00:00Z")
    (book.root / "knowledge/pool.md").unlink()
    ask = book.desk()
    assert kinds(ask("changes", since="2026-06-01T00:00:00Z")) == [
        ("2026-11-12", "document removed", None, None),
        ("2026-11-12", "document added", None, None),
        (
            "2026-11-01",
            "reworded",
            "Guests sign the book at the front desk.",
            "Guests sign the book at the back desk.",
        ),
        ("2026-11-01", "added", None, "A meal costs up to 25 crowns a day."),
    ]
    said = ask("ask", question="Which desk do guests sign at?")
    assert said["evidence"][0]["dates"]["changed"] == "2026-11-01T08:00:00Z"
    assert [one["kind"] for one in said["changes"]] == ["added", "reworded"]


def test_moves(book: Handbook) -> None:
    """A moved document goes on under its new id, by git's likeness or by its own id, also before it is committed."""
    book.git("mv", "knowledge/house.md", "knowledge/hall.md")
    book.commit("2026-06-10T10:00:00Z", ("knowledge/own.md", "---\nid: own\n---\n# Own\nOwls sleep by day in barns.\n"))
    ask = book.desk()
    old = ask("search", query="guests", as_of="2026-06-01")["passages"][0]
    (moved,) = [one for one in ask("changes", since="2026-06-01T00:00:00Z")["changes"] if one["kind"] == "moved"]
    assert moved["document"]["title"] == "Guests" and old["status"] == "replaced"
    now = ask("open", passage=old["replaced_by"]["passage"])["passages"][0]
    assert now["words"] == old["words"] and now["status"] == "live"
    owl = ask("search", query="owls")["passages"][0]["passage"]
    book.commit(
        "2026-07-10T10:00:00Z",
        ("knowledge/own.md", None),
        ("knowledge/x/y.md", "---\nid: own\n---\n# Own\nNew owls.\n"),
    )
    said = ask("changes", since="2026-07-01T00:00:00Z")["changes"]
    assert [one["kind"] for one in said] == ["removed", "added"]
    assert ask("open", passage=owl)["passages"][0]["removed_at"] == "2026-07-10T10:00:00Z"
    shutil.move(book.root / "knowledge/hall.md", book.root / "knowledge/lobby.md")
    assert [one["kind"] for one in book.desk()("changes", since="2026-08-01T00:00:00Z")["changes"]] == ["moved"]


def test_withdrawn_and_expired(book: Handbook) -> None:
    """A document that is withdrawn, or whose last day has come, answers no more, and its change is told."""
    book.commit("2026-06-10T10:00:00Z", ("knowledge/house.md", "---\nstatus: withdrawn\n---\n" + THREE))
    book.commit("2026-06-11T10:00:00Z", ("knowledge/pool.md", "---\neffective_until: 2026-09-01\n---\n# Pool\nOpen.\n"))
    ask = book.desk()
    assert ask("search", query="guests pool open")["passages"] == []
    assert ask("search", query="pool open", as_of="2026-08-01")["passages"][0]["status"] == "expired"
    said = ask("changes", since="2026-06-01T00:00:00Z")["changes"]
    assert [(one["kind"], one["time"][:7]) for one in said if one["kind"].startswith("document")] == [
        ("document expired", "2026-09" if said[0]["time"] >= "2026-09" else "2026-08"),
        ("document withdrawn", "2026-06"),
    ]


SECRET = "# Secret\nThe wombat sleeps in the cellar behind the third barrel.\n"


PATH = "knowledge/secret.md"
HIDDEN = "---\nstate: restricted\n---\n" + SECRET
MEMORY = "---\nid: m_0123456789ab\nstate: restricted\ncreated: 2026-06-01\ncategory: background\n---\n" + SECRET
DAY, NEXT = "2026-07-01T10:00:00Z", "2026-07-02T10:00:00Z"


def moved_away(book: Handbook) -> None:
    """Move the document to where nothing is served."""
    (book.root / "drafts").mkdir()
    book.git("mv", PATH, "drafts/secret.md")
    book.commit(DAY)


def restricted_and_deleted(book: Handbook) -> None:
    """Restrict the document, and delete it then."""
    book.commit(DAY, (PATH, HIDDEN))
    book.commit(NEXT, (PATH, None))


def a_memory_on_disk(book: Handbook) -> None:
    """Make the document a memory, and commit nothing."""
    (book.root / PATH).unlink()
    book.write("memories/wombat.md", MEMORY, at=DAY)


HOWS: dict[str, Callable[[Handbook], object]] = {
    "restricted": lambda book: book.commit(DAY, (PATH, HIDDEN)),
    "rejected": lambda book: book.commit(DAY, (PATH, HIDDEN.replace("restricted", "rejected"))),
    "audience": lambda book: book.commit(DAY, (PATH, HIDDEN.replace("state: restricted", "assistants: beta"))),
    "held": lambda book: book.commit(DAY, (PATH, HIDDEN.replace("restricted", "restrictd"))),
    "memory in place": lambda book: book.commit(DAY, (PATH, MEMORY)),
    "memory by a move": lambda book: book.commit(DAY, (PATH, None), ("memories/wombat.md", MEMORY)),
    "moved away": moved_away,
    "restricted and deleted": restricted_and_deleted,
    "restricted, not committed": lambda book: book.write(PATH, HIDDEN, at=DAY),
    "a memory, not committed": a_memory_on_disk,
}


@pytest.mark.parametrize("how", HOWS)
def test_no_version_in_git_leaks(book: Handbook, how: str) -> None:
    """A document that is hidden now is hidden with all its past; who was served it learns that it is gone, no more."""
    book.commit("2026-06-01T10:00:00Z", ("knowledge/secret.md", SECRET))
    ask = book.desk()
    id_ = ask("search", query="wombat")["passages"][0]
    HOWS[how](book)
    ask = book.desk()
    answers = [
        ask("search", query="wombat cellar barrel"),
        ask("search", query="wombat cellar barrel", as_of="2026-06-15"),
        ask("ask", question="Where does the wombat sleep?"),
        ask("ask", question="Where did the wombat sleep in June 2026?"),
        ask("open", passage=id_["passage"]),
        ask("open", document=id_["document"]["id"]),
        ask("changes", since="2026-01-01T00:00:00Z"),
    ]
    said = str([{**one, "text": one["text"].replace("wombat", "")} for one in answers]).casefold()
    assert "barrel" not in said and "secret" not in said and "cellar" not in said
    assert all(one["passages"] == [] for one in (answers[0], answers[1], answers[4], answers[5]))
    mine = [one for one in answers[6]["changes"] if one["document"]["id"] == id_["document"]["id"]]
    assert [(one["kind"], one["withheld"], one["served"]) for one in mine] == [("document removed", True, True)]
    assert mine[0]["document"]["title"] is None and mine[0]["time"][:10] == (
        "2026-11-12" if "not committed" in how else "2026-07-01"
    )


LATER = "# Secret\nOtters swim at night.\n"


@pytest.mark.parametrize(
    "meanwhile", [HIDDEN, HIDDEN.replace("wombat", "badger"), HIDDEN.replace("restricted", "sure")]
)
def test_what_was_hidden_for_a_time_is_not_told(book: Handbook, meanwhile: str) -> None:
    """What became of a passage goes by the versions that were open, whatever was hidden between."""
    book.commit("2026-06-01T10:00:00Z", (PATH, SECRET))
    id_ = book.desk()("search", query="wombat")["passages"][0]["passage"]
    book.commit("2026-07-01T10:00:00Z", (PATH, meanwhile))
    book.commit("2026-08-01T10:00:00Z", (PATH, LATER))
    ask = book.desk()
    otters = ask("search", query="otters")["passages"][0]["passage"]
    (one,) = ask("open", passage=id_)["passages"]
    assert (one["status"], one["removed_at"], one["dates"]["changed"]) == (
        "removed",
        "2026-08-01T10:00:00Z",
        "2026-06-01T10:00:00Z",
    )
    assert ask("search", query="wombat", as_of="2026-06-15")["passages"] == [one]
    assert ask("search", query="wombat badger", as_of="2026-07-15")["passages"] == []
    assert ask("open", passage=otters)["passages"][0]["status"] == "live"


def test_what_came_back_is_live(book: Handbook) -> None:
    """A passage of then that stands now is live, whatever its document was in between."""
    book.commit("2026-06-01T10:00:00Z", (PATH, SECRET))
    book.commit("2026-07-01T10:00:00Z", (PATH, None))
    book.commit("2026-08-01T10:00:00Z", (PATH, SECRET))
    (one,) = book.desk()("search", query="wombat", as_of="2026-06-15")["passages"]
    assert (one["status"], one["removed_at"]) == ("live", None)


def test_the_past_in_an_ended_repository_stays_there(tmp_path: Path) -> None:
    """A document that left an ended repository is known from then on; one that went into it is told to be removed."""
    mine, over = "{id: r_knowledge, name: K, path: knowledge}", "{id: r_over, name: O, path: over, until: 2020-01-01}"
    book = Handbook(tmp_path / "vault", f"format: 1\nrepositories:\n- {mine}\n- {over}\n")
    book.commit("2026-06-01T10:00:00Z", ("over/out.md", ONE), ("knowledge/in.md", SECRET))
    book.commit("2026-07-01T10:00:00Z", ("over/out.md", None), ("knowledge/out.md", ONE))
    book.commit("2026-07-01T10:00:00Z", ("knowledge/in.md", None), ("over/in.md", SECRET))
    ask = book.desk()
    told = [(one["kind"], one["withheld"]) for one in ask("changes", since="2026-06-01T00:00:00Z")["changes"]]
    assert told == [("document removed", True), ("document added", False)]
    assert ask("search", query="guests wombat", as_of="2026-06-15")["passages"] == []
    assert "No document was committed here by" in ask("ask", question="Guests?", as_of="2026-06-15")["notes"][0]


def test_what_quotes_a_document_is_not_where_it_went(book: Handbook) -> None:
    """A correction that holds a document's words does not hide its past when the document is deleted."""
    book.commit("2026-06-01T10:00:00Z", (PATH, SECRET))
    id_ = book.desk()("search", query="wombat")["passages"][0]["passage"]
    book.commit("2026-07-01T10:00:00Z", (PATH, None), ("proposals/q.md", SECRET), ("sessions/2026-06/s.md", SECRET))
    assert book.desk()("open", passage=id_)["passages"][0]["status"] == "removed"


def test_corrections_of_hidden_documents_take_no_room(book: Handbook) -> None:
    """Twenty wait where their documents can be seen; those of a document that is hidden now count for nothing."""
    book.commit("2026-06-01T10:00:00Z", (PATH, SECRET))
    ask = book.desk()
    wombat, guests = (ask("search", query=word)["passages"][0]["passage"] for word in ("wombat", "guests"))
    for number in range(20):
        ask("propose", passage=wombat, text=f"The wombat sleeps in barrel {number}.", reason="why")
    assert ask.fails("propose", passage=guests, text="Sign.", reason="why")["code"] == "too_many_open"
    book.write(PATH, HIDDEN)
    assert book.desk()("propose", passage=guests, text="Sign.", reason="why")["received"]


def test_what_was_never_served_makes_no_row(book: Handbook) -> None:
    """A document that was restricted from its first commit on is in no list of changes; lifted, it was added."""
    book.commit("2026-06-01T10:00:00Z", ("knowledge/secret.md", "---\nstate: restricted\n---\n" + SECRET))
    assert book.desk()("changes", since="2026-06-01T00:00:00Z")["changes"] == []
    book.commit("2026-07-01T10:00:00Z", ("knowledge/secret.md", SECRET))
    assert kinds(book.desk()("changes", since="2026-06-01T00:00:00Z")) == [("2026-07-01", "document added", None, None)]
    assert book.desk()("search", query="wombat", as_of="2026-06-15")["passages"] == []


def test_a_deleted_document_keeps_its_past(book: Handbook) -> None:
    """What was open to the end can be opened when its file is gone, and is told to be removed."""
    book.commit("2026-06-01T10:00:00Z", ("knowledge/secret.md", SECRET))
    ask = book.desk()
    one = ask("search", query="wombat")["passages"][0]
    book.commit("2026-07-01T10:00:00Z", ("knowledge/secret.md", None))
    for _ in range(2):
        said = ask("open", passage=one["passage"])["passages"][0]
        assert (said["words"], said["status"], said["removed_at"]) == (one["words"], "removed", "2026-07-01T10:00:00Z")
        (again,) = ask("open", document=one["document"]["id"])["passages"]
        assert again == said
        ask = book.desk()
    assert kinds(ask("changes", since="2026-06-15T00:00:00Z")) == [("2026-07-01", "document removed", None, None)]
    assert ask("search", query="wombat", as_of="2026-06-15")["passages"][0]["words"] == one["words"]


def test_without_git(tmp_path: Path) -> None:
    """Without git the live documents are served and the effective dates count; what needs history says so."""
    book = Handbook(tmp_path / "vault", repository=False)
    book.write("knowledge/house.md", ONE)
    book.write("knowledge/old.md", "---\neffective_until: 2026-10-01\n---\n# Old\nThe old gate.\n")
    ask = book.desk()
    assert ask("ask", question="What does a meal cost?")["outcome"] == "answered"
    past = ask("search", query="gate", as_of="2026-09-01")
    assert [one["words"] for one in past["passages"]] == ["The old gate."] and past["degraded"] is True
    assert past["reason"].startswith("There is no git history here")
    said = ask("changes", since="2026-09-01T00:00:00Z")
    assert [one["kind"] for one in said["changes"]] == ["document expired"] and said["degraded"] is True
    nothing = ask("open", passage="k_0123456789ab")
    assert nothing["passages"] == [] and nothing["degraded"] is True


def test_pages_of_a_document(book: Handbook) -> None:
    """A document is read page by page; a cursor of an earlier version, of another call or of nobody is refused."""
    text = "\n".join(f"# H{n}\n## Sub\nRow {n}." for n in range(7))
    book.commit("2026-06-01T10:00:00Z", ("knowledge/long.md", "---\nid: long\n---\n" + text))
    ask = book.desk()
    first = ask("open", document="long", limit=3)
    second = ask("open", document="long", limit=3, cursor=first["cursor"])
    third = ask("open", document="long", limit=3, cursor=second["cursor"])
    words = [one["words"] for page in (first, second, third) for one in page["passages"]]
    assert words == [f"Row {n}." for n in range(7)] and third["cursor"] is None
    reading = second["reading"]
    assert (reading["from"], reading["to"], reading["of"]) == (4, 6, 7)
    assert [one["words"] for one in ask("open", document="long", section=["H3"])["passages"]] == ["Row 3."]
    assert ask("open", document="long", section=["H3", "No"])["passages"] == []
    for cursor in ("x", "e30", first["cursor"][:-4], "W10", "WzEsMl0"):
        assert ask.fails("open", document="long", limit=3, cursor=cursor)["field"] == "cursor"
    assert ask.fails("open", document="other", limit=3, cursor=first["cursor"])["field"] == "cursor"
    book.commit("2026-06-02T10:00:00Z", ("knowledge/long.md", "---\nid: long\n---\n# New\n" + text))
    assert "earlier version" in ask.fails("open", document="long", limit=3, cursor=first["cursor"])["message"]


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("open", {}, "passage"),
        ("open", {"passage": "k_1", "document": "d_1"}, "passage"),
        ("open", {"passage": "k_1", "section": ["A"]}, "section"),
        ("open", {"document": "d_1", "section": ["A"] * 11}, "section"),
        ("open", {"document": "d_1", "limit": 51}, "limit"),
        ("open", {"document": "d_1", "cursor": "x" * 1_001}, "cursor"),
        ("changes", {}, "since"),
        ("changes", {"since": "soon"}, "since"),
        ("changes", {"since": "2999-01-01T00:00:00Z"}, "since"),
        ("changes", {"since": "2026-01-01", "limit": 0}, "limit"),
        ("changes", {"since": "2026-01-01", "cursor": "WyJhIiwxXQ"}, "cursor"),
    ],
)
def test_wrong_arguments(book: Handbook, name: str, arguments: dict[str, Any], field: str) -> None:
    """Every wrong argument is named."""
    assert book.desk().fails(name, **arguments)["field"] == field
