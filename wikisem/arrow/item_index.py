"""Finding the row of an item among the Parquet files of entities: in which file, and in which of its row groups.

Each file of an index has one bucket of items by number, in row groups with statistics of their numbers. So reading
fifty items takes at most fifty row groups of the index, and as many of the entities.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final

import numpy as np
import pyarrow as pa

from wikisem.arrow.columns import Numbers, distinct, is_in, join, qid_numbers
from wikisem.arrow.parquet import CheckedWriter, bucket_name, open_parquet
from wikisem.errors import DamagedInputError
from wikisem.files import open_binary
from wikisem.schemas import ITEM_INDEX

# Larger ones make every lookup read more, smaller ones the footer larger: that of 7 million items has 50 KB.
_ROW_GROUP: Final = 1 << 14


def write_index(sink: BinaryIO, files: Sequence[str], row_groups: Sequence[Iterable[Numbers]]) -> None:
    """Write one bucket of an index: the names of files of entities, and for each the numbers in its row groups."""
    listed = [(file, group, numbers) for file, found in enumerate(row_groups) for group, numbers in enumerate(found)]
    numbers = join([in_group for *_, in_group in listed])
    lengths = [len(in_group) for *_, in_group in listed]
    file_of = np.repeat(np.array([file for file, *_ in listed], np.int32), lengths)
    group_of = np.repeat(np.array([group for _, group, _ in listed], np.int32), lengths)
    order, names = np.argsort(numbers), pa.array(files, pa.string())
    writer = CheckedWriter(sink, ITEM_INDEX)
    # Names are gathered for one row group at a time: all of them take three times the room of the numbers.
    for start in range(0, len(order), _ROW_GROUP):
        rows = order[start : start + _ROW_GROUP]
        writer.write(pa.table([numbers[rows], names.take(pa.array(file_of[rows])), group_of[rows]], schema=ITEM_INDEX))
    writer.close()


def read_items(entities: str, index: Sequence[str], qids: Sequence[str], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows of items in the files of a folder: columns ``qid`` and ``columns``, in the order of the files.

    ``index`` are the paths of all files of the index. Raises DamagedInputError.
    """
    wanted = distinct(qid_numbers(pa.array(qids, pa.string())))
    # The row groups of each file of entities that have any of the items.
    row_groups: dict[str, set[int]] = defaultdict(set)
    for bucket, path in enumerate(sorted(index)):
        name = bucket_name(bucket, len(index))
        if path.rpartition("/")[2] != name:
            raise DamagedInputError(f"{path}: expected {name}, for there are {len(index)}")
        numbers = wanted[wanted % len(index) == bucket]
        if not numbers.size:
            continue
        for table in _read(path, ITEM_INDEX.names, numbers=numbers):
            found = table.filter(pa.array(is_in(table["number"].to_numpy(), numbers)))
            for file, group in zip(found["file"].to_pylist(), found["row_group"].to_pylist(), strict=True):
                row_groups[file].add(group)
    for file, groups in sorted(row_groups.items()):
        for table in _read(f"{entities}/{file}", ["qid", *columns], groups):
            yield table.filter(pa.array(is_in(qid_numbers(table["qid"]), wanted)))


def _read(
    path: str, columns: Sequence[str], row_groups: Iterable[int] = (), numbers: Numbers | None = None
) -> Iterator[pa.Table]:
    """Some row groups of a file; of an index, the row groups that may have any of the numbers, by their statistics."""
    expected = "the row groups that the index names"
    try:
        with open_binary(path) as source, open_parquet(source, path, expected, any_writer=False) as file:
            for group in sorted(row_groups) if numbers is None else range(file.num_row_groups):
                if numbers is not None:
                    known = file.metadata.row_group(group).column(0).statistics
                    first, last = np.searchsorted(numbers, [known.min, known.max + 1])
                    if first == last:
                        continue
                yield file.read_row_group(group, list(columns), use_threads=False)
    except FileNotFoundError as error:
        raise DamagedInputError(f"{path}: expected {expected}, saw no such file") from error
