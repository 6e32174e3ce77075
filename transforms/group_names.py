"""The surface forms of a language, from Parquet to the name table that workers map into memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np

from transforms.arrays import save_arrays
from transforms.group_plan import CandidateNodes, Sources
from transforms.parquet import read_row_groups
from wikisem.graph.possible import named_counts
from wikisem.nametable import COLUMNS, NameRows, Names

# Into how many parts the surface files of a language are dealt: as many workers can read them, and all must map them.
_PARTS: Final = 8


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
    """All parts of a language to its index of named items and its candidate classes."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, met: tuple[str, Iterable[int]]) -> Iterator[tuple[None, str]]:
        """Write both and say so."""
        language = met[0]
        graph, folder = self._sources.graph(), self._sources.names(language)
        parts = [part.numbers for part in self._sources.name_parts(language)]
        rows = NameRows.of(graph, np.concatenate(parts))
        save_arrays(rows, folder)
        enough = named_counts(graph, rows.items) >= self._sources.recipe.cluster.minimum
        save_arrays(CandidateNodes(np.flatnonzero(enough)), f"{folder}/candidates")
        yield None, language
