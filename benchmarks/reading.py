"""Reading test cases by hand, blind to the recipe that made them: the sheets, and the table of the judgements.

    python -m benchmarks.reading sample --new OUT --old OUT --output FOLDER --key FILE [--readers 6]
    python -m benchmarks.reading score FOLDER --key FILE [--before docs/reading/judgements.jsonl] [--save FILE]
    python -m benchmarks.reading table docs/reading/judgements.jsonl ...
    python -m benchmarks.reading kept docs/reading/judgements.jsonl OUT ...

``sample`` draws 240 test cases from the groups of one build and 120 of another, by seed and evenly over the outlier
classes, and deals them out to the readers as ``sheet-1.jsonl`` and so on, which say nothing of recipe or outlier class;
the key does, and is kept elsewhere. The reader of a sheet writes ``answers-1.jsonl``: a line for each case, with
``case``, ``judgement`` ("good", "doubtful" or "wrong") and ``why``; docs/reading/guide.md says what these mean.
``score`` joins the three and prints the table, under that of an earlier reading. ``kept`` counts how many of the
judged cases other builds have.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import orjson
from scipy.stats import binomtest

JUDGEMENTS: Final = ("good", "doubtful", "wrong")
HIDDEN: Final = ("recipe", "outlier_class", "via")
_SEED: Final = 2017
_NEW, _OLD = 240, 120

_Case = dict[str, Any]


def _lines(path: Path) -> list[_Case]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def _write(path: Path, cases: Iterable[_Case]) -> None:
    path.write_bytes(b"".join(orjson.dumps(case) + b"\n" for case in cases))


def _cases(output: Path, recipe: str) -> Iterator[_Case]:
    """Every test case of a build's groups."""
    for path in sorted((output / "groups").glob("*.jsonl")):
        for group in _lines(path):
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


def _pair(case: _Case) -> tuple[str, str]:
    """The class and the item that is its outlier, in whatever language."""
    return case["class"], case["outlier"].rsplit("(", 1)[1]


def _draw(cases: Sequence[_Case], count: int, random_: random.Random) -> list[_Case]:
    """So many cases, evenly over the outlier classes: no pair twice, and no class twice before each came once."""
    chosen: list[_Case] = []
    for number in (1, 2, 3):
        of_class = [case for case in cases if case["outlier_class"] == number]
        random_.shuffle(of_class)
        pairs = list({_pair(case): case for case in of_class}.values())
        random_.shuffle(pairs)
        met: Counter[str] = Counter()
        turns = []
        for case in pairs:
            turns.append(met[case["class"]])
            met[case["class"]] += 1
        in_turn = sorted(range(len(pairs)), key=lambda index: turns[index])
        chosen += [pairs[index] for index in in_turn[: count // 3]]
    return chosen


def sample(new: Path, old: Path, output: Path, key: Path, readers: int) -> None:
    """Write the blind sheets and their key."""
    random_ = random.Random(_SEED)
    cases = _draw(list(_cases(new, "wikisem")), _NEW, random_) + _draw(list(_cases(old, "wikisem500")), _OLD, random_)
    random_.shuffle(cases)
    cases = [{"case": number, **case} for number, case in enumerate(cases)]
    output.mkdir(parents=True, exist_ok=True)
    _write(key, ({"case": case["case"], **{k: case[k] for k in HIDDEN}} for case in cases))
    for reader in range(readers):
        shown = ({k: v for k, v in case.items() if k not in HIDDEN} for case in cases[reader::readers])
        _write(output / f"sheet-{reader + 1}.jsonl", shown)


def joined(folder: Path, key: Path) -> list[_Case]:
    """Every case with its key and its judgement; exits where a case has none, or one that is not among the three."""
    keys = {case["case"]: case for case in _lines(key)}
    answers = {line["case"]: line for path in sorted(folder.glob("answers-*.jsonl")) for line in _lines(path)}
    shown = [case for path in sorted(folder.glob("sheet-*.jsonl")) for case in _lines(path)]
    bad = [case["case"] for case in shown if not _is_answer(answers.get(case["case"], {}))]
    if bad:
        sys.exit(
            f"expected a judgement ({', '.join(JUDGEMENTS)}) and a reason for every case, saw none for {sorted(bad)}"
        )
    both = ({**case, **keys[case["case"]], **answers[case["case"]]} for case in shown)
    order = (*shown[0], *HIDDEN, "judgement", "why")
    return sorted(({k: case[k] for k in order} for case in both), key=lambda case: case["case"])


def _is_answer(answer: _Case) -> bool:
    return answer.get("judgement") in JUDGEMENTS and bool(str(answer.get("why", "")).strip())


def table(cases: Iterable[_Case]) -> str:
    """The judgements by recipe and outlier class, as Markdown, with 95 % intervals (Wilson) for what is wrong."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases:
        for kind in (f"O{case['outlier_class']}", "all"):
            counts[case["recipe"], kind][case["judgement"]] += 1
    lines = ["| recipe | outliers | cases | good | doubtful | wrong | wrong, % |", "|---|---|---|---|---|---|---|"]
    for (recipe, kind), found in sorted(counts.items()):
        total = sum(found.values())
        numbers = " | ".join(str(found[judgement]) for judgement in JUDGEMENTS)
        bounds = binomtest(found["wrong"], total).proportion_ci(method="wilson")
        share = f"{100 * found['wrong'] / total:.1f} ({100 * bounds.low:.1f} to {100 * bounds.high:.1f})"
        lines.append(f"| `{recipe}` | {kind} | {total} | {numbers} | {share} |")
    return "\n".join(lines)


def kept(judged: Sequence[_Case], outputs: Sequence[Path]) -> str:
    """How many of the judged cases, by judgement, each of some builds still has: by language, class and item."""
    distinct = {_identity(case): case["judgement"] for case in judged}
    total = Counter(distinct.values())
    lines = [
        "| build | groups | " + " | ".join(f"{one}, of {total[one]}" for one in JUDGEMENTS) + " |",
        "|---" * 5 + "|",
    ]
    for output in outputs:
        cases = list(_cases(output, output.name))
        there = Counter(distinct[key] for key in {_identity(case) for case in cases} & distinct.keys())
        groups = len({(case["language"], case["class"]) for case in cases})
        lines.append(f"| {output.name} | {groups} | " + " | ".join(str(there[one]) for one in JUDGEMENTS) + " |")
    return "\n".join(lines)


def _identity(case: _Case) -> tuple[str, str, str]:
    return case["language"], *_pair(case)


def main() -> None:
    """Draw the sample, or print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("sample")
    for name in ("new", "old", "output", "key"):
        draw.add_argument(f"--{name}", type=Path, required=True)
    draw.add_argument("--readers", type=int, default=6)
    score = commands.add_parser("score")
    score.add_argument("folder", type=Path)
    score.add_argument("--key", type=Path, required=True)
    score.add_argument("--before", type=Path)
    score.add_argument("--save", type=Path)
    commands.add_parser("table").add_argument("judgements", type=Path, nargs="+")
    still = commands.add_parser("kept")
    still.add_argument("judgements", type=Path)
    still.add_argument("outputs", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "sample":
        sample(options.new, options.old, options.output, options.key, options.readers)
    elif options.command == "score":
        cases = joined(options.folder, options.key)
        if options.save:
            _write(options.save, cases)
        print(*(table(each) for each in ([_lines(options.before)] if options.before else []) + [cases]), sep="\n\n")
    elif options.command == "kept":
        print(kept(_lines(options.judgements), options.outputs))
    else:
        print(*(table(_lines(path)) for path in options.judgements), sep="\n\n")


if __name__ == "__main__":
    main()
