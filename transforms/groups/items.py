"""A file of entities to what groups need of the items themselves: labels, titles, and statements that may make a class.

Few columns are read of all items. Labels and titles, which are large, are read of the few rows that are wanted.
"""

from collections.abc import Iterator, Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.qids import qid_numbers
from wikisem.graph.array_types import Flags, Int64s, Ints
from wikisem.graph.outlier_sets.class_making import ItemStatements
from wikisem.graph.sorting import indices_of
from wikisem.heuristics.rules.list_titles import LIST_ARTICLE
from wikisem.transforms.groups.labels import write_labels, write_titles
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import save_arrays
from wikisem.transforms.io.parquet import read_row_groups

# Of a statement its property and its value are read.
_STATEMENTS = ("statements.list.element.property", "statements.list.element.value")

# About how many items of the graph show what titles of other articles look like.
_OTHERS = 200_000


class CollectItems(beam.DoFn):
    """A numbered file of entities to the labels of its classes, the titles of its list articles and of others.

    And to its statements of ``kin_properties``, where the recipe bars kin.
    """

    def __init__(self, files: GroupFiles, languages: Sequence[str]) -> None:
        self._files, self._languages = files, languages
        outliers = files.recipe.outliers
        self._properties = outliers.kin_properties if outliers.exclude == "kin" else ()
        self._wanted: tuple[Ints, int] | None = None

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write them; yields the path."""
        number, path = numbered
        numbers, lists = self._read(number, path)
        classes, every = self._classes_and_sampling()
        is_class = indices_of(numbers, classes)[1]
        folder, variant = self._files.labels(), self._files.recipe.surface.variant
        write_labels(f"{folder}/labels-{number:05d}.parquet", path, numbers, is_class, self._languages, variant)
        write_titles(f"{folder}/titles-{number:05d}.parquet", path, numbers, lists, every, self._languages, variant)
        yield None, path

    def _read(self, number: int, path: str) -> tuple[Int64s, Flags]:
        """The numbers of all items of a file, and which of them are list articles; statements are written."""
        numbers, lists = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=bool)]
        statements = []
        columns = ["qid", "instance_of", *(_STATEMENTS if self._properties else ())]
        for table in read_row_groups(path, columns, ["instance_of.list.element"]):
            numbers.append(qid_numbers(table["qid"]))
            lists.append(_instances_of(table["instance_of"].combine_chunks(), LIST_ARTICLE))
            if self._properties:
                statements.append(ItemStatements.of_columns(numbers[-1], table["statements"], self._properties))
        if self._properties:
            save_arrays(ItemStatements.join(statements), self._files.statements(number))
        return np.concatenate(numbers), np.concatenate(lists)

    def _classes_and_sampling(self) -> tuple[Ints, int]:
        """The numbers of the classes that may be candidates, and n where one title in n is sampled."""
        if self._wanted is None:
            graph = self._files.graph()
            classes = graph.nodes[graph.instances.counts() >= self._files.recipe.cluster.minimum]
            self._wanted = classes, 1 + len(graph.items) // _OTHERS
        return self._wanted


def _instances_of(classes: pa.ListArray, qid: str) -> Flags:
    flags = np.zeros(len(classes), dtype=bool)
    flat = classes.flatten()
    codes = pc.indices_nonzero(pc.equal(flat.dictionary, qid))
    if len(codes):
        flags[pc.list_parent_indices(classes).filter(pc.equal(flat.indices, codes[0])).to_numpy()] = True
    return flags
