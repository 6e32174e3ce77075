"""What must be known before the first class is judged: possible outliers, rings, candidates, and how they are dealt."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.csr import Rows
from wikisem.graph.edges import places_of
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, possible_outliers
from wikisem.graph.outlier_sets.hash_ring import Ring
from wikisem.graph.outlier_sets.index import prepare_index
from wikisem.graph.store import open_arrays
from wikisem.graph.types import Index, Ints
from wikisem.recipes.options import Recipe
from wikisem.surfaces.table import NameTable
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.scratch import Scratch

# Classes a block: enough to make the start of one worth while, few enough to share the work evenly.
BLOCK: Final = 1024


@dataclass(frozen=True)
class Sources:
    """Where the steps of the stage find what they share, and what was asked for."""

    taxonomy: str
    siteinfo: dict[str, str]
    recipe: Recipe
    seed: int
    scratch: Scratch

    def graph(self) -> Graph:
        """The class graph, mapped into memory."""
        return open_arrays(Graph, local_folder(self.taxonomy))

    def names(self, language: str) -> str:
        """The folder of a language's name table, candidates and ring."""
        return f"{self.scratch.parts}/names/{language}"

    def name_part(self, language: str, number: int) -> str:
        """The folder of one part of a language's names."""
        return f"{self.names(language)}/parts/{number}"

    def facts(self) -> str:
        """The folder of labels and titles."""
        return f"{self.scratch.parts}/facts"

    def index(self) -> str:
        """The folder of the outlier index."""
        return f"{self.scratch.parts}/index"

    def table(self, language: str) -> NameTable:
        """The name table of a language."""
        return open_arrays(NameTable, local_folder(f"{self.names(language)}/table"))

    def candidates(self, language: str) -> CandidateClasses:
        """The candidates of a language; their leading instances are rows of its name table."""
        return open_arrays(CandidateClasses, local_folder(f"{self.names(language)}/candidates"))

    def all_candidates(self, languages: Sequence[str]) -> Ints:
        """The nodes that are candidates in any language, ascending."""
        nodes: Ints = np.unique(np.concatenate([self.candidates(language).nodes for language in languages]))
        return nodes


class PlanBlocks(beam.DoFn):
    """Once everything is gathered: write the outlier index and the rings, give out the numbers of the blocks."""

    def __init__(self, sources: Sources, languages: Sequence[str]) -> None:
        self._sources, self._languages = sources, languages

    def process(self, gathered: tuple[None, Iterable[str]]) -> Iterator[int]:
        """Plan; ``gathered`` only says that the files are there. Block 0 exists even where there is no candidate."""
        del gathered
        sources = self._sources
        named = {one: sources.table(one) for one in self._languages}
        # Opened for each step anew, so that no more is mapped than what the step reads.
        least = sources.recipe.outliers.min_sitelinks
        able = [table.items[table.sitelinks >= least] for table in named.values()]
        items, numbers, lists = possible_outliers(sources.graph(), able)
        candidates = sources.all_candidates(self._languages)
        save_arrays(prepare_index(sources.graph(), lists, candidates), sources.index())
        for language, table in named.items():
            ring = _ring(table, sources.seed, items, numbers, lists)
            save_arrays(ring, f"{sources.names(language)}/ring")
        yield from range(max(1, -(-len(candidates) // BLOCK)))


def _ring(table: NameTable, seed: int, items: Ints, numbers: Index, lists: Rows) -> Ring:
    """The ring of the possible outliers that a language can name; its rows are those of the table."""
    places, possible = places_of(table.items, items)
    rows = np.flatnonzero(possible)
    return Ring.of(seed, table.numbers[rows], rows, numbers[places[rows]], len(lists))
