"""What must be known before the first class is judged: the outlier pool, its rings, and all candidate classes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import apache_beam as beam
import numpy as np

from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.csr import SparseRows
from wikisem.graph.outlier_sets.class_lists import NO_STATEMENTS, outlier_pool
from wikisem.graph.outlier_sets.class_making import class_making
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.item_statements import ItemStatements, UnlinkedItems
from wikisem.graph.outlier_sets.outlier_index import build_outlier_index
from wikisem.graph.sorting import indices_of
from wikisem.graph.store import open_arrays
from wikisem.heuristics.selection.item_range import in_range
from wikisem.surfaces.table import SurfaceTable
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import local_folder, save_arrays

# Classes of a slice: enough to outweigh the cost of starting one, few enough to share the work evenly.
SLICE: Final = 1024


class IndexOutliers(beam.DoFn):
    """Once surface forms and labels are there: write the outlier index and the rings, hand out numbers of slices.

    ``entity_files`` is the number of files of entities that ``CollectItems`` read, ``unlinked_parts`` that of the parts
    that ``CollectUnlinked`` did.
    """

    def __init__(self, files: GroupFiles, languages: Sequence[str], entity_files: int, unlinked_parts: int) -> None:
        self._files, self._languages = files, languages
        self._entity_files, self._unlinked_parts = entity_files, unlinked_parts

    def process(self, written: tuple[None, Iterable[str]]) -> Iterator[int]:
        """Write, then yield; ``written`` is ignored: Beam delivers it once all files are there.

        Slice 0 exists even when there is no candidate class, so that every language gets its files.
        """
        del written
        files = self._files
        tables = {language: files.surfaces(language) for language in self._languages}
        minimum = files.recipe.outliers.min_sitelinks
        able = partial(in_range, options=files.recipe.items, role="outliers")
        by_language = [table.items[(table.sitelinks >= minimum) & able(table.numbers)] for table in tables.values()]
        folders = [local_folder(files.unlinked(number)) for number in range(self._unlinked_parts)]
        unlinked = UnlinkedItems.join([open_arrays(UnlinkedItems, folder) for folder in folders])
        making, having = self._class_making(unlinked)
        items, numbers, lists = outlier_pool(files.graph(), by_language, having)
        candidates = files.all_candidates(self._languages)
        index = build_outlier_index(files.graph(), lists, candidates, files.recipe, making, unlinked)
        save_arrays(index, files.outlier_index())
        for language, table in tables.items():
            ring = _ring(table, files.recipe.seed, items, numbers, len(lists))
            save_arrays(ring, f"{files.language(language)}/ring")
        yield from range(max(1, -(-len(candidates) // SLICE)))

    def _class_making(self, unlinked: UnlinkedItems) -> tuple[SparseRows, SparseRows]:
        """What makes each class, and what each item has of it, where the recipe bars kin."""
        files = self._files
        if files.recipe.outliers.exclude != "kin":
            return NO_STATEMENTS, NO_STATEMENTS
        folders = [local_folder(files.statements(number)) for number in range(self._entity_files)]
        statements = ItemStatements.join([open_arrays(ItemStatements, folder) for folder in folders])
        return class_making(files.graph(), statements, files.recipe.cluster.minimum, unlinked)


def _ring(table: SurfaceTable, seed: int, items: Ints, numbers: Int64s, list_count: int) -> HashRing:
    """The ring of the pool items that have a surface form in a language, as rows of its table."""
    indices, in_pool = indices_of(table.items, items)
    rows = np.flatnonzero(in_pool)
    return HashRing.of(seed, table.numbers[rows], rows, numbers[indices[rows]], list_count)
