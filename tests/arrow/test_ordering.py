"""The order of the dictionary is that of Python's own sort."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.buckets import sort_by, sort_mentions
from wikisem.schemas import MENTIONS

texts = st.sampled_from(["", "A", "AB", "a", "ä", "Z", "東京", "\U0001f600", "\uffff"])
# Equal in their first seven or fourteen bytes, the beginning of another, or longer by a zero byte alone.
long_texts = st.builds("".join, st.lists(st.sampled_from(["", "a", "\0", "abcdefg", "東京", "\U0001f600"]), max_size=5))
rows = st.lists(st.tuples(texts, texts | long_texts, st.integers(1, 3)))


@given(rows, st.integers(0, 5))
def test_mentions_are_sorted(values: list[tuple[str, str, int]], cut: int) -> None:
    """By title, then the most frequent anchor first, then by anchor, texts by code point; no row is lost."""
    table = pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in values], MENTIONS)
    ordered = sort_mentions(pa.concat_tables([table.slice(cut), table.slice(0, cut)]))
    got = [(row["title"], row["anchor"], row["count"]) for row in ordered.to_pylist()]
    assert ordered.schema == MENTIONS
    assert got == sorted(values, key=lambda row: (row[0], -row[2], row[1]))


@given(rows)
def test_sort_by_code_point(values: list[tuple[str, str, int]]) -> None:
    """Texts sort by code point, as Python's do."""
    table = pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in values], MENTIONS)
    ordered = sort_by(table, [("title", "ascending"), ("count", "descending"), ("anchor", "ascending")])
    got = [(row["title"], row["anchor"], row["count"]) for row in ordered.to_pylist()]
    assert got == sorted(values, key=lambda row: (row[0], -row[2], row[1]))
