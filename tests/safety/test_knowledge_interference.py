"""What a viewer may not see changes nothing in what it is told of documents and their past, through all seven tools.

Two vaults have the same visible history in git and differ in hidden things alone; every answer is the same to the byte
but for the ids of answers. A document that was open once leaves one row, `withheld`, whatever became of it since.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from personakit.server import Opening, call
from personakit.vault.history.documents import passages_of
from tests.handbook import TOOLS, Handbook
from tests.rpc import ERAS, MODERN, Client, Era

SETTINGS = """format: 1
owner: Rosalind Fictiva
repositories:
- {id: r_knowledge, name: Knowledge, path: knowledge}
- {id: r_lent, name: Lent, path: lent, until: 2999-12-31}
- {id: r_gone, name: Gone, path: knowledge/gone, via: grant, until: 2020-12-31}
"""
MORE_ENDED = SETTINGS + "- {id: r_over, name: Over, path: over, via: grant, until: 2021-12-31}\n"

# A time of the story -> the files that come, None for one that goes. What is of DISK is committed by nobody.
Files = dict[str, str | None]
Story = dict[str, Files]
DISK = "2024-11-01T08:00:00Z"
T0, T1, T2, T3 = "2024-01-05T10:00:00Z", "2024-01-10T10:00:00Z", "2024-02-05T10:00:00Z", "2024-03-10T10:00:00Z"
T4, T5, T6 = "2024-05-10T10:00:00Z", "2024-06-10T10:00:00Z", "2024-06-10T10:00:01Z"
T7, T8, T9 = "2024-07-10T10:00:00Z", "2024-08-10T10:00:00Z", "2024-09-10T10:00:00Z"
TIMES = frozenset({DISK, T0, T1, T2, T3, T4, T5, T6, T7, T8, T9})
DAYS = ("2024-01-07", "2024-01-31", "2024-02-20", "2024-04-01", "2024-06-30", "2024-08-20", "2024-11-11", "2026-11-12")

GUESTS = "Guests sign the book at the front desk. A guest may stay for three nights."
ONE = f"# House\n## Guests\n{GUESTS}\n## Meals\nA meal costs up to 20 crowns a day.\n"
TWO = ONE.replace("20 crowns", "25 crowns")
THREE = f"# House\n## Guests\n{GUESTS}\n"
POOL = (
    "# Pool\nThe pool opens at nine for guests. Towels lie in the white shed.\n\n## Lessons\nOtters teach swimming.\n"
)
OWN = "---\nid: own\n---\n# Own\nOwls sleep by day in the barn of the house.\n"
ALPHAS = "---\nassistants: alpha\n---\n# Alpha\nThe alpha key opens the house gate.\n"
GARDEN = "---\nprojects: garden\n---\n# Garden\nThe garden gate of the house closes at dusk.\n"
ONCE = (
    "# Once\nThe wombat sleeps in the cellar behind the third barrel of the house.\n\n## Food\nThe wombat eats roots.\n"
)
TWICE = "# Twice\nThe badger digs under the front desk of the house.\n"
LATE = "# Late\nGuests who come late ring the bell.\n"
LENT = "# Back\nThe rowing boat came back from those who had it.\n"
AGAIN = "# Again\nLanterns hang in the hall from dusk on.\n"
OTHERWISE = "# Again\nLanterns hang in the yard from dawn on.\n"

SEEN: Story = {
    T1: {
        "knowledge/house.md": ONE,
        "knowledge/pool.md": POOL,
        "knowledge/once.md": ONCE,
        "knowledge/twice.md": TWICE,
        "knowledge/again.md": AGAIN,
        "knowledge/since.md": AGAIN.replace("Again", "Since"),
        "lent/boat.md": "---\neffective_until: 2024-08-01\n---\n# Boat\nThe boat of the house lies at the quay.\n",
    },
    T3: {"knowledge/house.md": TWO, "knowledge/alphas.md": ALPHAS, "knowledge/garden.md": GARDEN},
    T4: {"knowledge/house.md": THREE, "knowledge/own.md": OWN, "knowledge/back.md": LENT, "knowledge/gone/b.md": None},
    T5: {"knowledge/pool.md": None, "knowledge/hall/pool.md": POOL + "\n## Steam\nThe steam room opens at ten.\n"},
    T6: {"knowledge/late.md": LATE},
    T8: {"knowledge/own.md": None, "knowledge/x/own.md": OWN.replace("barn", "loft"), "knowledge/late.md": None},
    DISK: {
        "knowledge/house.md": THREE.replace("front", "back"),
        "knowledge/new.md": "# New\nGuests of the house get new towels.\n",
        "knowledge/hall/pool.md": None,
        "knowledge/lobby/pool.md": POOL,
    },
}
# In what is compared, these documents were open once; `how` they went is told below.
WENT: Story = {T7: {"knowledge/once.md": f"---\nstate: restricted\n---\n{ONCE}"}}
BADGER = "---\nstate: restricted\n---\n"
WENT_ON_DISK: Story = {DISK: {"knowledge/twice.md": BADGER + TWICE}}
# Two that were closed for a time: one says the same since, one something else. One stood in an ended repository first.
CLOSED: Story = {
    T1: {"knowledge/gone/b.md": LENT},
    T2: {"knowledge/again.md": BADGER + AGAIN, "knowledge/since.md": BADGER + AGAIN.replace("Again", "Since")},
    T9: {
        "knowledge/again.md": AGAIN,
        "knowledge/since.md": OTHERWISE.replace("Again", "Since").replace("yard", "loft"),
    },
}


def with_state(state: str, text: str) -> str:
    """Give a document, or a memory, with lines of front matter."""
    return f"---\n{state}\n---\n{text}"


SECRET = "# Secret\nThe quokka guests of the house sign at the back gate and pay 99 crowns for a meal.\n"
MEMORY = "id: m_0123456789ab\nstate: restricted\ncreated: 2024-06-01\ncategory: background"
PROPOSAL = """---
type: proposal
id: {id}
created: 2024-08-01T10:00:00Z
passage: k_0123456789ab
document: "{document}"
base: 0123456789012345678901234567890123456789
agent: "{agent}"
status: waiting
{more}---

