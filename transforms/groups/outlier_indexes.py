"""What must be known before the first class is judged: the outlier pool, its rings, and all candidate classes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import apache_beam as beam
import numpy as np

from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.outlier_sets.class_lists import outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import build_outlier_index
from wikisem.graph.sorting import indices_of
from wikisem.heuristics.selection.item_range import in_range
from wikisem.surfaces.table import SurfaceTable
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.groups.statements import read_class_making
from wikisem.transforms.io.arrays import save_arrays

# Classes of a slice: enough to outweigh the cost of starting one, few enough to share the work evenly.
SLICE: Final = 1024


class IndexOutliers(beam.DoFn):
    """Once surface forms and labels are there: write the outlier index and the rings, hand out numbers of slices.

    ``statement_files`` is the number of files of statements that ``CollectStatements`` wrote.
    """

    def __init__(self, files: GroupFiles, languages: Sequence[str], statement_files: int) -> None:
        self._files, self._languages, self._statement_files = files, languages, statement_files

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
        making, having = read_class_making(files, self._statement_files)
        items, numbers, lists = outlier_pool(files.graph(), by_language, having)
        candidates = files.all_candidates(self._languages)
        index = build_outlier_index(files.graph(), lists, candidates, files.recipe, making)
        save_arrays(index, files.outlier_index())
        for language, table in tables.items():
            ring = _ring(table, files.recipe.seed, items, numbers, len(lists))
            save_arrays(ring, f"{files.language(language)}/ring")
        yield from range(max(1, -(-len(candidates) // SLICE)))


def _ring(table: SurfaceTable, seed: int, items: Ints, numbers: Int64s, list_count: int) -> HashRing:
    """The ring of the pool items that have a surface form in a language, as rows of its table."""
    indices, in_pool = indices_of(table.items, items)
    rows = np.flatnonzero(in_pool)
    return HashRing.of(seed, table.numbers[rows], rows, numbers[indices[rows]], list_count)
