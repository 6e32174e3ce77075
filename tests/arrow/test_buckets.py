"""Rows go to buckets by their text alone, and no row is lost, doubled or reordered on the way."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.buckets import (
    BUCKETS,
    BucketedRows,
    buckets_for,
    hash_strings,
    split,
    sum_rows,
)
from wikisem.sampling import hash_key
from wikisem.schemas import MENTIONS

texts = st.text(max_size=20)
rows = st.lists(st.tuples(st.sampled_from(["", "a", "ä", "Rīga", "東京", "x" * 30]), texts, st.integers(1, 9)))


def naive_hash(text: str) -> int:
    """Fold eight bytes at a time, one text at a time."""
    data = text.encode()
    state = len(data)
    for start in range(0, len(data), 8):
        state = hash_key(0, state ^ int.from_bytes(data[start : start + 8], "little"))
    return state


@given(st.lists(texts), st.integers(0, 3), st.integers(0, 3))
def test_hash_is_that_of_the_bytes(values: list[str], front: int, back: int) -> None:
    """Each text has the hash of its bytes, wherever it is in a table and however the table was cut."""
    array = pa.array(values, pa.string())[front : max(front, len(values) - back)]
    assert hash_strings(array).tolist() == [naive_hash(text) for text in array.to_pylist()]


def test_hashes_are_fixed() -> None:
    """The hash is part of the layout on disk: these values must never change."""
    hashes = hash_strings(pa.array(["", "Rīga", "Douglas Adams"]))
    assert hashes.tolist() == [0, 7032969702614882700, 13492159782438493005]


def test_null_has_no_hash() -> None:
    """A null is a mistake of the caller, not a bucket."""
    with pytest.raises(AssertionError, match="not null"):
        hash_strings(pa.array(["a", None]))


def test_buckets_are_even() -> None:
    """Titles that differ only in their last characters spread over all buckets."""
    table = pa.table({"title": [f"List of mayors of {number}" for number in range(1000 * BUCKETS)]})
    sizes = [rows.num_rows for _, rows in split(table, "title")]
    assert len(sizes) == BUCKETS
    assert min(sizes) > 850
    assert max(sizes) < 1_150


@given(rows, st.integers(1, 70))
def test_split_is_a_partition(values: list[tuple[str, str, int]], buckets: int) -> None:
    """Every row is in the one bucket of its title, in its old order, and no empty bucket is given."""
    table = pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in values], MENTIONS)
    parts = dict(split(table, "title", buckets))
    assert all(part.num_rows for part in parts.values())
    wanted: dict[int, list[dict[str, object]]] = {}
    for row in table.to_pylist():
        wanted.setdefault(naive_hash(row["title"]) % buckets, []).append(row)
    assert {bucket: part.to_pylist() for bucket, part in parts.items()} == wanted


def test_split_reads_a_column_of_many_chunks() -> None:
    """Chunks of a table, empty ones among them, make no difference."""
    whole = pa.table({"title": [f"t{n}" for n in range(100)]})
    cut = pa.concat_tables([whole.slice(0, 40), whole.slice(40, 0), whole.slice(40)])
    assert [(n, part.to_pydict()) for n, part in split(cut, "title")] == [
        (n, part.to_pydict()) for n, part in split(whole, "title")
    ]


@given(rows, st.integers(0, 9))
def test_add_up_is_a_counter(values: list[tuple[str, str, int]], cut: int) -> None:
    """The sums are those of a Counter over all rows of all tables."""
    table = pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in values], MENTIONS)
    summed = sum_rows([table.slice(0, cut), table.slice(cut)], MENTIONS)
    wanted: Counter[tuple[str, str]] = Counter()
    for title, anchor, count in values:
        wanted[title, anchor] += count
    assert summed.schema == MENTIONS
    assert summed.num_rows == len(wanted)
    assert {(row["title"], row["anchor"]): row["count"] for row in summed.to_pylist()} == wanted


@given(st.lists(rows, max_size=8), st.integers(1, 6))
def test_gatherer_gives_out_what_it_took(batches: list[list[tuple[str, str, int]]], most: int) -> None:
    """However little it may hold, the rows of a bucket come in the order in which they were added, none is summed."""
    gatherer = BucketedRows("title", most)
    tables = [
        pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in batch], MENTIONS)
        for batch in batches
    ]
    given_out = [part for table in tables for part in gatherer.add(table)] + list(gatherer.rest())
    for bucket, expected in split(pa.concat_tables([MENTIONS.empty_table(), *tables]), "title"):
        assert pa.concat_tables([part for number, part in given_out if number == bucket]).equals(expected)
    assert sum(part.num_rows for _, part in given_out) == sum(table.num_rows for table in tables)
    assert list(gatherer.rest()) == []


@given(st.lists(rows, max_size=8), st.integers(1, 6))
def test_adder_loses_nothing(batches: list[list[tuple[str, str, int]]], most: int) -> None:
    """However little it may hold, what it gives out adds up to what went in, each row in its bucket."""
    adder = BucketedRows("title", most, schema=MENTIONS)
    tables = [
        pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in batch], MENTIONS)
        for batch in batches
    ]
    given_out = [part for table in tables for part in adder.add(table)] + list(adder.rest())
    assert all([number for number, _ in split(part, "title")] == [bucket] for bucket, part in given_out)
    assert _counter([part for _, part in given_out]) == _counter(tables)
    assert list(adder.rest()) == []


def test_adder_holds_rows_up_to_its_bound() -> None:
    """Nothing is given out before there is enough, and then everything."""
    adder = BucketedRows("title", 4, schema=MENTIONS)
    rows = pa.table({"title": ["A"] * 3, "anchor": ["a"] * 3, "count": [1] * 3}, MENTIONS)
    assert list(adder.add(rows)) == []
    ((_, given_out),) = adder.add(rows)
    assert given_out.to_pylist() == [{"title": "A", "anchor": "a", "count": 6}]
    assert list(adder.rest()) == []


def test_adder_sums_what_repeats() -> None:
    """Rows that sum to few leave as few; once a bucket has shown that they do not, the others leave as they came."""
    names = [f"t{number}" for number in range(1000)]
    rows = pa.table({"title": names, "anchor": names, "count": [1] * 1000}, MENTIONS)
    repeating, distinct = BucketedRows("title", schema=MENTIONS), BucketedRows("title", schema=MENTIONS)
    assert [*repeating.add(rows), *repeating.add(rows), *distinct.add(rows)] == []
    assert sum(part.num_rows for _, part in repeating.rest()) == 1000
    assert [part.column("count").to_pylist() for _, part in distinct.rest()] == [
        [1] * part.num_rows for _, part in split(rows, "title")
    ]


def _counter(tables: list[pa.Table]) -> Counter[tuple[str, str]]:
    summed: Counter[tuple[str, str]] = Counter()
    for row in [row for table in tables for row in table.to_pylist()]:
        summed[row["title"], row["anchor"]] += row["count"]
    return summed


@given(batches=st.lists(rows, max_size=6), most=st.integers(1, 9))
def test_summing_in_steps_is_summing_at_once(batches: list[list[tuple[str, str, int]]], most: int) -> None:
    """However little may be held in between."""
    tables = [
        pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in batch], MENTIONS)
        for batch in batches
    ]
    expected = Counter[tuple[str, str]]()
    for title, anchor, count in (row for batch in batches for row in batch):
        expected[title, anchor] += count
    summed = sum_rows(iter(tables), MENTIONS, most)
    found = {(row["title"], row["anchor"]): row["count"] for row in summed.to_pylist()}
    assert found == expected
    assert summed.num_rows == len(expected)
    assert summed.schema == MENTIONS


@given(st.lists(texts, min_size=1), st.sampled_from([1, 8, 64, 256]))
def test_larger_buckets_are_whole_buckets_put_together(strings: list[str], buckets: int) -> None:
    """What was split into the most buckets can be merged in fewer, as if it had been split into these."""
    for finer, rows in split(pa.table({"title": strings}), "title"):
        assert [larger for larger, _ in split(rows, "title", buckets)] == [finer % buckets]


@pytest.mark.parametrize(
    ("pages", "buckets"),
    [(0, 1), (19_999, 1), (20_000, 8), (499_999, 8), (500_000, 64), (3_999_999, 64), (4_000_000, 256)],
)
def test_the_number_of_buckets_depends_on_the_pages(pages: int, buckets: int) -> None:
    """A small wiki is one file, and a large one as many as workers can share."""
    assert buckets_for(pages) == buckets


@given(st.integers(0, 16_000_000))
def test_no_bucket_grows_with_its_wiki(pages: int) -> None:
    """Even with more articles than any Wikipedia has, a bucket has a bound, and so has the memory for one."""
    assert pages / buckets_for(pages) <= 62_500
    assert BUCKETS % buckets_for(pages) == 0


def test_rows_that_are_long_are_let_go_of_sooner() -> None:
    """Memory has a bound in bytes too."""
    table = pa.table([["t"], ["a" * 1000], [1]], MENTIONS)
    adder = BucketedRows("title", most_bytes=2500, schema=MENTIONS)
    assert [sum(rows.num_rows for _, rows in adder.add(table)) for _ in range(3)] == [0, 0, 1]
