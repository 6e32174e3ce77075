"""What readers solve of each kind of test: well-known and obscure members, near outliers, walls.

Settled that obscurity alone makes no harder test, since one known word gives a far outlier away.

    python -m studies.dial draw head=OUT torso=OUT tail=OUT near=OUT --words FILE --key FILE [--cases 40]
    python -m studies.dial table docs/reading/fame.jsonl docs/reading/judgements-7.jsonl docs/reading/walls.jsonl

Each OUT is a build by a recipe with that ``fame``, or by ``wikisem-near``. ``draw`` writes for readers the shuffled
words of as many English cases of each, and for us the key; no class comes a third time. What two readers picked is
then added to the lines of the key as ``picks``. ``table`` counts what both solved, with Wilson's intervals at 95 %.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson
from scipy.stats import binomtest

from benchmarks.report import table

SEED: Final = 33


def draw_cases(cell: str, output: Path, count: int, generator: random.Random) -> Iterator[dict[str, Any]]:
    """Test cases of the English groups of a build, at most two of a class, each with its words in another order."""
    groups = map(orjson.loads, (output / "groups" / "en.jsonl").read_bytes().splitlines())
    cases = [(group, outlier) for group in groups for outlier in group["outliers"]]
    generator.shuffle(cases)
    drawn: Counter[str] = Counter()
    for group, outlier in cases:
        if drawn[group["class"]] < 2 and drawn.total() < count:
            drawn[group["class"]] += 1
            members = [member["surface"] for member in group["cluster"][:8]]
            words = [*members, outlier["surface"]]
            generator.shuffle(words)
            yield {"cell": cell, "class": group["class"], "outlier": outlier["surface"], "words": words}


def solved(line: dict[str, Any]) -> tuple[str, list[bool]]:
    """The kind of test of a line of a reading, and whether each reader solved it."""
    if "readers" in line:
        groups = {frozenset(group["words"]) for group in line["groups"]}
        recipe = "" if line["recipe"] == "wikisem" else f", {line['recipe']}"
        return f"walls, {line['tier']}{recipe}", [
            {*map(frozenset, reader["groups"])} == groups for reader in line["readers"]
        ]
    answer = line["outlier"].rsplit(" (Q", 1)[0]
    picks = line["picks"] if "picks" in line else [line["pick"], line["second_pick"]]
    return line["cell"] if "cell" in line else line["recipe"], [pick == answer for pick in picks]


def main() -> None:
    """Draw cases, or print the table of those that were read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("builds", nargs="+", metavar="CELL=OUT")
    draw.add_argument("--words", type=Path, required=True)
    draw.add_argument("--key", type=Path, required=True)
    draw.add_argument("--cases", type=int, default=40)
    commands.add_parser("table").add_argument("readings", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "draw":
        generator = random.Random(SEED)
        named = [build.partition("=")[::2] for build in options.builds]
        cases = [case for cell, output in named for case in draw_cases(cell, Path(output), options.cases, generator)]
        generator.shuffle(cases)
        options.words.write_text(
            "".join(f"{number} {' | '.join(case['words'])}\n" for number, case in enumerate(cases))
        )
        options.key.write_bytes(b"".join(orjson.dumps({"case": at} | case) + b"\n" for at, case in enumerate(cases)))
        return
    found = defaultdict[str, list[list[bool]]](list)
    for reading in options.readings:
        for line in map(orjson.loads, reading.read_bytes().splitlines()):
            kind, by_reader = solved(line)
            found[kind].append(by_reader)
    rows = []
    for kind, read in found.items():
        both = binomtest(sum(map(all, read)), len(read)).proportion_ci(method="wilson")
        percents = [f"{100 * sum(column) / len(read):.1f}" for column in zip(*read, strict=True)]
        share = f"{100 * sum(map(all, read)) / len(read):.1f} ({100 * both.low:.1f} to {100 * both.high:.1f})"
        rows.append([kind, str(len(read)), *percents, share])
    print(table(["kind of test", "cases", "solved by one reader, %", "by the other, %", "by both, %"], rows))


if __name__ == "__main__":
    main()
