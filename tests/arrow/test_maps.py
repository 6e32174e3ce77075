"""Columns of maps by key: what pyarrow looks up map by map, however the column is cut."""

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import event, given
from hypothesis import strategies as st

from wikisem.arrow.columns import MapLookup

KIND = pa.map_(pa.string(), pa.string())
KEYS = ["de", "en", "mul", "zh-hant", ""]
MAPS = st.lists(st.lists(st.tuples(st.sampled_from(KEYS[:4]), st.text(max_size=4)), max_size=5), max_size=8)


@given(chunks=st.lists(MAPS, max_size=3), cut=st.integers(0, 4))
def test_values_are_those_that_pyarrow_finds(chunks: list[list[list[tuple[str, str]]]], cut: int) -> None:
    """The first where a map has a key twice, null where it has none, for slices of chunks too."""
    column = pa.chunked_array([pa.array(maps, KIND).slice(cut) for maps in chunks], KIND)
    maps = MapLookup(column)
    for key in KEYS:
        expected = pc.map_lookup(column, pa.scalar(key), "first").to_pylist()
        event("found", str(any(expected)))
        assert maps.lookup(key).to_pylist() == expected


def test_maps_that_are_null_have_no_value() -> None:
    """As those without entries."""
    assert MapLookup(pa.array([None, [("de", "Mond")], []], KIND)).lookup("de").to_pylist() == [None, "Mond", None]
