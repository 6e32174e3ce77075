"""Measures outliers against the class graph they came from, and the readings that docs/method.md names.

    wikisem build RECIPE --wikidata ... --output OUT --languages ...
    python -m benchmarks.outlier_measures OUT [--before OTHER]
    python -m benchmarks.outlier_measures --readings class-graph-slice.json.gz

The first counts, over all languages, outliers related to their class, outliers that share a direct class with a
member, and pairs of one outlier class that share a direct class; with ``--before`` also the groups that an earlier
build with another recipe has and this one has not, by the reason that is given. The second counts what each reading of
depth and of O3 takes in.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np

from wikisem.graph.array_types import Flags
from wikisem.graph.class_graph import ClassGraph, build_graph
from wikisem.graph.item_edges import ItemEdges
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import decode_group, decode_rejection
from wikisem.recipes.options import GraphOptions
from wikisem.records import Group
from wikisem.wikidata.read_file import read_entities

ROOT = 35120


def groups_of(folder: Path) -> dict[tuple[str, str], Group]:
    """All groups of an output folder by language and class."""
    found = {}
    for path in sorted((folder / "groups").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            group = decode_group(line)
            found[path.stem, group.qid] = group
    return found


def measures(folder: Path) -> Iterator[str]:
    """The counts of an output folder, a line each."""
    taxonomy, groups = Taxonomy.load(folder), groups_of(folder)
    related: Counter[str] = Counter()
    sharing = Counter[int]()
    pairs, together = Counter[int](), Counter[int]()
    for group in groups.values():
        above, below = set(taxonomy.above(group.qid)), set(taxonomy.below(group.qid))
        members = {own for one in group.cluster for own in taxonomy.classes(one.id)} - {group.qid}
        for outlier in group.outliers:
            related["itself"] += outlier.id == group.qid
            related["above"] += outlier.id in above
            related["below"] += outlier.id in below
            sharing[outlier.outlier_class] += bool(members & set(taxonomy.classes(outlier.id)))
        for one, other in combinations(group.outliers, 2):
            if one.outlier_class == other.outlier_class:
                pairs[one.outlier_class] += 1
                together[one.outlier_class] += bool(set(taxonomy.classes(one.id)) & set(taxonomy.classes(other.id)))
    languages = Counter(language for language, _ in groups)
    cases = Counter(outlier.outlier_class for group in groups.values() for outlier in group.outliers)
    yield f"groups: {len(groups)} in {len(languages)} languages {dict(languages.most_common())}"
    yield f"test cases: {_by_class(cases)}"
    yield f"outliers that are the class, above or below it: {dict(related)}"
    yield f"outliers that share a direct class with a member: {_by_class(sharing)}"
    yield f"pairs that share a direct class: {_shares(together, pairs)}"


def _by_class(counts: Mapping[int, int]) -> str:
    return ", ".join(f"O{number} {counts.get(number, 0)}" for number in (1, 2, 3))


def _shares(part: Mapping[int, int], whole: Mapping[int, int]) -> str:
    return ", ".join(f"O{n} {part.get(n, 0)} of {whole.get(n, 0)}" for n in (1, 2, 3))


def losses(before: Path, after: Path) -> Iterator[str]:
    """How many groups of one folder survive in another, and why the others do not."""
    old, new = groups_of(before), groups_of(after)
    reasons: Counter[str] = Counter()
    for path in sorted((after / "rejected").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            rejection = decode_rejection(line)
            reasons[rejection.reason] += (path.stem, rejection.qid) in old
    kept = len(old.keys() & new.keys())
    yield f"of {len(old)} groups before {kept} survive ({kept / max(len(old), 1):.1%}), {len(new) - kept} are new"
    yield f"lost, by reason: {dict(reasons.most_common())}"


def readings(dumps: Sequence[Path]) -> Iterator[str]:
    """What each reading of depth prunes, and how large O3 is by each of its readings."""
    edges = [ItemEdges.of_table(read_entities(path, on_reject=lambda _: None)) for path in dumps]
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
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, nargs="?", help="an output folder of a build")
    parser.add_argument("--before", type=Path, help="the output folder of an earlier build")
    parser.add_argument("--readings", type=Path, nargs="+", metavar="DUMP", help="Wikidata dumps to read")
    arguments = parser.parse_args()
    if arguments.output:
        print(*measures(arguments.output), sep="\n")
    if arguments.output and arguments.before:
        print(*losses(arguments.before, arguments.output), sep="\n")
    if arguments.readings:
        print(*readings(arguments.readings), sep="\n")


if __name__ == "__main__":
    main()
