"""Characters that a reader does not see, and what becomes of them."""

from __future__ import annotations

import re

# Blanks that are control characters: taken out, they would glue two words together.
_LINE_ENDS = re.compile(r"\r\n?")
_CONTROL_BLANKS = re.compile(r"[\x0B\x0C\x1C-\x1F\x85]")
# Control characters, bidi embeddings, overrides and isolates, tag characters, zero-width space, word joiner, BOM.
_REMOVED = re.compile(
    r"[\x00-\x08\x0E-\x1B\x7F-\x84\x86-\x9F\u202A-\u202E\u2066-\u2069\u200B\u2060\uFEFF\U000E0000-\U000E007F]"
)
_SURROGATE = re.compile(r"[\uD800-\uDFFF]")
# Joiners and variation selectors: scripts and emoji need them, and they may also hide something.
_JOINING = r"\u200C\u200D\uFE00-\uFE0F\U000E0100-\U000E01EF"
_UNSEEN = (
    r"\x00-\x08\x0B-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E"
    r"\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E007F"
)
# A joiner after a Latin letter joins nothing, and two selectors in a row select nothing: these only hide.
# U+FE0F after a digit is an emoji's keycap. A typed `\u{` is marked, so that no text can pretend to be a mark.
_HIDDEN = re.compile(
    rf"[{_UNSEEN}\uD800-\uDFFF]"
    r"|(?<=[ -~])[\u200C\u200D\uFE00-\uFE0D\U000E0100-\U000E01EF]+"
    r"|[\uFE00-\uFE0F\U000E0100-\U000E01EF]{2,}"
    r"|\\(?=u\{)"
)
_OUT = re.compile(
    rf"[{_UNSEEN}\uD800-\uDFFF]"
    r"|(?<=[ -~])[\u200C\u200D\uFE00-\uFE0D\U000E0100-\U000E01EF]+"
    r"|[\uFE00-\uFE0F\U000E0100-\U000E01EF]{2,}"
)
_SEEN = re.compile(rf"[^\s{_UNSEEN}{_JOINING}]")
_JOINERS = re.compile(f"[{_JOINING}]")


def clean(text: str) -> str:
    r"""Take out what a reader would not see but a machine would read.

    Line ends become `\n`, other control characters that are blanks become a blank; `\n` and `\t` stay, and so do
    the joiners (U+200C, U+200D) and variation selectors that scripts need. Source: docs/FORMAT.md, "Proposing".
    """
    return _REMOVED.sub("", _CONTROL_BLANKS.sub(" ", _LINE_ENDS.sub("\n", text)))


def without_joiners(text: str) -> str:
    """Take out joiners and variation selectors too: for looking at a text, never for keeping it."""
    return _JOINERS.sub("", text)


def broken(text: str) -> bool:
    """Whether it has lone surrogates, which no file in UTF-8 can hold."""
    return _SURROGATE.search(text) is not None


def mend(text: str) -> str:
    """Put U+FFFD in the place of each lone surrogate; two that make a pair become their character."""
    if not broken(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def unseen(text: str) -> bool:
    """Whether nothing in it can be seen: it is empty, or all blanks and hidden characters."""
    return _SEEN.search(text) is None


def reveal(text: str) -> str:
    r"""Show hidden and control characters as marks like `\u{202E}`, for a terminal; `\n` and `\t` stay."""
    return _HIDDEN.sub(lambda found: "".join(f"\\u{{{ord(char):X}}}" for char in found[0]), text)


def without_hidden(text: str) -> str:
    """Take out every character that is not seen or that moves others; blanks stay, and joiners that join something."""
    return _OUT.sub("", text)
