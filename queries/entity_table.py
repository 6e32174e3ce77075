"""The Parquet of the entities stage, read column by column: only what a question needs, batch by batch."""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.fs

from queries.edges import Edges, Numbers
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.ids import qid_of
from wikisem.records import Statement
from wikisem.schemas import ENTITIES

_LISTS: Final = {"P31": "instance_of", "P279": "subclass_of"}
_QID: Final = r"^Q[1-9][0-9]*$"


class EntityTable:
    """The entities that a build left in a folder: its output folder, or the ``entities`` folder in it; a path or URL.

    Raises MissingInputError where there is no Parquet, DamagedInputError where it is not that of entities.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder.rstrip("/")
        self._dataset = _open(self.folder)
        self.edges = cache(self._edges)

    @cached_property
    def sitelinks(self) -> tuple[Numbers, Numbers]:
        """All item numbers, sorted, and the sitelinks of each."""
        batches = [(_numbers(batch["qid"]), batch["sitelinks"]) for batch in self._batches("qid", "sitelinks")]
        numbers = _join([one for one, _ in batches])
        counts = _join([np.asarray(pc.fill_null(one, 0)) for _, one in batches])
        order = np.argsort(numbers)
        return numbers[order], counts[order]

    def _edges(self, name: str) -> Edges:
        pairs = list(self._list_pairs(_LISTS[name]) if name in _LISTS else self._statement_pairs(name))
        return Edges(_join([one for one, _ in pairs]), _join([one for _, one in pairs]))

    def texts(self, qids: Sequence[str] | None, name: str) -> list[tuple[str, Statement]]:
        """The values of a property that are texts, as (item, statement); of all items where none are named."""
        return [
            (qid, Statement(name, one["value"], one["language"] or ""))
            for batch in self._batches("qid", "statements", qids=qids)
            for qid, one in self._statements(batch, name, items=False)
        ]

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> dict[str, dict[str, str]]:
        """The labels of items under the given language codes, in the order of the codes."""
        found = {}
        for batch in self._batches("qid", "labels", qids=qids):
            for row in batch.to_pylist():
                labels = dict(row["labels"] or ())
                found[row["qid"]] = {code: labels[code] for code in codes if code in labels}
        return {qid: labels for qid, labels in found.items() if labels}

    def _list_pairs(self, column: str) -> Iterator[tuple[Numbers, Numbers]]:
        for batch in self._batches("qid", column):
            rows = pc.list_parent_indices(batch[column])
            yield _numbers(batch["qid"].take(rows)), _numbers(pc.list_flatten(batch[column]))

    def _statement_pairs(self, name: str) -> Iterator[tuple[Numbers, Numbers]]:
        for batch in self._batches("qid", "statements"):
            qids, statements = _flat_statements(batch, name, items=True)
            yield _numbers(qids), _numbers(pc.struct_field(statements, "value"))

    @staticmethod
    def _statements(batch: pa.RecordBatch, name: str, items: bool) -> Iterator[tuple[str, dict[str, str]]]:
        qids, statements = _flat_statements(batch, name, items)
        yield from zip(qids.to_pylist(), statements.to_pylist(), strict=True)

    def _batches(self, *columns: str, qids: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        chosen = None if qids is None else pc.field("qid").isin(pa.array(list(qids), pa.string()))
        yield from self._dataset.to_batches(columns=list(columns), filter=chosen)


def _flat_statements(batch: pa.RecordBatch, name: str, items: bool) -> tuple[pa.Array, pa.Array]:
    rows = pc.list_parent_indices(batch["statements"])
    statements = pc.list_flatten(batch["statements"])
    plain = pc.equal(pc.fill_null(pc.struct_field(statements, "language"), ""), "")
    is_item = pc.and_(plain, pc.match_substring_regex(pc.struct_field(statements, "value"), _QID))
    kept = pc.and_(pc.equal(pc.struct_field(statements, "property"), name), is_item if items else pc.invert(is_item))
    return batch["qid"].take(rows.filter(kept)), statements.filter(kept)


def _open(folder: str) -> pyarrow.dataset.Dataset:
    system, path = pyarrow.fs.FileSystem.from_uri(folder) if "://" in folder else (pyarrow.fs.LocalFileSystem(), folder)
    files = _parquet(system, f"{path}/entities") or _parquet(system, path)
    if not files:
        raise MissingInputError(f"expected the entities of a build (*.parquet), saw none in {folder!r}")
    try:
        dataset = pyarrow.dataset.dataset(files, filesystem=system, format="parquet")
    except pa.ArrowInvalid as error:
        raise DamagedInputError(f"{folder}: expected the Parquet of the entities stage, saw {error}") from error
    missing = [name for name in ENTITIES.names if name not in dataset.schema.names]
    if missing:
        raise DamagedInputError(f"{folder}: expected the columns of entities, saw none called {', '.join(missing)}")
    return dataset


def _parquet(system: pyarrow.fs.FileSystem, folder: str) -> list[str]:
    found = system.get_file_info(pyarrow.fs.FileSelector(folder, allow_not_found=True))
    return sorted(entry.path for entry in found if entry.is_file and entry.path.endswith(".parquet"))


def _numbers(qids: pa.Array) -> Numbers:
    # "Q28640" is ASCII, so the number begins at the second code unit.
    numbers: Numbers = np.asarray(pc.cast(pc.utf8_slice_codeunits(qids, 1), pa.int64()))
    return numbers


def _join(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0, np.int64), *parts])


def qids_of(numbers: Numbers) -> list[str]:
    """The item ids of numbers, in their order."""
    return [qid_of(int(number)) for number in numbers]
