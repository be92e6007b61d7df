"""The stop lists."""

from __future__ import annotations

from personakit.index.stopwords import is_function_word, stop_words


def test_english_is_left_out_everywhere() -> None:
    """English function words are left out whatever the language, since every vault has English in it."""
    assert {"the", "and", "what", "dont"} <= stop_words("en") & stop_words("de") & stop_words("xx")


def test_other_languages_are_left_out_where_they_are_spoken() -> None:
    """German function words are left out in a German vault, and are words in an English one."""
    assert {"die", "welche"} <= stop_words("de")
    assert not {"die", "welche"} & stop_words("en")


def test_words_with_a_meaning_are_not_on_the_list() -> None:
    """Words that name things are kept."""
    assert not {"id", "well", "it's", "java", "c", "never", "always"} & stop_words("en")


def test_function_words_are_those_of_any_language() -> None:
    """A function word of any language is known, and a bare letter is one."""
    assert all(map(is_function_word, ("the", "welche", "の", "的")))
    assert not is_function_word("coffee")
