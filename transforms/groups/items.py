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
from wikisem.graph.outlier_sets.item_statements import ItemStatements, UnlinkedItems
from wikisem.graph.sorting import indices_of
from wikisem.heuristics.rules.list_titles import LIST_ARTICLE
from wikisem.recipes.options import Recipe
from wikisem.transforms.entities.item_files import unlinked_folder
from wikisem.transforms.groups.labels import write_labels, write_titles
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import save_arrays
from wikisem.transforms.io.files import list_files
from wikisem.transforms.io.parquet import read_parquet, read_row_groups

# Of a statement its property and its value are read.
_STATEMENTS = ("statements.list.element.property", "statements.list.element.value")

# The files that count unlinked items are divided into at most this many parts: that many workers can read them.
_PARTS = 16

# About how many items of the graph show what titles of other articles look like.
_OTHERS = 200_000


class CollectItems(beam.DoFn):
    """A numbered file of entities to the labels of its classes, the titles of its list articles and of others.

    And to its statements of ``kin_properties``, where the recipe bars kin.
    """

    def __init__(self, files: GroupFiles, languages: Sequence[str]) -> None:
        self._files, self._languages = files, languages
        self._properties = _properties(files)
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
            # Of the others none has a title, and a build may have left them out.
            linked = int(np.count_nonzero(graph.sitelinks))
            self._wanted = classes, 1 + linked // _OTHERS
        return self._wanted


class CollectUnlinked(beam.DoFn):
    """A numbered part of the files that count unlinked items to one record of arrays."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files

    def process(self, numbered: tuple[int, Sequence[str]]) -> Iterator[tuple[None, str]]:
        """Write it; yields its folder."""
        (number, paths), graph = numbered, self._files.graph()
        tables = (read_parquet(path) for path in paths)
        counted = [UnlinkedItems.of_table(graph, table, _properties(self._files)) for table in tables]
        save_arrays(UnlinkedItems.join(counted), self._files.unlinked(number))
        yield None, self._files.unlinked(number)


def divide_unlinked(entities: str, recipe: Recipe) -> list[tuple[int, list[str]]]:
    """The numbered parts of the files that count unlinked items, where a rule of the recipe counts all instances."""
    outliers = recipe.outliers
    counting = outliers.status_share > 0 or outliers.exclude == "kin"
    files = list_files(f"{unlinked_folder(entities)}/*.parquet") if counting else []
    return [(number, files[number::_PARTS]) for number in range(min(_PARTS, len(files)))]


def _properties(files: GroupFiles) -> Sequence[str]:
    """Those whose statements may make a class."""
    outliers = files.recipe.outliers
    return outliers.kin_properties if outliers.exclude == "kin" else ()


def _instances_of(classes: pa.ListArray, qid: str) -> Flags:
    flags = np.zeros(len(classes), dtype=bool)
    flat = classes.flatten()
    codes = pc.indices_nonzero(pc.equal(flat.dictionary, qid))
    if len(codes):
        flags[pc.list_parent_indices(classes).filter(pc.equal(flat.indices, codes[0])).to_numpy()] = True
    return flags
