"""How often a guesser is right who knows the coarse type of every item, and nothing else of what words mean.

Settled what ``docs/outliers.md`` says of near outliers.

    python -m studies.typed_guesser OUT ... [--language en] [--share 0.1]

The type of an item is found from the class graph of a run, not by hand: of all classes at or above its direct ones, the
one with most instances among those that hold at most ``--share`` of all items: *Bonn* is a territorial entity, *Bach* a
person. The guesser picks the word whose type fewest words of the case have; of several, each as likely as another.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.outputs.groupfile import read_groups
from wikisem.records import OUTLIER_CLASSES, Group


class Types:
    """The coarse types of the items in the class graph of a run."""

    def __init__(self, output: str, share: float) -> None:
        self._taxonomy = Taxonomy.load(output)
        items = [qid_of(number) for number in self._taxonomy.graph.items.tolist()]
        self.above = cache(self._above)
        self._instances = Counter(one for item in items for one in self.classes(item))
        self._most = share * len(items)
        self.of = cache(self._of)

    def _above(self, qid: str) -> frozenset[str]:
        """A class and all above it, in the whole graph."""
        seen, step = {qid}, {qid}
        while step:
            step = {parent for one in step for parent in self._taxonomy.whole_superclasses(one)} - seen
            seen |= step
        return frozenset(seen)

    def classes(self, item: str) -> frozenset[str]:
        """What an item is an instance of, directly or by classes in between."""
        return frozenset().union(*map(self.above, self._taxonomy.whole_classes(item)))

    def _of(self, item: str) -> str:
        able = [one for one in self.classes(item) if self._instances[one] <= self._most]
        return max(able, key=lambda one: (self._instances[one], one), default="")


def chance_right(types: Sequence[str]) -> float:
    """How likely the guesser picks the last word, from the types of all words of a case."""
    counts = Counter(types)
    fewest = [one for one in types if counts[one] == min(counts.values())]
    return 1 / len(fewest) if types[-1] in fewest else 0.0


def main() -> None:
    """Print the share of cases by run and outlier class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="+", help="output folders of builds")
    parser.add_argument("--language", default="en")
    parser.add_argument("--share", type=float, default=0.1, help="of all items, that a type may hold (default 0.1)")
    arguments = parser.parse_args()
    for output in arguments.output:
        types = Types(output, arguments.share)
        print(output)
        for name, found, by_chance in measure(types, read_groups(output, arguments.language)):
            print(f"  {name}: right in {100 * sum(found) / len(found):.1f} % of {len(found)}; chance {by_chance:.1f} %")


def measure(types: Types, groups: Iterable[Group]) -> Iterable[tuple[str, list[float], float]]:
    """For each outlier class that has cases, and for all: how likely each is guessed, and the chance in percent."""
    found: dict[str, list[float]] = {name: [] for name in (*(one.name for one in OUTLIER_CLASSES.values()), "all")}
    chances: dict[str, list[float]] = {name: [] for name in found}
    for group in groups:
        members = [types.of(member.id) for member in group.cluster]
        for outlier in group.outliers:
            for name in (outlier.of_class.name, "all"):
                found[name].append(chance_right([*members, types.of(outlier.id)]))
                chances[name].append(100 / (len(members) + 1))
    return [(name, one, sum(chances[name]) / len(one)) for name, one in found.items() if one]


if __name__ == "__main__":
    main()
