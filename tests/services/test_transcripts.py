"""Under consent full a session's words are one file for the owner; under any other not one of them is on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from personakit.cli.main import run
from personakit.config import Launch
from personakit.model.session import Transcript, turns_of
from personakit.server import Opening, call
from personakit.services.desk import Desk
from personakit.services.opened import OpenVault
from personakit.tools.palace import PALACE
from personakit.tools.persona import PERSONA
from personakit.tools.session import SESSION
from personakit.vault.watch import watch_for
from tests.support import SetClock, open_desk, put

TOOLS = {tool.name: tool for tool in (*SESSION.tools, *PERSONA.tools, *PALACE.tools)}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FULL = "format: 1\nconsent: full\n"


def ask(desk: Desk, name: str, **arguments: Any) -> Any:
    """Call a tool as the server does."""
    return call(TOOLS[name], Opening(lambda: desk), arguments).structured_content


def turn(desk: Desk, session: str, kind: str, text: str, speaker: str = "person", **more: str) -> Any:
    """Save a turn."""
    return ask(desk, "memory_save_turn", session_id=session, kind=kind, speaker=speaker, text=text, **more)


def everything(*roots: Path) -> str:
    """Give every byte below some folders as text, names too."""
    paths = [path for root in roots for path in root.rglob("*")]
    read = [path.read_bytes().decode("utf-8", "replace") for path in paths if path.is_file()]
    return "\n".join([*map(str, paths), *read])


def test_a_session_is_one_readable_file(vault: Path) -> None:
    """Its turns in order under dated headings, without the token, with times, names and ids in front matter."""
    (vault / "personakit.yaml").write_text(FULL)
    clock = SetClock()
    desk = open_desk(vault, assistant="alpha", clock=clock)
    opened = ask(desk, "memory_start", prompt=f"Deploy it\n## with {TOKEN}", project="garden")
    id_ = opened["session_id"]
    assert opened["consent"] == "full"
    asked = turn(desk, id_, "prompt", "And then?", "agent")
    turn(desk, id_, "reply", "Then tea", reply_to=asked["id"])
    ask(desk, "memory_end", session_id=id_)
    (path,) = (vault / "sessions").rglob("*.md")
    assert path.parent.name == clock.now().strftime("%Y-%m")
    text = path.read_text()
    assert TOKEN not in text and "> ## with [removed: github]\n" in text
    note = desk._vault.library.note(id_)
    assert isinstance(note, Transcript)
    assert (note.agent, note.project, bool(note.started), bool(note.ended)) == ("alpha", "garden", True, True)
    found = [(one.speaker, one.kind, one.id, one.to, one.words.split("\n")[0]) for one in turns_of(note.text)]
    assert found[:2] == [
        ("person", "prompt", opened["prompt_id"], "", "Deploy it"),
        ("agent", "prompt", asked["id"], "", "And then?"),
    ]
    assert found[2][:2] == ("person", "reply") and found[2][3:] == (asked["id"], "Then tea")


@pytest.mark.parametrize(
    "settings",
    [
        "format: 1\n",
        "format: 1\nconsent: none\n",
        "format: 1\nconsent: full\ncapture: hooks\n",
        "format: 1\nconsent: full\nprojects: {garden: {consent: serve_only}}\n",
    ],
)
def test_no_word_is_kept_otherwise(vault: Path, cache_home: Path, settings: str) -> None:
    """Not in the vault, its journal, the cache or the state folder, whichever tool was given the words."""
    (vault / "personakit.yaml").write_text(settings)
    put(vault, "a.md", "Likes green tea", state="approved")
    desk = open_desk(vault, assistant="alpha")
    opened = ask(desk, "memory_start", prompt="quokka tea", project="garden")
    id_ = opened["session_id"]
    ask(desk, "memory_recall", query="numbat tea", step="wombat", session_id=id_)
    asked = turn(desk, id_, "prompt", "dingo tea")
    turn(desk, id_, "reply", "bilby tea", reply_to=asked["id"])
    ask(desk, "personakit_read", question="potoroo tea")
    ask(desk, "memory_end", session_id=id_)
    desk.close()
    kept = everything(vault, cache_home)
    assert not [word for word in ("quokka", "numbat", "wombat", "dingo", "bilby", "potoroo") if word in kept]


def test_read_only_keeps_nothing(vault: Path) -> None:
    """Under --read-only full consent acts as serve_only."""
    (vault / "personakit.yaml").write_text(FULL)
    launch = Launch(vault=str(vault), assistant="alpha", read_only=True)
    desk = Desk(launch, OpenVault(str(vault), SetClock(), watch_for))
    desk.load()
    assert ask(desk, "memory_start", prompt="Deploy it")["consent"] == "serve_only"
    assert not (vault / "sessions").exists()


def test_consent_none(vault: Path) -> None:
    """An id is issued and any is accepted; nothing is told, nothing is noted, writing is refused."""
    put(vault, "a.md", "Likes green tea", state="approved", category="constraints")
    (vault / "personakit.yaml").write_text("format: 1\nconsent: none\n")
    desk = open_desk(vault, assistant="alpha")
    opened = ask(desk, "memory_start", prompt="tea")
    assert (opened["consent"], opened["text"], opened["degraded"]) == ("none", "", False)
    for id_ in (opened["session_id"], "s_aaaaaaaaaaaaaaaa"):
        assert ask(desk, "memory_recall", query="tea", step="brew", session_id=id_)["text"] == ""
        assert turn(desk, id_, "prompt", "tea")["text"] == ""
        assert turn(desk, id_, "reply", "tea", reply_to="p_a") == {"consent": "none", "ok": True}
        assert ask(desk, "memory_end", session_id=id_) == {"consent": "none", "ok": True}
    assert ask(desk, "memory_recall", query="tea", step="brew", session_id="nonsense")["error"]["field"] == "session_id"
    assert ask(desk, "personakit_read", question="tea") == {"memories": [], "withheld": 0}
    assert ask(desk, "mempalace_list_wings") == {"wings": {}}
    refused = ask(desk, "personakit_propose", text="Likes tea", quote="tea")
    assert refused["error"]["code"] == "consent_none"
    assert not (vault / ".personakit" / "journal").exists()


def test_consent_of_a_project(vault: Path) -> None:
    """A session obeys its project's consent, and a change of it in the very next call."""
    put(vault, "a.md", "Likes green tea", state="approved")
    settings = "format: 1\nprojects: {garden: {consent: none}}\n"
    (vault / "personakit.yaml").write_text(settings)
    desk = open_desk(vault, assistant="alpha")
    silent = ask(desk, "memory_start", prompt="tea", project="Garden")
    assert (silent["consent"], silent["text"]) == ("none", "")
    assert ask(desk, "memory_recall", query="tea", step="", session_id=silent["session_id"])["consent"] == "none"
    child = ask(desk, "memory_start", prompt="tea", parent=silent["session_id"])
    assert (child["consent"], child["text"]) == ("none", "")
    opened = ask(desk, "memory_start", prompt="tea", project="kitchen", parent=silent["session_id"])
    assert opened["consent"] == "serve_only"
    opened = ask(desk, "memory_start", prompt="tea")
    assert opened["consent"] == "serve_only" and "green" in opened["text"]
    (vault / "personakit.yaml").write_text(settings + "consent: none\n")
    told = ask(desk, "memory_recall", query="tea", step="", session_id=opened["session_id"])
    assert (told["consent"], told["text"]) == ("none", "")


