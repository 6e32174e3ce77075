"""The surface forms of a language, from Parquet to the name table that workers map into memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np

from transforms.arrays import save_arrays
from transforms.group_plan import Sources
from transforms.parquet import read_row_groups
from wikisem.graph.kinds import Flags, Ints
from wikisem.graph.possible import CandidateClasses, candidate_classes
from wikisem.graph.rows import Rows
from wikisem.nametable import COLUMNS, Names, NameTable, find_items

# Into how many parts the surface files of a language are dealt: as many workers can read them, and all must map them.
_PARTS: Final = 8

# How many surface forms show the script of a language that wikisem.languages does not know.
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
        tables = (table for path in part.paths for table in read_row_groups(path, COLUMNS, ["source"]))
        names = Names.merge([Names.of_table(table) for table in tables])
        save_arrays(names, self._sources.name_part(part.language, part.number))
        yield part.language, part.number


class IndexNames(beam.DoFn):
    """All parts of a language to its candidate classes, and to a table of the names that their groups may need."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, met: tuple[str, Iterable[int]]) -> Iterator[tuple[None, str]]:
        """Write both and say so."""
        language = met[0]
        graph, parts, recipe = self._sources.graph(), self._sources.name_parts(language), self._sources.recipe
        items, rows = find_items(graph, np.concatenate([part.numbers for part in parts]))
        named = _flags(len(graph.items), items)
        found = candidate_classes(graph, named, recipe.cluster.minimum, recipe.cluster.size)
        # What may be an outlier or stand in a cluster is kept, and the first, which show what a language looks like.
        kept = (graph.sitelinks[items] >= recipe.outliers.min_sitelinks) | (np.arange(len(items)) < SAMPLE)
        kept |= _flags(len(graph.items), found.leading.targets)[items]
        items, rows = items[kept], rows[kept]
        leading = np.searchsorted(items, found.leading.targets.astype(items.dtype)).astype(np.uint32)
        folder = self._sources.names(language)
        save_arrays(CandidateClasses(found.nodes, Rows(found.leading.offsets, leading)), f"{folder}/candidates")
        save_arrays(NameTable(items, graph.sitelinks[items], Names.pick(parts, rows)), f"{folder}/table")
        yield None, language


def _flags(count: int, places: Ints) -> Flags:
    flags: Flags = np.zeros(count, dtype=bool)
    flags[places] = True
    return flags
