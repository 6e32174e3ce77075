"""The bzip2 decoder in C: what it accepts is what Python's ``bz2`` accepts, byte for byte and bit for bit."""

import bz2
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dumps.bzip2_blocks import (
    BlockParts,
    block_of_column,
    checksum_of,
    expand_runs,
    first_text,
    last_column,
    stream_of,
    to_bytes,
)
from wikisem.dumps.bzip2.block_reader import BLOCK_MARK, END_MARK, bits_at, decode_without_end, find_marks_in_python

native = pytest.importorskip("wikisem.dumps.bzip2._native", reason="the decoder in C could not be compiled here")

HEADER_BITS = 32
KERNELS = pytest.mark.parametrize("portable", [False, True], ids=["best", "portable"])
DECODERS = {portable: native.BlockDecoder(portable=portable) for portable in (False, True)}
# Texts in which every step of the format has something to do: runs, repeats, few and many different bytes.
TEXTS = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.tuples(st.binary(min_size=1, max_size=3), st.integers(1, 700)).map(lambda part: part[0] * part[1]),
    ),
    min_size=1,
    max_size=12,
).map(b"".join)


def decode(data: bytes, bit: int, portable: bool) -> tuple[bytes, int] | None:
    """The block at a bit, None where it is refused."""
    try:
        text, end = DECODERS[portable].decode(data, bit)
    except ValueError as error:
        assert f"at bit {bit}, refused: " in str(error)
        return None
    return text, end


