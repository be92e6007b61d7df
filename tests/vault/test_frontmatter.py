"""Front matter is read as text, strictly, and the body byte for byte."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import personakit.vault.frontmatter as module
from personakit.vault.frontmatter import (
    MAX_BLOCK,
    Block,
    BlockError,
    TextHandler,
    Value,
    decode,
    listed,
    read_block,
)

HANDLER = TextHandler()


def code_of(block: str, first_line: int = 2) -> tuple[str, int]:
    """Give the code and line with which a block is refused."""
    with pytest.raises(BlockError) as caught:
        read_block(block, first_line)
    return caught.value.code, caught.value.line


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("blanks", ["", " ", "\t "])
def test_a_fence_may_have_a_bom_crlf_and_trailing_blanks(bom: str, eol: str, blanks: str) -> None:
    """BOM, CRLF and blanks behind a fence change nothing, and head, block, fence and body are the whole text."""
    fence = f"---{blanks}{eol}"
    page = HANDLER.page(f"{bom}{fence}a: b{eol}{fence}body{eol}")
    assert (page.head, page.block, page.body) == (f"{bom}{fence}", f"a: b{eol}", f"body{eol}")
    assert read_block(page.block or "").values == {"a": "b"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "----\na: b\n----\n",
        "--- start-multi-column: A\nx\n---\n",
        " ---\na: b\n---\n",
        "\n---\na: b\n---\n",
    ],
)
def test_only_an_exact_fence_on_the_first_line_opens_a_block(text: str) -> None:
    """What is not exactly `---` on the first line opens nothing; all of the text is body."""
    assert not HANDLER.detect(text)
    page = HANDLER.page(text)
    assert (page.head, page.block, page.body) == ("", None, text)


def test_a_bom_is_no_part_of_a_body() -> None:
    """A file without a block loses its BOM in the body."""
    assert HANDLER.page("\ufeffbody\n").body == "body\n"


@pytest.mark.parametrize("text", ["---\n---", "---\n---\n", "---\r\n---\r\n", "---\n\n---\n", "---\n# only\n---\n"])
def test_an_empty_block_says_nothing(text: str) -> None:
    """A block without keys is a block without values."""
    page = HANDLER.page(text)
    assert page.block is not None
    assert read_block(page.block) == Block()


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\na: b\n", "---\na: b\n--- x\n", "---\na: b\n ---\n", "\ufeff---\n"]
)
def test_a_block_must_be_closed(text: str) -> None:
    """A block without a closing line of exactly `---` is refused."""
    with pytest.raises(BlockError) as caught:
        HANDLER.page(text)
    assert (caught.value.code, caught.value.line) == ("unclosed_block", 1)


def test_lone_carriage_returns_are_refused() -> None:
    """Front matter whose lines end in a lone CR is named, not taken for a body."""
    with pytest.raises(BlockError) as caught:
        HANDLER.page("---\rstate: restricted\r---\rx\r")
    assert caught.value.code == "bad_line_ends"


def test_bytes_that_are_no_utf8_are_refused_with_their_line() -> None:
    """A file in another encoding names the line of its first wrong byte."""
    with pytest.raises(BlockError) as caught:
        decode(b"---\nname: M\xfcller\n---\n")
    assert (caught.value.code, caught.value.line) == ("not_utf8", 2)


@pytest.mark.parametrize(
    "written",
    [
        "no",
        "on",
        "02142",
        "12:30",
        "1:30:45",
        "2026-11-30",
        "2026-02-30",
        "1_000",
        "1.10",
        "0x1F",
        "=",
        "null",
        "~",
        ".",
    ],
)
def test_every_scalar_is_the_text_the_owner_sees(written: str) -> None:
    """Words, times, dates and numbers stay as they are written."""
    assert read_block(f"key: {written}\n").values == {"key": written}


def test_keys_compare_without_case_and_blanks() -> None:
    """`State :` is `state:`; quotes around a key do not matter."""
    block = read_block("State : a\n\"Tags\": b\n'category': c\n")
    assert block.values == {"state": "a", "tags": "b", "category": "c"}
    assert block.lines == {"state": 2, "tags": 3, "category": 4}


def test_keys_that_break_other_readers_are_plain_keys() -> None:
    """`content`, `handler` and `self` are properties like any other."""
    assert read_block("content: a\nhandler: b\nself: c\n").values == {"content": "a", "handler": "b", "self": "c"}


def test_lists_read_the_same_in_every_style() -> None:
    """A flow list, an indented list and one without indent give the same strings; a scalar is a list of one."""
    block = read_block("a: [x, 'y']\nb:\n- x\n- y\nc:\n  - x\n  - \"y\"\nd: x\n")
    assert [block.strings(key) for key in "abcd"] == [("x", "y"), ("x", "y"), ("x", "y"), ("x",)]


@pytest.mark.parametrize("value", [None, "", " ", "null", "~", [], {"a": "b"}, [["a"]], [""]])
def test_nothing_is_an_empty_list(value: Value | None) -> None:
    """Missing, blank and null values, and values that hold no string, give no strings."""
    assert listed(value) == ()


def test_text_gives_scalars_only() -> None:
    """`text` gives a scalar without outer blanks, and "" for what is none."""
    block = read_block('a: "  x "\nb: [x]\n')
    assert (block.text("a"), block.text("b"), block.text("c")) == ("x", "", "")


def test_nested_values_keep_their_shape() -> None:
    """Maps and lists inside one another are read down to the fourth collection."""
    assert read_block("a: {b: [{c: d}]}\n").values == {"a": {"b": [{"c": "d"}]}}


def test_a_repeated_key_keeps_its_first_value_and_all_places() -> None:
    """Of a key that stands three times the first value counts, and all values are known with their lines."""
    block = read_block("a: 1\nb: 2\nA: 3\n'a': 4\n", first_line=10)
    assert block.values == {"a": "1", "b": "2"}
    assert block.repeats == {"a": [("1", 10), ("3", 12), ("4", 13)]}


@pytest.mark.parametrize(
    ("block", "code", "line"),
    [
        ("a: &x b\n", "forbidden_yaml", 2),
        ("b: c\na: *x\n", "forbidden_yaml", 3),
        ("a: !!str b\n", "forbidden_yaml", 2),
        ("id: !!python/object/apply:os.system [x]\n", "forbidden_yaml", 2),
        ("a: &x {b: c}\n", "forbidden_yaml", 2),
        ("&x a: b\n", "forbidden_yaml", 2),
        ("&x {a: b}\n", "forbidden_yaml", 2),
        ("a: b\n<<: c\n", "forbidden_yaml", 3),
        ("- a\n- b\n", "not_a_mapping", 2),
        ("just words\n", "not_a_mapping", 2),
        ("a: b: c\n", "bad_yaml", 2),
        ("a: b\nc: {{title}}\n", "bad_yaml", 3),
        ("a: @x\n", "bad_yaml", 2),
        ("a: `x\n", "bad_yaml", 2),
        ("a: %x\n", "bad_yaml", 2),
        ("\tx: y\n", "bad_yaml", 2),
        ("a: b\x00c\n", "bad_yaml", 2),
        ("? [a]\n: b\n", "bad_yaml", 2),
        ("*x : b\n", "bad_yaml", 2),
        ("a: b\n--- c\n", "bad_yaml", 3),
        ("a: {b: {c: {d: {e: f}}}}\n", "too_deep", 2),
        ("a: [[[[b]]]]\n", "too_deep", 2),
        ("a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> x\n", "merge_conflict", 3),
        ("a: b\nc: d\n>>>>>>> x\n=======\n", "merge_conflict", 4),
    ],
)
def test_what_is_not_certain_is_refused_with_its_line(block: str, code: str, line: int) -> None:
    """Each thing that could cost more than its length, or be read in two ways, has a code and a line."""
    assert code_of(block) == (code, line)


@pytest.mark.parametrize("block", ["a: '<<'\n'<<': b\n", "a: b\n=======: c\n", "a: '{{title}}'\n", "a: x # c\n"])
def test_quoted_signs_are_text(block: str) -> None:
    """What is quoted, or only looks like a merge's marker, is text."""
    assert read_block(block).values


