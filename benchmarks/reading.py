"""Reading test cases by hand, blind to the recipe that made them: the sheets, and the table of the judgements.

    python -m benchmarks.reading sample --new OUT --old OUT --output FOLDER --key FILE [--readers 6] [--cases 240 120]
    python -m benchmarks.reading score FOLDER --key FILE [--before docs/reading/judgements.jsonl] [--save FILE]
    python -m benchmarks.reading table docs/reading/judgements.jsonl ...
    python -m benchmarks.reading kept docs/reading/judgements.jsonl OUT ...
    python -m benchmarks.reading walls docs/reading/walls.jsonl

``sample`` draws test cases from the groups of one build and of another, by seed and evenly over the outlier classes,
and deals them out to the readers; the key, which is kept elsewhere, says which recipe and outlier class each is of.

- ``solve-1.jsonl`` has the nine words of each case, shuffled, and nothing else. Its reader writes ``picks-1.jsonl``:
  a line for each case with ``case`` and ``pick``, the word that does not belong.
- ``sheet-1.jsonl`` has the class and which word is the outlier. Another reader writes ``answers-1.jsonl``: ``case``,
  ``judgement`` ("good", "doubtful" or "wrong") and ``why``; docs/reading/guide.md says what these mean.
- ``second-1.jsonl`` is like the answers, by one more reader, for some of the sheets.

``score`` joins all that and prints the table, under that of an earlier reading, and Cohen's kappa between two readers
of the same cases. ``kept`` counts how many of the judged cases other builds have. ``walls`` prints how many walls each
of several readers solved, and how many all found fair; a line has the wall's ``groups`` and those of its ``readers``.
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

from wikisem.records import OUTLIER_CLASSES

JUDGEMENTS: Final = ("good", "doubtful", "wrong")
HIDDEN: Final = ("recipe", "outlier_class", "via", "ties")
_SEED: Final = 2017

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
    for number in OUTLIER_CLASSES:
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


def sample(new: Path, old: Path, output: Path, key: Path, readers: int, counts: Sequence[int]) -> None:
    """Write the blind sheets and their key."""
    random_ = random.Random(_SEED)
    builds = ((new, "wikisem"), (old, "wikisem500"))
    drawn = [
        _draw(list(_cases(path, name)), count, random_) for (path, name), count in zip(builds, counts, strict=True)
    ]
    cases = [case for own in drawn for case in own]
    random_.shuffle(cases)
    cases = [{"case": number, **case} for number, case in enumerate(cases)]
    output.mkdir(parents=True, exist_ok=True)
    _write(key, ({"case": case["case"], **{k: case[k] for k in HIDDEN if k in case}} for case in cases))
    for reader in range(readers):
        shown = ({k: v for k, v in case.items() if k not in HIDDEN} for case in cases[reader::readers])
        _write(output / f"sheet-{reader + 1}.jsonl", shown)
        puzzles = ({"case": case["case"], "words": _words(case, random_)} for case in cases[reader::readers])
        _write(output / f"solve-{reader + 1}.jsonl", puzzles)


def _words(case: _Case, random_: random.Random) -> list[str]:
    """All words of a case in a random order."""
    words = [_surface(each) for each in (*case["cluster"], case["outlier"])]
    return random_.sample(words, len(words))


def _surface(shown: str) -> str:
    """The word of "Oslo (Q585)"."""
    return shown.rsplit(" (", 1)[0]


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
    further = {"pick": _by_case(folder, "picks", "pick"), "second": _by_case(folder, "second", "judgement")}
    found = [
        {k: case[k] for k in order if k in case}
        | {k: known[case["case"]] for k, known in further.items() if case["case"] in known}
        for case in both
    ]
    return sorted(found, key=lambda case: case["case"])


def _by_case(folder: Path, name: str, field: str) -> dict[int, str]:
    paths = sorted(folder.glob(f"{name}-*.jsonl"))
    return {line["case"]: str(line[field]).strip() for path in paths for line in _lines(path)}


def _is_answer(answer: _Case) -> bool:
    return answer.get("judgement") in JUDGEMENTS and bool(str(answer.get("why", "")).strip())


def table(cases: Iterable[_Case]) -> str:
    """The judgements by recipe and outlier class, as Markdown, with 95 % intervals (Wilson) for what is wrong.

    Cases that were solved first have a further column, the share of them whose pick was the outlier.
    """
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases:
        for kind in (OUTLIER_CLASSES[case["outlier_class"]].name, "all"):
            own = counts[case["recipe"], kind]
            own[case["judgement"]] += 1
            if "pick" in case:
                own["picked"] += 1
                own["solved"] += case["pick"] == _surface(case["outlier"])
    picked = any(own["picked"] for own in counts.values())
    head = ["recipe", "outliers", "cases", *JUDGEMENTS, "wrong, %", *(["solved, %"] if picked else [])]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (recipe, kind), found in sorted(counts.items()):
        total = sum(found[judgement] for judgement in JUDGEMENTS)
        row = [
            f"`{recipe}`",
            kind,
            total,
            *(found[judgement] for judgement in JUDGEMENTS),
            _share(found["wrong"], total),
        ]
        row += [_share(found["solved"], found["picked"])] if picked else []
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    """A share in percent with its interval."""
    bounds = binomtest(part, whole).proportion_ci(method="wilson")
    return f"{100 * part / whole:.1f} ({100 * bounds.low:.1f} to {100 * bounds.high:.1f})"


def kappa(cases: Iterable[_Case]) -> str:
    """Cohen's kappa (1960) between the two readers of the cases that two have read, and how often they agree."""
    pairs = [(case["judgement"], case["second"]) for case in cases if "second" in case]
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(ones[each] * others[each] for each in JUDGEMENTS) / len(pairs) ** 2
    found = (agreed - expected) / (1 - expected) if expected < 1 else 1.0
    both = Counter(pairs)
    wrong = f"both wrong {both['wrong', 'wrong']}, first {ones['wrong']}, second {others['wrong']}"
    return f"{len(pairs)} cases read twice: {agreed:.1%} agree, Cohen's kappa {found:.2f} ({wrong})"


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


