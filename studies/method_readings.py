"""What each reading of depth and of O3 that docs/method.md names takes in.

Settled how ``docs/method.md`` reads depth and O3, where the paper can be read in several ways.

python -m studies.method_readings class-graph-slice.json.gz
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import networkx as nx
import numpy as np

from wikisem.graph.class_graph import ClassGraph, ItemEdges, build_graph
from wikisem.graph.csr import Flags
from wikisem.recipes.options import GraphOptions
from wikisem.wikidata.entity_reader import read_entities

ROOT = 35120


def readings(dumps: Sequence[Path]) -> Iterator[str]:
    """What each reading of depth prunes, and how large O3 is by each of its readings."""
    edges = [ItemEdges.of_table(read_entities(path, on_unreadable=lambda _: None)) for path in dumps]
    whole = build_graph(edges, GraphOptions(root="", disambiguation=(), internal=()))
    both_ways = nx.Graph()
    both_ways.add_edges_from(zip(whole.up.sources().tolist(), whole.up.targets.tolist(), strict=True))
    root = int(np.searchsorted(whole.nodes, ROOT))
    near = nx.single_source_shortest_path_length(both_ways, root, 3)
    graph = build_graph(edges, GraphOptions(disambiguation=(), internal=()))
    yield f"pruned within three steps: {len(graph.removed)} downwards, {len(near)} in both directions"
    pruned = nx.Graph()
    pruned.add_nodes_from(range(len(graph.nodes)))
    pruned.add_edges_from(zip(graph.up.sources().tolist(), graph.up.targets.tolist(), strict=True))
    sizes: dict[str, list[int]] = {"the prose": [], "equation 15": [], "ours": []}
    candidates = np.flatnonzero((graph.instances.counts() >= 8) & (graph.up.counts() > 0))[::8]
    for node in candidates.tolist():
        parents = graph.up.row(node).tolist()
        balls = [nx.single_source_shortest_path_length(pruned, parent, 6).keys() for parent in parents]
        in_every = np.zeros(len(graph.nodes), dtype=bool)
        in_every[list(set.intersection(*map(set, balls)))] = True
        in_any = np.zeros(len(graph.nodes), dtype=bool)
        in_any[list(set.union(*map(set, balls)))] = True
        sizes["equation 15"].append(_items_with(graph, ~in_every, some=True))
        in_own = np.zeros(len(graph.nodes), dtype=bool)
        in_own[list(nx.single_source_shortest_path_length(pruned, node, 6))] = True
        sizes["the prose"].append(_items_with(graph, ~in_own, some=False))
        sizes["ours"].append(_items_with(graph, ~in_any, some=False))
    yield f"O3 of {len(candidates)} classes, mean number of the graph's {len(graph.items)} items:"
    for name, found in sizes.items():
        yield f"  {name}: {np.mean(found):.0f}"


def _items_with(graph: ClassGraph, far: Flags, *, some: bool) -> int:
    """How many items have some class, or only classes, that are far."""
    hits = far[graph.classes.targets]
    starts = graph.classes.offsets[:-1].astype(np.int64)
    return int((np.logical_or if some else np.logical_and).reduceat(hits, starts).sum())


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wikidata", type=Path, nargs="+", help="Wikidata dumps")
    print(*readings(parser.parse_args().wikidata), sep="\n")


if __name__ == "__main__":
    main()
