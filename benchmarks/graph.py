"""Times the class graph and the groups at the size of Wikidata, on a made-up world of its shape.

    python -m benchmarks.graph --world FOLDER [--part 1.0]

The world is written into FOLDER once (some minutes; with what the stages leave there, about 5 GB at full size) and read
again by later calls. The page is written anew after every step, so a run
that is cut off leaves what it has.
"""

import argparse
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.graph_page import STEPS, Findings, Measured, Step, page
from benchmarks.graph_world import Size, write_world
from benchmarks.report import Call, write_section
from benchmarks.tree import watch_children
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.layout import Scratch
from wikisem.recipes.options import ClusterOptions, Recipe
from wikisem.transforms.groups.stage import build_groups
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.taxonomy import build_taxonomy

RECIPE = Recipe("benchmark", languages=("la",), cluster=ClusterOptions(max_groups=0))


def run_taxonomy(world: Path, workers: int) -> None:
    """The taxonomy stage."""
    scratch = _fresh(world / f"taxonomy-{workers}")
    build_taxonomy(str(world / "entities"), RECIPE.graph, StageContext(scratch, Runtime(workers=workers))).check(
        "taxonomy"
    )


def run_groups(world: Path, workers: int) -> None:
    """The groups stage in one language, every candidate class judged and none capped."""
    scratch = _fresh(world / f"groups-{workers}")
    surfaces = {"la": str(world / "surfaces" / "la")}
    graph = str(world / "taxonomy-1" / "finished")
    runtime = Runtime(workers=workers)
    counts = build_groups(str(world / "entities"), graph, surfaces, {}, RECIPE, StageContext(scratch, runtime))["la"]
    counts.check("groups")
    (world / "groups.txt").write_text(f"{counts.read} {counts.kept}\n", encoding="utf-8")


def _fresh(folder: Path) -> Scratch:
    shutil.rmtree(folder, ignore_errors=True)
    return Scratch(str(folder))


def measure(function: Callable[[Path, int], None], world: Path, workers: int) -> Measured:
    """One run of a stage in a process of its own, with what its processes held."""
    with watch_children() as held:
        run = Call(function, (world, workers)).measure()
    return Measured(run, held)


def time_lookups(folder: Path) -> dict[str, tuple[float, float]]:
    """Median and 99th percentile of single questions about random classes, in milliseconds, each asked once."""
    taxonomy = Taxonomy.load(folder)
    numbers = taxonomy.graph.nodes
    pairs = numbers[np.random.default_rng(1).integers(0, len(numbers), (1000, 2))].tolist()
    names = [(qid_of(one), qid_of(other)) for one, other in pairs]
    return {
        "distance(a, b, limit=7)": _milliseconds(lambda one, other: taxonomy.distance(one, other, limit=7), names),
        "distance(a, b)": _milliseconds(taxonomy.distance, names),
        "superclasses(a)": _milliseconds(lambda one, _: taxonomy.superclasses(one), names),
        "above(a)": _milliseconds(lambda one, _: taxonomy.above(one), names),
        "instances(a)": _milliseconds(lambda one, _: taxonomy.instances(one), names),
        "Taxonomy.load(folder)": _milliseconds(lambda *_: Taxonomy.load(folder), names[:100]),
    }


def _milliseconds(ask: Callable[[str, str], object], names: Sequence[tuple[str, str]]) -> tuple[float, float]:
    taken = []
    for one, other in names:
        begun = time.perf_counter()
        ask(one, other)
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken), float(np.quantile(taken, 0.99))


def main() -> None:
    """Write the world if need be, run every stage, write the section of ``docs/benchmarks.md`` after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", type=Path, required=True, help="the folder of the made-up world")
    parser.add_argument("--part", type=float, default=1.0, help="of the size of Wikidata (default: 1.0)")
    arguments = parser.parse_args()
    size = Size().scaled(arguments.part)
    world = arguments.world
    if not (world / "entities").exists():
        write_world(world, size)
    found = Findings(size)
    for step in STEPS:
        found.steps[step] = measure({"taxonomy": run_taxonomy, "groups": run_groups}[step.stage], world, step.workers)
        _note(found, step, world)
        write_section("Class graph", page(found), ["numpy", "pyarrow", "apache-beam"])
        print(f"{step}: {found.steps[step].run.seconds:.0f} s", file=sys.stderr)


def _note(found: Findings, step: Step, world: Path) -> None:
    """What the step gave, and how fast the whole graph answers once it is there."""
    if step.stage == "groups":
        read, kept = (world / "groups.txt").read_text(encoding="utf-8").split()
        found.groups = int(read), int(kept)
        return
    folder = world / f"taxonomy-{step.workers}" / "finished"
    graph = Taxonomy.load(folder).graph
    found.graph = len(graph.nodes), len(graph.items), len(graph.up.targets)
    found.milliseconds = time_lookups(folder)


if __name__ == "__main__":
    main()
