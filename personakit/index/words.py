"""Text to words: the one tokeniser, for what is stored and for what is asked.

Source: docs/ARCHITECTURE.md, "Words". Nothing here knows a note, so that a cache may keep the words of a text for as
long as `Tokeniser.signature` stays the same.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from personakit.index.scripts import MARKS, UNSEGMENTED, is_bare_letter, is_unsegmented, script_of
from personakit.index.stopwords import stop_words
from personakit.model.memory import without_mark_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Raise it when the words of a text change: stored words are then made anew.
_VERSION = "1"

# A memo of this many spellings holds the words of 100,000 memories; a stranger's question cannot make it grow.
_MEMO_SIZE = 100_000
_MEMO_LENGTH = 40

_APOSTROPHES = "'\u2018\u2019\u02bc"
_TAIL = r"(?:\+\+|#)?"  # C++, C#
_DOT = r"(?:\.(?<![\w.]\.))?"  # .NET, but no dot that ends or continues something
_LETTERS = rf"[^\W{UNSEGMENTED}]+(?:[{MARKS}]+[^\W{UNSEGMENTED}]*)*"

# Questions and memories are mostly ASCII: its pattern needs no classes and runs four times as fast.
_ascii_tokens = re.compile(rf"{_DOT}\w+(?:['.\-]\w+)*{_TAIL}", re.ASCII).findall
_TOKENS = rf"[{UNSEGMENTED}]+|{_DOT}{_LETTERS}(?:[{_APOSTROPHES}.\-\u2010\u2011]{_LETTERS})*{_TAIL}"
# Soft hyphens and joiners are invisible and typed by chance.
_invisible = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]")
_contraction = re.compile(r"'(?:s|d|m|ll|re|ve)(?!\w)", re.IGNORECASE)
_elision = re.compile(r"(?<!\w)(?:[cdjlmnst]|qu|[dn]ell)'(?=\w\w)", re.IGNORECASE)
_LITERAL = rf"[{UNSEGMENTED}]+|{_LETTERS}"
_ascii_literals = re.compile(r"[A-Za-z0-9]+").findall
_not_letters = re.compile(r"[\d_.+#]").search
_joints = re.compile(r"[.\-\u2010\u2011]")
_hyphens = re.compile(r"[\-\u2010\u2011]")

# Language code -> Snowball's name for it and the script it is written in.
_LANGUAGES = {
    "ar": ("arabic", "arabic"),
    "ca": ("catalan", "latin"),
    "cs": ("czech", "latin"),
    "da": ("danish", "latin"),
    "de": ("german", "latin"),
    "el": ("greek", "greek"),
    "en": ("english", "latin"),
    "eo": ("esperanto", "latin"),
    "es": ("spanish", "latin"),
    "et": ("estonian", "latin"),
    "eu": ("basque", "latin"),
    "fa": ("persian", "arabic"),
    "fi": ("finnish", "latin"),
    "fr": ("french", "latin"),
    "ga": ("irish", "latin"),
    "hi": ("hindi", "devanagari"),
    "hu": ("hungarian", "latin"),
    "hy": ("armenian", "armenian"),
    "id": ("indonesian", "latin"),
    "it": ("italian", "latin"),
    "lt": ("lithuanian", "latin"),
    "nb": ("norwegian", "latin"),
    "ne": ("nepali", "devanagari"),
    "nl": ("dutch", "latin"),
    "nn": ("norwegian", "latin"),
    "no": ("norwegian", "latin"),
    "pl": ("polish", "latin"),
    "pt": ("portuguese", "latin"),
    "ro": ("romanian", "latin"),
    "ru": ("russian", "cyrillic"),
    "sr": ("serbian", "cyrillic"),
    "sv": ("swedish", "latin"),
    "ta": ("tamil", "tamil"),
    "tr": ("turkish", "latin"),
    "yi": ("yiddish", "hebrew"),
}
# A text in another script than the language's is still stemmed: one vault may hold English and Russian.
_BY_SCRIPT = {
    "arabic": "arabic",
    "armenian": "armenian",
    "cyrillic": "russian",
    "devanagari": "hindi",
    "greek": "greek",
    "latin": "english",
    "tamil": "tamil",
}


def literals(text: str, *, asked: bool = False) -> list[str]:
    """Give the words of a text as they are spelt, folded: cut at all that is no letter or digit, and nothing left out.

    Of a run in a script without blanks each character and each pair of characters is a word; of one that is `asked`
    the pairs alone, so that what is found holds them in this order.
    """
    if text.isascii():
        return [word.lower() for word in _ascii_literals(text)]
    found: list[str] = []
    plain = _invisible.sub("", unicodedata.normalize("NFKC", without_mark_runs(text)))
    for raw in _compiled(_LITERAL).findall(plain):
        if is_unsegmented(raw):
            found += raw if len(raw) == 1 or not asked else ()
            found += map(str.__add__, raw, raw[1:])
        else:
            found += (_casefold(part) for part in raw.split("_") if part)
    return found


class _Memo(dict[str, tuple[str, ...]]):
    """Spelling -> its words, made when first asked for; a subclass so that the loop over a text runs in C."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, raw: str) -> tuple[str, ...]:
        made = self._make(raw)
        if len(raw) <= _MEMO_LENGTH and not is_unsegmented(raw):
            if len(self) >= _MEMO_SIZE:
                self.clear()
            self[raw] = made
        return made


