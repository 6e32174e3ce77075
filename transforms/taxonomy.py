"""Stage 4: the class graph, from the P31 and P279 of all items to memory-mapped arrays."""

from collections.abc import Iterable
from typing import Final

import apache_beam as beam

from wikisem.arrow.parquet import read_parquet
from wikisem.files import list_files, match
from wikisem.graph.class_graph import COLUMNS, ClassGraph, ItemEdges, build_graph
from wikisem.graph.csr import indices_of
from wikisem.graph.distance import PREFIX, contract_graph
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.layout import TAXONOMY as STAGE
from wikisem.layout import TaxonomyScratch, unlinked_folder
from wikisem.recipes.options import GraphOptions
from wikisem.records import Counts
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, write_counts
from wikisem.transforms.io.runtime import StageContext

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 2
_GRAPH: Final = "graph"

# The rows of a file of entities, how many of them have edges, and the folder of these edges.
_EdgeFile = tuple[int, int, str]


def build_taxonomy(entities: str, options: GraphOptions, context: StageContext) -> Counts:
    """Build the pruned class graph into ``finished/``, where ``wikisem.graph.taxonomy.Taxonomy.load`` opens it.

    Counts are items; kept are classes and instances in the graph, left out are those with neither P31 nor P279
    (``no-class``) and those that were pruned or are only instances of pruned classes (``pruned``). Raises
    MissingInputError.
    """
    scratch, runtime = TaxonomyScratch.of(context.scratch), context.runtime
    files = match([f"{entities}/*.parquet"])
    # The folder that counts unlinked items is one element more: it is small, and gives one table of classes.
    unlinked = unlinked_folder(entities)
    elements = list(enumerate([*files, unlinked]))

    def construct(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "entities" >> beam.Create(elements)
            | "read edges" >> beam.ParDo(ReadEdges(scratch, unlinked))
            | "bring together" >> beam.GroupByKey()
            | "build" >> beam.ParDo(BuildGraph(options, scratch))
        )

    runtime.run(construct, label=STAGE, parts=f"{scratch.edges()}/subclass_of.targets.npy", total=len(elements))
    counts = [scratch.counts(_GRAPH)]
    require_files(scratch.finished, files_left(counts))
    return sum_counts(counts)


class ReadEdges(beam.DoFn):
    """Read a numbered file of entities into arrays of its edges; from the folder ``unlinked``, those of its classes."""

    def __init__(self, scratch: TaxonomyScratch, unlinked: str) -> None:
        self._scratch, self._unlinked = scratch, unlinked

    def process(self, numbered: tuple[int, str]) -> Iterable[tuple[None, _EdgeFile]]:
        """Read and write."""
        number, path = numbered
        folder = self._scratch.edges(f"{number:05d}")
        if path == self._unlinked:
            tables = (read_parquet(file, ["instance_of"]) for file in list_files(f"{path}/*.parquet"))
            rows, edges = 0, ItemEdges.of_classes(table["instance_of"] for table in tables)
        else:
            table = read_parquet(path, COLUMNS)
            rows, edges = table.num_rows, ItemEdges.of_table(table)
        save_arrays(edges, folder)
        yield None, (rows, len(edges.items), folder)


class BuildGraph(beam.DoFn):
    """Build the finished graph from the edges of all files."""

    def __init__(self, options: GraphOptions, scratch: TaxonomyScratch) -> None:
        self._options, self._scratch = options, scratch

    def process(self, all_files: tuple[None, Iterable[_EdgeFile]]) -> None:
        """Merge in the order of the files, prune, write."""
        files = sorted(all_files[1], key=lambda file: file[2])
        graph = build_graph([open_arrays(ItemEdges, folder) for _, _, folder in files], self._options)
        names = save_arrays(graph, self._scratch.finished)
        names += save_arrays(contract_graph(graph), self._scratch.finished, PREFIX)
        counts = _count(sum(rows for rows, _, _ in files), sum(items for _, items, _ in files), graph)
        write_counts(self._scratch.counts(_GRAPH), counts, names)


def _count(read: int, with_edges: int, graph: ClassGraph) -> Counts:
    """The counts of ``read`` items, of which ``with_edges`` have a P31 or P279."""
    in_dump = graph.class_sitelinks >= 0
    _, also_instance = indices_of(graph.nodes, graph.items)
    kept = len(graph.items) + int((in_dump & ~also_instance).sum())
    left_out = {"no-class": read - with_edges, "pruned": with_edges - kept}
    return Counts(read, kept, {reason: count for reason, count in left_out.items() if count})