Reason:

> the quokka says so

Old words:

> The quokka guests of the house sign

Right words:

> The quokka guests of the house sleep
"""


def secret(state: str, name: str) -> Story:
    """Give a document that was never open: with its past, beside visible commits and in commits of its own."""
    path = f"knowledge/{name}.md"
    said = with_state(state, SECRET)
    return {
        T0: {path: said},
        T3: {path: said + "\n## More\nA quokka meal.\n"},
        T6: {path: with_state(state, SECRET.replace("back", "iron"))},
        T9: {path: with_state(state, SECRET.replace("back", "oak"))},
    }


# What can be hidden beside what is seen.
HIDDEN: dict[str, Story] = {
    "restricted": secret("state: restricted", "a-secret"),
    "rejected": secret("state: rejected", "b-secret"),
    "unknown state": secret("state: sure", "zz-secret"),
    "held": secret("state: [", "c-secret"),
    "conflict": {T0: {"knowledge/i-secret.md": "<<<<<<< a\n" + SECRET + "=======\nquokka house\n>>>>>>> b\n"}},
    "of another assistant": secret("assistants: beta", "d-secret"),
    "of another project": secret("projects: kitchen", "e-secret"),
    "restricted and deleted": {**secret("state: restricted", "f-secret"), DISK: {"knowledge/f-secret.md": None}},
    "deleted in a commit": {
        T2: {"knowledge/s.md": with_state("state: rejected", SECRET)},
        T6: {"knowledge/s.md": None},
    },
    "ended inside": {T0: {"knowledge/gone/s.md": SECRET}, T6: {"knowledge/gone/s.md": SECRET.replace("back", "iron")}},
    "ended": {T0: {"personakit.yaml": MORE_ENDED, "over/s.md": SECRET}, T4: {"over/s.md": SECRET + "\nquokka house\n"}},
    "unregistered": {T0: {"drafts/s.md": SECRET}, T4: {"drafts/s.md": SECRET + "\nThe house.\n"}},
    "memories": {
        T0: {"memories/a.md": with_state("state: approved", "Likes quokka guests in the house")},
        T5: {"memories/a.md": with_state("state: restricted", "Likes quokka guests in the house")},
        DISK: {"memories/b.md": with_state("state: approved", "Likes meals of 20 crowns")},
    },
    "drawers, facts, entries and talks": {
        T0: {
            "palace/house/guests/d.md": GUESTS,
            "facts/2024-01/f.md": with_state("subject: house\nobject: quokka", ""),
        },
        T6: {"diary/beta/2024-06/e.md": GUESTS, "sessions/2024-06/s.md": with_state("agent: beta", f"> {GUESTS}")},
        DISK: {"palace/house/guests/e.md": "Towels lie in the white shed with a quokka."},
    },
    "proposals": {
        **secret("state: restricted\nid: hid", "g-secret"),
        DISK: {
            "proposals/p.md": PROPOSAL.format(id="q_0123456789ab", document="hid", agent="beta", more=""),
            "proposals/q.md": PROPOSAL.format(id="q_0123456789ac", document="hid", agent="alpha", more=""),
            "proposals/s.md": PROPOSAL.format(id="q_0123456789ae", document="hid", agent="beta", more="") + POOL,
            "proposals/r.md": PROPOSAL.format(
                id="q_0123456789ad", document="own", agent="beta", more="assistants: beta\n"
            ),
        },
    },
    "what quotes": {
        T8: {
            "proposals/q.md": with_state("type: proposal", LATE),
            "sessions/2024-08/s.md": with_state("agent: beta", LATE),
            "diary/beta/2024-08/e.md": LATE,
        },
    },
    "on the disk alone": {
        DISK: {
            "knowledge/s.md": with_state("state: restricted", SECRET),
            "knowledge/hall/t.md": with_state("assistants: beta", SECRET + "\nThe pool opens at nine."),
            "knowledge/gone/u.md": SECRET,
        }
    },
    "edited on the disk": {
        **secret("state: restricted", "h-secret"),
        DISK: {"knowledge/h-secret.md": BADGER + "# Quokka\nHouse.\n"},
    },
    "where something open came": {
        T0: {"knowledge/late.md": with_state("state: restricted", SECRET)},
        T2: {"knowledge/late.md": None},
    },
    "very like what moves": {
        T2: {"knowledge/like.md": with_state("assistants: beta", POOL + "\n## Steam\nThe steam room opens at ten.\n")},
        T5: {"knowledge/like.md": None},
    },
    "like what moves on the disk": {
        T2: {"knowledge/a-like.md": with_state("state: restricted", POOL)},
        DISK: {"knowledge/a-like.md": None},
    },
    "with its id": {
        T2: {"knowledge/a-id.md": with_state("id: own\nassistants: beta", OWN.partition("---\n# ")[2])},
        T8: {"knowledge/a-id.md": None},
    },
}

HIDDEN["with its id now"] = {
    T2: {"knowledge/a-now.md": with_state("id: own\nassistants: beta\ncreated: 2020-01-01", SECRET)},
    T9: {"knowledge/b-now.md": with_state("id: own\nstate: restricted\ncreated: 2020-01-01", SECRET)},
}

# How a document that was open once went: told alike, whatever it is now.
HOWS: dict[str, Story] = {
    "rejected": {T7: {"knowledge/once.md": with_state("state: rejected", ONCE)}},
    "held": {T7: {"knowledge/once.md": with_state("state: restrictd", ONCE)}},
    "of another assistant": {T7: {"knowledge/once.md": with_state("assistants: beta", ONCE)}},
    "of another project": {T7: {"knowledge/once.md": with_state("projects: kitchen", ONCE)}},
    "a memory in place": {T7: {"knowledge/once.md": with_state(MEMORY, ONCE)}},
    "a memory by a move": {T7: {"knowledge/once.md": None, "memories/once.md": with_state(MEMORY, ONCE)}},
    "moved to where nothing is served": {T7: {"knowledge/once.md": None, "drafts/once.md": ONCE}},
    "in an ended repository": {T7: {"knowledge/once.md": None, "knowledge/gone/once.md": ONCE}},
    "restricted, then edited": {**WENT, T9: {"knowledge/once.md": with_state("state: restricted", SECRET)}},
    "restricted, then deleted": {**WENT, T9: {"knowledge/once.md": None}},
    "restricted, then deleted on the disk": {**WENT, DISK: {"knowledge/once.md": None}},
    "restricted, then a memory": {**WENT, T9: {"knowledge/once.md": None, "memories/o.md": with_state(MEMORY, ONCE)}},
    "restricted, then moved": {
        **WENT,
        T9: {"knowledge/once.md": None, "knowledge/o.md": with_state("state: restricted", ONCE)},
    },
}
ON_DISK: dict[str, Story] = {
    "held": {DISK: {"knowledge/twice.md": with_state("state: restrictd", TWICE)}},
    "edited": {DISK: {"knowledge/twice.md": BADGER + "# Twice\nQuokka.\n"}},
    "of another assistant": {DISK: {"knowledge/twice.md": with_state("assistants: beta", TWICE)}},
    "a memory in place": {DISK: {"knowledge/twice.md": with_state(MEMORY, TWICE)}},
    "a memory by a move": {DISK: {"knowledge/twice.md": None, "memories/t.md": with_state(MEMORY, TWICE)}},
}
# What a document was while it was closed for a time.
PERIODS: dict[str, Story] = {
    "other words": {
        T2: {
            "knowledge/again.md": with_state("state: restricted", OTHERWISE),
            "knowledge/since.md": with_state("state: restricted", SECRET),
        }
    },
    "other words in an ended repository": {T1: {"knowledge/gone/b.md": SECRET}},
    "more words in an ended repository": {T2: {"knowledge/gone/b.md": LENT + "The quokka had it.\n"}},
    "edited": {
        T2: {"knowledge/again.md": with_state("state: restricted", OTHERWISE)},
        T4: {"knowledge/again.md": with_state("state: rejected", SECRET)},
    },
    "held": {T2: {"knowledge/again.md": with_state("state: sure", AGAIN)}},
    "of another assistant": {T2: {"knowledge/again.md": with_state("assistants: beta", OTHERWISE)}},
}


def told_together(*stories: Story) -> Story:
    """Put stories together; of two that write one file the last counts."""
    times = sorted({time for story in stories for time in story})
    return {time: {path: text for story in stories for path, text in story.get(time, {}).items()} for time in times}


def written(root: Path, story: Story) -> Handbook:
    """Write a vault with this history."""
    book = Handbook(root, SETTINGS)
    for time, files in story.items():
        if time != DISK:
            book.commit(time, *files.items())
    for path, text in story.get(DISK, {}).items():
        if text is None:
            (book.root / path).unlink()
        else:
            book.write(path, text, at=DISK)
    return book


def ids_of(*stories: Story) -> list[str]:
    """Give every id of a passage or a document that any of these stories ever wrote."""
    found: dict[str, None] = {}
    for story in stories:
        for files in story.values():
            for path, text in files.items():
                for one in passages_of(path, (text or "").encode()) if path.endswith(".md") else ():
                    found |= {one.id: None, one.about.id: None}
    return list(found)


EVERY = (SEEN, WENT, WENT_ON_DISK, CLOSED, *HIDDEN.values(), *HOWS.values(), *ON_DISK.values(), *PERIODS.values())
IDS = [*ids_of(*EVERY), "k_000000000000", "d_000000000000", "m_0123456789ab", "q_0123456789ab", "r_over"]


class Talker:
    """Somebody who calls all seven tools, and what it was told."""

    def __init__(self, run: Any) -> None:
        self.said: list[str] = []
        self._run = run
        self._answers: dict[str, str] = {}

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self._run(f"knowledge_{name}", arguments)
        content: dict[str, Any] = result["structuredContent"]
        if name != "trace" and "id" in content:
            self._answers[content["id"]] = f"a_{len(self._answers)}"
        asked = json.dumps([name, arguments], ensure_ascii=False)
        self.said.append(self._named(f"{asked} -> {json.dumps(result, ensure_ascii=False)}"))
        return content

    def _named(self, text: str) -> str:
        return re.sub("a_[a-z2-7]{16}", lambda found: self._answers.get(found[0], found[0]), text)

    def traces(self) -> None:
        """Ask how each answer came about."""
        for answer in [*list(self._answers)[::3], "a_aaaaaaaaaaaaaaaa"]:
            self("trace", answer=answer)

    def pages(self, name: str, **arguments: Any) -> None:
        """Call page after page."""
        cursor = ""
        while True:
            content = self(name, **arguments, cursor=cursor)
            cursor = content.get("cursor") or ""
            if not cursor:
                break


QUESTIONS = (
    "Where do guests of the house sign the book?",
    "What does a meal cost?",
    "Where does the wombat sleep?",
    "Where do lanterns hang?",
    "When does the pool open?",
    "Where do the quokka guests sign?",
    "Who opens the house gate in April 2024?",
    "badgerz desk towels boat owls",
)


def ask_all(say: Talker, ids: list[str]) -> list[str]:
    """Call every tool in every way, and give what was told."""
    say("scope")
    ask_of_days(say)
    for repositories in (["r_knowledge"], ["r_lent", "r_gone"], ["r_over", "r_none"]):
        say("search", query=QUESTIONS[0], repositories=repositories)
        say("changes", since="2024-01-01T00:00:00Z", repositories=repositories)
    for id_ in ids:
        say("open", **{"passage" if id_.startswith("k_") else "document": id_})
    say.pages("open", document="own", limit=1)
    for since in ("2020-01-01T00:00:00Z", T4, T6, T9):
        say("changes", since=since)
    say.pages("changes", since=T0, limit=3)
    first = say("search", query="guests book desk")["passages"][0]["passage"]
    for passage in (first, *filter(lambda id_: id_.startswith("k_"), ids[::4])):
        say("propose", passage=passage, text="Guests sign nothing.", reason="The guests said so", request_id=passage)
    say("search", query="guests book desk")
    say.traces()
    return say.said


def ask_of_days(say: Talker) -> None:
    """Ask and search, of now and of every day."""
    for question in QUESTIONS:
        say("ask", question=question)
        say("search", query=question, limit=40)
    for day in DAYS:
        for question in QUESTIONS[:4]:
            say("ask", question=question, as_of=day)
        say("search", query=" ".join(QUESTIONS), as_of=day, limit=40)


def told(root: Path, story: Story, assistant: str = "alpha", project: str = "garden") -> list[str]:
    """Give all that an assistant is told of a vault with this history."""
    book = written(root, story)
    asker = book.desk(assistant, project)

    def run(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = call(TOOLS[name], Opening(lambda: asker.desk), arguments)
        dumped: dict[str, Any] = result.model_dump(by_alias=True, mode="json")
        return dumped

    said = ask_all(Talker(run), IDS)
    asker.desk.close()
    return said


def differing(one: list[str], other: list[str]) -> list[tuple[str, str]]:
    """Give what differs, pair by pair."""
    return [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]


PLAIN = (SEEN, WENT, WENT_ON_DISK, CLOSED)
VIEWERS = (("alpha", "garden"), ("", ""), ("alpha", ""))
Viewing = tuple[str, str]
# Everything that can be hidden at once, each of these times with something else that went, or was closed for a time.
TOGETHER = {
    how: (SEEN, *HIDDEN.values(), HOWS[how], list(ON_DISK.values())[n % 5], CLOSED, list(PERIODS.values())[n % 6])
    for n, how in enumerate(HOWS)
}
ALONE = {
    **{f"beside: {name}": (*PLAIN, story) for name, story in HIDDEN.items()},
    **{f"went: {name}": (SEEN, WENT_ON_DISK, CLOSED, story) for name, story in HOWS.items()},
    **{f"went on the disk: {name}": (SEEN, WENT, CLOSED, story) for name, story in ON_DISK.items()},
    **{f"closed for a time: {name}": (*PLAIN, story) for name, story in PERIODS.items()},
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[Viewing, list[str]]:
    """Give what each viewer is told where nothing else is hidden."""
    story = told_together(*PLAIN)
    return {viewing: told(tmp_path_factory.mktemp("plain"), story, *viewing) for viewing in VIEWERS}


# Each viewer in the ordinary run, every way in the long one.
@pytest.mark.parametrize(
    "how", [how if n % 4 == 0 else pytest.param(how, marks=pytest.mark.long) for n, how in enumerate(TOGETHER)]
)
def test_what_is_hidden_changes_nothing(tmp_path: Path, plain: dict[Viewing, list[str]], how: str) -> None:
    """All that can be hidden changes no byte of any answer, whoever asks, however a document went that was open."""
    viewing = VIEWERS[list(TOGETHER).index(how) % len(VIEWERS)]
    found = told(tmp_path, told_together(*TOGETHER[how]), *viewing)
    assert differing(found, plain[viewing]) == [] and len(found) == len(plain[viewing])
    said = "".join(found)
    assert "wombat sleeps" not in said and "quokka guests of" not in said and "99 crowns" not in said
    assert ("alpha key" in said, "garden gate of" in said) == (viewing[0] == "alpha", viewing[1] == "garden")


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", ALONE)
def test_each_hidden_thing_by_itself_changes_nothing(
    tmp_path: Path, plain: dict[Viewing, list[str]], case: str
) -> None:
    """So that no two of them make up for one another."""
    assert differing(told(tmp_path, told_together(*ALONE[case])), plain[VIEWERS[0]]) == []


def without_now(said: str) -> str:
    """Give an answer without times that are none of the stories', and without cursors, which hold such a time."""
    said = re.sub(r'"cursor": "[\w-]+', '"cursor": "', said)
    return re.sub(r"20\d\d-\d\d-\d\dT[\d:]{8}Z", lambda found: found[0] if found[0] in TIMES else "now", said)


@pytest.mark.parametrize("era", ERAS)
def test_the_real_server_tells_nothing(tmp_path: Path, era: Era) -> None:
    """In both eras, after another assistant has asked and talked; but for what is of this very moment, to the byte."""
    results = []
    hidden = TOGETHER["a memory by a move" if era == MODERN else "of another assistant"]
    for number, story in enumerate((PLAIN, hidden)):
        # What is on the disk alone and can be seen has the time of this very moment.
        shown = told_together(
            *({time: files for time, files in one.items() if one is not SEEN or time != DISK} for one in story)
        )
        root = written(tmp_path / str(number), shown).root
        if number:
            with Client(root, era, options=("--as", "beta", "--toolsets", "session,knowledge")) as other:
                other.call("memory_start", {"prompt": "the house and its guests"})
                other.call("knowledge_search", {"query": "quokka guests of the house"})
        with Client(root, era, options=("--as", "alpha", "--project", "garden", "--toolsets", "knowledge")) as client:
            said = ask_all(Talker(client.call), IDS[::5])
        results.append([without_now(one) for one in said])
    assert differing(results[0], results[1]) == []
    assert "Guests sign the book" in "".join(results[0])
