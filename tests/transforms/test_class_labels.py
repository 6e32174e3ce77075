"""What groups read of the items: labels of classes that can be seen, and titles as pages have them."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.graph.class_graph import ItemEdges, build_graph
from wikisem.graph.outlier_sets.class_lists import CountedLists
from wikisem.recipes.options import GraphOptions
from wikisem.schemas import ENTITIES, UNLINKED
from wikisem.transforms.groups.shared_files import write_labels, write_titles

ROWS = [
    {
        "qid": "Q1",
        "titles": {"dewiki": "Liste der Flu\u0308sse"},
        "labels": {"de": "\u200e", "mul": "Fluss", "en": "river"},
    },
    {"qid": "Q2", "titles": {}, "labels": {"de": " \u200b", "mul": "\u2066", "en": "town"}},
    {"qid": "Q3", "titles": {}, "labels": {"de": "Berg\u00ad"}},
    {"qid": "Q4", "titles": {}, "labels": {"de": "\u200d"}},
]


def test_a_class_label_with_nothing_to_see_hides_no_other(tmp_path: Path) -> None:
    """It counts as no label: mul and then English follow, marked as English."""
    write_parquet(f"{tmp_path}/items.parquet", pa.Table.from_pylist(ROWS, ENTITIES))
    write_labels(f"{tmp_path}/labels.parquet", f"{tmp_path}/items.parquet", np.arange(1, 5), np.ones(4, bool), ["de"])
    rows = read_parquet(f"{tmp_path}/labels.parquet").to_pylist()
    found = [(row["number"], row["label"], row["english"]) for row in rows]
    assert found == [(1, "Fluss", False), (2, "town", True), (3, "Berg", False)]


def test_titles_of_lists_are_composed(tmp_path: Path) -> None:
    """As the surface forms are that are compared with what lists have in common."""
    write_parquet(f"{tmp_path}/items.parquet", pa.Table.from_pylist(ROWS, ENTITIES))
    lists = np.array([True, False, False, False])
    write_titles(f"{tmp_path}/titles.parquet", f"{tmp_path}/items.parquet", np.arange(1, 5), lists, 1, ["de"])
    rows = read_parquet(f"{tmp_path}/titles.parquet").to_pylist()
    assert [(row["number"], row["title"], row["list"]) for row in rows] == [(1, "Liste der Fl\u00fcsse", True)]


def test_counts_of_unlinked_items_are_those_of_all_files(tmp_path: Path) -> None:
    """Each list of classes has its count."""
    counted = [[(["Q5"], 3), (["Q5", "Q6"], 1)], [(["Q6"], 4)]]
    tables = [pa.table([list(column) for column in zip(*rows, strict=True)], schema=UNLINKED) for rows in counted]
    for number, table in enumerate(tables):
        write_parquet(f"{tmp_path}/{number}.parquet", table)
    graph = build_graph([ItemEdges.of_classes(table["instance_of"] for table in tables)], GraphOptions(root=""))
    read = (read_parquet(f"{tmp_path}/{number}.parquet") for number in range(2))
    found = CountedLists.join([CountedLists.of_table(graph, table) for table in read])
    assert sorted(found.counts.tolist()) == [1, 3, 4]
