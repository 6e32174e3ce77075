"""What it costs to count the items that no build keeps, beside keeping them.

python -m benchmarks.unlinked_items --files 60

Each made-up file is what one range of the full dump leaves: 25,000 items without a sitelink, with the classes and the
statements of ``graph_world``, half of them articles that say nothing else; two items in five of the others also have a
country and a place, of 200 and of 100,000 (Zipf). Bytes are those of zstd-compressed Parquet, CPU seconds those of one
process; both are also given for 76 million such items, the 111 million of Wikidata without the 35 million that have a
sitelink. The last lines are what the groups stage holds of as many files as were made.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.graph_world import Size, entities_of, subclass_edges
from wikisem.arrow.columns import qids_of
from wikisem.graph.class_graph import ItemEdges, build_graph
from wikisem.graph.outlier_sets.class_lists import UnlinkedItems
from wikisem.graph.store import arrays_of
from wikisem.recipes.options import GraphOptions
from wikisem.schemas import ENTITIES
from wikisem.wikidata.entity_columns import count_unlinked

_ITEMS: Final = 25_000
_UNLINKED: Final = 76_000_000
_ARTICLE: Final = "Q13442814"
_KIN: Final = ("P361", "P463", "P1344")
_BATCH: Final = 1 << 16


def unlinked_items(number: int, size: Size, edges: tuple[Any, Any]) -> pa.Table:
    """The rows of one file."""
    rng = np.random.default_rng([3, number])
    items = size.classes + number * _ITEMS + np.arange(_ITEMS)
    table = entities_of(rng, size, items, np.zeros(_ITEMS, dtype=np.int32), edges)
    is_article = rng.random(_ITEMS) < 0.5
    has_place = ~is_article & (rng.random(_ITEMS) < 0.4)
    countries, places = (np.exp(rng.random(_ITEMS) * np.log(most)).astype(np.int64) for most in (200, 100_000))
    columns = zip(
        table["instance_of"].to_pylist(),
        table["statements"].to_pylist(),
        is_article,
        has_place,
        qids_of(countries),
        qids_of(places),
        strict=True,
    )
    classes, statements = [], []
    for own, said, article, placed, country, place in columns:
        located = [("P131", place), ("P17", country)] if placed else []
        more = [{"property": name, "value": value, "language": None} for name, value in located]
        classes.append([_ARTICLE] if article else own)
        statements.append([] if article else more + said)
    table = table.set_column(1, ENTITIES.field("instance_of"), pa.array(classes, ENTITIES.field("instance_of").type))
    return table.set_column(7, ENTITIES.field("statements"), pa.array(statements, ENTITIES.field("statements").type))


def _slim(table: pa.Table) -> pa.Table:
    """The same without labels, which nobody reads of an item that cannot be named."""
    blank: list[list[object]] = [[]] * len(table)
    return table.set_column(5, ENTITIES.field("labels"), pa.array(blank, ENTITIES.field("labels").type))


def _write(path: Path, table: pa.Table, dictionaries: bool) -> int:
    pq.write_table(table, path, compression="zstd", use_dictionary=dictionaries)
    return path.stat().st_size


def measure(files: int, folder: Path) -> None:
    """Print what each way costs."""
    size = Size().scaled(0.1)
    edges = subclass_edges(np.random.default_rng(1), size)
    sizes, rows, seconds, counted = np.zeros(3, dtype=np.int64), 0, 0.0, []
    for number in range(files):
        table = unlinked_items(number, size, edges)
        begin = time.process_time()
        counted.append(count_unlinked(count_unlinked([batch]) for batch in _batches(table)))
        seconds += time.process_time() - begin
        rows += len(counted[-1])
        ways = ((table, False), (_slim(table), False), (counted[-1], True))
        sizes += [_write(folder / "file.parquet", each, dictionaries) for each, dictionaries in ways]
    items = files * _ITEMS
    for name, total in zip(("rows with an English label", "rows without labels", "counted"), sizes, strict=True):
        print(f"{name}: {total / items:.2f} bytes an item, {total / items * _UNLINKED / 1e9:.2f} GB for all")
    print(f"counted: {rows / items:.2f} rows an item, {seconds / items * 1e6:.2f} CPU s a million, ", end="")
    print(f"{seconds / items * _UNLINKED:.0f} for all")
    begin = time.process_time()
    classes = ItemEdges.of_classes(table["instance_of"] for table in counted)
    classes_seconds = time.process_time() - begin
    graph = build_graph([classes], GraphOptions(root="", disambiguation=()))
    begin = time.process_time()
    unlinked = UnlinkedItems.join([UnlinkedItems.of_table(graph, table, _KIN) for table in counted])
    held = sum(array.nbytes for _, array in arrays_of(unlinked))
    print(f"taxonomy: {classes_seconds / items * _UNLINKED:.0f} CPU s for all; groups: ", end="")
    print(f"{(time.process_time() - begin) / items * _UNLINKED:.0f}, ", end="")
    print(f"{held / items:.2f} bytes of memory an item, {held / items * _UNLINKED / 1e9:.2f} GB for all")


def _batches(table: pa.Table) -> list[pa.Table]:
    return [table.slice(begin, _BATCH) for begin in range(0, len(table), _BATCH)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=60)
    with tempfile.TemporaryDirectory() as folder:
        measure(parser.parse_args().files, Path(folder))
