"""Edits change one key's own lines and no other byte, or there is no edit."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personakit.vault.frontmatter import MAX_BLOCK, TextHandler, listed, read_block
from personakit.vault.lines import NoSafeEdit, add_item, quoted, set_key, set_list

MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def values(raw: bytes) -> dict[str, object]:
    """Give the front matter of a file."""
    page = TextHandler().page(raw.decode())
    return dict(read_block(page.block or "").values)


def refuses(raw: bytes, key: str = "state") -> bool:
    """Say whether neither edit of a key is made."""
    with pytest.raises(NoSafeEdit):
        set_key(raw, key, "rejected")
    with pytest.raises(NoSafeEdit):
        add_item(raw, key, "x")
    return True


# Lines of other keys, in every spelling that an owner or another program may choose. None is `state` or `evidence`.
OTHERS = [
    "type: memory",
    "# a comment of the owner",
    "#state: approved",
    "",
    "note: 'it says state: approved'",
    "quote: 'it''s # no comment'   # a comment",
    '"odd key" : "\\u0041: b"',
    "'single': ~",
    "empty:",
    "flow: [a, 'b, c', {d: e}]   # list",
    "map: {state: approved}",
    "nested:\n  state: approved\n  evidence: [x]",
    "tags:\n- a\n# between\n- b",
    "aliases:\n    - a\n    - 'b'\n\n    - c",
    "block: |\n  state: approved\n\n    # no comment\n  - x",
    "folded: >-\n  one\n  two",
    "long: one\n  two\n  three",
    "created: 2026-11-12",
    "postcode: 02142",
    "ünïcode: ☕",
    "mystate: approved",
    "state2: approved",
]
BODIES = [
    "",
    "Likes tea\n",
    "    code\n\ttab  \n\n\n",
    "---\nstate: approved\n---\n",
    "no end",
    "\n\n",
    "a\x00b\n",
    "state: x\n",
]
LINES = st.lists(st.sampled_from(OTHERS), unique=True, max_size=6)


@dataclass(frozen=True)
class Frame:
    """What stands around a key: everything an edit must keep."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    body: str
    bom: bool
    eol: str
    blanks: str

    def file(self, *lines: str) -> bytes:
        """Give a file with some lines in the frame."""
        fence = f"---{self.blanks}"
        text = "\n".join([fence, *self.before, *lines, *self.after, fence, self.body])
        return (("\ufeff" if self.bom else "") + text.replace("\n", self.eol)).encode()


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """Draw what stands around a key."""
    others = draw(LINES)
    cut = draw(st.integers(0, len(others)))
    return Frame(
        before=tuple(others[:cut]),
        after=tuple(others[cut:]),
        body=draw(st.sampled_from(BODIES)),
        bom=draw(st.booleans()),
        eol=draw(st.sampled_from(["\n", "\r\n"])),
        blanks=draw(st.sampled_from(["", "  ", "\t"])),
    )


@MANY
@given(
    frames(),
    st.sampled_from(["state", "State", "'state'", '"STATE"']),
    st.sampled_from(["", " "]),
    st.sampled_from(["approved", "'approved'", '"appr\\u006fved"', " Approved", "", "~", "[a]", "'a # b'", "a#b"]),
    st.sampled_from(["", " ", "  # why", "\t#why"]),
)
def test_setting_a_word_changes_its_line_alone(frame: Frame, name: str, gap: str, value: str, comment: str) -> None:
    """Of a one-line value only the value changes: name, blanks, comment, line end and all other bytes stay."""
    space = " " if value or comment.startswith("#") else ""
    raw = frame.file(f"{name}{gap}:{space}{value}{comment}")
    written = comment if comment.strip() else ""
    blanks = space + value[: len(value) - len(value.lstrip())]
    if not value:
        blanks, written = (
            space + comment[: len(comment) - len(comment.lstrip())],
            f" {comment.lstrip()}" if written else "",
        )
    assert set_key(raw, "state", "rejected") == frame.file(f"{name}{gap}:{blanks or ' '}rejected{written}")


@MANY
@given(
    frames(),
    st.sampled_from(
        [
            "state:\n  approved",
            "state: |\n  approved",
            "state: >-\n\n  approved",
            "state: 'appr\n\n  oved'",
            "state: appr\n oved",
            "state:\n- approved",
            "state:\n  - a\n\n  - b",
            "state: [a,\n  b]",
            "state:\n  a: b",
        ]
    ),
)
def test_setting_a_value_of_several_lines_replaces_them_all(frame: Frame, lines: str) -> None:
    """All lines that belong to the value go, and no other."""
    after = set_key(frame.file(lines), "state", "rejected")
    assert after == frame.file("state: rejected")


