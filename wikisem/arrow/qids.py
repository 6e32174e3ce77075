"""Columns of item ids as arrays of their numbers, and back: the one place that converts many at once."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import Numbers, join
from wikisem.errors import DamagedInputError

# The numbers of all items of Wikidata, in 16 buckets, take some 60 MB a bucket (2026-09).
QID_BUCKETS: Final = 16


def qid_numbers(qids: pa.Array | pa.ChunkedArray) -> Numbers:
    """The numbers of a column of item ids, shape ``(n,)``.

    Raises DamagedInputError when one is no item id of at most 18 digits.

    >>> qid_numbers(pa.array(["Q42", "Q5"])).tolist()
    [42, 5]
    """
    return join(map(_numbers, qids.chunks)) if isinstance(qids, pa.ChunkedArray) else _numbers(qids)


def qids_of(numbers: Numbers) -> list[str]:
    """The item ids of numbers, in their order.

    >>> qids_of(np.array([42, 5]))
    ['Q42', 'Q5']
    """
    qids: list[str] = pc.binary_join_element_wise("Q", pc.cast(pa.array(numbers), pa.string()), "").to_pylist()
    return qids


def qid_buckets(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The buckets that any of the items belong to, each with the positions of its numbers in the array.

    >>> [(bucket, found.tolist()) for bucket, found in qid_buckets(np.array([16, 1, 33, 32]))]
    [(0, [0, 3]), (1, [1, 2])]
    """
    for bucket in range(QID_BUCKETS):
        found = np.flatnonzero(numbers % QID_BUCKETS == bucket)
        if found.size:
            yield bucket, found


def _numbers(qids: pa.Array) -> Numbers:
    if not len(qids):
        return np.empty(0, np.int64)
    # In the order of code points, "Q1" <= id < "Q:" are the strings that begin with Q and a digit from 1 to 9; that the
    # others are digits too is what the cast checks. (It alone would take "P5" for 5, and "Q-5" for -5.)
    least, greatest = pc.min_max(qids).as_py().values()
    if qids.null_count or not "Q1" <= least <= greatest < "Q:":
        raise _no_qid(qids)
    try:
        numbers: Numbers = pc.cast(pc.utf8_slice_codeunits(qids, 1), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise _no_qid(qids) from error
    return numbers


def _no_qid(qids: pa.Array) -> DamagedInputError:
    wrong = pc.fill_null(pc.invert(pc.match_substring_regex(qids, "^Q[1-9][0-9]{0,17}$")), True)
    return DamagedInputError(f"expected item ids such as Q28640, saw {qids.filter(wrong)[0].as_py()!r}")
