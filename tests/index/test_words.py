"""The one tokeniser."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.index.words import Tokeniser


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("kebab-case", ["kebabcas", "kebab", "case"]),
        ("x.y.z", ["x.y.z", "x", "y", "z"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("utf8Decoder", ["utf8decoder", "utf8", "decod"]),
        ("URLs and IDs", ["url", "id"]),
        ("3D B2B H2O", ["3d", "b2b", "h2o"]),
        ("__init__ _emphasis_", ["init", "emphasi"]),
        ("personakit.yaml", ["personakit.yaml", "personakit", "yaml"]),
        ("ÜberKlasse", ["überklass", "über", "klass"]),
    ],
)
def test_identifiers_give_the_whole_and_the_parts(text: str, words: list[str]) -> None:
    """A name made of names gives itself and each of them."""
    assert Tokeniser().words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C++, C# or F#", ["c++", "c#", "f#"]),
        (".NET and ASP.NET", [".net", "net", "asp.net", "asp", "net"]),
        ("notepad++", ["notepad++", "notepad"]),
        ("issue#5 ends.", ["issu", "5", "end"]),
        ("wait...what .x", ["wait", ".x", "x"]),
        ("C code", ["c", "code"]),
        ("1+2 .5", ["1", "2", "5"]),
    ],
)
def test_signs_that_make_a_name_are_kept(text: str, words: list[str]) -> None:
    """C++, C# and .NET keep their signs; other signs are none of the word."""
    assert Tokeniser().words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the owner's editor", ["owner", "editor"]),
        ("the owner\u2019s editor", ["owner", "editor"]),
        ("OWNER'S", ["owner"]),
        ("the owners' editors", ["owner", "editor"]),
        ("I'll say we're O'Brien", ["say", "obrien", "o", "brien"]),
        ("l'espresso d\u2019Alba", ["espresso", "alba"]),
    ],
)
def test_apostrophes(text: str, words: list[str]) -> None:
    """Both apostrophes are equal; possessives, contractions and elided articles go."""
    assert Tokeniser().words(text) == words


def test_negations_are_one_word() -> None:
    """don't is the word dont."""
    assert Tokeniser().plain("don't DON\u2019T") == ["dont", "dont"]


def test_stop_words_are_dropped_unless_nothing_else_is_left() -> None:
    """Stop words go, but a text of nothing else keeps them all, unstemmed."""
    tokeniser = Tokeniser()
    assert tokeniser.words("what is the coffee") == ["coffe"]
    assert tokeniser.words("What was this?") == ["what", "was", "this"]
    assert tokeniser.words("の") == ["の"]
    assert tokeniser.words("?! --- __") == []


def test_repeats_and_order_are_kept() -> None:
    """Words come in the text's order, each as often as it stands there."""
    assert Tokeniser().words("tea cake tea") == ["tea", "cake", "tea"]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Running runners", ["run", "runner"]),
        ("en", "Straße STRASSE", ["strass", "strass"]),
        ("de", "Häuser und die Häusern", ["haus", "haus"]),
        ("zh", "我喜欢咖啡", ["喜", "欢", "咖", "啡", "我喜", "喜欢", "欢咖", "咖啡"]),
        ("en", "用Python写", ["用", "python", "写"]),
        ("ja", "珈琲が好き", ["珈", "琲", "好", "珈琲", "琲が", "が好", "好き"]),
        ("ja", "ｺｰﾋｰ", ["コー", "ーヒ", "ヒー"]),
        ("ko", "커피를", ["커", "피", "커피", "피를"]),
        ("th", "กาแฟ", ["กา", "าแ", "แฟ"]),
        ("ru", "книгами", ["книг"]),
        ("en", "книгами", ["книг"]),
        ("uk", "книгами running", ["книгами", "running"]),
        ("tr", "İSTANBUL istanbul İstanbul'da", ["istanbul", "istanbul", "istanbul"]),
        ("ar", "الكتاب", ["كتاب"]),
        ("vi", "cà phê sữa", ["cà", "phê", "sữa"]),
        ("hi", "किताब।", ["किताब"]),
        ("en-GB", "Colours", ["colour"]),
        ("EN", "Colours", ["colour"]),
    ],
)
def test_languages(language: str, text: str, words: list[str]) -> None:
    """Each script is cut as it is written, and stemmed in the vault's language or its own."""
    found = Tokeniser(language).words(text)
    assert found == words if language != "tr" else found[:2] == words[:2]


