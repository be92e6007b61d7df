"""What a reader does not see does not stay, and can be shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.characters import broken, clean, mend, reveal, unseen, without_joiners

ANY = st.text(st.characters(exclude_categories=()))


@given(ANY)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    """clean is idempotent."""
    assert clean(clean(text)) == clean(text)


@given(ANY)
def test_no_control_character_stays_but_line_end_and_tab(text: str) -> None:
    """Whatever comes in, `\\n` and `\\t` are the only control characters that leave."""
    assert {char for char in clean(text) if unicodedata.category(char) == "Cc"} <= {"\n", "\t"}


@pytest.mark.parametrize(
    "hidden",
    [*"\x00\x07\x1b\x7f\x9b\u202a\u202e\u2066\u2069\u200b\u2060\ufeff", "\U000e0001", "\U000e0041", "\U000e007f"],
)
def test_hidden_characters_are_taken_out(hidden: str) -> None:
    """Controls, bidi overrides and isolates, tags, zero-width space, word joiner and BOM go."""
    assert clean(f"a{hidden}b") == "ab"


@pytest.mark.parametrize(
    "text", ["می‌خواهم", "👩‍💻 codes", "❤️", "葛\U000e0100城", "क्‍ष", "a\tb\nc", "שלום\u200f", "naïve", "C#"]
)
def test_what_scripts_need_stays(text: str) -> None:
    """Joiners, variation selectors, direction marks, tabs and line ends are kept."""
    assert clean(text) == text


@pytest.mark.parametrize("blank", ["\x0b", "\x0c", "\x1c", "\x85"])
def test_a_control_character_that_is_a_blank_becomes_one(blank: str) -> None:
    """Two words never grow together."""
    assert clean(f"a{blank}b") == "a b"


def test_every_line_end_becomes_one_kind() -> None:
    """CR and CRLF are line ends, not characters to drop."""
    assert clean("a\r\nb\rc") == "a\nb\nc"


def test_joiners_can_be_looked_past() -> None:
    """A word with joiners in it reads as the word."""
    assert without_joiners("to\u200dk\ufe0fen\u200c") == "token"


def test_lone_surrogates_are_found_and_mended() -> None:
    """A text is broken when it has lone surrogates; mended, UTF-8 can hold it."""
    assert broken("a\ud800") and not broken("a😀")
    assert mend("a\ud800b\ud83d\ude00") == "a\ufffdb😀"


@given(ANY)
def test_a_mended_text_can_be_written(text: str) -> None:
    """mend leaves no lone surrogate, and changes no whole text."""
    mend(text).encode("utf-8")
    assert broken(text) or mend(text) == text


@pytest.mark.parametrize("text", ["", " \n", "\u200d", "\ufe0f \u3164", "\u2800", "\U000e0100", "\xad", "\u202e"])
def test_what_shows_nothing_is_unseen(text: str) -> None:
    """Blanks, fillers and hidden characters make no text."""
    assert unseen(text)


@pytest.mark.parametrize("text", [".", "a\u200d", "葛", "😀"])
def test_what_shows_something_is_seen(text: str) -> None:
    """One visible character is enough."""
    assert not unseen(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", r"a\u{202E}b"),
        ("\x1b[31mred", r"\u{1B}[31mred"),
        ("a\rb", r"a\u{D}b"),
        ("pass\u200dword", r"pass\u{200D}word"),
        ("a\ufe01\U000e0101", r"a\u{FE01}\u{E0101}"),
        ("😀\U000e0101\U000e0102", r"😀\u{E0101}\u{E0102}"),
        ("\ud800", r"\u{D800}"),
        (r"\u{202E}", r"\u{5C}u{202E}"),
        ("\U000e0041", r"\u{E0041}"),
    ],
)
def test_reveal_marks_what_hides(text: str, shown: str) -> None:
    """Hidden and control characters show as marks, and no text can pretend to be a mark."""
    assert reveal(text) == shown


@pytest.mark.parametrize("text", ["می‌خواهم", "👩‍💻", "❤️ 1️⃣", "a\tb\nc", r"C:\users", "葛\U000e0100城"])
def test_reveal_leaves_plain_text_alone(text: str) -> None:
    """What people write in their scripts is shown as it is."""
    assert reveal(text) == text


@given(ANY)
def test_what_is_revealed_can_be_printed(text: str) -> None:
    """No control character, override or surrogate reaches the terminal."""
    shown = reveal(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) == "Cc" and char not in "\n\t" for char in shown)
    assert not any(char in shown for char in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\ufeff")
