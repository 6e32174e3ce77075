"""Stage 4: the class graph, from the P31 and P279 of all items to arrays that every worker maps into memory."""

from collections.abc import Iterable
from typing import Final

import apache_beam as beam

from wikisem.graph.build import Graph, build_graph
from wikisem.graph.distance import PREFIX, prepare_ways
from wikisem.graph.edges import COLUMNS, Edges, places_of
from wikisem.graph.store import open_arrays
from wikisem.recipes.options import GraphOptions
from wikisem.records import Counts
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.counts import sum_counts, write_counts
from wikisem.transforms.io.files import match
from wikisem.transforms.io.parquet import read_parquet
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.scratch import Scratch

STAGE: Final = "taxonomy"


def build_taxonomy(entities: str, options: GraphOptions, context: StageContext) -> Counts:
    """Build the pruned class graph into ``published/``, where ``wikisem.graph.taxonomy.Taxonomy.load`` opens it.

    Counts are items; kept are classes and instances in the graph, left out are those with neither P31 nor P279
    (``no-class``) and those that were pruned or are instances of pruned classes only (``pruned``). Raises
    MissingInputError.
    """
    scratch, runtime = context.scratch, context.runtime
    files = match([f"{entities}/*.parquet"])

    def construct(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "entities" >> beam.Create(list(enumerate(files)))
            | "deal out" >> beam.Reshuffle()
            | "read edges" >> beam.ParDo(ReadEdges(scratch))
            | "meet" >> beam.GroupByKey()
            | "build" >> beam.ParDo(BuildGraph(options, scratch))
        )

    runtime.run(construct, label=STAGE, parts=f"{scratch.parts}/edges/*/supers.targets.npy", total=len(files))
    return sum_counts(f"{scratch.parts}/counts/*.json")


class ReadEdges(beam.DoFn):
    """A numbered file of entities to the arrays of its edges."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, numbered: tuple[int, str]) -> Iterable[tuple[None, tuple[int, int, str]]]:
        """Read and write; give out how many items there were, how many of them have edges, and where these are."""
        number, path = numbered
        table = read_parquet(path, COLUMNS)
        folder = f"{self._scratch.parts}/edges/{number:05d}"
        edges = Edges.of_table(table)
        save_arrays(edges, folder)
        yield None, (table.num_rows, len(edges.items), folder)


class BuildGraph(beam.DoFn):
    """The edges of all files to the finished graph."""

    def __init__(self, options: GraphOptions, scratch: Scratch) -> None:
        self._options, self._scratch = options, scratch

    def process(self, met: tuple[None, Iterable[tuple[int, int, str]]]) -> None:
        """Merge in the order of the files, prune, write."""
        parts = sorted(met[1], key=lambda part: part[2])
        folders = [local_folder(folder) for _, _, folder in parts]
        graph = build_graph([open_arrays(Edges, folder) for folder in folders], self._options)
        save_arrays(graph, self._scratch.published)
        save_arrays(prepare_ways(graph), self._scratch.published, PREFIX)
        counts = _count(sum(rows for rows, _, _ in parts), sum(items for _, items, _ in parts), graph)
        write_counts(f"{self._scratch.parts}/counts/graph.json", counts)


def _count(read: int, with_class: int, graph: Graph) -> Counts:
    """``with_class`` items of those read have a P31 or P279."""
    with_line = graph.class_sitelinks >= 0
    _, also_instance = places_of(graph.nodes, graph.items)
    kept = len(graph.items) + int((with_line & ~also_instance).sum())
    left_out = {"no-class": read - with_class, "pruned": with_class - kept}
    return Counts(read, kept, {reason: count for reason, count in left_out.items() if count})
