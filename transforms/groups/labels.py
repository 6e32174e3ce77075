"""What groups need of the items themselves: labels of classes, and titles that show how list articles are named."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.graph.array_types import Flags, Int64s
from wikisem.sampling import hash_keys
from wikisem.surfaces.cleaning import compose, tidy
from wikisem.surfaces.one_script import label_codes_in, write_in
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.files import list_files
from wikisem.transforms.io.parquet import read_batches, read_parquet, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikipedia.languages import wiki_of
from wikisem.wikipedia.variants import variant_of

# ``english`` says of a label that it is English because the class has none in the language, nor in ``mul``.
LABELS = pa.schema([("number", pa.int64()), ("language", pa.string()), ("label", pa.string()), ("english", pa.bool_())])
TITLES = pa.schema([("number", pa.int64()), ("language", pa.string()), ("title", pa.string()), ("list", pa.bool_())])


class ClassLabels(NamedTuple):
    """The labels of classes by number, and the numbers of those that have an English label for want of another."""

    texts: Mapping[int, str]
    english: set[int]


def write_labels(
    path: str, entities: str, numbers: Int64s, is_class: Flags, languages: Sequence[str], variant: str = ""
) -> None:
    """Write the labels of the classes among the items of a file of entities, in the variant of their language."""
    tables = [LABELS.empty_table()]
    for rows, maps in _maps(entities, "labels", is_class):
        tables.extend(_labels(numbers[rows], maps, language, variant) for language in languages)
    write_parquet(path, pa.concat_tables(tables))


def write_titles(
    path: str, entities: str, numbers: Int64s, lists: Flags, every: int, languages: Sequence[str], variant: str = ""
) -> None:
    """Write the titles of the list articles among the items of a file of entities, and of one in ``every`` other."""
    # Not by the recipe's seed: which clusters are lists must not depend on it.
    shown = lists | (hash_keys(0, numbers) % np.uint64(every) == 0)
    tables = [TITLES.empty_table()]
    for rows, maps in _maps(entities, "titles", shown):
        tables.extend(_titles(numbers[rows], lists[rows], maps, language, variant) for language in languages)
    write_parquet(path, pa.concat_tables(tables))


def _maps(path: str, column: str, wanted: Flags) -> Iterator[tuple[Int64s, pa.MapArray]]:
    """The wanted rows of a column of maps, a batch at a time; a file without any is not read."""
    begin = 0
    for table in read_batches(path, [column]) if wanted.any() else ():
        rows = begin + np.flatnonzero(wanted[begin : begin + table.num_rows])
        yield rows, table[column].combine_chunks().take(pa.array(rows - begin))
        begin += table.num_rows


def _best(maps: pa.MapArray, keys: Sequence[str], values: pa.ChunkedArray) -> tuple[Int64s, pa.Array, pa.Array]:
    """The rows whose map has one of the keys, the first of these keys that it has, and the value under it.

    ``values`` replace those of the maps; a null is none.
    """
    offsets = maps.offsets.to_numpy()
    rows = np.repeat(np.arange(len(maps)), np.diff(offsets))
    ranks = pc.index_in(maps.keys, pa.array(list(dict.fromkeys(keys)))).fill_null(len(keys)).to_numpy()
    entries = np.flatnonzero((ranks < len(keys)) & values.is_valid().to_numpy())
    order = entries[np.lexsort((ranks[entries], rows[entries]))]
    first = np.ones(len(order), dtype=bool)
    np.not_equal(rows[order[1:]], rows[order[:-1]], out=first[1:])
    found = pa.array(order[first])
    return rows[order[first]], maps.keys.take(found), values.take(found)


def _labels(numbers: Int64s, maps: pa.MapArray, language: str, variant: str) -> pa.Table:
    own = variant_of(variant, language)
    codes = label_codes_in(own, language)
    rows, found, labels = _best(maps, (*codes, "mul", "en"), tidy(maps.items))
    if own:
        labels = pc.if_else(pc.is_in(found, value_set=pa.array(codes)), write_in(own, labels), labels)
    english = pc.and_(pc.equal(found, "en"), "en" not in codes)
    return _table([numbers[rows], labels, english], language, LABELS)


def _titles(numbers: Int64s, lists: Flags, maps: pa.MapArray, language: str, variant: str) -> pa.Table:
    rows, _, titles = _best(maps, [wiki_of(language) or ""], compose(maps.items))
    return _table([numbers[rows], write_in(variant_of(variant, language), titles), lists[rows]], language, TITLES)


def _table(columns: Sequence[Any], language: str, schema: pa.Schema) -> pa.Table:
    number, text, *more = columns
    return pa.table([number, pa.repeat(language, len(number)), text, *more], schema=schema)


def read_labels(files: GroupFiles, language: str) -> ClassLabels:
    """Labels in the language, else in ``mul``, else in English."""
    texts: dict[int, str] = {}
    english: set[int] = set()
    for path in list_files(f"{files.labels()}/labels-*.parquet"):
        table = read_parquet(path)
        own = table.filter(pc.equal(table["language"], language))
        texts.update(zip(own["number"].to_pylist(), own["label"].to_pylist(), strict=True))
        english.update(own.filter(own["english"])["number"].to_pylist())
    return ClassLabels(texts, english)


def english_labels(scratch: Scratch, language: str) -> list[str]:
    """The classes of a language's groups whose label is English for want of another, once its groups are written."""
    found: list[str] = read_json(english_path(scratch, language))
    return found


def english_path(scratch: Scratch, language: str) -> str:
    """The file that says so."""
    return f"{scratch.parts}/english/{language}.json"
