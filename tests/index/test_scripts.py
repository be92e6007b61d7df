"""Which characters make words, and the form without diacritics."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from personakit.index.scripts import MARKS, UNSEGMENTED, fold, is_bare_letter, is_unsegmented, script_of


def test_every_mark_belongs_to_a_word() -> None:
    """Every combining mark of the basic plane, but a variation selector, is a word character or of a script cut up."""
    known = re.compile(rf"[\w{MARKS}{UNSEGMENTED}]")
    marks = (chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
    selectors = {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
    # What this Unicode version knows; a later one may add marks that no one has typed yet.
    missed = [f"{ord(mark):04x}" for mark in marks if not known.match(mark) and ord(mark) not in selectors]
    assert missed == [] or sys.version_info >= (3, 12)


def test_no_punctuation_belongs_to_a_word() -> None:
    """Neither marks nor scripts cut up take in punctuation or blanks."""
    known = re.compile(f"[{MARKS}{UNSEGMENTED}]")
    wrong = [chr(code) for code in range(0x300, 0x10000) if known.match(chr(code)) and chr(code).isspace()]
    wrong += [mark for mark in "।॥、。「」『』・〜？！，．๏๚๛၊။។៕" if known.match(mark)]
    assert wrong == []


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("münchen", "munchen"),
        ("łódź", "lodz"),
        ("ısparta", "isparta"),
        ("smørrebrød", "smorrebrod"),
        ("cœur", "coeur"),
        ("cà", "ca"),
        ("ёлка", "елка"),
        ("كِتَاب", "كتاب"),
        ("coffee", "coffee"),
        ("हिन्दी", "हिन्दी"),
        ("が", "が"),
    ],
)
def test_fold_takes_accents_and_nothing_else(word: str, plain: str) -> None:
    """Accents and strokes go; vowel signs and voicing marks, which make another word, stay."""
    assert fold(word) == plain


def test_fold_is_its_own_form() -> None:
    """Folding twice changes nothing more."""
    for word in ("münchen", "œuvre", "phở", "đường"):
        assert fold(fold(word)) == fold(word)


def test_scripts_are_known_by_the_first_letter() -> None:
    """A word's script is that of its first letter; digits and Chinese have no stemmer."""
    assert [script_of(word) for word in ("word", "слово", "كلمة", "λέξη", "शब्द", "字", "1", "")] == [
        *("latin", "cyrillic", "arabic", "greek", "devanagari", "", "", "")
    ]


def test_unsegmented_scripts() -> None:
    """Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are cut up; other scripts are not."""
    assert all(map(is_unsegmented, ("字", "かな", "カナ", "글", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ")))
    assert not any(map(is_unsegmented, ("word", "слово", "शब्द", "é", "")))


def test_bare_letters_mean_nothing() -> None:
    """One kana or Thai letter is a bare letter; a Chinese character, a pair and a Latin letter are none."""
    assert all(map(is_bare_letter, "のกー"))
    assert not any(map(is_bare_letter, ("字", "です", "c", "")))