class Tokeniser:
    """Makes words of text, for one language.

    Attributes:
        language: the two-letter code it was made with, without region; an unknown one means no stemming.
    """

    __slots__ = ("_memo", "_stem_with", "_stemmers", "_stops", "language")

    def __init__(self, language: str = "en") -> None:
        self.language = re.split(r"[-_]", language.strip().casefold())[0]
        self._stops = stop_words(self.language)
        self._stem_with = _stemmer_names(self.language)
        self._stemmers: dict[str, Callable[[str], str]] = {}
        self._memo = _Memo(self._words_of)

    @property
    def signature(self) -> str:
        """What names the rules these words come from: equal signatures, equal words."""
        rules = f"{_VERSION} {self.language} {unicodedata.unidata_version}"
        return hashlib.sha256(rules.encode()).hexdigest()[:12]

    def words(self, text: str) -> list[str]:
        """Give the words of a text in its order, with repeats; stop words only when there is nothing else."""
        tokens = _split(text)
        found = list(chain.from_iterable(map(self._memo.__getitem__, tokens)))
        if found or not tokens:
            return found
        return [word for raw in tokens for word in _forms(raw)]

    def forget(self) -> None:
        """Drop what was remembered of spellings; they are made again when asked for."""
        self._memo.clear()

    def plain(self, text: str) -> list[str]:
        """Give every word of a text as it is spelt, casefolded: no stems, no stop list."""
        return [word for raw in _split(text) for word in _forms(raw)]

    def _words_of(self, raw: str) -> tuple[str, ...]:
        if raw.isascii() and raw.isalpha() and (raw.islower() or raw[1:].islower()):
            # Most spellings are this plain: one form, no joints.
            word = raw.lower()
            return () if word in self._stops or is_bare_letter(word) else (self._stem(word),)
        kept = (word for word in _forms(raw) if word not in self._stops and not is_bare_letter(word))
        return tuple(map(self._stem, kept))

    def _stem(self, word: str) -> str:
        name = self._stem_with.get(script_of(word))
        if name is None or _not_letters(word):
            return word
        stem = self._stemmers.get(name)
        if stem is None:
            stem = self._stemmers[name] = _stemmer(name)
        return stem(word) or word


def _split(text: str) -> list[str]:
    if text.isascii():
        return _ascii_tokens(text)
    return _compiled(_TOKENS).findall(_invisible.sub("", unicodedata.normalize("NFKC", without_mark_runs(text))))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text first needs it: its classes are the dearest part of loading this module."""
    return re.compile(pattern)


def _forms(raw: str) -> Iterator[str]:
    """Give the casefolded words of one token: the whole and, where it has joints, its parts."""
    if is_unsegmented(raw):
        yield from raw
        yield from map(str.__add__, raw, raw[1:])
    else:
        yield from _joined(_without_apostrophes(raw))


def _joined(raw: str) -> Iterator[str]:
    body = raw.lstrip(".")
    bare = body.rstrip("+#").strip("_")
    if not bare:
        return
    named = _named(raw, bare)
    if named:
        yield named
        if len(bare) <= 2 and raw[0] != ".":  # C is not a part of C++
            return
    parts = [part for piece in _joints.split(bare) for name in piece.split("_") for part in _humps(name)]
    if len(parts) > 1:
        yield _casefold(_hyphens.sub("", bare))
    for part in parts:
        yield _casefold(part)


def _named(raw: str, bare: str) -> str:
    """Give the whole of a name that lives by its sign: `c++`, `c#`, `.net`; else ""."""
    if raw.endswith("++") or (raw.endswith("#") and len(bare) <= 2 and bare.isalpha()):
        return _casefold(bare + raw[len(raw.rstrip("+#")) :])
    if raw[0] == "." and bare[0].isalpha() and bare.isalnum():
        return _casefold("." + bare)
    return ""


def _without_apostrophes(raw: str) -> str:
    for mark in _APOSTROPHES[1:]:
        raw = raw.replace(mark, "'")
    if "'" not in raw:
        return raw
    return _elision.sub("", _contraction.sub("", raw)).replace("'", "")


def _humps(name: str) -> Iterator[str]:
    """Give the parts of `getUserName`; plurals of capitals such as `URLs` are one word."""
    if name[1:].islower() or name.isupper() or not name.isalnum() or name[:-1].isupper():
        yield from filter(None, (name,))
        return
    start = 0
    for at in range(1, len(name)):
        before, here, after = name[at - 1], name[at], name[at + 1 : at + 2]
        if here.isupper() and (before.islower() or after.islower()):
            yield name[start:at]
            start = at
    yield name[start:]


def _casefold(word: str) -> str:
    folded = word.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKC", folded).replace("i\u0307", "i")
    return folded


def _stemmer_names(language: str) -> dict[str, str]:
    if language not in _LANGUAGES:
        return {}
    name, script = _LANGUAGES[language]
    return {**_BY_SCRIPT, script: name}


def _stemmer(name: str) -> Callable[[str], str]:
    import snowballstemmer  # noqa: PLC0415 - a start from the cache stems nothing and should not load it

    if name not in snowballstemmer.algorithms():
        return str
    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return stem