def test_composed_and_decomposed_are_equal() -> None:
    """The two Unicode spellings of one text give the same words, also with an unknown language."""
    for text in ("Müller trinkt Café", "phở Hà Nội", "Ёлка", "が好き"):
        for language in ("en", "xx"):
            tokeniser = Tokeniser(language)
            composed, apart = (tokeniser.words(unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
            assert composed == apart


def test_invisible_characters_change_nothing() -> None:
    """Soft hyphens, joiners and byte order marks inside a word are not there."""
    assert Tokeniser().words("Kaffee\u00adtasse \ufeffcof\u2060fee") == Tokeniser().words("Kaffeetasse coffee")


def test_typographic_hyphens_are_hyphens() -> None:
    """Unicode's own hyphens join like the typed one."""
    assert Tokeniser().words("e\u2010mail") == Tokeniser().words("e\u2011mail") == Tokeniser().words("e-mail")


def test_plain_words_have_no_stems() -> None:
    """The plain words are casefolded and whole, with stop words."""
    assert Tokeniser().plain("The Runners of München") == ["the", "runners", "of", "münchen"]


def test_signature_names_language_and_rules() -> None:
    """Equal tokenisers have equal signatures, other languages others."""
    assert Tokeniser("en").signature == Tokeniser("en-US").signature != Tokeniser("de").signature


def test_a_start_without_words_loads_no_stemmer() -> None:
    """Making a tokeniser and asking its signature does not import the stemmers."""
    code = "import sys; from personakit.index.words import Tokeniser as T; T().signature; "
    code += "assert 'snowballstemmer' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_language_the_stemmers_lack_is_not_stemmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a release of the stemmers that does not know a language its words stay as they are."""
    monkeypatch.setattr("snowballstemmer.algorithms", list)
    assert Tokeniser("sv").words("flickorna") == ["flickorna"]


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's words do not pile up in memory, and the answer stays the same."""
    monkeypatch.setattr("personakit.index.words._MEMO_SIZE", 3)
    tokeniser = Tokeniser()
    text = "some words that are more than three words"
    assert tokeniser.words(text) == tokeniser.words(text) == Tokeniser().words(text)
    assert len(tokeniser._memo) <= 3


def test_what_was_remembered_can_be_dropped() -> None:
    """Forgetting empties the memo and changes no answer."""
    tokeniser = Tokeniser()
    words = tokeniser.words("some running words")
    tokeniser.forget()
    assert not tokeniser._memo
    assert tokeniser.words("some running words") == words


@given(st.text(max_size=60))
def test_any_text_has_words_without_blanks(text: str) -> None:
    """Whatever is typed, words are non-empty, hold no blank, and asking again gives the same."""
    tokeniser = Tokeniser()
    words = tokeniser.words(text)
    assert all(word and not any(map(str.isspace, word)) for word in words)
    assert tokeniser.words(text) == words == Tokeniser().words(text)


@given(
    st.lists(
        st.sampled_from(
            ["getUserName", "C++", ".NET", "don't", "e-mail", "the", "Café", "我喜欢", "x.y", "snake_case"]
        ),
        max_size=6,
    )
)
def test_words_do_not_depend_on_their_neighbours(parts: list[str]) -> None:
    """A text's plain words are those of its parts, one after the other."""
    tokeniser = Tokeniser()
    assert tokeniser.plain(" ".join(parts)) == [word for part in parts for word in tokeniser.plain(part)]


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=40))
def test_ascii_and_other_texts_follow_the_same_rules(text: str) -> None:
    """A text gives the same words when a character elsewhere in it is not ASCII."""
    tokeniser = Tokeniser("xx")
    assert tokeniser.plain(f"{text} é") == [*tokeniser.plain(text), "é"]
