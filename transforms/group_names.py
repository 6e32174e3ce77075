"""The surface forms of a language, from Parquet to the name table that workers map into memory."""

from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa

from transforms.arrays import save_arrays
from transforms.files import create_binary
from transforms.group_plan import CandidateNodes, Sources
from transforms.parquet import read_batches
from wikisem.graph.build import Graph
from wikisem.graph.edges import places_of, qid_numbers
from wikisem.graph.kinds import Index
from wikisem.graph.possible import named_counts
from wikisem.nametable import NAME, NameRows
from wikisem.schemas import SURFACES

_SCHEMA = pa.schema([SURFACES.field(name) for name in NAME])


class GatherNames(beam.DoFn):
    """The surface files of a language to its name table and its candidate classes."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, asked: tuple[str, Sequence[str]]) -> Iterator[tuple[None, str]]:
        """Write both and say so."""
        language, paths = asked
        graph, folder = self._sources.graph(), self._sources.names(language)
        items = _copy(graph, paths, f"{folder}/names.arrow")
        order = np.argsort(items, kind="stable")
        table = NameRows(items[order].astype(np.uint32), order.astype(np.uint32))
        save_arrays(table, folder)
        enough = named_counts(graph, table.items) >= self._sources.recipe.cluster.minimum
        save_arrays(CandidateNodes(np.flatnonzero(enough)), f"{folder}/candidates")
        yield None, language


def _copy(graph: Graph, paths: Iterable[str], target: str) -> Index:
    """Write the rows of items in the graph as one Arrow file; returns the item of each row."""
    found: list[Index] = [np.zeros(0, dtype=np.int64)]
    with create_binary(target) as sink, pa.ipc.new_file(sink, _SCHEMA) as writer:
        for path in paths:
            for table in read_batches(path, ["qid", *NAME], 1 << 18):
                places, here = places_of(qid_numbers(table["qid"]), graph.items)
                writer.write_table(table.select(NAME).filter(pa.array(here)).cast(_SCHEMA).combine_chunks())
                found.append(places[here])
    return np.concatenate(found)