@pytest.mark.parametrize(
    "lines",
    [
        "state:\n  # why\n  approved",
        "state:\n  approved # why",
        "state: [a, # why\n  b]",
        "state: |\n  # text",
    ],
)
def test_a_comment_among_the_lines_of_a_value_is_never_lost(lines: str) -> None:
    """Where a comment stands among the lines to replace, there is no edit."""
    with pytest.raises(NoSafeEdit):
        set_key(f"---\n{lines}\n---\nx\n".encode(), "state", "rejected")


def test_a_comment_below_a_value_stays() -> None:
    """An indented comment after the last line of a value is kept by either edit."""
    raw = b"---\nstate: approved\n  # why\nevidence:\n  - a\n  # more\nid: x\n---\nx\n"
    assert set_key(raw, "state", "rejected") == raw.replace(b"approved", b"rejected")
    assert add_item(raw, "evidence", "b") == raw.replace(b"# more\n", b'# more\n  - "b"\n')


def test_a_comment_right_behind_a_value_gets_its_blank() -> None:
    """A `#` that closes up to a quote is a comment, and stays one behind a plain word."""
    raw = b"---\nstate: 'approved'# why\n---\nx\n"
    assert set_key(raw, "state", "rejected") == b"---\nstate: rejected # why\n---\nx\n"


def test_a_comment_behind_the_key_of_a_longer_value_stays() -> None:
    """A comment on the key's own line is kept when the value below goes."""
    raw = b"---\nstate: # why\n  approved\n---\n"
    assert set_key(raw, "state", "rejected") == b"---\nstate: rejected # why\n---\n"


@MANY
@given(frames(), st.sampled_from([None, "id: m_0123456789ab", "ID : x  # mine", "'id':\n  x"]))
def test_a_missing_key_becomes_one_line(frame: Frame, id_line: str | None) -> None:
    """A missing key comes after `id`, else right after the fence, with the file's own line ends."""
    if id_line is None:
        bare = Frame((), frame.before + frame.after, frame.body, frame.bom, frame.eol, frame.blanks)
        assert set_key(bare.file(), "state", "rejected") == bare.file("state: rejected")
    else:
        assert set_key(frame.file(id_line), "state", "rejected") == frame.file(id_line, "state: rejected")


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("body", ["Likes tea{eol}", "{eol}  indented{eol}", "----{eol}x{eol}", "--- x{eol}"])
def test_a_file_without_front_matter_gets_a_block(bom: str, eol: str, body: str) -> None:
    """The body stays as it is below a new block; a BOM stays first."""
    text = body.format(eol=eol)
    expected = f"{bom}---{eol}state: rejected{eol}---{eol}{text}"
    assert set_key((bom + text).encode(), "state", "rejected") == expected.encode()
    item = f'{bom}---{eol}evidence:{eol}  - "x"{eol}---{eol}{text}'
    assert add_item((bom + text).encode(), "evidence", "x") == item.encode()


def test_an_empty_file_gets_a_block() -> None:
    """Even nothing can be given a key."""
    assert set_key(b"", "state", "rejected") == b"---\nstate: rejected\n---\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\nstate: a\nstate: b\n---\nx\n",
        "---\nstate: a\nnote: 1\nNote: 2\n---\nx\n",
        "---\nstate: a: b\n---\nx\n",
        "---\n- state\n---\nx\n",
        "---\nstate: a\n",
        "---\rstate: a\r---\r",
        "---\n{state: a}\n---\nx\n",
        "---\n{id: x}\n---\nx\n",
        "---\n? state\n: a\n---\nx\n",
        "---\n  state: a\n  id: x\n---\nx\n",
        '---\n"st\\u0061te": a\n---\nx\n',
        '---\nnote: "one\nstate: a\n  two"\n---\nx\n',
        "---\nstate: a\n<<<<<<< x\n---\nx\n",
        "---\nstate: &a b\n---\nx\n",
        "---\nstate:\n\tapproved\n---\nx\n",
        "---\nstate: a\rb: c\n---\nx\n",
        "---\nstate: 'a\r  b'\n---\nx\n",
    ],
)
def test_what_cannot_be_edited_line_by_line_is_refused(text: str) -> None:
    """Broken, repeated or oddly built front matter is never written to, by either edit."""
    assert refuses(text.encode())


def test_a_repeated_key_is_named_as_the_reason() -> None:
    """A file with a key that stands twice is refused for that, whichever key is to be edited."""
    for text in ("---\nstate: a\nstate: b\n---\nx\n", "---\nstate: a\nnote: 1\nNote: 2\n---\nx\n"):
        with pytest.raises(NoSafeEdit, match="twice"):
            set_key(text.encode(), "state", "rejected")


def test_bytes_that_are_no_utf8_are_refused() -> None:
    """A file in another encoding is never written to."""
    assert refuses(b"---\nstate: a\n---\n\xff\n")


