"""The labels of all classes of the class graph, from the entities."""

from collections.abc import Sequence

import numpy as np

from wikisem.arrow.columns import MapLookup, qid_numbers
from wikisem.arrow.parquet import read_batches
from wikisem.class_names import LabelledClass
from wikisem.files import match
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.surfaces.cleaning import first_label
from wikisem.wikis import name_codes


def labelled_classes(entities: str, graph: ClassGraph, languages: Sequence[str]) -> list[LabelledClass]:
    """Every class of the graph with its labels in some languages, by number; one with several labels is there twice."""
    found: set[LabelledClass] = set()
    all_instances = graph.instances.counts()
    for table in (
        table for path in match([f"{entities}/*.parquet"]) for table in read_batches(path, ["qid", "labels"])
    ):
        nodes, is_class = indices_of(qid_numbers(table["qid"]), graph.nodes)
        rows = np.flatnonzero(is_class)
        maps = MapLookup(table["labels"].combine_chunks().take(rows))
        numbers, instances = graph.nodes[nodes[rows]].tolist(), all_instances[nodes[rows]].tolist()
        for language in languages:
            labels = first_label(maps, name_codes(language))[0].to_pylist()
            rows_of = zip(numbers, labels, instances, strict=True)
            found.update(LabelledClass(number, label, count) for number, label, count in rows_of if label)
    return sorted(found)
