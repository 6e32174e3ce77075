"""Stage 4: the class graph, from the P31 and P279 of all items to memory-mapped arrays."""

from collections.abc import Iterable
from typing import Final

import apache_beam as beam

from wikisem.arrow.parquet import read_parquet
from wikisem.files import list_files, match
from wikisem.graph.class_graph import COLUMNS, ItemEdges, build_graph
from wikisem.graph.csr import indices_of
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.graph.taxonomy import PREFIX, contract_graph
from wikisem.layout import TAXONOMY, Scratch, unlinked_folder
from wikisem.recipes.options import GraphOptions
from wikisem.records import Counts
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, write_counts
from wikisem.transforms.io.runtime import StageContext

VERSION: Final = 3  # of the stage's output; raise it when that changes
_GRAPH: Final = "graph"

# How many rows a file of entities has, how many of them have edges, and the folder of these edges.
_EdgeFile = tuple[int, int, str]


def build_taxonomy(entities: str, options: GraphOptions, context: StageContext) -> Counts:
    """Build the pruned class graph into ``finished/``, where ``wikisem.graph.taxonomy.Taxonomy.load`` opens it.

    Counts are items; kept are classes and instances in the graph, left out are those with neither P31 nor P279
    (``no-class``) and those that were pruned or are only instances of pruned classes (``pruned``). Raises
    MissingInputError.
    """
    scratch = context.scratch
    files = match([f"{entities}/*.parquet"])
    # Classes of items that were left out for want of a sitelink are nodes, too: their small folder is read as one file.
    unlinked = unlinked_folder(entities)
    elements = list(enumerate([*files, unlinked]))
    parts = f"{scratch.edges('*')}/subclass_of.targets.npy"
    with context.runtime.pipeline(label=TAXONOMY, parts=parts, total=len(elements)) as pipeline:
        _ = (
            pipeline
            | "entities" >> beam.Create(elements)
            | "read edges" >> beam.Map(read_edges, scratch, unlinked)
            | "bring together" >> beam.GroupByKey()
            | "build" >> beam.Map(write_graph, scratch, options)
        )
    counts = [scratch.counts(_GRAPH)]
    require_files(scratch.finished, files_left(counts))
    return sum_counts(counts)


def read_edges(numbered: tuple[int, str], scratch: Scratch, unlinked: str) -> tuple[None, _EdgeFile]:
    """Write the edges (P31, P279) of the items in a numbered file as arrays; count its rows, and those with edges.

    ``unlinked`` is the folder of the items that an earlier stage left out for want of a sitelink. They are no items of
    the graph, so they count as no rows; but their classes, the column ``instance_of``, become nodes of it.
    """
    number, path = numbered
    folder = scratch.edges(f"{number:05d}")
    if path == unlinked:
        tables = (read_parquet(file, ["instance_of"]) for file in list_files(f"{path}/*.parquet"))
        rows, edges = 0, ItemEdges.of_classes(table["instance_of"] for table in tables)
    else:
        table = read_parquet(path, COLUMNS)
        rows, edges = table.num_rows, ItemEdges.of_table(table)
    save_arrays(edges, folder)
    return None, (rows, len(edges.items), folder)  # None is the one key of all files


def write_graph(all_files: tuple[None, Iterable[_EdgeFile]], scratch: Scratch, options: GraphOptions) -> None:
    """Build and write the class graph from the edges of all files, and count the items that are in it."""
    _, files = all_files
    rows, with_edges, folders = zip(*sorted(files, key=lambda file: file[2]), strict=True)  # by their numbered folders
    graph = build_graph([open_arrays(ItemEdges, folder) for folder in folders], options)
    names = save_arrays(graph, scratch.finished)
    # A smaller graph with the same distances, without leaves.
    names += save_arrays(contract_graph(graph), scratch.finished, PREFIX)
    # Kept are instances, and classes that are not: among the nodes, those whose item the dump has.
    in_dump = graph.class_sitelinks >= 0
    is_instance = indices_of(graph.nodes, graph.items)[1]
    kept = len(graph.items) + int((in_dump & ~is_instance).sum())
    left_out = {"no-class": sum(rows) - sum(with_edges), "pruned": sum(with_edges) - kept}
    counts = Counts(sum(rows), kept, {reason: count for reason, count in left_out.items() if count})
    write_counts(scratch.counts(_GRAPH), counts, names)
