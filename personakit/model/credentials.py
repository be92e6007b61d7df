"""The shapes of credentials: what must not become a memory.

A shape says nothing of whether a value is real. Own rules, from the vendors' published token formats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A token that says by its first characters whose it is, and how the rest of it looks."""

    kind: str
    start: str
    rest: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """Something that one expression finds; `hint`, in lower case, is in every text that holds one."""

    kind: str
    hint: str
    pattern: str


# Kind, what the rest must match, and the first characters (at least three of them, for the look-up).
_PREFIX_ROWS = (
    ("aws", "[A-Z0-9]{16}", "AKIA ASIA ABIA ACCA"),
    ("aws", "[A-Z0-9]{17}", "A3T"),
    ("aws", r"[A-Za-z0-9_-]{40,}", "ABSK"),
    ("github", "[A-Za-z0-9]{30,}", "ghp_ gho_ ghu_ ghs_ ghr_"),
    ("github", r"\w{40,}", "github_pat_"),
    (
        "gitlab",
        r"[\w-]{16,}",
        "glpat- glptt- glrt- gldt- glft- glsoat- gloas- glimt- glagent- glcbt- glffct- GR1348941",
    ),
    ("stripe", "[A-Za-z0-9]{16,}", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_"),
    ("openai", r"[\w-]{20,}", "sk-proj- sk-svcacct- sk-admin-"),
    ("anthropic", r"[\w-]{20,}", "sk-ant-"),
    (
        "api_key",
        r"[\w-]{20,}",
        "sk-or-v1- gsk_ xai- tvly- pplx- GOCSPX- glsa_ glc_ sntrys_ sntryu_ PMAK- xkeysib- figd_",
    ),
    ("api_key", "(?:[0-9a-f]{32}|[A-Za-z0-9]{40,})", "sk- key-"),
    ("google", r"[\w-]{30,}", "AIza"),
    ("npm", "[A-Za-z0-9]{30,}", "npm_"),
    ("pypi", r"[\w-]{40,}", "pypi-AgE pypi-AgN"),
    ("slack", r"[\w-]{10,}", "xoxb- xoxp- xoxa- xoxe- xoxo- xoxr- xoxs- xapp-"),
    ("onepassword", r"[\w-]{40,}", "ops_eyJ"),
    ("facebook", "[A-Za-z0-9]{60,}", "EAA"),
    ("huggingface", "[A-Za-z0-9]{30,}", "hf_ api_org_"),
    ("notion", "[A-Za-z0-9]{40,}", "ntn_ secret_"),
    ("sourcegraph", r"\w{40,}", "sgp_"),
    ("twilio", "[0-9a-z]{32}", "AC SK"),
    ("artifactory", r"[A-Za-z0-9]{10,}", "AKC AP0 AP1 AP2 AP3 AP4 AP5 AP6 AP7 AP8 AP9"),
    ("artifactory", r"(?=.{0,100}[a-z0-9])[A-Za-z0-9]{10}|[A-Za-z0-9]{40,}", "APA APB APC APD APE APF"),
    ("octopus", "[A-Z0-9]{26}", "API-"),
    ("databricks", "[0-9a-f]{32}", "dapi"),
    ("shopify", "[0-9a-fA-F]{32}", "shpat_ shpss_ shpca_ shppa_"),
    ("digitalocean", "[0-9a-f]{64}", "dop_v1_ doo_v1_ dor_v1_"),
    (
        "api_key",
        "[A-Za-z0-9]{32,}",
        "lin_api_ dckr_pat_ sbp_ r8_ pnu_ CLOJARS_ EZAK EZTK fio-u- rubygems_ pul- NRAK- HRKU-AA",
    ),
    (
        "api_key",
        r"[\w-]{30,}",
        "ATATT3 ATCTT3 ATBB CFPAT- tfp_ shippo_live_ duffel_live_ pscale_tkn_ sq0csp- sq0atp- PRIVATE-",
    ),
    ("api_key", "[A-Z0-9]{50,}", "AGE-SECRET-KEY-1"),
)
_LOOK_UP = 2


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text first may hold its shape: all of them are a tenth of a command's start."""
    return re.compile(pattern)


def _prefixes() -> Mapping[str, tuple[_Prefix, ...]]:
    found: dict[str, tuple[_Prefix, ...]] = {}
    for kind, rest, starts in _PREFIX_ROWS:
        for start in starts.split():
            head = start[:_LOOK_UP]
            found[head] = (*found.get(head, ()), _Prefix(kind, start, rest))
    return MappingProxyType(found)


_PREFIXES = _prefixes()
_TOKEN = re.compile(r"[A-Za-z0-9_-]{12,}")
# Literals first, then a look back: a search then skips all that cannot begin a match, and each token is read once.
_SHAPES = tuple(
    _Shape(kind, hint, pattern)
    for kind, hint, pattern in (
        ("private_key", "private key", r"-----BEGIN [A-Za-z0-9 ]{0,40}?PRIVATE KEY"),
        ("private_key", "putty-user-key-file", r"PuTTY-User-Key-File-\d"),
        ("service_account", "service_account", r'"type"\s{0,3}:\s{0,3}"service_account"'),
        ("url_password", "://", r"""://[^\s/:@"'<>]{0,64}:(?![$%{*])[^\s/@"'<>]{2,128}@"""),
        ("webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,20}/"),
        ("webhook", "/api/webhooks/", r"/api/webhooks/\d{15,22}/[\w-]{30}"),
        ("webhook", "/webhookb2/", r"/webhookb2/[0-9a-f-]{30}"),
        ("azure", "q~", r"Q~(?<=[\w.~-]{3}\dQ~)[\w.~-]{30}"),
        ("azure", "accountkey=", r"AccountKey=[A-Za-z0-9+/]{60}"),
        ("azure", "sharedaccesskey=", r"SharedAccessKey=[A-Za-z0-9+/]{40}"),
        ("signed_url", "sig=", r"(?<=[?&])sig=[A-Za-z0-9%+/]{30}"),
        ("signed_url", "x-amz-signature=", r"X-Amz-Signature=[0-9a-f]{40}"),
        ("jwt", "eyj", r"eyJ(?<![\w-]eyJ)[\w-]{12,4000}+\.[\w-]{12}"),
        ("vault", "hv", r"hv[sbr]\.[\w-]{24}"),
        ("sendgrid", "sg.", r"SG\.[\w-]{16,32}+\.[\w-]{16}"),
        ("google", "ya29.", r"ya29\.[\w-]{20}"),
        ("doppler", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40}"),
        ("dynatrace", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{40}"),
        ("mapbox", "sk.eyj", r"sk\.eyJ[\w-]{20}"),
        ("facebook", "|", r"\|(?<=\d{13}\|)[\w-]{24}"),
        ("telegram", ":aa", r":AA(?<=\d{8}:AA)[\w-]{31}"),
        ("mailchimp", "-us", r"-us(?<=[0-9a-f]{32}-us)\d"),
        (
            "discord",
            ".",
            r"\.(?<=[\w-]{23}\.)(?<![\w-]{40}\.)(?=[\w-]{0,5}[A-Z0-9])[\w-]{6}\.(?=[\w-]{0,26}\d)[\w-]{27}",
        ),
        ("authorization", "bearer ", r"earer (?=[A-Za-z._~+/=-]{0,60}\d)[\w.~+/=-]{20}"),
    )
)
_CURL_USER = re.compile(r"""(?:--user|-u)[ =]{1,2}["']?[^\s:"'$<]{1,64}["']?:(?!\$)["']?[^\s"']{6}""")
# Searched in the text in lower case, with the value read from the text itself. Each begins with its own literal.
_TAIL = (
    r"""(?P<rest>[a-z0-9_.-]{0,30}+)["'`\]]{0,3}\s{0,3}+"""
    r"(?P<sign>=>|:=|={1,3}|[:：＝]|(?<=\s)(?:is|ist|lautet|est|es)\s|[是は为])\s{0,3}+"
    r"""(?P<value>["'`]?[^\s"'`,;]{5,200}+)"""
)
_PASSWORD_WORDS = (
    "pass(?:word|wd|wort|phrase|code|(?<![a-z]pass)(?![a-z]))",
    r"pwd(?<![a-z]pwd)",
    r"pw(?<![a-z]pw)(?![a-z])",
    r"senha(?<![a-z]senha)",
    "kennwort",
    "wachtwoord",
    "mot de passe",
    "contrase[nñ]a",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "_authtoken",
)
_SECRET_WORDS = (
    "secret",
    "token",
    "credential",
    "api[ _-]?key",
    "access[ _-]?key",
    "account[ _-]?key",
    "auth[ _-]?key",
    "encryption[ _-]?key",
    "private[ _-]?key",
    "signing[ _-]?key",
)
_PASSWORDS = tuple(re.compile(word + _TAIL) for word in _PASSWORD_WORDS)
_SECRETS = tuple(re.compile(word + _TAIL) for word in _SECRET_WORDS)
_HEADER = re.compile(
    r"""authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[a-z-]{3,12}\s{1,3})?(?P<value>[a-z0-9][^\s"'()]{15,400}+)"""
)
# Words after the key that make it be about a secret, not one: token_limit, password_policy, secret_name.
_ABOUT = re.compile(
    r"(?i)(?:manager|policy|limit|count|name|file|path|dir|url|uri|length|size|type|expir|reset|rotation|hint|field|s$|id$)"
)
# A value that stands somewhere else, a placeholder, a call, an attribute, a path, or a plain word of configuration.
_ELSEWHERE = re.compile(
    r"(?i)[$%<{\[(*/~!]|\.{1,2}/|xxx|os\.|process\.env|getenv|env[.(:\[]|secrets\.|op://|https?://|your|enter|insert"
    r"|example|placeholder|redacted|hidden|[a-z_][\w.]{0,60}\(|[a-z_]+(?:\.[a-z_]+){1,5}$"
    r"|(?:required|optional|none|null|nil|true|false|string|str|undefined|disabled|enabled|missing|unknown)$"
)
_HEX = re.compile(r"(?:m_|0x)?(?:[0-9a-f]{7,128}|[0-9A-F]{7,128})")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LEADING_NUMBER = re.compile(r"\d{1,8}-?[^\W\d]+(?:-[^\W\d]+){0,9}|\d{1,5}|[\d.:/-]+")
_PART = r"(?:[A-Z]{2,200}+|[A-Za-z][a-z]{0,200}+|v?\d{1,200}+[a-z]?)"
_WORDY = re.compile(rf"{_PART}(?:[-_./]{_PART}){{0,100}}+")
_DIGIT = re.compile(r"\d")
_LOWER = re.compile(r"[a-z]")
_UPPER = re.compile(r"[A-Z]")
_RUN = re.compile(r"[A-Za-z0-9+/_~=-]{24,200}+")
_NUMBER = re.compile(r"[0-9]+")
_WORDLIKE = re.compile(r"[a-z]{3,}|[A-Z]{3,}")
_PLACE = re.compile(r"""["'(<`\[]{0,3}(?:[~.]{0,2}/|[A-Za-z]:\\|www\.)""")
_SHORTEST_RUN = 24


def credential_kind(text: str, *, entropy: bool = True) -> str | None:
    """Name the first credential shape a text holds; None: it holds none. Linear in the text.

    `entropy` also takes long tokens of random-looking characters for one ("random"); it is off where text is
    stored verbatim. Hashes in hex, UUIDs, ids of this vault, addresses, paths and references to the environment are
    no credentials. Source: docs/FORMAT.md, "Proposing".
    """
    # The one capital whose small form has another length: places in both texts must be the same.
    lowered = text.replace("İ", "I").lower()
    return (
        _by_prefix(text)
        or _by_shape(text, lowered)
        or _by_header(lowered)
        or _by_assignment(text, lowered)
        or (_by_entropy(text) if entropy else None)
    )


def _by_prefix(text: str) -> str | None:
    for token in _TOKEN.findall(text):
        for prefix in _PREFIXES.get(token[:_LOOK_UP], ()):
            if token.startswith(prefix.start) and _compiled(prefix.rest).fullmatch(token, len(prefix.start)):
                return prefix.kind
    return None


def _by_shape(text: str, lowered: str) -> str | None:
    for shape in _SHAPES:
        if shape.hint in lowered and _compiled(shape.pattern).search(text):
            return shape.kind
    if "curl" in lowered and _CURL_USER.search(text):
        return "password"
    return None


def _by_header(lowered: str) -> str | None:
    for found in _HEADER.finditer(lowered):
        if _DIGIT.search(found["value"]) and not _ELSEWHERE.match(found["value"]):
            return "authorization"
    return None


def _by_assignment(text: str, lowered: str) -> str | None:
    for pattern in _PASSWORDS:
        for value, told in _values(pattern, text, lowered):
            if _is_password(value, told=told) and not _ELSEWHERE.match(value):
                return "password"
    for pattern in _SECRETS:
        for value, _ in _values(pattern, text, lowered):
            if _is_secret(value) and not _ELSEWHERE.match(value):
                return "secret"
    return None


def _values(pattern: re.Pattern[str], text: str, lowered: str) -> Iterator[tuple[str, bool]]:
    """Give each value that is written out after a word, and whether `=` or quotes tell that it is a value."""
    for found in pattern.finditer(lowered):
        rest, sign = found["rest"], found["sign"]
        if not rest or not _ABOUT.search(rest):
            written = text[slice(*found.span("value"))]
            yield written.lstrip("\"'`").rstrip(".!?)]}>。！？"), written[0] in "\"'`" or sign[0] in "=＝"


def _is_password(value: str, *, told: bool) -> bool:
    """Judge what follows a word for password; `told`: it was written as a value, by `=` or in quotes."""
    if len(value) < 6:
        return False
    if told and len(value) >= 8:
        return True
    if _LEADING_NUMBER.fullmatch(value):
        return value.isdigit()
    return _DIGIT.search(value) is not None


def _is_secret(value: str) -> bool:
    """Judge what follows a word like token or key, which prose uses of many things."""
    if len(value) < 10 or not _DIGIT.search(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= 32 and not value.isdigit()
    if _UUID.fullmatch(value) or _WORDY.fullmatch(value):
        return False
    return len(value) >= 16 or (_LOWER.search(value) is not None and _UPPER.search(value) is not None)


def _by_entropy(text: str) -> str | None:
    for word in text.split():
        if len(word) < _SHORTEST_RUN or "://" in word or _PLACE.match(word):
            continue
        if any(_is_random(run) for run in _RUN.findall(word)):
            return "random"
    return None


def _is_random(run: str) -> bool:
    """Whether a long token mixes its characters as chance would: words put letters of one case in a row."""
    if _UUID.fullmatch(run) or _WORDY.fullmatch(run) or len(set(run)) < 13:
        return False
    digits = len(_NUMBER.findall(run))
    if digits < 2:
        return False
    if _UPPER.search(run) and _LOWER.search(run):
        return sum(map(len, _WORDLIKE.findall(run))) <= 0.55 * len(run)
    return len(run) >= 32 and digits >= 5 and not _HEX.fullmatch(run)
