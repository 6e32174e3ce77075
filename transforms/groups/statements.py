"""The statements that may make a class, where the recipe bars whatever has them (``outliers.exclude = "kin"``)."""

from collections.abc import Iterator

import apache_beam as beam
import numpy as np

from wikisem.graph.csr import SparseRows
from wikisem.graph.outlier_sets.class_making import ItemStatements, class_making
from wikisem.graph.store import open_arrays
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.parquet import read_batches


class CollectStatements(beam.DoFn):
    """A numbered file of entities to its statements of the properties that the recipe names."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write them; yields the path."""
        number, path = numbered
        properties = self._files.recipe.outliers.kin_properties
        tables = read_batches(path, ["qid", "statements"])
        save_arrays(
            _join([ItemStatements.of_table(table, properties) for table in tables]), self._files.statements(number)
        )
        yield None, path


def read_class_making(files: GroupFiles, count: int) -> tuple[SparseRows, SparseRows]:
    """What makes each class, and what each item has of it, from the statements of so many files of entities."""
    parts = [open_arrays(ItemStatements, local_folder(files.statements(number))) for number in range(count)]
    return class_making(files.graph(), _join(parts), files.recipe.cluster.minimum)


def _join(parts: list[ItemStatements]) -> ItemStatements:
    none = np.zeros(0, dtype=np.int64)
    return ItemStatements(
        np.concatenate([none, *(part.items for part in parts)]), np.concatenate([none, *(part.keys for part in parts)])
    )
