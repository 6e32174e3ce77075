"""What each rule on outliers costs, and which groups of the faithful recipe survive under ``wikisem``.

    python -m benchmarks.outlier_rules WIKIDATA... --output FOLDER [--languages en,de,...]

Builds the groups of one recipe after the other, labels as surface forms, no minimum of sitelinks and no cap: those of
the faithful recipe, of steps from it to ``wikisem``, and of ``wikisem``. ``FOLDER/wikisem500`` and ``FOLDER/wikisem``
are left.
Prints the tables of docs/benchmarks/rules.md: what the outliers are to their classes; and of the groups of the
faithful recipe those that ``wikisem`` has too, and the rules that took the others.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final

from benchmarks.outlier_measures import HEAD, measure, rows, survival
from benchmarks.report import table
from wikisem.graph.class_graph import ItemEdges, build_graph
from wikisem.graph.taxonomy import Taxonomy, contract_graph
from wikisem.pipeline.cli import main as wikisem
from wikisem.recipes.options import GraphOptions
from wikisem.wikidata.entity_reader import read_entities

LANGUAGES: Final = "en,es,de,ru,zh,ar,nl,fr,sv,pl,it,ca,pt,ja,uk,tr"
FAITHFUL: Final = "the faithful recipe"
BEST: Final = "`wikisem`"
# The base of each recipe, and what it changes there.
RECIPES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    FAITHFUL: ("wikisem500", {}),
    'the same, `draw = "items"`': ("wikisem500", {"draw": "items"}),
    'the same, `draw_o3 = "class"`': ("wikisem500", {"draw_o3": "class"}),
    "the same, `certificate = 8`": ("wikisem500", {"certificate": 8}),
    "and `status_share = 0.6`": ("wikisem500", {"certificate": 8, "status_share": 0.6}),
    BEST: ("wikisem", {}),
    "the same, `places = false`": ("wikisem", {"places": False}),
    "the same, `status_share = 0`": ("wikisem", {"status_share": 0.0}),
    'the same, `draw_o3 = "items"`': ("wikisem", {"draw_o3": "items"}),
}
_INTERNAL: Final = "Q17442446"


def build(name: str, dumps: Sequence[Path], folder: Path, languages: str) -> Path:
    """Build the groups of a recipe, and return its output folder; what its base has left there is not made again."""
    base, outliers = RECIPES[name]
    recipe, output = folder / f"{base}.toml", folder / base
    folder.mkdir(parents=True, exist_ok=True)
    changes = [f"{key} = {json.dumps(value)}" for key, value in {"min_sitelinks": 0, **outliers}.items()]
    lines = [f'name = "{base}"', f'base = "{base}"', "[outliers]", *changes, "[cluster]", "max_groups = 0"]
    recipe.write_text("\n".join([*lines, "[surface]", 'fallback = "label"', ""]), encoding="utf-8")
    words = ["build", str(recipe), "--wikidata", *map(str, dumps), "--output", str(output)]
    with redirect_stdout(sys.stderr):
        failed = wikisem([*words, "--languages", languages])
    if failed:
        raise RuntimeError(f"the build of {name} failed")
    return output


def internal_items(dumps: Sequence[Path]) -> set[str]:
    """The classes and items that are internal to Wikimedia, whatever a build prunes."""
    edges = [ItemEdges.of_table(read_entities(path, on_unreadable=lambda _: None)) for path in dumps]
    graph = build_graph(edges, GraphOptions(root="", disambiguation=(), internal=()))
    whole = Taxonomy(graph, contract_graph(graph))
    classes = {_INTERNAL, *whole.below(_INTERNAL)} if _INTERNAL in whole else set()
    return {*classes, *(item for each in classes for item in whole.instances(each))}


def main() -> None:
    """Build, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wikidata", type=Path, nargs="+", help="Wikidata dumps")
    parser.add_argument("--output", type=Path, required=True, help="the folder of the builds")
    parser.add_argument("--languages", default=LANGUAGES, help=f"default: {LANGUAGES}")
    arguments = parser.parse_args()
    internal = internal_items(arguments.wikidata)
    # From the last to the first, so that the groups that are left are those of the two recipes themselves.
    measured = {}
    for name in reversed([*RECIPES]):
        output = build(name, arguments.wikidata, arguments.output, arguments.languages)
        measured[name] = measure(output, internal)
    found = {name: measured[name] for name in RECIPES}
    print(table(HEAD, list(rows(found))))
    first, *lines = survival(found[FAITHFUL], found[BEST])
    print("\n" + table(first, lines))


if __name__ == "__main__":
    main()