def test_the_limit_counts_bytes() -> None:
    """A block of 32 KiB is read; one byte more is refused, whatever its characters weigh."""
    fits = "a: " + "x" * (MAX_BLOCK - 4) + "\n"
    assert len(read_block(fits).text("a")) == MAX_BLOCK - 4
    assert code_of("a" + fits) == ("block_too_large", 2)
    assert code_of("a: " + "ü" * (MAX_BLOCK // 2) + "\n") == ("block_too_large", 2)


def test_the_handler_serves_python_frontmatter() -> None:
    """`split` and `load` are what python-frontmatter calls; writing a block anew is refused."""
    assert HANDLER.split("---\na: b\n---\nbody") == ("a: b\n", "body")
    assert HANDLER.split("body") == ("", "body")
    assert HANDLER.load("a: no\n") == {"a": "no"}
    with pytest.raises(NotImplementedError):
        HANDLER.export({})


@pytest.mark.parametrize(
    ("block", "result"),
    [
        ("a: no\nb: [x, 'y']\nc:\n- {d: 02142}\n", {"a": "no", "b": ["x", "y"], "c": [{"d": "02142"}]}),
        ("", {}),
        ("a: *b\n", "forbidden_yaml"),
        ("a: &b c\n", "forbidden_yaml"),
        ("a: !!python/object:os.system x\n", "forbidden_yaml"),
        ("a: [[[[[b]]]]]\n", "too_deep"),
        ("a: " + "[" * 30_000, "too_deep"),
        ("a: b: c\n", "bad_yaml"),
        ("a: \x00\n", "bad_yaml"),
        ("- a\n", "not_a_mapping"),
    ],
)
def test_the_slow_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch, block: str, result: object) -> None:
    """Where libyaml is missing, blocks are read and refused as with it."""
    monkeypatch.setattr(module, "_PARSER", yaml.BaseLoader)
    try:
        assert read_block(block).values == result
    except BlockError as error:
        assert error.code == result


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}\"'#&*!|>%@`? \t\n\r\x00\u2028\u0085é\ufeff~=<"), max_size=60))
def test_any_block_is_read_or_refused(block: str) -> None:
    """Whatever a block is, it gives values or a BlockError with a line inside it."""
    try:
        read = read_block(block)
    except BlockError as error:
        assert 2 <= error.line <= 3 + len(block)
    else:
        assert set(read.lines) == set(read.values)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("-ab: \t\r\n\ufeff"), max_size=40))
def test_a_split_loses_nothing(text: str) -> None:
    """Head, block, the closing line and body put together are the text."""
    try:
        page = HANDLER.page(text)
    except BlockError:
        return
    if page.block is None:
        assert text.removeprefix("\ufeff") == page.body
        return
    between = text[len(page.head) + len(page.block) : len(text) - len(page.body)]
    assert text.startswith(page.head + page.block)
    assert between.rstrip() == "---"
    assert text.endswith(page.body)