def decode_file(data: bytes, portable: bool) -> bytes:
    """The text of a whole file of any number of streams, by the marks of its blocks and its streams."""
    texts, bit = [], 0
    while bit < 8 * len(data):
        assert data[bit // 8 : bit // 8 + 3] == b"BZh"
        bit += HEADER_BITS
        while bits_at(data, bit) != END_MARK:
            text, bit = DECODERS[portable].decode(data, bit)
            texts.append(text)
        bit += 80 + -bit % 8
    return b"".join(texts)


@KERNELS
@given(text=TEXTS, level=st.integers(1, 9))
def test_texts_come_back(portable: bool, text: bytes, level: int) -> None:
    """Any text, any level."""
    assert decode_file(bz2.compress(text, level), portable) == text


@KERNELS
def test_every_length_has_its_checksum(portable: bool) -> None:
    """Checksums are made of 64 bytes at a time, of 16 and of one: each way of ending is tried, and none is refused."""
    for size in range(1, 300):
        text = random.Random(size).randbytes(size)
        assert decode_file(bz2.compress(text), portable) == text


def _words(count: int) -> bytes:
    source = random.Random(count)
    words = [source.randbytes(source.randrange(1, 9)).hex().encode() for _ in range(2000)]
    return b" ".join(source.choices(words, k=count))


LARGE: dict[str, Callable[[], bytes]] = {
    "words": lambda: _words(300_000),
    "random bytes": lambda: random.Random(1).randbytes(2_000_000),
    "one byte over and over": lambda: b"x" * 5_000_000,
    "the longest expansion of a block": lambda: bytes(46_000_000),
    "a short period": lambda: b"abc" * 700_000,
    "a long period": lambda: random.Random(2).randbytes(3_000) * 500,
    "runs of all lengths": lambda: b"".join(bytes([n % 251]) * n for n in range(1500)),
    "all bytes, even and ordered": lambda: bytes(range(256)) * 7_000,
    "empty streams around it": lambda: b"",
}


@pytest.mark.slow
@KERNELS
@pytest.mark.parametrize("name", LARGE)
def test_large_texts_come_back(portable: bool, name: str) -> None:
    """Blocks of full size at the first and the last level, in files of several streams, some of them empty."""
    text = LARGE[name]()
    for level in (1, 9):
        empty = bz2.compress(b"")
        packed = empty + bz2.compress(text, level) + empty + empty + bz2.compress(text[:1000]) + empty
        assert decode_file(packed, portable) == text + text[:1000]


@KERNELS
@given(text=st.binary(min_size=1, max_size=300), before=st.text("01", max_size=40), after=st.text("01", max_size=90))
def test_a_block_is_read_from_any_bit(portable: bool, text: bytes, before: str, after: str) -> None:
    """Whatever is in front of it and after it; what follows is not even looked at."""
    block = block_of_column(*last_column(text), text).bits()
    if expand_runs(text) == text:
        assert decode(to_bytes(before + block + after), len(before), portable) == (text, len(before) + len(block))


@KERNELS
@given(
    column=st.binary(min_size=1, max_size=400) | st.text("ab", min_size=1, max_size=80).map(str.encode), data=st.data()
)
def test_any_column_gives_what_the_definition_says(portable: bool, column: bytes, data: st.DataObject) -> None:
    """Also columns of no text, whose rows form several circles: accepted and read as the reference reads them."""
    origin = data.draw(st.integers(0, len(column) - 1))
    text = expand_runs(first_text(column, origin))
    parts = block_of_column(column, origin, text or b"")
    block = parts.bits()
    found = decode(to_bytes(block), 0, portable)
    packed = stream_of(block, parts.checksum)
    if text is None:
        assert found is None
        with pytest.raises((OSError, ValueError)):
            bz2.decompress(packed)
    else:
        assert found == (text, len(block))
        assert bz2.decompress(packed) == text


@KERNELS
def test_circles_longer_than_a_segment(portable: bool) -> None:
    """Columns of thousands of rows, many of them in circles that the text is not on."""
    source = random.Random(4)
    for size in (1023, 1024, 1025, 5_000, 30_000):
        for letters in (b"ab", bytes(range(1, 256, 7))):
            column = bytes(source.choices(letters, k=size))
            for origin in (0, size - 1, source.randrange(size)):
                text = expand_runs(first_text(column, origin))
                if text is not None:
                    block = block_of_column(column, origin, text).bits()
                    assert decode(to_bytes(block), 0, portable) == (text, len(block))


def _parts(text: bytes = b"banana bandana") -> BlockParts:
    return block_of_column(*last_column(text), text)


def _with(**changes: object) -> BlockParts:
    parts = _parts()
    for name, value in changes.items():
        setattr(parts, name, value)
    return parts


# The alphabet of ``_parts`` has 7 symbols.
ODD: dict[str, tuple[BlockParts, bool]] = {
    "as it should be": (_parts(), True),
    "six tables": (_with(tables=[[3] * 7] * 6, selectors=[5]), True),
    "codes of 20 bits": (_with(tables=[[20] * 7, [20] * 7]), True),
    "codes of all lengths": (_with(tables=[[1, 2, 3, 4, 12, 20, 20]] * 2), True),
    "a code with words to spare": (_with(tables=[[4] * 7, [5] * 7]), True),
    "selectors to spare": (_with(selectors=[0] * 18_002), True),
    "an over-subscribed code": (_with(tables=[[2] * 7, [3] * 7]), False),
    "an over-subscribed code in a table without use": (_with(tables=[[3] * 7, [1] * 7]), False),
    "one table": (_with(tables=[[3] * 7]), False),
    "seven tables": (_with(tables=[[3] * 7] * 7), False),
    "more selectors than a block can use": (_with(selectors=[0] * 18_003), False),
    "too few selectors": (_with(symbols=[0, 2] * 40 + [6], selectors=[0]), False),
    "an origin that is no row": (_with(origin=14), False),
    "the largest origin": (_with(origin=(1 << 24) - 1), False),
    "another row as origin": (_with(origin=_parts().origin ^ 1), False),
    "a wrong checksum": (_with(checksum=1), False),
    "randomised": (_with(randomised=1), False),
    "nothing but an end": (_with(symbols=[6]), False),
    "a run of 2 ** 40": (_with(symbols=[*[1] * 40, 6]), False),
    "a run of 2 ** 70": (_with(symbols=[*[0] * 70, 2, 6], selectors=[0, 0]), False),
    "a run over the end of the block": (_with(symbols=[*[1] * 18, 2, *[1] * 19, 6], selectors=[0]), False),
}


@KERNELS
@pytest.mark.parametrize("name", ODD)
def test_odd_blocks(portable: bool, name: str) -> None:
    """What the format allows is read, unless it is so rare that the reference decoder may read it."""
    parts, accepted = ODD[name]
    block = parts.bits()
    expected = (b"banana bandana", len(block)) if accepted else None
    assert decode(to_bytes(block), 0, portable) == expected
    if accepted:
        assert bz2.decompress(stream_of(block, parts.checksum)) == b"banana bandana"


@KERNELS
def test_what_ends_early_is_refused(portable: bool) -> None:
    """At every byte and at every start; the last byte may hold bits that are not the block's."""
    packed = bz2.compress(b"one two three " * 20)
    block = decode(packed, HEADER_BITS, portable)
    assert block is not None
    for size in range(len(packed)):
        found = decode(packed[:size], HEADER_BITS, portable)
        assert found == (block if 8 * size >= block[1] else None)
    for bit in (0, 1, 31, 33, 8 * len(packed), 8 * len(packed) + 1, 1 << 62, (1 << 64) - 1):
        assert decode(packed, bit, portable) is None
    assert decode(b"", 0, portable) is None


@KERNELS
@settings(max_examples=300)
@given(
    text=TEXTS.filter(bool),
    harms=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["flip", "cut", "insert"]), st.integers(1, 255))),
)
def test_damaged_blocks_are_refused_or_read_as_the_reference_reads_them(
    portable: bool, text: bytes, harms: list[tuple[float, str, int]]
) -> None:
    """Accepting is what can be wrong: then text and end are those of Python's decoder."""
    packed = bytearray(bz2.compress(text)[4:])
    for place, harm, byte in harms:
        at = int(place * (len(packed) - 1))
        packed[at : at + (harm != "insert")] = {
            "flip": bytes([packed[at] ^ byte]),
            "cut": b"",
            "insert": bytes([byte]),
        }[harm]
    found = decode(bytes(packed), 0, portable)
    if found:
        known = decode_without_end(bytes(packed))
        assert known is not None
        assert found == (known.text, known.bits)