def test_a_block_that_would_grow_over_the_limit_is_refused() -> None:
    """An edit never makes a file that would be held."""
    raw = b"---\nevidence:\n  - " + b"x" * (MAX_BLOCK - 40) + b"\n---\nx\n"
    with pytest.raises(NoSafeEdit, match="32 KiB"):
        add_item(raw, "evidence", "y" * 100)


def test_a_value_that_is_no_plain_word_is_refused() -> None:
    """A value that YAML would read as something else is not written."""
    for value in ("a: b", "[a]", "a # b", "a\nb: c", "'", "&a b", "a\n---\n"):
        with pytest.raises(NoSafeEdit):
            set_key(b"---\nstate: a\n---\nx\n", "state", value)


STRINGS = st.text(max_size=40) | st.text(
    alphabet=st.sampled_from("\"'\\:#-[]{}&*!|>%@`, \t\n\r\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\uffff😀é"),
    max_size=20,
)


@settings(max_examples=500, deadline=None)
@given(STRINGS)
def test_quoted_text_comes_back(text: str) -> None:
    """Every string is written on one line and read back as it was, as a value and as an item."""
    written = quoted(text)
    assert len(written.splitlines()) == 1
    assert read_block(f"k: {written}\nl:\n  - {written}\nm: [{written}, a]\n").values == {
        "k": text,
        "l": [text],
        "m": [text, "a"],
    }


@pytest.mark.parametrize(
    "code", [*range(0x100), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0xFFFD, 0x1F600, 0x1FFFE, 0x10FFFF]
)
def test_every_odd_character_comes_back(code: int) -> None:
    """Control characters, separators and non-characters survive quoting."""
    text = f"a{chr(code)}b"
    assert read_block(f"k: {quoted(text)}\n").values == {"k": text}


def test_a_lone_surrogate_is_never_written() -> None:
    """What is no character cannot be stored, and the refusal is no crash."""
    with pytest.raises(NoSafeEdit):
        add_item(b"---\nevidence:\n---\nx\n", "evidence", "\ud83d")


ITEMS = STRINGS.filter(bool)


@MANY
@given(
    frames(),
    st.integers(0, 6),
    st.lists(st.sampled_from(["a", "'b'", '"c d"', "e # why", "f\n{pad}  g", ""]), min_size=1, max_size=4),
    st.sampled_from(["", "  # quotes", " "]),
    ITEMS,
)
def test_an_item_joins_a_block_list(frame: Frame, indent: int, old: list[str], tail: str, item: str) -> None:
    """A list with one item a line gets one more line, with the indent that list has."""
    pad = " " * indent
    lines = [f"evidence:{tail}", *(f"{pad}- {text.format(pad=pad)}" for text in old)]
    raw = frame.file(*lines)
    after = add_item(raw, "evidence", item)
    assert after == frame.file(*lines, f"{pad}- {quoted(item)}")
    assert list(listed(values(after)["evidence"])) == [*listed(values(raw)["evidence"]), item]  # type: ignore[arg-type]


@MANY
@given(
    frames(),
    st.sampled_from(["", "a", "a, 'b, c'", ' "]" ', "a, [b]"]),
    st.sampled_from(["", "  # why", "\t# [x]"]),
    ITEMS,
)
def test_an_item_joins_a_flow_list(frame: Frame, inner: str, comment: str, item: str) -> None:
    """A list in brackets gets one more item before its bracket; a comment behind it stays."""
    raw = frame.file(f"evidence: [{inner}]{comment}")
    joint = ", " if inner.strip() else ""
    expected = frame.file(f"evidence: [{inner.rstrip()}{joint}{quoted(item)}]{comment}")
    assert add_item(raw, "evidence", item) == expected


@MANY
@given(
    frames(),
    st.sampled_from(["", "null", "~", "a", "'b # c'", '"d: e"', "f g", "[x] y"]),
    st.sampled_from(["", "  # why"]),
    ITEMS,
)
def test_a_scalar_or_blank_becomes_a_list(frame: Frame, value: str, comment: str, item: str) -> None:
    """A scalar stays as it is spelled, as the first item; a blank or null value gives way; a comment stays."""
    try:
        after = add_item(frame.file(f"evidence: {value}{comment}"), "evidence", item)
    except NoSafeEdit:
        assert value == "[x] y"  # no YAML at all
        return
    kept = [f"  - {value}"] if value not in ("", "null", "~") else []
    shown = f" {comment.lstrip()}" if comment and not value else comment
    assert after == frame.file(f"evidence:{shown}", *kept, f"  - {quoted(item)}")


@MANY
@given(frames(), ITEMS)
def test_a_missing_list_is_made(frame: Frame, item: str) -> None:
    """A missing list comes after `id`, one item a line."""
    expected = frame.file("id: x", "evidence:", f"  - {quoted(item)}")
    assert add_item(frame.file("id: x"), "evidence", item) == expected