def test_a_key_across_the_cap_is_taken_out(vault: Path) -> None:
    """A long request is kept up to its cap, and a key that the cap would cut in two goes whole."""
    (vault / "personakit.yaml").write_text(FULL)
    desk = open_desk(vault, assistant="alpha")
    ask(desk, "memory_start", prompt="x " * 9_995 + TOKEN + " and more")
    (path,) = (vault / "sessions").rglob("*.md")
    assert "ghp" not in path.read_text() and "and more" not in path.read_text()


def test_evidence_is_looked_up(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A quote that a person said to this assistant names the turn, also after a restart; an agent's does not."""
    (vault / "personakit.yaml").write_text(FULL)
    desk = open_desk(vault, assistant="alpha")
    opened = ask(desk, "memory_start", prompt="Give me “blunt” feedback, please")
    id_ = opened["session_id"]
    turn(desk, id_, "prompt", "Praise is padding", "agent")
    desk.close()
    desk = open_desk(vault, assistant="beta")
    ask(desk, "personakit_propose", text="Wants blunt feedback", quote="give me blunt feedback")
    desk = open_desk(vault, assistant="alpha")
    said = ask(desk, "personakit_propose", text="Prefers blunt feedback", quote="give me blunt  feedback")
    other = ask(desk, "personakit_propose", text="Dislikes praise", quote="praise is padding")
    desk.close()
    assert f'source: "{id_}#{opened["prompt_id"]}"\n' in everything(vault / "memories")
    assert everything(vault / "memories").count("source: ") == 1
    first = next(turns_of(everything(vault / "sessions")))
    for id_of, line in (
        (said["id"], f"said on {first.at[:10]} in session {id_}"),
        (other["id"], "not found in what was kept"),
    ):
        assert run(["why", id_of, "--vault", str(vault)]) == 0
        assert line in capsys.readouterr().out
    (path,) = (vault / "sessions").rglob("*.md")
    path.write_text(path.read_text().replace("“blunt”", "kind"))
    assert run(["why", said["id"], "--vault", str(vault)]) == 0
    assert "not found in what was kept" in capsys.readouterr().out


def test_a_transcript_that_its_owner_touched(vault: Path) -> None:
    """A deleted one begins anew, beside a broken one another begins, and either way every answer comes."""
    (vault / "personakit.yaml").write_text(FULL)
    desk = open_desk(vault, assistant="alpha")
    id_ = ask(desk, "memory_start", prompt="First words")["session_id"]
    (path,) = (vault / "sessions").rglob("*.md")
    path.unlink()
    assert turn(desk, id_, "prompt", "Second words")["id"]
    (path,) = (vault / "sessions").rglob("*.md")
    assert "First" not in path.read_text() and "> Second words" in path.read_text()
    broken = path.read_text().replace("type: session\n", "type: [session\n")
    path.write_text(broken)
    assert turn(desk, id_, "prompt", "Third words")["id"]
    assert path.read_text() == broken and len(list((vault / "sessions").rglob("*.md"))) == 2
    assert run(["forget", "--session", id_, "--yes", "--vault", str(vault)]) == 1
    path.unlink()
    assert run(["forget", "--session", id_, "--yes", "--vault", str(vault)]) == 0
    assert not list((vault / "sessions").rglob("*.md"))
