"""No quote leaves with an address in it, or longer than 240 characters."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.privacy import MASK, mask_emails, quote_to_serve, shorten

ADDRESSES = (
    "ana@example.com",
    "ana+tag@mail.example.co.uk",
    "A.B-C_d@sub.example.museum",
    "jörg@bücher.example",
    "ana@xn--bcher-kva.example",
    "用户@例子.公司",
    '"ana smith"@example.com',
    '"ana@home"@example.com',
    "o'brien@example.com",
    "bounce+a=b.com@x.example",
    "ana＠example.com",
    "ana@example．com",
    "ana@[192.168.0.1]",
    "ana@[IPv6:2001:db8::1]",
    "ana@192.168.0.1",
    "ana [at] example [dot] com",
    "ana(at)example(dot)com",
    "ana (at) example.com",
    "ana [dot] smith [at] example [dot] com",
    "ana at example dot com",
    "ana@ example.com",
    "ana @ example.com",
    "ana @example.com",
    "ana\u200b@example.com",
    "ana%40example.com",
    "ana&#64;example.com",
)
PIECES = st.sampled_from(
    [
        "a",
        "b.cc",
        "@",
        "＠",
        ".",
        " ",
        "-",
        '"',
        "%40",
        "[at]",
        " at ",
        " dot ",
        "[dot]",
        "?a=",
        "漢",
        "1",
        "'",
        "com",
        "\\",
    ]
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_masked_whole(address: str) -> None:
    """Nothing of it is left, and nothing around it goes."""
    assert mask_emails(address) == MASK
    assert mask_emails(f"Write to <{address}>, please.") == f"Write to <{MASK}>, please."


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Mail ana@example.com.", f"Mail {MASK}."),
        ("ana@example.com?", f"{MASK}?"),
        ("mailto:ana@example.com?subject=hi&cc=bob@example.org now", f"mailto:{MASK} now"),
        ("(ana@example.com,bob@example.com)", f"({MASK},{MASK})"),
        ("我的邮箱是ana@example.com请回复", f"我的邮箱是{MASK}请回复"),
        ("@ana@mastodon.example", f"@{MASK}"),
        ("@x.yy?a=bob@example.org", f"@x.yy?{MASK}"),
    ],
)
def test_what_stands_around_an_address(text: str, masked: str) -> None:
    """A sentence's end stays outside; a query belongs to the address; each of several goes."""
    assert mask_emails(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "react@18.2.0",
        "@types/node@20.1.0",
        "ask @ana.smith today",
        "meet @ 5.30pm",
        "user@localhost",
        "5 @ 3.20 each",
        "look at this dot",
        "a @ b",
        "",
    ],
)
def test_what_is_no_address_stays(text: str) -> None:
    """Versions, names and prices are not masked."""
    assert mask_emails(text) == text


def test_of_a_part_too_long_for_an_address_the_address_still_goes() -> None:
    """A part before the sign of any length does not protect what follows it."""
    assert mask_emails("a" * 5_000 + "@example.com").endswith("a" + MASK)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_masked_text_holds_no_address(text: str) -> None:
    """A second look finds nothing: masking made no new address and left none."""
    assert mask_emails(mask_emails(text)) == mask_emails(text)


@pytest.mark.parametrize(
    "piece", ["a@", "a.", "@", "x@y.", "x@yy.", '"', '"a', "a'", "a [dot] ", " @", "%40", "a at b dot "]
)
@pytest.mark.parametrize("lead", ["", "a" * 300, "x@y.zz"])
def test_masking_is_linear(piece: str, lead: str) -> None:
    """50,000 hostile characters take milliseconds (the limit leaves room for a busy machine and a tracer)."""
    assert best_of_five((lead + piece * 50_000)[:50_000]) < 0.2


def best_of_five(text: str) -> float:
    """Give the shortest of five times, in seconds."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        mask_emails(text)
        times.append(time.perf_counter() - start)
    return min(times)


@given(st.text(), st.integers(min_value=0, max_value=300))
def test_a_shortened_text_fits(text: str, limit: int) -> None:
    """The ellipsis counts, and what fits is not touched."""
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text if len(text) <= limit else limit == 0 or short.endswith("…")


@given(st.text(), st.integers(min_value=1, max_value=300))
def test_a_shortened_text_is_the_beginning(text: str, limit: int) -> None:
    """Nothing is put in but the ellipsis."""
    assert len(text) <= limit or text.startswith(shorten(text, limit)[:-1])


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three", 9, "one two…"),
        ("one two three", 8, "one two…"),
        ("onetwothree", 5, "onet…"),
        ("a bcdefghijkl", 9, "a bcdefg…"),
        ("abcde\u0301f", 6, "abcd…"),
        ("one", 3, "one"),
        ("one", 1, "…"),
    ],
)
def test_where_a_text_is_cut(text: str, limit: int, short: str) -> None:
    """At a word; else hard, never between a letter and its marks."""
    assert shorten(text, limit) == short


def test_an_address_at_the_cut_is_masked_first() -> None:
    """Half an address is not served: masking comes before shortening."""
    served = quote_to_serve("x " * 117 + "ana.smith@example.com and more words to cut")
    assert "ana" not in served
    assert len(served) <= 240