@pytest.mark.parametrize(
    "lines",
    [
        "evidence: |\n  - text",
        "evidence: 'a\n  b'",
        "evidence: a\n  - b",
        "evidence: [a,\n  b]",
        "evidence: [a,\n  -b]",
        "evidence: [a, ]",
        "evidence:\n  a: b",
        "evidence:\n# odd\n- a",
        "evidence:\n- a\n# odd\n- b",
        "evidence: {a: b}",
    ],
)
def test_a_list_that_cannot_grow_by_one_line_is_refused(lines: str) -> None:
    """Where one more line would not be one more item, there is no edit."""
    with pytest.raises(NoSafeEdit):
        add_item(f"---\n{lines}\n---\nx\n".encode(), "evidence", "y")


WILD = st.lists(
    st.sampled_from(
        [
            *(
                "state: approved",
                "State : 'x' # c",
                "state:",
                "  approved",
                "id: x",
                "note: |",
                "  state: a",
                "- a",
                "  - b",
            ),
            *(
                "# c",
                "",
                "  # c",
                '"state": >',
                "{state: a}",
                "evidence: [a]",
                "x: 'y",
                "  z'",
                "evidence:",
                "a: b\rstate: c",
            ),
            *("\u2028state: d", "? state", ": e", "--- ", "...", "%YAML 1.2", 'note: "', '"'),
        ]
    ),
    max_size=7,
)


@settings(max_examples=600, deadline=None)
@given(WILD, st.sampled_from(["\n", "\r\n"]), st.sampled_from(BODIES))
def test_any_edit_that_is_made_changes_its_key_alone(lines: list[str], eol: str, body: str) -> None:
    """On any lines at all, an edit keeps every comment, every other value and the body, or is not made."""
    raw = (eol.join(["---", *lines, "---"]) + eol + body).encode()
    try:
        after = set_key(raw, "state", "rejected")
    except NoSafeEdit:
        return
    old, new = values(raw), values(after)
    assert new.pop("state") == "rejected"
    old.pop("state", None)
    assert new == old
    was, now = TextHandler().page(raw.decode()), TextHandler().page(after.decode())
    assert (now.head, now.body) == (was.head, was.body)
    assert (was.block or "").count("# c") == (now.block or "").count("# c")


@settings(max_examples=300, deadline=None)
@given(WILD, st.sampled_from(["\n", "\r\n"]), st.sampled_from(BODIES), st.lists(ITEMS, max_size=3))
def test_a_list_that_is_set_changes_its_key_alone(lines: list[str], eol: str, body: str, items: list[str]) -> None:
    """Whatever stood there, the list is what was given, or the key is gone, or nothing is made of it."""
    raw = (eol.join(["---", *lines, "---"]) + eol + body).encode()
    try:
        after = set_list(raw, "state", items)
    except NoSafeEdit:
        return
    old, new = values(raw), values(after)
    assert new.pop("state", []) == items
    old.pop("state", None)
    assert new == old
    assert TextHandler().page(after.decode()).body == TextHandler().page(raw.decode()).body


def test_a_list_is_set_in_its_place() -> None:
    """On one line, with its comment; without items its lines go, unless a comment would go with them."""
    raw = b"---\nid: x\nassistants:\n  - a\n  - b\nstate: approved\n---\nT\n"
    one = b'---\nid: x\nassistants: ["c: d"]\nstate: approved\n---\nT\n'
    assert set_list(raw, "assistants", ["c: d"]) == one
    assert set_list(one, "assistants", []) == b"---\nid: x\nstate: approved\n---\nT\n"
    assert set_list(b"---\nid: x\n---\nT\n", "assistants", []) == b"---\nid: x\n---\nT\n"
    with pytest.raises(NoSafeEdit, match="comment"):
        set_list(raw.replace(b"- a", b"- a # why"), "assistants", [])


def test_the_byte_keeping_cases_of_the_bug_hunt() -> None:
    """A long quote is not folded, blank values stay, list styles stay, dates stay bare, three last newlines stay."""
    long = "x y " * 40
    raw = (
        "---\nid: m_0123456789ab\ncreated: 2026-11-12\naliases:\nnote:\n# one\na: [x]\nb:\n- y\nc:\n    - z\n"
        f'state: approved # why\nevidence:\n  - "{long}"\n---\n    code\n\ntext  \n\n\n'
    )
    changed = set_key(add_item(raw.encode(), "evidence", long), "state", "rejected").decode()
    assert changed == raw.replace("state: approved", "state: rejected").replace(
        f'  - "{long}"\n', f'  - "{long}"\n  - "{long}"\n'
    )
