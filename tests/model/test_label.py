"""Labels: short, one for each memory a viewer may see, and found again however they are typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personakit.model.label import asked_code, code_of, label_among, meant_by, start_of

IDS = st.integers(0, 2**48 - 1).map(lambda number: f"m_{number:012x}")
# Ids that begin alike in many places.
ALIKE = st.lists(st.integers(0, 2**18 - 1).map(lambda n: f"m_4fd5f7b{n:05x}"), min_size=1, max_size=8, unique=True)


@pytest.mark.parametrize(
    ("id_", "code"),
    [("m_000000000000", "0000000000"), ("m_ffffffffffff", "zzzzzzzzzw"), ("m_800000000001", "g000000004")],
)
def test_codes(id_: str, code: str) -> None:
    """Five bits a character, from the left, and two bits of nothing at the end."""
    assert code_of(id_) == code


@given(IDS, IDS)
def test_ids_that_begin_alike(one: str, other: str) -> None:
    """Two ids have one start exactly when their first six characters are the same."""
    assert (start_of(one) == start_of(other)) == (code_of(one)[:6] == code_of(other)[:6])


@given(ALIKE)
def test_each_label_means_its_own(ids: list[str]) -> None:
    """Of memories that begin alike the oldest keeps six characters, every label is another, and each is found."""
    labels = [label_among(id_, ids[:number]) for number, id_ in enumerate(ids)]
    assert len(labels[0]) == 6 and all(len(label) >= 7 for label in labels[1:])
    assert len(set(labels)) == len(labels)
    for id_, label in zip(ids, labels, strict=True):
        assert meant_by(label, ids) == id_
        assert meant_by(asked_code(id_.upper()) or "", ids) == id_


@pytest.mark.parametrize("given", ["#K3X9VQ", " k3x9vq ", "k3x9vq"])
def test_a_label_however_typed(given: str) -> None:
    """With `#` or not, in any case, and with blanks around it."""
    assert asked_code(given) == "k3x9vq"


def test_misread_letters_are_digits() -> None:
    """i and l are 1, o is 0, as Crockford's base32 has it."""
    assert asked_code("#OIL000") == "011000"


@pytest.mark.parametrize("given", ["", "#", "k3x9v", "#k3x9vu", "k3x9vq00000", "m_12", "../../x", "#k3x9vq k3x9vq"])
def test_what_is_no_label(given: str) -> None:
    """Too short, too long, or with a letter that is none."""
    assert asked_code(given) is None