@given(
    st.lists(st.sampled_from([BLOCK_MARK, END_MARK]) | st.text("01", max_size=70), max_size=8),
    st.sampled_from([BLOCK_MARK, END_MARK]),
)
def test_marks_are_found_at_every_bit(parts: list[int | str], mark: int) -> None:
    """Side by side, at the very beginning and the very end, and nowhere else."""
    data = to_bytes("".join(part if isinstance(part, str) else f"{part:048b}" for part in parts))
    assert native.find_marks(data, mark) == find_marks_in_python(data, mark)
    assert native.find_marks(memoryview(data)[1:], mark) == find_marks_in_python(data[1:], mark)


def test_arguments_that_make_no_sense_are_errors() -> None:
    """As those of any function of Python."""
    decoder = DECODERS[False]
    with pytest.raises(OverflowError):
        decoder.decode(b"", -1)
    for wrong in (("text", 0), (b"", "0"), (b"", 0.0), (b"",)):
        with pytest.raises(TypeError):
            decoder.decode(*wrong)
    with pytest.raises(TypeError):
        native.BlockDecoder(True)
    with pytest.raises(TypeError):
        native.find_marks("text", 0)


def test_other_threads_run_but_not_in_the_same_decoder() -> None:
    """The GIL is released; a decoder that is at work says so, and works on."""
    packed, size = bz2.compress(bytes(45_000_000)), 45_000_000
    decoder = native.BlockDecoder()
    answers: list[bool] = []
    refused = threading.Event()

    def decode() -> None:
        # Again, for on a busy machine the other thread may have no turn while one block is decoded.
        while not refused.is_set() and len(answers) < 300:
            with suppress(RuntimeError):  # the other thread was in the decoder first
                answers.append(decoder.decode(packed, HEADER_BITS)[0] == bytes(size))

    thread = threading.Thread(target=decode)
    thread.start()
    while thread.is_alive():
        try:
            decoder.decode(b"", 0)
        except RuntimeError:
            refused.set()
        except ValueError:
            pass
    thread.join()
    assert refused.is_set()
    assert all(answers)
    assert answers


def test_both_kernels_are_tested_where_there_are_two() -> None:
    """``portable`` keeps vector instructions out."""
    assert native.BlockDecoder(portable=True).instructions == "portable"
    assert native.BlockDecoder().instructions in ("avx2", "portable")


@pytest.mark.slow
@pytest.mark.realdata
@KERNELS
def test_real_files_come_back(portable: bool, realdata: Path) -> None:
    """Every bzip2 file of the real data, block by block, and all of their marks."""
    paths = [path for path in sorted(realdata.rglob("*.bz2")) if "truncated" not in path.name]
    assert len(paths) > 10
    for path in paths:
        data = path.read_bytes()
        assert decode_file(data, portable) == bz2.decompress(data)
        for mark in (BLOCK_MARK, END_MARK):
            assert native.find_marks(data, mark) == find_marks_in_python(data, mark)


def test_the_checksum_of_the_tests_is_that_of_bzip2() -> None:
    """A known one."""
    assert checksum_of(b"123456789") == 0xFC891918
