"""The distinct words of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.index.vocabulary import Vocabulary, has_neighbours
from tests.index.notes import WORDS


def test_words_are_counted() -> None:
    """A word is known while a note holds it."""
    vocabulary = Vocabulary()
    vocabulary.add([("tea", "cake")])
    vocabulary.add([("tea",)])
    assert (vocabulary.count("tea"), vocabulary.count("cake"), vocabulary.count("jam")) == (2, 1, 0)
    vocabulary.remove(["tea", "cake"])
    assert "tea" in vocabulary
    assert sorted(vocabulary) == ["tea"]
    assert len(vocabulary) == 1
    with pytest.raises(KeyError):
        vocabulary.remove(["cake"])


def test_notes_share_one_copy_of_a_word() -> None:
    """Equal words of two notes are one object."""
    vocabulary = Vocabulary()
    first, second = (vocabulary.add([("".join(["caf", "é"]),)])[0] for _ in range(2))
    assert first[0] is second[0]


def test_variants_differ_in_diacritics_only() -> None:
    """The plain and the marked spellings of a word find each other, and not themselves."""
    vocabulary = Vocabulary()
    vocabulary.add([("münchen", "munchen"), ("mûnchen", "manchen")])
    assert vocabulary.variants("munchen") == ["mûnchen", "münchen"]
    assert vocabulary.variants("münchen") == ["munchen", "mûnchen"]
    vocabulary.remove(["munchen", "mûnchen"])
    assert vocabulary.variants("munchen") == ["münchen"]
    vocabulary.remove(["münchen"])
    assert vocabulary.variants("munchen") == []


@pytest.mark.parametrize("word", ["2019", "snake_case", "x.yaml", "c++", "咖啡", "utf8"])
def test_numbers_and_names_are_never_nearly_right(word: str) -> None:
    """What has a digit or a sign, or is a pair of characters, has no neighbours and is nobody's."""
    vocabulary = Vocabulary()
    vocabulary.add([("2018", "snake_cash", "y.yaml", "c++x", "咖喱", "utf9", "utfs")])
    assert not has_neighbours(word)
    assert vocabulary.neighbours(word) == vocabulary.similar(word) == []


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(WORDS)), max_size=30), st.sampled_from(WORDS))
def test_a_changed_vocabulary_equals_a_new_one(changes: list[tuple[bool, str]], asked: str) -> None:
    """After any additions and removals, with questions in between, it answers like one made of what is left."""
    changed, left = Vocabulary(), list[str]()
    for adding, word in changes:
        if adding:
            changed.add([(word,)])
            left.append(word)
        elif word in left:
            changed.remove([word])
            left.remove(word)
        changed.neighbours(asked)
        changed.similar(asked)
    new = Vocabulary()
    new.add([(word,) for word in left])
    for ask in (Vocabulary.variants, Vocabulary.neighbours, Vocabulary.similar):
        assert ask(changed, asked) == ask(new, asked)


def test_answers_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions do not pile up in memory."""
    monkeypatch.setattr("personakit.index.vocabulary._MEMO_SIZE", 2)
    vocabulary = Vocabulary()
    vocabulary.add([("pancake",)])
    assert [vocabulary.similar(word) for word in ("pancakes", "pancaked", "pancaker", "pancakes")]
    assert len(vocabulary._similar) <= 2


def test_a_grown_vocabulary_makes_more_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are laid out anew when far more words have come than were expected."""
    vocabulary = Vocabulary()
    vocabulary.add([("pancake",)])
    assert vocabulary.similar("pancakes") == [("pancake", 10 / 11)]
    old = vocabulary._grams
    assert old is not None
    old.size = 5_000
    vocabulary.add([("pancakery",)])
    assert [word for word, _ in vocabulary.similar("pancakes")] == ["pancake", "pancakery"]
    assert vocabulary._grams is not old
