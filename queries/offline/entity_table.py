"""The Parquet of the entities stage, read column by column: only what a question needs, batch by batch."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.fs

from wikisem.arrow.item_index import index_folder, read_items
from wikisem.arrow.numbers import Numbers, join
from wikisem.arrow.qids import qid_numbers
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.queries.offline.property_edges import PropertyEdges
from wikisem.records import Statement
from wikisem.schemas import ENTITIES, PARQUET_ERRORS
from wikisem.unit_folders import find_folder

_LISTS: Final = {"P31": "instance_of", "P279": "subclass_of"}
_QID: Final = r"^Q[1-9][0-9]*$"

Texts: TypeAlias = Mapping[str, Sequence[Statement]]
Columns: TypeAlias = tuple[pa.Array, pa.Array]


class EntityTable:
    """The entities that a build left: OUT, ``OUT/entities`` or the folder in it that holds the files; a path or URL.

    Raises MissingInputError where there is no Parquet, DamagedInputError where it is not that of entities.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder.rstrip("/")
        self._system, self._path = _locate(self.folder)
        self._dataset = _open(self.folder, self._system, self._path)
        self._read = cache(self._read_property)

    def edges(self, name: str) -> PropertyEdges:
        """The values of a property that are items, of all items; read once."""
        return self._read(name)[0]

    def texts(self, name: str) -> Texts:
        """The values of a property that are texts, by item; read once."""
        return self._read(name)[1]

    def sitelinks(self, numbers: Numbers) -> Numbers:
        """The sitelinks of items; 0 for one that is named in statements but has no row."""
        known, counts = self.all_sitelinks
        at = np.searchsorted(known, numbers).clip(max=max(len(known) - 1, 0))
        return np.where(known[at] == numbers, counts[at], 0) if len(known) else np.zeros_like(numbers)

    @cached_property
    def all_sitelinks(self) -> tuple[Numbers, Numbers]:
        """All item numbers, sorted, and the sitelinks of each."""
        batches = [(qid_numbers(batch["qid"]), batch["sitelinks"]) for batch in self._batches("qid", "sitelinks")]
        numbers = join([one for one, _ in batches])
        counts = join([np.asarray(pc.fill_null(one, 0)) for _, one in batches])
        order = np.argsort(numbers)
        return numbers[order], counts[order]

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> dict[str, dict[str, str]]:
        """The labels of items under the given language codes, in the order of the codes."""
        found = {}
        for rows in self._rows("labels", qids):
            for row in rows.to_pylist():
                labels = dict(row["labels"] or ())
                found[row["qid"]] = {code: labels[code] for code in codes if code in labels}
        return {qid: labels for qid, labels in found.items() if labels}

    def _rows(self, column: str, qids: Sequence[str]) -> Iterator[pa.RecordBatch | pa.Table]:
        """A column of some items; files that were written before there was an index are read as a whole."""
        index = _parquet(self._system, index_folder(self._path))
        if not index:
            return self._batches("qid", column, qids=qids)
        return read_items(self._path, index, qids, [column], self._system.open_input_file)

    def _read_property(self, name: str) -> tuple[PropertyEdges, Texts]:
        if name in _LISTS:
            lists = [_flat(batch, _LISTS[name]) for batch in self._batches("qid", _LISTS[name])]
            return _edges(lists), {}
        found = [_statements(batch, name) for batch in self._batches("qid", "statements")]
        texts: dict[str, list[Statement]] = defaultdict(list)
        for qids, statements in (others for _, others in found):
            for qid, one in zip(qids.to_pylist(), statements.to_pylist(), strict=True):
                texts[qid].append(Statement(name, one["value"], one["language"] or ""))
        return _edges([items for items, _ in found]), texts

    def _batches(self, *columns: str, qids: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        chosen = None if qids is None else pc.field("qid").isin(pa.array(list(qids), pa.string()))
        try:
            for batch in self._dataset.to_batches(columns=list(columns), filter=chosen):
                batch.validate(full=True)
                yield batch
        except PARQUET_ERRORS as error:
            raise DamagedInputError(f"{self.folder}: expected whole Parquet files of entities, saw {error}") from error


def _flat(batch: pa.RecordBatch, column: str) -> Columns:
    """The ids of a batch beside the elements of a list column, one row an element."""
    return batch["qid"].take(pc.list_parent_indices(batch[column])), pc.list_flatten(batch[column])


def _statements(batch: pa.RecordBatch, name: str) -> tuple[Columns, Columns]:
    """Items with the ids, or with the strings, of their statements of one property."""
    qids, statements = _flat(batch, "statements")
    own = pc.equal(pc.struct_field(statements, "property"), name)
    qids, statements = qids.filter(own), statements.filter(own)
    values, languages = pc.struct_field(statements, "value"), pc.struct_field(statements, "language")
    is_item = pc.and_(pc.equal(pc.fill_null(languages, ""), ""), pc.match_substring_regex(values, _QID))
    is_text = pc.invert(is_item)
    return (qids.filter(is_item), values.filter(is_item)), (qids.filter(is_text), statements.filter(is_text))


def _edges(columns: Sequence[Columns]) -> PropertyEdges:
    return PropertyEdges(
        join([qid_numbers(one) for one, _ in columns]), join([qid_numbers(other) for _, other in columns])
    )


def _locate(folder: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of the files, and their folder there."""
    system, path = pyarrow.fs.FileSystem.from_uri(folder) if "://" in folder else (pyarrow.fs.LocalFileSystem(), folder)
    found = find_folder(path, "entities", lambda name: _read(system, name))
    return system, found if _parquet(system, found) else f"{path}/entities"


def _open(folder: str, system: pyarrow.fs.FileSystem, path: str) -> pyarrow.dataset.Dataset:
    if not (files := _parquet(system, path)):
        raise MissingInputError(f"expected the entities of a build (*.parquet), saw none in {folder!r}")
    try:
        dataset = pyarrow.dataset.dataset(files, filesystem=system, format="parquet")
    except PARQUET_ERRORS as error:
        raise DamagedInputError(f"{folder}: expected the Parquet of the entities stage, saw {error}") from error
    # Category sets do not read other_instance_of, which files written before 2026-11-21 lack.
    read = [each for each in ENTITIES if each.name != "other_instance_of"]
    if missing := [each.name for each in read if each.name not in dataset.schema.names]:
        raise DamagedInputError(f"{folder}: expected the columns of entities, saw none called {', '.join(missing)}")
    for each in read:
        if (seen := dataset.schema.field(each.name).type) != each.type:
            raise DamagedInputError(f"{folder}: expected {each.name} to be {each.type}, saw {seen}")
    return dataset


def _read(system: pyarrow.fs.FileSystem, path: str) -> bytes | None:
    if not system.get_file_info(path).is_file:
        return None
    with system.open_input_stream(path) as source:
        return bytes(source.read())


def _parquet(system: pyarrow.fs.FileSystem, folder: str) -> list[str]:
    if system.get_file_info(folder).type != pyarrow.fs.FileType.Directory:
        return []
    found = system.get_file_info(pyarrow.fs.FileSelector(folder))
    return sorted(entry.path for entry in found if entry.is_file and entry.path.endswith(".parquet"))
