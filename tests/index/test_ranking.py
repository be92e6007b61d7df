"""Ranking of memories."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personakit.index.entry import entry_for
from personakit.index.ranking import Found, search
from personakit.index.words import Tokeniser
from personakit.model.memory import Memory
from personakit.model.note import Kind, Note
from personakit.model.states import State
from personakit.model.visibility import Sight, viewer, visible
from tests.index.notes import ANYONE, ENGLISH, VIEWERS, ask, expected, ids, memories, memory, questions, table_of


@settings(max_examples=150, deadline=None)
@given(memories(), questions, st.integers(1, 8))
def test_the_ranking_is_the_rule(notes: list[Memory], words: list[str], limit: int) -> None:
    """For every viewer the hits, their scores and their order are those of the rule, worked out note by note."""
    table, tokens = table_of(notes), ENGLISH.words(" ".join(words))
    for who in VIEWERS:
        hits = search(table, tokens, who, limit=limit).hits
        assert [(hit.note.id, hit.score, len(hit.shared)) for hit in hits] == expected(notes, tokens, who, limit)


@settings(deadline=None)
@given(memories(), memories(), questions)
def test_what_a_viewer_may_not_see_changes_nothing(notes: list[Memory], others: list[Memory], words: list[str]) -> None:
    """Without what is hidden from a viewer, hits, scores, reasons and `withheld` are the same; nor does the rest of
    what is withheld change a hit."""
    mine = {note.id for note in notes}
    everything = [*notes, *(note for note in others if note.id not in mine)]
    table, question = table_of(everything), " ".join(words)
    for who in VIEWERS:
        found = ask(table, question, who)
        sights = {note.id: visible(note, who) for note in everything}
        seen = [note for note in everything if sights[note.id] is not Sight.HIDDEN]
        assert ask(table_of(seen), question, who) == found
        free = [note for note in seen if sights[note.id] is Sight.SERVED]
        assert ask(table_of(free), question, who) == Found(found.hits, 0)


@settings(deadline=None)
@given(memories(states=[State.RESTRICTED]), questions)
def test_withheld_counts_what_would_match(notes: list[Memory], words: list[str]) -> None:
    """`withheld` is the number of memories that would match if all that is withheld were served, replaced or not."""
    question = " ".join(words)
    for who in VIEWERS:
        withheld = [note for note in notes if visible(note, who) is Sight.WITHHELD]
        open_ones = [memory(note.id, note.text) for note in withheld]
        assert ask(table_of(notes), question, who).withheld == len(ask(table_of(open_ones), question).hits)


@settings(max_examples=30, deadline=None)
@given(memories(), questions, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(notes: list[Memory], words: list[str], random: Random) -> None:
    """Twenty shuffled orders of insertion give one answer."""
    answers = []
    for _ in range(20):
        random.shuffle(notes)
        answers.append(ask(table_of(notes), " ".join(words)))
    assert all(answer == answers[0] for answer in answers)


def test_rarer_words_weigh_more() -> None:
    """A memory that shares the rarer word comes first."""
    notes = [memory("m_1", "coffee morning"), memory("m_2", "coffee evening"), memory("m_3", "tea morning")]
    assert ids(ask(table_of(notes), "coffee or tea")) == ["m_3", "m_1", "m_2"]


def test_ties_go_by_state_then_age_then_id() -> None:
    """Of equal scores the approved come first, then the oldest, a missing time last, then the id."""
    notes = [
        memory("m_5", "tea", state=State.UNCONFIRMED, created="2020-01-01"),
        memory("m_4", "tea"),
        memory("m_3", "tea", created="2024-01-02"),
        memory("m_2", "tea", created="2024-01-02"),
        memory("m_1", "tea", created="2024-01-02T01:00:00Z"),
        memory("m_0", "tea", created="2024-01-02T01:00:00+05:00"),
    ]
    assert ids(ask(table_of(notes), "tea")) == ["m_0", "m_2", "m_3", "m_1", "m_4", "m_5"]


def test_nothing_shared_is_no_match() -> None:
    """A memory matches by a word that is not a stop word, or not at all."""
    table = table_of([memory("m_1", "the owner drinks the tea")])
    assert ask(table, "what does the neighbour eat") == Found((), 0)
    assert ask(table, "") == Found((), 0)
    assert ask(table, "tea", limit=0) == Found((), 0)


def test_a_question_of_stop_words_keeps_them() -> None:
    """Stop words alone find a memory made of them, and nothing spelt like them."""
    table = table_of([memory("m_1", "To be or not to be"), memory("m_2", "Nothing bee")])
    assert ids(ask(table, "to be")) == ["m_1"]


def test_a_typo_finds_the_word() -> None:
    """One slip in a word, two in a long one, still find it, at less than its weight."""
    table = table_of([memory("m_1", "deploys to kubernetes"), memory("m_2", "likes coffee")])
    exact, typo = (ask(table, question).hits[0] for question in ("coffee", "cofee"))
    assert exact.note == typo.note
    assert typo.score < exact.score
    assert [(each.word, each.how) for each in typo.shared] == [("coffe", "spelling")]
    assert ids(ask(table, "kubernets")) == ids(ask(table, "kuberntees")) == ["m_1"]
    assert ids(ask(table, "xoffee")) == []


def test_the_plain_form_finds_the_marked_one_below_the_exact() -> None:
    """Munchen finds München, below a memory that spells it so."""
    table = table_of([memory("m_1", "Lives in München"), memory("m_2", "Munchen by train"), memory("m_3", "Bern")])
    found = ask(table, "Munchen")
    assert ids(found) == ["m_2", "m_1"]
    assert [hit.shared[0].how for hit in found.hits] == ["exact", "folded"]
    assert ids(ask(table, "München")) == ["m_1", "m_2"]


def test_likeness_only_adds_to_a_match() -> None:
    """A word that is alike lifts a memory that matches by another word, and brings in none by itself."""
    notes = [memory("m_1", "black coffee"), memory("m_2", "pancakery with coffee"), memory("m_3", "pancakery")]
    known = [*notes, memory("m_4", "pancake")]
    assert ids(ask(table_of(known), "coffee pancake")) == ["m_4", "m_2", "m_1"]
    assert ids(ask(table_of(notes), "coffee pancake")) == ["m_2", "m_1", "m_3"]


def test_unknown_is_judged_by_what_is_seen() -> None:
    """A word that only hidden memories hold is unknown, so its neighbours count."""
    table = table_of([memory("m_1", "cake"), memory("m_2", "cape", assistants=("codex",))])
    assert ids(ask(table, "cape")) == ["m_1"]
    assert ids(ask(table, "cape", viewer("codex"))) == ["m_2"]


def test_each_hit_explains_itself() -> None:
    """The shared words and their weights add up to the score, in the order of the asked words."""
    table = table_of([memory("m_1", "strong black coffee", tags=("morning",)), memory("m_2", "coffee")])
    hit = ask(table, "morning coffee, black").hits[0]
    assert [each.asked for each in hit.shared] == ["black", "coffe", "morn"]
    assert sum(each.weight for each in hit.shared) == pytest.approx(hit.score)


def test_kinds_are_apart() -> None:
    """A search is of one kind, and the words of another change nothing."""
    table = table_of([memory("m_1", "tea"), memory("m_2", "cake")])
    before = ask(table, "tea")
    for number in range(3):
        table.add([entry_for(Note(kind=Kind.DRAWER, id=f"d{number}", path="d.md", text="tea"), ENGLISH)])
    assert ask(table, "tea") == before
    found = search(table, ["tea"], ANYONE, limit=2, kind=Kind.DRAWER)
    assert ids(found) == ["d0", "d1"]


@pytest.mark.parametrize(
    ("language", "memory_text", "other", "question"),
    [
        ("en", "Prefers running in the mornings", "Cooks at night", "Does she like to run?"),
        ("de", "Trinkt morgens Kaffee in der Küche", "Die Katze heißt Mia", "Wo trinken Sie den Kaffee?"),
        ("zh", "我喜欢在早上喝咖啡", "我的猫很老", "你喜欢喝什么？"),
        ("ja", "毎朝コーヒーを飲みます", "猫の名前はタマです", "コーヒーは好きですか"),
        ("th", "ฉันชอบดื่มกาแฟ", "แมวแก่มาก", "กาแฟ"),
        ("ko", "아침마다 커피를 마신다", "고양이 이름은 나비", "커피는 언제 마시나요?"),
        ("ru", "По утрам пьёт кофе и читает книги", "Кота зовут Барсик", "Какую книгу он читал?"),
        ("tr", "İstanbul'da yaşıyor", "Kedisi var", "istanbul"),
        ("ar", "أحب القهوة في الصباح", "عندي قطة", "متى تشرب القهوة؟"),
        ("vi", "Tôi thích cà phê sữa đá", "Con mèo tên Mun", "cà phê"),
    ],
)
def test_every_script_is_found(language: str, memory_text: str, other: str, question: str) -> None:
    """A question in any script finds the memory that shares its words, first."""
    notes = [memory("m_1", other), memory("m_2", memory_text)]
    tokeniser = Tokeniser(language)
    table = table_of(notes, tokeniser)
    assert ids(ask(table, question, tokeniser=tokeniser))[0] == "m_2"


@pytest.mark.parametrize("question", ["user name", "getUserName", "get_user_name", "GET-USER-NAME", "get.user.name"])
def test_identifiers_meet_in_their_parts(question: str) -> None:
    """However a name is joined, it finds the other spellings."""
    notes = [memory("m_1", "Calls getUserName"), memory("m_2", "Uses C++ daily"), memory("m_3", "Uses C")]
    assert ids(ask(table_of(notes), question))[0] == "m_1"
    assert ids(ask(table_of(notes), "C++"))[0] == "m_2"
    assert ids(ask(table_of(notes), "c"))[0] == "m_3"
