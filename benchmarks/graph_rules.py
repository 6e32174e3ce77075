"""Times the groups stage by what a recipe asks for, in turn, on the made-up world of ``benchmarks.graph``.

    python -m benchmarks.graph_rules --world FOLDER [--part 1.0] [--rounds 5]

The faithful recipe is compared with itself plus one kind of rule, and with ``wikisem``, which has them all. Every
candidate class is judged and none capped. The world is written into FOLDER, with its class graph, if it is not there.
"""

import argparse
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.graph import run_taxonomy
from benchmarks.graph_world import Size, write_world
from benchmarks.report import Call, Result, compare, table
from wikisem.layout import Scratch
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.transforms.groups.stage import build_groups
from wikisem.transforms.io.runtime import Runtime, StageContext

_FAITHFUL: Final = load_recipe("wikisem500")
_BEST: Final = load_recipe("wikisem")


def _with(**outliers: Any) -> Recipe:
    return replace(_FAITHFUL, outliers=replace(_FAITHFUL.outliers, **outliers))


RECIPES: Final[Mapping[str, Recipe]] = {
    "wikisem500": _FAITHFUL,
    "and `certificate`": _with(certificate=_BEST.outliers.certificate),
    "and `status_share`": _with(status_share=_BEST.outliers.status_share),
    "and the filters of wikisem": replace(_FAITHFUL, filters=_BEST.filters),
    "wikisem without `places`": replace(_BEST, outliers=replace(_BEST.outliers, places=False)),
    "wikisem": _BEST,
}


def run_groups(world: Path, name: str) -> None:
    """The groups stage under one of the recipes, in one language and one process."""
    recipe = RECIPES[name]
    recipe = replace(recipe, languages=("la",), cluster=replace(recipe.cluster, max_groups=0))
    folder = world / "rules"
    shutil.rmtree(folder, ignore_errors=True)
    context = StageContext(Scratch(str(folder)), Runtime(workers=1))
    graph, surfaces = str(world / "taxonomy-1" / "finished"), {"la": str(world / "surfaces" / "la")}
    build_groups(str(world / "entities"), graph, surfaces, {}, recipe, context)["la"].check("groups")


def rows(results: Mapping[str, Result]) -> list[list[str]]:
    """A line for each recipe: medians, and how they compare with the first recipe's."""
    first = next(iter(results.values()))
    return [
        [name, f"{one.cpu:.1f}", f"{one.cpu / first.cpu:.2f}", f"{one.peak / 1e9:.2f}", f"{one.peak / first.peak:.2f}"]
        for name, one in results.items()
    ]


def main() -> None:
    """Write the world if need be, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", type=Path, required=True, help="the folder of the made-up world")
    parser.add_argument("--part", type=float, default=1.0, help="of the size of Wikidata (default: 1.0)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each recipe runs (default: 5)")
    parser.add_argument("--only", nargs="*", choices=list(RECIPES), default=list(RECIPES), help="default: all of them")
    arguments = parser.parse_args()
    if not (arguments.world / "entities").exists():
        write_world(arguments.world, Size().scaled(arguments.part))
    if not (arguments.world / "taxonomy-1").exists():
        run_taxonomy(arguments.world, 1)
    calls = {name: Call(run_groups, (arguments.world, name)) for name in arguments.only}
    print(table(["recipe", "CPU s", "ratio", "peak GB", "ratio"], rows(compare(calls, arguments.rounds))))


if __name__ == "__main__":
    main()
