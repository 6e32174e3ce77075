"""What must be known before the first class is judged: possible outliers, rings, candidates, and how they are dealt."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import apache_beam as beam
import numpy as np

from transforms.arrays import local_folder, save_arrays
from transforms.files import list_files
from transforms.workplace import Workplace
from wikisem.graph.build import Graph
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.outlier_sets import prepare_index
from wikisem.graph.possible import CandidateClasses, possible_outliers
from wikisem.graph.ring import Ring
from wikisem.graph.rows import Rows
from wikisem.graph.store import open_arrays
from wikisem.nametable import Names, NameTable
from wikisem.recipe import Recipe

# Classes a block: enough to make the start of one worth while, few enough to share the work evenly.
BLOCK: Final = 1024


@dataclass(frozen=True)
class Sources:
    """Where the steps of the stage find what they share, and what was asked for."""

    taxonomy: str
    siteinfo: dict[str, str]
    recipe: Recipe
    seed: int
    workplace: Workplace

    def graph(self) -> Graph:
        """The class graph, mapped into memory."""
        return open_arrays(Graph, local_folder(self.taxonomy))

    def names(self, language: str) -> str:
        """The folder of a language's name table, candidates and ring."""
        return f"{self.workplace.parts}/names/{language}"

    def name_part(self, language: str, number: int) -> str:
        """The folder of one part of a language's names."""
        return f"{self.names(language)}/parts/{number}"

    def name_parts(self, language: str) -> list[Names]:
        """All parts of a language's names, mapped into memory."""
        found = list_files(f"{self.names(language)}/parts/*/numbers.npy")
        return [open_arrays(Names, local_folder(path.rpartition("/")[0])) for path in found]

    def facts(self) -> str:
        """The folder of labels and titles."""
        return f"{self.workplace.parts}/facts"

    def index(self) -> str:
        """The folder of the outlier index."""
        return f"{self.workplace.parts}/index"

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
        sources, graph = self._sources, self._sources.graph()
        named = {one: sources.table(one).items for one in self._languages}
        items, numbers, lists = possible_outliers(graph, named, sources.recipe.outliers.min_sitelinks)
        candidates = sources.all_candidates(self._languages)
        save_arrays(prepare_index(graph, lists, candidates), sources.index())
        for language, own in named.items():
            ring = _ring(graph, sources.seed, own, items, numbers, lists)
            save_arrays(ring, f"{sources.names(language)}/ring")
        yield from range(max(1, -(-len(candidates) // BLOCK)))


def _ring(graph: Graph, seed: int, named: Ints, items: Ints, numbers: Index, lists: Rows) -> Ring:
    """The ring of the possible outliers that a language can name; its rows are places in ``named``."""
    rows = np.flatnonzero(np.isin(named, items))
    own = named[rows]
    return Ring.of(seed, graph.items[own], rows, numbers[np.searchsorted(items, own)], len(lists))
