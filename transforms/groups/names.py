"""The surface forms of a language, from Parquet to the name table that workers map into memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa

from wikisem.graph.csr import Rows
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, candidate_classes
from wikisem.graph.store import open_arrays
from wikisem.graph.types import Flags
from wikisem.surfaces.table import COLUMNS, NameTable
from wikisem.transforms.groups.plan import Sources
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.parquet import read_row_groups

# Into how many parts the surface files of a language are dealt: as many workers can read them, and all must map them.
_PARTS: Final = 16

# How many surface forms show the script of a language that wikisem.wikipedia.languages does not know.
SAMPLE: Final = 10_000


@dataclass(frozen=True)
class Part:
    """A numbered part of the surface files of a language."""

    language: str
    number: int
    paths: Sequence[str]

    @staticmethod
    def deal(language: str, paths: Sequence[str]) -> "list[Part]":
        """All parts of a language."""
        return [Part(language, number, paths[number::_PARTS]) for number in range(min(_PARTS, len(paths)))]


class GatherNames(beam.DoFn):
    """A part of the surface files of a language to arrays."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, part: Part) -> Iterator[tuple[str, int]]:
        """Write them and say so."""
        table = pa.concat_tables(table for path in part.paths for table in read_row_groups(path, COLUMNS))
        names = NameTable.of_table(table, self._sources.graph())
        save_arrays(names, self._sources.name_part(part.language, part.number))
        yield part.language, part.number


class IndexNames(beam.DoFn):
    """All parts of a language to its candidate classes, and to a table of the names that their groups may need."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, met: tuple[str, Iterable[int]]) -> Iterator[tuple[None, str]]:
        """Write both and say so.

        Each step opens what it reads, so that no more than that is ever mapped.
        """
        language, folder = met[0], self._sources.names(met[0])
        parts = [self._sources.name_part(language, number) for number in sorted(met[1])]
        named = self._named(parts)
        options = self._sources.recipe.cluster
        found = candidate_classes(self._sources.graph(), named, options.minimum, options.size)
        # Beside the candidates' leading instances the first of all names, which show a language's script.
        needed = np.zeros(len(named), dtype=bool)
        needed[found.leading.targets] = True
        needed[np.flatnonzero(named)[:SAMPLE]] = True
        table = self._table(parts, needed)
        leading = np.searchsorted(table.items, found.leading.targets).astype(np.uint32)
        save_arrays(CandidateClasses(found.nodes, Rows(found.leading.offsets, leading)), f"{folder}/candidates")
        save_arrays(table, f"{folder}/table")
        yield None, language

    def _named(self, parts: Sequence[str]) -> Flags:
        """Which items of the graph have a name."""
        named = np.zeros(len(self._sources.graph().items), dtype=bool)
        for part in map(_open, parts):
            named[part.items] = True
        return named

    def _table(self, parts: Sequence[str], needed: Flags) -> NameTable:
        """The names of what may be an outlier, and of what is needed besides."""
        least = self._sources.recipe.outliers.min_sitelinks
        kept = [part.take(np.flatnonzero(needed[part.items] | (part.sitelinks >= least))) for part in map(_open, parts)]
        return NameTable.merge(kept).in_order()


def _open(part: str) -> NameTable:
    return open_arrays(NameTable, local_folder(part))
