"""Which test cases people get: sampled by seed, balanced over outlier classes and over the outlier's position.

Everything depends on the seed and on the groups, not on the order in which the groups come. Of each group one test
case is taken, so that no annotator learns a cluster from another case.

An example with six groups, two annotators and an overlap of two; O1 to O3 are outlier classes:

    chosen       a:O1  b:O2  c:O3  d:O1  e:O2  f:O3      balanced, each class in turn
    everyone     a:O1  b:O2
    annotator-1              c:O3  d:O1
    annotator-2                          e:O2  f:O3
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from wikisem.datasets.word_groups import WordGroup
from wikisem.errors import MissingInputError, UsageError
from wikisem.outputs.annotation.annotation_set import AnnotationCase, AnnotationSet

_Class = int | None


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """How many groups are sampled for how many annotators; ``overlap`` of them go to every annotator.

    ``two_answers`` asks for each case twice.
    """

    language: str
    seed: int
    groups: int
    annotators: int
    overlap: int
    two_answers: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A group as its words are shown, with its outliers by class; ``key`` is its identity and its place in an order."""

    group: WordGroup
    key: str
    cluster: tuple[str, ...]
    outliers: Mapping[_Class, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A group with the outlier that its test case has."""

    group: _Candidate
    outlier_class: _Class
    outlier: str

    @property
    def size(self) -> int:
        """How many words are shown."""
        return len(self.group.cluster) + 1


@dataclass(slots=True)
class _Positions:
    """Places for outliers, each as often as any other among the cases with the same number of words."""

    seed: int
    used: Counter[int] = field(default_factory=Counter)

    def next(self, size: int) -> int:
        """The place, counted from 0, of the next case with this number of words."""
        first = int(_key(self.seed, "position", str(size)), 16) % size
        self.used[size] += 1
        return (first + self.used[size] - 1) % size


def sample_cases(groups: Iterable[WordGroup], options: SampleOptions) -> AnnotationSet:
    """Sample one test case from each of ``options.groups`` groups and deal them to the annotators.

    Outlier classes are balanced over all cases, the overlap and each annotator's share: where every group has all
    classes, their counts differ by at most one. Positions of outliers are balanced over all cases and over each of
    these parts. UsageError where the numbers leave an annotator without a case, MissingInputError with too few groups.
    """
    _check(options)
    found = filter(None, (_candidate(group, options.seed) for group in groups))
    usable = [one for _, one in sorted({one.key: one for one in found}.items())]
    if len(usable) < options.groups:
        raise MissingInputError(
            f"expected at least {options.groups} test groups in {options.language} to sample from, saw {len(usable)}; "
            "--groups asks for fewer"
        )
    parts = _deal(_interleave(_choose_outliers(usable[: options.groups], options.seed)), options)
    cases = _show(parts, options.seed)
    overlap, *shares = [[cases[chosen.group.key].id for chosen in part] for part in parts]
    return AnnotationSet(
        options.language,
        options.seed,
        tuple(sorted(cases.values(), key=lambda case: case.id)),
        tuple(sorted(overlap)),
        {
            (name := f"annotator-{number}"): tuple(_shuffle([*overlap, *share], options.seed, "sheet", name))
            for number, share in enumerate(shares, start=1)
        },
        options.two_answers,
    )


def _check(options: SampleOptions) -> None:
    if options.overlap > options.groups:
        raise UsageError(
            f"expected an overlap of at most {options.groups} groups, all there are, saw {options.overlap}"
        )
    alone = options.groups - options.overlap
    if not options.overlap and alone < options.annotators:
        raise UsageError(f"expected a group for each of {options.annotators} annotators, saw {alone}")


def _candidate(group: WordGroup, seed: int) -> _Candidate | None:
    """The group as it is shown; None if it cannot make a test case."""
    cluster = tuple(dict.fromkeys(map(shown, group.cluster)))
    outliers: defaultdict[_Class, dict[str, None]] = defaultdict(dict)
    for outlier in group.outliers:
        if shown(outlier.surface) not in cluster:
            outliers[outlier.outlier_class][shown(outlier.surface)] = None
    if len(cluster) < 2 or not outliers:
        return None
    key = _key(seed, "group", group.id, *cluster)
    return _Candidate(group, key, cluster, {name: tuple(words) for name, words in outliers.items()})


def shown(surface: str) -> str:
    """A surface form as a person reads it: "New York" for "New_York"."""
    return " ".join(surface.replace("_", " ").split())


def _choose_outliers(groups: Sequence[_Candidate], seed: int) -> list[_Chosen]:
    """One outlier for each group. Groups with the fewest classes choose first, as the others can fill what is left."""
    counts: Counter[_Class] = Counter()
    chosen = []
    for group in sorted(groups, key=lambda one: (len(one.outliers), one.key)):
        name = min(group.outliers, key=lambda kind: (counts[kind], _key(seed, "class", group.key, str(kind))))
        counts[name] += 1
        outlier = _shuffle(group.outliers[name], seed, "outlier", group.key)[0]
        chosen.append(_Chosen(group, name, outlier))
    return sorted(chosen, key=lambda one: one.group.key)


def _interleave(chosen: Sequence[_Chosen]) -> list[_Chosen]:
    """The cases with their outlier classes in turn, the most frequent class first: O3 O1 O2 O3 O1 O2 O3.

    Every run of such a list is balanced; with another class first, the list would end in O3 O3.
    """
    totals = Counter(one.outlier_class for one in chosen)
    turns: Counter[_Class] = Counter()
    ranked = []
    for one in chosen:
        ranked.append(((turns[one.outlier_class], -totals[one.outlier_class], _class_order(one)), one))
        turns[one.outlier_class] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]


def _class_order(chosen: _Chosen) -> int:
    return 0 if chosen.outlier_class is None else chosen.outlier_class


def _deal(cases: Sequence[_Chosen], options: SampleOptions) -> list[Sequence[_Chosen]]:
    """The overlap, then each annotator's own share: runs of the interleaved cases, equal in size or one apart."""
    alone = len(cases) - options.overlap
    ends = [options.overlap + alone * number // options.annotators for number in range(options.annotators + 1)]
    return [cases[: options.overlap], *(cases[start:end] for start, end in pairwise(ends))]


def _show(parts: Iterable[Sequence[_Chosen]], seed: int) -> dict[str, AnnotationCase]:
    """The cases by the key of their group, with words in order.

    Positions go round within a part and a class, so that neither the part nor the class of a case follows from where
    its outlier is. Ids are numbers in an order that depends on nothing else.
    """
    in_turn = [one for part in parts for one in sorted(part, key=_class_order)]
    numbers = {key: at for at, key in enumerate(_shuffle([one.group.key for one in in_turn], seed, "id"), start=1)}
    digits = len(str(len(numbers)))
    positions = _Positions(seed)
    cases = {}
    for one in in_turn:
        words = _shuffle(one.group.cluster, seed, "word", one.group.key)
        position = positions.next(one.size)
        words.insert(position, one.outlier)
        number = numbers[one.group.key]
        cases[one.group.key] = AnnotationCase(
            f"case-{number:0{digits}}", one.group.group.id, tuple(words), position + 1, one.outlier_class
        )
    return cases


def _shuffle(items: Iterable[str], seed: int, *purpose: str) -> list[str]:
    return sorted(items, key=lambda item: _key(seed, *purpose, item))


def _key(seed: int, *parts: str) -> str:
    """Hexadecimal digits that depend on the seed and the strings alone: what is sorted by them is shuffled."""
    text = "\x1f".join([str(seed), *parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