def walls_table(walls: Iterable[_Case]) -> str:
    """The walls by recipe and tier, as Markdown: how many each reader solved, and how many all of them found fair."""
    rows: dict[tuple[str, str], list[_Case]] = defaultdict(list)
    for wall in walls:
        for tier in (wall["tier"], "all"):
            rows[wall["recipe"], tier].append(wall)
    readers = range(max(len(wall["readers"]) for own in rows.values() for wall in own))
    head = ["recipe", "tier", "walls", *(f"solved by reader {number + 1}, %" for number in readers), "fair to all"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (recipe, tier), own in sorted(rows.items()):
        solved = [sum(_is_solved(wall, wall["readers"][number]) for wall in own) for number in readers]
        fair = sum(all(reader["fair"] == "yes" for reader in wall["readers"]) for wall in own)
        row = [f"`{recipe}`", tier, len(own), *(_share(count, len(own)) for count in solved), fair]
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def _is_solved(wall: _Case, reader: _Case) -> bool:
    return {frozenset(group["words"]) for group in wall["groups"]} == set(map(frozenset, reader["groups"]))


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
    draw.add_argument("--cases", type=int, nargs=2, default=(240, 120), help="of --new and of --old")
    score = commands.add_parser("score")
    score.add_argument("folder", type=Path)
    score.add_argument("--key", type=Path, required=True)
    score.add_argument("--before", type=Path)
    score.add_argument("--save", type=Path)
    commands.add_parser("table").add_argument("judgements", type=Path, nargs="+")
    commands.add_parser("walls").add_argument("walls", type=Path)
    still = commands.add_parser("kept")
    still.add_argument("judgements", type=Path)
    still.add_argument("outputs", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "sample":
        sample(options.new, options.old, options.output, options.key, options.readers, options.cases)
    elif options.command == "score":
        cases = joined(options.folder, options.key)
        if options.save:
            _write(options.save, cases)
        print(*(table(each) for each in ([_lines(options.before)] if options.before else []) + [cases]), sep="\n\n")
        if any("second" in case for case in cases):
            print(f"\n{kappa(cases)}")
    elif options.command == "walls":
        print(walls_table(_lines(options.walls)))
    elif options.command == "kept":
        print(kept(_lines(options.judgements), options.outputs))
    else:
        print(*(table(_lines(path)) for path in options.judgements), sep="\n\n")


if __name__ == "__main__":
    main()
