"""What the outliers of builds are to their classes, and which groups of the first build the last one still has.

    python -m benchmarks.outlier_measures OUT...

Of each build: its groups, its test cases in O1, O2 and O3, the outliers that are their class or above or below it,
members and outliers that are internal to Wikimedia (where ``benchmarks.outlier_rules`` knows them), outliers that share
a direct class with a member, how many pairs of one outlier class share a direct class, and how many direct classes the
outliers of O3 have in all.
"""

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Final

from benchmarks.report import table
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import decode_group, decode_rejection
from wikisem.records import Group

# The columns of ``rows``.
HEAD: Final = ("", "groups", "cases", "related", "internal", "sharing", "pairs that share", "classes of O3")

# Language and class.
_Key = tuple[str, str]


def groups_of(folder: Path) -> dict[_Key, Group]:
    """All groups of an output folder by language and class."""
    found = {}
    for path in sorted((folder / "groups").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            group = decode_group(line)
            found[path.stem, group.qid] = group
    return found


def rejections_of(folder: Path) -> dict[_Key, str]:
    """Why each class of an output folder gave no group, by language and class."""
    found = {}
    for path in sorted((folder / "rejected").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            rejection = decode_rejection(line)
            found[path.stem, rejection.qid] = rejection.reason
    return found


@dataclass
class Measured:
    """What the outliers of a build's groups are to their classes, and its groups and rejections."""

    groups: Mapping[_Key, Group]
    rejections: Mapping[_Key, str]
    related: int = 0
    internal: int = 0
    sharing: int = 0
    cases: Counter[int] = field(default_factory=Counter)
    pairs: Counter[int] = field(default_factory=Counter)
    together: Counter[int] = field(default_factory=Counter)
    classes_of_o3: set[str] = field(default_factory=set)


def measure(output: Path, internal: Collection[str] = ()) -> Measured:
    """Read a build's groups against its class graph; ``internal`` are the items that are internal to Wikimedia."""
    graph = Taxonomy.load(output)
    found = Measured(groups_of(output), rejections_of(output))
    for group in found.groups.values():
        related = {group.qid, *graph.above(group.qid), *graph.below(group.qid)}
        members = {own for one in group.cluster for own in graph.classes(one.id)} - {group.qid}
        found.internal += sum(one.id in internal for one in (*group.cluster, *group.outliers))
        for outlier in group.outliers:
            number = outlier.outlier_class or 0
            found.cases[number] += 1
            found.related += outlier.id in related
            found.sharing += bool(members & set(graph.classes(outlier.id)))
            found.classes_of_o3.update(graph.classes(outlier.id) if number == 3 else ())
        for one, other in combinations(group.outliers, 2):
            if one.outlier_class == other.outlier_class:
                number = one.outlier_class or 0
                found.pairs[number] += 1
                found.together[number] += bool({*graph.classes(one.id)} & {*graph.classes(other.id)})
    return found


def rows(found: Mapping[str, Measured]) -> Iterator[list[str]]:
    """A line for each recipe."""
    for name, one in found.items():
        cases = ", ".join(str(one.cases[number]) for number in (1, 2, 3))
        shares = ", ".join(f"{one.together[n] / max(one.pairs[n], 1):.0%}" for n in (1, 2, 3))
        counts = [str(number) for number in (one.related, one.internal, one.sharing)]
        yield [name, str(len(one.groups)), cases, *counts, shares, str(len(one.classes_of_o3))]


def survival(before: Measured, after: Measured) -> Iterator[list[str]]:
    """A line for each language and one for all: the groups before, those that survive, and what took the others."""
    lost = {key: after.rejections.get(key, "no candidate") for key in before.groups.keys() - after.groups.keys()}
    reasons = [reason for reason, _ in Counter(lost.values()).most_common()]
    yield ["", "before", "survive", "%", "new", *reasons]
    languages = sorted({language for language, _ in before.groups})
    for language in ["all", *languages]:
        own = _of(before.groups, language)
        kept, counts = own & after.groups.keys(), Counter(lost[key] for key in _of(lost, language))
        numbers = [len(own), len(kept), f"{100 * len(kept) / max(len(own), 1):.0f}"]
        new = len(_of(after.groups, language)) - len(kept)
        yield [language, *map(str, [*numbers, new]), *(str(counts[reason] or "") for reason in reasons)]


def _of(keys: Iterable[_Key], language: str) -> set[_Key]:
    return {key for key in keys if language in ("all", key[0])}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, nargs="+", help="output folders of builds")
    found = {str(output): measure(output) for output in parser.parse_args().output}
    print(table(HEAD, list(rows(found))))
    builds = list(found.values())
    first, *lines = survival(builds[0], builds[-1])
    print("\n" + table(first, lines))


if __name__ == "__main__":
    main()
