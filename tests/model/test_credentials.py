"""What has the shape of a credential is named, ordinary words are not, and looking takes milliseconds."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.credentials import credential_kind

# Invented values, put together here so that no scanner takes this file for a leak.
SMALL = "abcdefghijklmnopqrstuvwxyz"
MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY" * 3

HOLDING = (
    ("github", "ghp_" + MIXED[:36]),
    ("github", "see github_pat_" + MIXED[:60]),
    ("gitlab", "glpat-" + MIXED[:20]),
    ("aws", "AKIA" + "Z7" * 8),
    ("stripe", "sk_live_" + MIXED[:24]),
    ("openai", "sk-proj-" + MIXED[:40]),
    ("anthropic", "sk-ant-api03-" + MIXED[:40]),
    ("api_key", "sk-" + MIXED[:48]),
    ("google", "AIza" + MIXED[:35]),
    ("npm", "npm_" + MIXED[:36]),
    ("pypi", "pypi-AgE" + MIXED[:60]),
    ("slack", "xoxb-123456789012-" + MIXED[:12]),
    ("huggingface", "hf_" + MIXED[:34]),
    ("private_key", "-----BEGIN RSA PRIVATE KEY-----"),
    ("private_key", "-----BEGIN PGP PRIVATE KEY BLOCK-----"),
    ("url_password", "postgres://admin:s3cret@db.example/prod"),
    ("url_password", "redis://:p4ssw0rd@localhost:6379"),
    ("webhook", "https://hooks.slack.com/services/T00000000/B00000000/" + "X" * 24),
    ("azure", "abc8Q~" + MIXED[:34]),
    ("jwt", "eyJ" + MIXED[:20] + ".eyJ" + MIXED[:20]),
    ("sendgrid", "SG." + MIXED[:22] + "." + MIXED[:43]),
    ("telegram", "110201543:AA" + MIXED[:33]),
    ("mailchimp", "0123456789abcdef" * 2 + "-us6"),
    ("authorization", 'curl -H "Authorization: Token 22cb987851bc5659229114c62e60c79abd0d2c08"'),
    ("authorization", "Bearer " + MIXED[:30]),
    ("password", "curl --user ana:hunter2hunter2 https://example.com"),
    ("password", "password: hunter2"),
    ("password", "My wifi password is Tr0ub4dor&3."),
    ("password", 'password = "correcthorse"'),
    ("password", "DB_PASS=s3cretvalue"),
    ("password", "the password is 12345678"),
    ("password", "Das Passwort lautet Sommer2024"),
    ("password", "密码是abc12345"),
    ("password", "mot de passe : azerty99"),
    ("password", "pw: Xk9!mmQ2"),
    ("password", "//registry.npmjs.org/:_authToken=743b294a-cd03-11ec-9d64-0242ac120002"),
    ("secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("secret", "api_key: 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"),
    ("secret", "İ token = ab12cd34EF"),
    ("random", "it is " + MIXED[:28]),
)
ORDINARY = (
    "Uses a password manager",
    "password policy: 12-characters minimum",
    "password-manager: Bitwarden2024",
    "Passwort: 2-Faktor bevorzugt",
    "Password: 1Password",
    'os.environ["DB_PASSWORD"]',
    'password = os.environ["DB_PASSWORD"]',
    "password=${DB_PASSWORD}",
    "password = getpass.getpass()",
    "token = self.settings.token",
    "export TOKEN=$GITHUB_TOKEN",
    "Authorization: Bearer $ACCESS_TOKEN_2_OF_PRODUCTION",
    "postgres://admin:${PASSWORD}@db.example/prod",
    "sk-ateboarder_of_the_year_2019",
    "m_0123456789ab",
    "token: m_0123456789ab",
    "commit 3f2a91c0d4e5b6a7988776655443322110ffeedd",
    "sha256 " + "e3b0c44298fc1c149afbf4c8996fb924" * 2,
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "https://github.com/python/cpython/blob/main/Lib/asyncio/base_events.py#L123",
    "https://www.youtube.com/watch?v=" + MIXED[:24],
    "/home/ana/projects/persona-kit/src/index_v2/TableReader3.py",
    "passport: AB1234567",
    "max_tokens: 4096",
    "token_limit=128000",
    "secret_name: prod/db-1",
    "uses the gpt-4o-mini-2024-07-18 model",
    "getUserNameFromDatabaseV2Handler3OfTheService",
    "ana_lopez_photography_2024_final_v2",
    "secret: 2 cups of flour",
    "Secret Santa: budget is 20EUR",
    "The API key is rotated every 90days",
    "パスワードは大切です",
    "password: ab1.",
    "token: f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "token: claude-3-opus-20240229",
    "My-Project-2024-Final-Version-10",
    "ABCDEFGHIJKLMnopqrstuvwxyz1",
    "0x" + "9fb57dba1eea9bc3" * 4,
    "密码管理器：1Password",
    "",
)


@pytest.mark.parametrize(("kind", "text"), HOLDING)
def test_a_credential_is_named(kind: str, text: str) -> None:
    """Each shape has one fixed word."""
    assert credential_kind(text) == kind
    assert credential_kind(f"The owner said: {text}") == kind


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_are_no_credential(text: str) -> None:
    """Hashes, ids, addresses, paths, references and talk about passwords pass."""
    assert credential_kind(text) is None


def test_entropy_can_be_switched_off() -> None:
    """Without it only what says what it is counts."""
    assert credential_kind(MIXED[:28], entropy=False) is None
    assert credential_kind("ghp_" + MIXED[:36], entropy=False) == "github"


@pytest.mark.parametrize(
    "text", ["ab12" * 8, "AB3DE5FG7HJ9KL1MN2PQ4RS6", SMALL, "aB1" * 12, "0123456789" * 4, "a8f3" * 8 + "z"]
)
def test_a_token_of_one_pattern_is_not_random(text: str) -> None:
    """Few different characters, one kind of them, or hex are not taken for chance."""
    assert credential_kind(text) is None


def test_a_long_token_of_small_letters_and_digits_may_be_random() -> None:
    """Keys without capitals are found from 32 characters on."""
    assert credential_kind("k3v9x2m7q1z8w4t6y5r0p3n8j2h7g4f9d1") == "random"


@given(st.text(), st.sampled_from(HOLDING))
def test_words_before_do_not_hide_a_credential(words: str, held: tuple[str, str]) -> None:
    """After a blank, a credential is found whatever stands before it."""
    assert credential_kind(f"{words} \n{held[1]}") is not None


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            "aB1",
            "-",
            "sk-",
            "://a:",
            "password",
            "password=",
            "token=abcdefgh1 ",
            "token=${aB1cD2eF3gH4} ",
            "eyJ",
        ),
        *("ghp_ghp_ghp_ ", "1Q~", "authorization:", "bearer 1", "curl -u a:", ".a", "a-b.", "-----BEGIN ", "密码", '"'),
        *("EAA" + "a" * 40 + "_ ", "x" * 24 + "= ", "aB3-" * 6 + " ", "a1 ", "sk-sk_", "A-b", "/a1", "İ"),
    ],
)
@pytest.mark.parametrize(
    "lead", ["", "private key :// q~ eyj hv sg. dp. dt0 | :aa -us bearer authorization curl sig= "]
)
def test_looking_is_linear(piece: str, lead: str) -> None:
    """50,000 hostile characters take milliseconds (the limit leaves room for a busy machine and a tracer)."""
    text = (lead + piece * 50_000)[:50_000]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        credential_kind(text)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.2
