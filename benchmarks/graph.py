"""Times the class graph and the groups at the size of Wikidata, on a made-up world of its shape.

    python -m benchmarks.graph --world FOLDER [--part 1.0]

The world is written into FOLDER once (about 2 GB at full size, some minutes) and read again by later calls.
"""

import argparse
import shutil
import statistics
import time
from pathlib import Path

import numpy as np

from benchmarks.graph_world import Size, write_world
from benchmarks.report import Call, Result, compare, table, write_section
from transforms.groups import build_groups
from transforms.runtime import Runtime
from transforms.taxonomy import build_taxonomy
from transforms.workplace import Workplace
from wikisem.ids import qid_of
from wikisem.recipe import ClusterOptions, Recipe
from wikisem.taxonomy import Taxonomy

RECIPE = Recipe("benchmark", languages=("la",), cluster=ClusterOptions(max_groups=0))


def run_taxonomy(world: Path, workers: int) -> None:
    """The taxonomy stage."""
    place = _fresh(world / f"taxonomy-{workers}")
    build_taxonomy(str(world / "entities"), RECIPE.graph, place, Runtime(workers=workers)).check("taxonomy")


def run_groups(world: Path, workers: int) -> None:
    """The groups stage in one language, every class that can be a candidate judged and none capped."""
    place = _fresh(world / f"groups-{workers}")
    surfaces = {"la": str(world / "surfaces" / "la")}
    graph = str(world / "taxonomy-1" / "done")
    runtime = Runtime(workers=workers)
    counts = build_groups(str(world / "entities"), graph, surfaces, {}, RECIPE, RECIPE.seed, place, runtime)["la"]
    counts.check("groups")
    (world / "groups.txt").write_text(f"{counts.read} {counts.kept}\n", encoding="utf-8")


def _fresh(folder: Path) -> Workplace:
    shutil.rmtree(folder, ignore_errors=True)
    return Workplace(str(folder))


def time_lookups(world: Path) -> list[list[str]]:
    """Median and 99th percentile of single questions, in milliseconds, for random classes below the leaves."""
    taxonomy = Taxonomy.load(world / "taxonomy-1" / "done")
    graph = taxonomy.graph
    draw = np.random.default_rng(1)
    pairs = draw.integers(0, len(graph.nodes), (1000, 2))
    names = [(qid_of(int(graph.nodes[one])), qid_of(int(graph.nodes[other]))) for one, other in pairs.tolist()]
    questions = {
        "distance(a, b, limit=7)": [
            lambda one=one, other=other: taxonomy.distance(one, other, limit=7) for one, other in names
        ],
        "superclasses(a)": [lambda one=one: taxonomy.superclasses(one) for one, _ in names],
        "above(a)": [lambda one=one: taxonomy.above(one) for one, _ in names],
    }
    return [[name, *_milliseconds(calls)] for name, calls in questions.items()]


def _milliseconds(calls: list) -> list[str]:
    taken = []
    for call in calls:
        begun = time.perf_counter()
        call()
        taken.append(1000 * (time.perf_counter() - begun))
    return [f"{statistics.median(taken):.2f}", f"{np.quantile(taken, 0.99):.2f}"]


def _rows(results: dict[str, Result]) -> list[list[str]]:
    return [
        [name, f"{result.seconds:.0f}", f"{result.cpu:.0f}", f"{result.peak / 1e9:.2f}"]
        for name, result in results.items()
    ]


def main() -> None:
    """Write the world if need be, run every stage, write ``docs/benchmarks/graph.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path, required=True)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    world, size = arguments.world, Size().scaled(arguments.part)
    if not (world / "entities").exists():
        write_world(world, size)
    stages = {f"taxonomy, {n} worker(s)": Call(run_taxonomy, (world, n)) for n in (1, 2)}
    stages |= {f"groups, {n} worker(s)": Call(run_groups, (world, n)) for n in (1, 2)}
    results = compare(stages, arguments.rounds)
    read, kept = (int(word) for word in (world / "groups.txt").read_text(encoding="utf-8").split())
    graph = Taxonomy.load(world / "taxonomy-1" / "done").graph
    body = (
        f"{len(graph.nodes):,} classes and {len(graph.items):,} instances are left after pruning "
        f"{size.classes:,} and {size.instances:,}; {len(graph.up.targets):,} P279 edges; "
        f"{read:,} candidate classes, of which {kept:,} give a group. Peak memory is of the largest process, mapped "
        "files included, which the processes share.\n\n"
        + table(["stage", "wall s", "CPU s", "peak GB"], _rows(results))
        + "\n\n"
        + table(["question to the opened graph", "median ms", "99 % ms"], time_lookups(world))
    )
    write_section("graph", "The class graph at the size of Wikidata", body, ["numpy", "pyarrow", "apache-beam"])


if __name__ == "__main__":
    main()
