"""One bad byte anywhere in a dump of any form: the lines it touches may go, and are told; every other item is read."""

import bz2
import itertools
import random
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.dumps.test_whole_records import FORMS, write
from wikisem.dumps import plan_ranges, read_records
from wikisem.dumps.bzip2.block_reader import END_MARK, find_marks
from wikisem.records import Counts, UnreadableRecord
from wikisem.wikidata.entity_reader import ChunkReader, EntityReader
from wikisem.wikidata.line_types import Fields

Rows = list[dict[str, Any]]
Harm = Callable[[bytes, int, int], bytes]
HARMS: dict[str, Harm] = {
    "flip": lambda data, at, byte: data[:at] + bytes([data[at] ^ byte]) + data[at + 1 :],
    "cut": lambda data, at, _byte: data[:at] + data[at + 1 :],
    "insert": lambda data, at, byte: data[:at] + bytes([byte]) + data[at:],
}
# So many places are harmed in each way: 300 in each form.
PLACES = 40
UNITS = 6
READER = EntityReader(Fields(("en",), ()))


def one_stream(parts: Sequence[bytes], named: Sequence[bytes] | None = None) -> bytes:
    """A bzip2 stream with a block for each part, at any bit: as lbzip2 writes, but with smaller blocks.

    Its checksum is that of its blocks, or of those of the parts that are ``named`` instead.
    """
    bits, length, checksum = 0, 0, 0
    for part in parts:
        stream = bz2.compress(part)
        stop = find_marks(stream, END_MARK)[-1]
        block = (int.from_bytes(stream, "big") >> (8 * len(stream) - stop)) & ((1 << (stop - 32)) - 1)
        bits, length = bits << (stop - 32) | block, length + stop - 32
    for part in parts if named is None else named:
        checksum = (checksum << 1 | checksum >> 31) & 0xFFFFFFFF ^ int.from_bytes(bz2.compress(part)[10:14], "big")
    bits, length = bits << 80 | END_MARK << 32 | checksum, length + 80
    return b"BZh9" + (bits << -length % 8).to_bytes((length + 7) // 8, "big")


PACK = FORMS | {"single.bz2": one_stream}


def line_of(number: int) -> bytes:
    """The line of an item."""
    value = {"value": {"entity-type": "item", "numeric-id": number % 7 + 1, "id": f"Q{number % 7 + 1}"}}
    item = {
        "type": "item",
        "id": f"Q{number}",
        "labels": {"en": {"language": "en", "value": f"item {number * number}"}},
        "claims": {"P31": [{"mainsnak": {"snaktype": "value", "datavalue": value}, "rank": "normal"}]},
        "sitelinks": {"enwiki": {"site": "enwiki", "title": f"Page {number}"}},
        "lastrevid": 1000 + number,
    }
    return orjson.dumps(item) + b",\n"


LINES = [line_of(number) for number in range(1, 61)]
TEXT = b"".join(LINES)
SIZE = -(-len(TEXT) // UNITS)
PARTS = [TEXT[start : start + SIZE] for start in range(0, len(TEXT), SIZE)]


def read(path: Path, target: int) -> tuple[Rows, list[UnreadableRecord], Counts]:
    """What the ranges of a dump give."""
    rows, unreadable, counts = [], [], Counts()
    for range_ in plan_ranges(str(path), target_bytes=target):
        reader = ChunkReader(READER, False, "entities")
        for chunk in read_records(range_):
            assert not list(reader.read(chunk))
        rows += [row for _, table in reader.finish() for row in table.to_pylist()]
        unreadable += reader.unreadable
        counts += reader.counts()
    return rows, unreadable, counts


def touched(start: int, stop: int) -> set[int]:
    """The places of the lines that have a byte between two offsets of the text, or next to them."""
    ends = list(itertools.accumulate(map(len, LINES)))
    return {place for place, end in enumerate(ends) if end >= start and end - len(LINES[place]) <= stop}


def touchable(form: str, at: int) -> list[set[int]]:
    """The sets of lines of which one bad byte may touch one: those of a unit, in a plain file those at the byte."""
    if form == "plain":
        return [touched(at, at + 1)]
    ends = itertools.accumulate(map(len, PARTS), initial=0)
    return [touched(*unit) for unit in itertools.pairwise(ends)]


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("form", PACK)
def test_one_bad_byte_costs_at_most_the_lines_it_touches(form: str, harm: str, tmp_path: Path) -> None:
    """Flipped, cut and inserted at 120 places of each form; what is lost is among the unreadable records.

    ``make damages`` does it to dumps in number.
    """
    source = random.Random(form + harm)
    packed = PACK[form](PARTS)
    target = len(packed) // 3
    whole, none, _ = read(write(tmp_path / f"whole.{form}", packed), target)
    assert (len(whole), none) == (len(LINES), [])
    for at in source.sample(range(len(packed)), PLACES):
        path = write(tmp_path / f"dump.{form}", HARMS[harm](packed, at, source.randrange(1, 256)))
        rows, unreadable, counts = read(path, target)
        changed = {place for place, row in enumerate(whole) if row not in rows}
        assert any(changed <= lines for lines in touchable(form, at)), (at, changed)
        # The bad byte may also have given an item another name, or made it something that is left out.
        silent = len(rows) + sum(counts.left_out.values()) < len(whole) and not unreadable
        assert not silent, (at, changed)
        assert len([record for record in unreadable if record.reason in ("undecodable", "garbage", "truncated")]) <= 2
        if "bz2" in form:  # others give text before they know that it is wrong
            assert rows == [row for place, row in enumerate(whole) if place not in changed]


DECODERS: dict[str, Callable[[], Any]] = {
    "hundred-items.json.bz2": bz2.BZ2Decompressor,
    "real-entities.json.gz": lambda: zlib.decompressobj(31),
}


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("name", DECODERS)
def test_real_dumps_are_read_up_to_the_damage(name: str, realdata: Path, tmp_path: Path) -> None:
    """A byte flipped in the last quarter, of a bzip2 block or of the only gzip member: what is before it comes."""
    packed = (realdata / "wikidata" / name).read_bytes()
    whole, _, _ = read(write(tmp_path / name, packed), 1 << 30)
    for at in random.Random(name).sample(range(3 * len(packed) // 4, len(packed) - 99), 2):
        rows, unreadable, _ = read(write(tmp_path / name, HARMS["flip"](packed, at, 0x55)), 1 << 30)
        text = DECODERS[name]().decompress(packed[:at])
        known, _, _ = read(write(tmp_path / "known.json", text[: text.rindex(b"\n")]), 1 << 30)
        assert known
        assert all(row in rows for row in known)
        assert len(rows) < len(whole)
        assert sum(record.reason in ("undecodable", "checksum") for record in unreadable) == 1
