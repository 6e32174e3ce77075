"""The surface forms of a language, from Parquet to the table that workers map into memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa

from wikisem.graph.array_types import Flags
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, candidate_classes
from wikisem.graph.store import open_arrays
from wikisem.heuristics.selection.item_range import in_range
from wikisem.surfaces.table import COLUMNS, SurfaceTable
from wikisem.transforms.groups.affixes import sample_affixes, write_affixes
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.parquet import read_row_groups

# The files of a language are divided into at most this many parts: that many workers can read them.
_PARTS: Final = 16

# How many surface forms show the script of a language that wikisem.wikipedia.languages does not know.
SAMPLE: Final = 10_000


@dataclass(frozen=True)
class SurfacePart:
    """A numbered part of the surface files of a language."""

    language: str
    number: int
    paths: Sequence[str]

    @staticmethod
    def divide(language: str, paths: Sequence[str]) -> "list[SurfacePart]":
        """All parts of a language."""
        return [SurfacePart(language, number, paths[number::_PARTS]) for number in range(min(_PARTS, len(paths)))]


class ReadSurfaces(beam.DoFn):
    """A part of the surface files of a language to arrays."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files

    def process(self, part: SurfacePart) -> Iterator[tuple[str, int]]:
        """Write the arrays; yields (language, number of the part)."""
        table = pa.concat_tables(table for path in part.paths for table in read_row_groups(path, COLUMNS))
        surfaces = SurfaceTable.of_table(table, self._files.graph())
        save_arrays(surfaces, self._files.surface_part(part.language, part.number))
        yield part.language, part.number


class IndexSurfaces(beam.DoFn):
    """All parts of a language to its candidate classes, and to one table of what its groups may need."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files

    def process(self, parts_of: tuple[str, Iterable[int]]) -> Iterator[tuple[None, str]]:
        """Write both; yields the language.

        Each step opens what it reads, so that no more than that is mapped at any time.
        """
        language, folder = parts_of[0], self._files.language(parts_of[0])
        parts = [self._files.surface_part(language, number) for number in sorted(parts_of[1])]
        has_surface = self._has_surface(parts)
        options = self._files.recipe.cluster
        graph = self._files.graph()
        able = has_surface & in_range(graph.items, self._files.recipe.items, "clusters")
        found = candidate_classes(graph, able, options.minimum, options.size)
        # Besides the leading instances of candidate classes: the first of all, which show the language's script.
        needed = np.zeros(len(has_surface), dtype=bool)
        needed[found.leading.targets] = True
        needed[np.flatnonzero(has_surface)[:SAMPLE]] = True
        table = self._table(parts, needed)
        leading = np.searchsorted(table.items, found.leading.targets).astype(np.uint32)
        save_arrays(CandidateClasses(found.nodes, CsrRows(found.leading.offsets, leading)), f"{folder}/candidates")
        save_arrays(table, f"{folder}/surfaces")
        with create_binary(self._files.surface_count(language)) as sink:
            sink.write(str(int(has_surface.sum())).encode())
        if self._files.recipe.filters.affix == "surprise":
            write_affixes(self._files.affixes(language), sample_affixes(map(_open, parts), int(has_surface.sum())))
        yield None, language

    def _has_surface(self, parts: Sequence[str]) -> Flags:
        """Which items of the graph have a surface form."""
        has_surface = np.zeros(len(self._files.graph().items), dtype=bool)
        for part in map(_open, parts):
            has_surface[part.items] = True
        return has_surface

    def _table(self, parts: Sequence[str], needed: Flags) -> SurfaceTable:
        """The surface forms of the outlier pool, and of what is needed besides."""
        minimum = self._files.recipe.outliers.min_sitelinks
        rows = (
            part.take(np.flatnonzero(needed[part.items] | (part.sitelinks >= minimum))) for part in map(_open, parts)
        )
        return SurfaceTable.merge(list(rows)).in_order()


def _open(part: str) -> SurfaceTable:
    return open_arrays(SurfaceTable, local_folder(part))
