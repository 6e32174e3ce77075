"""Reading test cases by hand, blind to the recipe that made them: the sample, and the table of the judgements.

    python -m benchmarks.reading sample --new OUT --old OUT --output FOLDER
    python -m benchmarks.reading table docs/reading/judgements.jsonl

``sample`` draws 240 test cases from the groups of one build and 120 of another, by seed and evenly over the outlier
classes, shuffles them and writes ``sheet.jsonl``, which says nothing of recipe or outlier class, and ``key.jsonl``.
A reader adds to each line a ``judgement`` ("good", "wrong" or "doubtful") and a ``why``. The judgements in
docs/reading/ are those lines joined with their key. ``table`` counts them by recipe and outlier class.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

JUDGEMENTS: Final = ("good", "doubtful", "wrong")
_SEED: Final = 2016


def _cases(output: Path, recipe: str) -> Iterator[dict[str, Any]]:
    """Every test case of a build's groups."""
    for path in sorted((output / "groups").glob("*.jsonl")):
        for group in map(orjson.loads, path.read_bytes().splitlines()):
            for outlier in group["outliers"]:
                yield {
                    "recipe": recipe,
                    "outlier_class": outlier["outlier_class"],
                    "via": outlier["via"],
                    "language": group["language"],
                    "class": group["class"],
                    "label": group["label"],
                    "cluster": [f"{member['surface']} ({member['id']})" for member in group["cluster"]],
                    "outlier": f"{outlier['surface']} ({outlier['id']})",
                }


def _draw(cases: Sequence[dict[str, Any]], count: int, random_: random.Random) -> list[dict[str, Any]]:
    """So many cases, evenly over the outlier classes, no group twice within one class."""
    chosen: list[dict[str, Any]] = []
    for number in (1, 2, 3):
        of_class = [case for case in cases if case["outlier_class"] == number]
        random_.shuffle(of_class)
        one_each = list({(case["language"], case["class"]): case for case in of_class}.values())
        random_.shuffle(one_each)
        chosen += one_each[: count // 3]
    return chosen


def sample(new: Path, old: Path, output: Path) -> None:
    """Write the blind sheet and its key."""
    random_ = random.Random(_SEED)
    cases = _draw(list(_cases(new, "wikisem")), 240, random_) + _draw(list(_cases(old, "wikisem500")), 120, random_)
    random_.shuffle(cases)
    output.mkdir(parents=True, exist_ok=True)
    hidden = ("recipe", "outlier_class", "via")
    with (output / "sheet.jsonl").open("wb") as sheet, (output / "key.jsonl").open("wb") as key:
        for number, case in enumerate(cases):
            sheet.write(orjson.dumps({"case": number, **{k: v for k, v in case.items() if k not in hidden}}) + b"\n")
            key.write(orjson.dumps({"case": number, **{k: case[k] for k in hidden}}) + b"\n")


def table(path: Path) -> str:
    """The judgements by recipe and outlier class, as Markdown."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in map(orjson.loads, path.read_bytes().splitlines()):
        for kind in (f"O{case['outlier_class']}", "all"):
            counts[case["recipe"], kind][case["judgement"]] += 1
    lines = ["| recipe | outliers | cases | good | doubtful | wrong | wrong, % |", "|---|---|---|---|---|---|---|"]
    for (recipe, kind), found in sorted(counts.items()):
        total = sum(found.values())
        numbers = " | ".join(str(found[judgement]) for judgement in JUDGEMENTS)
        lines.append(f"| `{recipe}` | {kind} | {total} | {numbers} | {100 * found['wrong'] / total:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Draw the sample, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("sample")
    for name in ("new", "old", "output"):
        draw.add_argument(f"--{name}", type=Path, required=True)
    commands.add_parser("table").add_argument("judgements", type=Path)
    options = parser.parse_args()
    if options.command == "sample":
        sample(options.new, options.old, options.output)
    else:
        print(table(options.judgements))


if __name__ == "__main__":
    main()
