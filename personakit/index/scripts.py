"""What the tokeniser must know of scripts: which characters make words, which are written without blanks."""

from __future__ import annotations

import re
import unicodedata

# Combining marks belong to the word they stand in, but Python's `\w` leaves them out. Gaps between two ranges are
# closed where only letters, digits and unassigned characters lie in them. Variation selectors are not marks here.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963"
    "\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d"
    "\u0d57-\u0d63\u0d81-\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u135d-\u135f"
    "\u1712-\u1734\u1752-\u1773\u1885-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\ua66f-\ua672"
    "\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953"
    "\ua980-\ua9c0\uaa29-\uaa4d\uaab0-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f"
)

_HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Korean puts blanks between phrases, not words: particles cling to the noun, so it is cut like its neighbours.
_HANGUL = "\uac00-\ud7a3"
_KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001b000-\U0001b16f"
_THAI_LAO = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"
_MYANMAR_KHMER = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
_LETTERS_WITHOUT_BLANKS = _KANA + _THAI_LAO + _MYANMAR_KHMER

UNSEGMENTED = _HAN + _HANGUL + _LETTERS_WITHOUT_BLANKS

_is_unsegmented = re.compile(f"[{UNSEGMENTED}]").match
_is_bare_letter = re.compile(f"[{_LETTERS_WITHOUT_BLANKS}]").fullmatch
# In Indic and other scripts a mark is a vowel, not an accent: only these are folded away.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+")
# Letters with a stroke and joined letters have no decomposition in Unicode.
_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d"})

_SCRIPTS = (
    ("a", "\u024f", "latin"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "cyrillic"),
    ("\u0531", "\u0587", "armenian"),
    ("\u0590", "\u05ff", "hebrew"),
    ("\u0600", "\u077f", "arabic"),
    ("\u0900", "\u097f", "devanagari"),
    ("\u0b80", "\u0bff", "tamil"),
    ("\u1e00", "\u1eff", "latin"),
    ("\u1f00", "\u1fff", "greek"),
)


def is_unsegmented(word: str) -> bool:
    """Whether a word begins in a script that is cut into characters and pairs."""
    return not word.isascii() and _is_unsegmented(word) is not None


def is_bare_letter(word: str) -> bool:
    """Whether it is one letter of a script that spells words without blanks, and so means nothing alone."""
    return _is_bare_letter(word) is not None


def script_of(word: str) -> str:
    """Give the script of a casefolded word by its first letter; "" when no stemmer is made for it."""
    first = word[:1]
    for low, high, name in _SCRIPTS:
        if low <= first <= high:
            return name
    return ""


def fold(word: str) -> str:
    """Give the form without diacritics of a casefolded word; a word without any is its own form."""
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(_PLAIN)
