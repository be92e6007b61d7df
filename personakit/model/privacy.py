"""What a quote loses before it leaves: e-mail addresses, then its length."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

MASK = "[e-mail]"
QUOTE_LIMIT = 240
ELLIPSIS = "…"

# Scripts that are written without blanks: an address in Latin letters may follow their words directly.
_DENSE = r"\u0E00-\u0E7F\u3005-\u3007\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\U00020000-\U0003FFFF"
_BLANK = r"[ \t\xA0\u3000\u200B-\u200D\u2060\uFEFF]"
_LABEL = r"[^\W_][\w-]{0,62}+"
_DOT = rf"(?:[.．]|{_BLANK}{{0,2}}+[\[({{]{_BLANK}?(?:[dD]ot|DOT|[pP]unkt|punto){_BLANK}?[\])}}]{_BLANK}{{0,2}}+)"
_TOP = r"(?:xn--[a-zA-Z0-9-]{2,59}+|[A-Za-z]{2,24}+|[^\W\d_]{2,24}+)"
_DOMAIN = (
    rf"(?:{_LABEL}{_DOT}(?:{_LABEL}{_DOT}){{0,9}}{_TOP}"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|\[(?:IPv6:)?[0-9A-Fa-f:.]{2,45}\])"
)
# The sign and all that follows it. Most texts hold no sign, and most signs no domain, so this is looked for first.
_SIGN = (
    rf"(?P<plain>[@＠﹫](?=[\w\[]|(?P<gap>{_BLANK}))(?:{_BLANK}{{1,2}}+)?|%40|&#0{{0,4}}64;|&#[xX]0{{0,4}}40;|&commat;)(?P<domain>{_DOMAIN})"
    rf"|[\[({{<]{_BLANK}?(?:at|AT|At){_BLANK}?[\])}}>]{_BLANK}{{0,2}}+{_DOMAIN}"
    rf"|{_BLANK}at{_BLANK}{_LABEL}(?:{_BLANK}dot{_BLANK}{_LABEL}){{1,5}}"
)
_QUERY = re.compile(r"\?[\w%-]{1,40}=[^\s<>\"'()\[\]]{0,2000}+")
# "ask @ana.smith" is a name, "ana @example.com" an address: only the domain's ending tells.
_COMMON_TOP = re.compile(r"\.(?:com|org|net|edu|gov|io|dev|eu|de|at|ch|fr|es|it|nl|pl|uk|se|jp|cn|ru|br|in|us|ca|au)$")
# The part before the sign, read backwards: it ends where the sign begins, and begins anywhere.
_BEFORE = (
    rf"({_BLANK}{{0,2}}+)"
    rf"(?:(?:[.+-]|[^\W{_DENSE}]){{1,256}}+"
    rf"(?:(?:%|['!#$&*^=|~]|{_BLANK}{{0,2}}+[\])}}](?:tod|tknup)[\[({{]{_BLANK}{{0,2}}+)"
    rf"(?:[.+-]|[^\W{_DENSE}]){{1,64}}+){{0,3}}+"
    rf"|[{_DENSE}]{{1,64}}+"
    r'|"(?:"\\|[^"\n]){1,64}+")'
)


def mask_emails(text: str) -> str:
    """Put `[e-mail]` in the place of each e-mail address, and of the query of a `mailto:` link.

    Rather too much is masked than too little (`git@host.example` goes as well). Linear in the text.
    Source: docs/FORMAT.md, "Quotes".
    """
    if not _may_hold_one(text):
        return text
    backwards, length = "", len(text)
    kept: list[str] = []
    at = 0
    for sign in _compiled(_SIGN).finditer(text):
        start, end = sign.span()
        if start < at:  # within a query that is masked already
            at = max(at, end)
            continue
        backwards = backwards or text[::-1]
        before = _compiled(_BEFORE).match(backwards, length - start)
        if before is None or (before[1] and not _is_address(sign)):
            continue
        kept.append(text[at : max(at, length - before.end())])
        kept.append(MASK)
        query = _QUERY.match(text, end) if text.startswith("?", end) else None
        at = query.end() if query else end
    kept.append(text[at:])
    return "".join(kept)


def _may_hold_one(text: str) -> bool:
    """Say whether a text holds anything that can be the sign of an address; most quotes do not."""
    if any(sign in text for sign in ("@", "＠", "﹫", "%40", "&")):
        return True
    lowered = text.lower()
    return "at" in lowered and ("dot" in lowered or any(bracket in text for bracket in "({[<"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text first needs it: a command that masks nothing does not owe its cost."""
    return re.compile(pattern)


def _is_address(sign: re.Match[str]) -> bool:
    return sign["plain"] is None or bool(sign["gap"]) or _COMMON_TOP.search(sign["domain"]) is not None


def shorten(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Cut to at most `limit` characters, the ellipsis included: at a word, else hard.

    A word's end counts only in the second half of what fits, or a text without blanks would lose almost all.
    """
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    fits = text[: limit - 1]
    if text[limit - 1].isspace():
        return fits.rstrip() + ELLIPSIS
    words = fits.rsplit(None, 1)
    if len(words) > 1 and len(words[0]) * 2 >= limit:
        return words[0].rstrip() + ELLIPSIS
    return _whole(fits, text[limit - 1]).rstrip() + ELLIPSIS


def _whole(fits: str, following: str) -> str:
    """Take off the last character when the cut would part it from its marks (bounded: marks do not pile up)."""
    end = len(fits)
    while end and len(fits) - end < 16 and _joins(following):
        end -= 1
        following = fits[end]
    return fits[:end]


def _joins(char: str) -> bool:
    return unicodedata.combining(char) > 0 or char in "\u200c\u200d" or "\ufe00" <= char <= "\ufe0f"


def quote_to_serve(text: str) -> str:
    """Give a quote as it may leave: masked first, then shortened, or half an address could be left at the cut."""
    return shorten(mask_emails(text))
