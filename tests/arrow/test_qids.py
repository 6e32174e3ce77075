"""Columns of item ids and their numbers: there and back, and nothing else is taken for an item."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.columns import QID_BUCKETS, qid_buckets, qid_numbers, qids_of
from wikisem.errors import DamagedInputError
from wikisem.ids import qid_number, qid_of

numbers = st.integers(1, 10**18 - 1)
arrays = st.lists(st.integers(1, 40)).map(lambda values: np.asarray(values, np.int64))


@given(st.lists(numbers), st.integers(0, 5))
def test_columns_convert_as_single_ids_do(values: list[int], cut: int) -> None:
    """There and back, in one array, in a slice of one and in several chunks."""
    column = pa.array([qid_of(value) for value in values], pa.string())
    assert qids_of(np.asarray(values, np.int64)) == column.to_pylist()
    for form in (column, pa.chunked_array([column[:cut], column[cut:]], pa.string())):
        assert qid_numbers(form).tolist() == [qid_number(qid) for qid in column.to_pylist()] == values
    assert qid_numbers(column[cut:]).tolist() == values[cut:]


@pytest.mark.parametrize(
    "wrong", ["P5", "q5", "5", "", "Q", "Q0", "Q05", "Q-5", "Q+5", "Q 5", "Q5 ", "Q0x1f", "Q9é", "R5", "QQ5", None]
)
def test_what_is_no_item_id_is_refused(wrong: str | None) -> None:
    """A property is not an item, in whichever row of whichever chunk it is; the message has what was seen."""
    good = pa.array(["Q7", "Q8"])
    for column in (pa.array(["Q7", wrong, "Q8"], pa.string()), pa.chunked_array([good, [wrong], good], pa.string())):
        with pytest.raises(DamagedInputError, match="expected item ids such as Q28640, saw") as caught:
            qid_numbers(column)
        assert str(caught.value).endswith(f"saw {wrong!r}")


def test_a_number_that_does_not_fit_is_refused() -> None:
    """It is named, and not the ids beside it."""
    with pytest.raises(DamagedInputError, match="saw 'Q99999999999999999999'"):
        qid_numbers(pa.array(["Q1", "Q99999999999999999999", "Q2"]))


@given(arrays)
def test_buckets_part_the_positions(values: np.ndarray) -> None:
    """Every position is in one bucket, that of its number; buckets without any do not come."""
    expected = defaultdict(list)
    for position, value in enumerate(values.tolist()):
        expected[value % QID_BUCKETS].append(position)
    assert {bucket: found.tolist() for bucket, found in qid_buckets(values)} == expected
