"""The test cases for annotators: an annotation set, sampled by seed and balanced over outlier classes and positions.

The sample depends only on the seed and the groups, not on their order. Each group gives one test case, so that no
annotator learns a cluster from another case.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import msgspec

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.records import Group
from wikisem.typed_json import decode_json

# The answer in place of the number of a word, which counts from 1.
CANNOT_TELL: Final = 0


# An annotation set: its test cases with the key, and the cases of each annotator in order.


@dataclass(frozen=True, slots=True)
class AnnotationCase:
    """A test case as it is shown: its words in order, and the number of the outlier among them, counted from 1.

    ``id`` does not show the id of the group, which could be looked up; ``outlier_class`` is None if the data set does
    not have it.
    """

    id: str
    group: str
    words: tuple[str, ...]
    outlier: int
    outlier_class: int | None

    @property
    def cluster(self) -> tuple[str, ...]:
        """The words without the outlier."""
        return self.words[: self.outlier - 1] + self.words[self.outlier :]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The ids and words of one annotator's cases in the order in which they are shown, without the key.

    ``two_answers`` asks for one without help, then for one with it.
    """

    set: str
    annotator: str
    language: str
    cases: tuple[tuple[str, tuple[str, ...]], ...]
    two_answers: bool = False


@dataclass(frozen=True)
class AnnotationSet:
    """The cases of a language, the ids of those that every annotator gets, and each annotator's cases in order.

    With ``two_answers`` each case is answered twice, without help and then with it, as in the study of Camacho-Collados
    and Navigli (2016, 3.1).
    """

    language: str
    seed: int
    cases: tuple[AnnotationCase, ...]
    overlap: tuple[str, ...]
    annotators: dict[str, tuple[str, ...]]
    two_answers: bool = False

    @cached_property
    def by_id(self) -> dict[str, AnnotationCase]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits: a digest of everything that annotators see."""
        seen: list[object] = [
            self.language,
            [[case.id, case.words] for case in self.cases],
            sorted((name, cases) for name, cases in self.annotators.items()),
        ]
        if self.two_answers:
            seen.append("two answers")
        return hashlib.blake2b(msgspec.json.encode(seen), digest_size=6).hexdigest()

    def sheet(self, annotator: str) -> Sheet:
        """The sheet of one annotator."""
        cases = tuple((case, self.by_id[case].words) for case in self.annotators[annotator])
        return Sheet(self.fingerprint, annotator, self.language, cases, self.two_answers)


# Its key, in ``key.json``, the only file with the outliers.

KEY_FILE: Final = "key.json"


@dataclass(frozen=True, slots=True)
class _KeyFile:
    """The content of ``key.json``."""

    format: Literal["wikisem annotation key 1"]
    fingerprint: str
    set: AnnotationSet


def encode_key(annotation: AnnotationSet) -> bytes:
    """Encode ``key.json``."""
    key = _KeyFile("wikisem annotation key 1", annotation.fingerprint, annotation)
    return msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"


def read_key(folder: Path) -> AnnotationSet:
    """Read the annotation set of a folder of sheets; MissingInputError without a key, DamagedInputError if changed."""
    path = folder / KEY_FILE
    if not path.is_file():
        raise MissingInputError(f"{folder}: expected a folder that wikisem annotate wrote, saw no {KEY_FILE} in it")
    key = decode_json(path.read_bytes(), _KeyFile, str(path), "the key of an annotation set")
    annotation = key.set
    ids = {case.id for case in annotation.cases}
    unknown = {case for cases in annotation.annotators.values() for case in cases} - ids
    unplaced = [case.id for case in annotation.cases if not 1 <= case.outlier <= len(case.words)]
    if unknown or unplaced:
        raise DamagedInputError(f"{path}: expected outliers among the words of known cases, saw {unknown or unplaced}")
    if annotation.fingerprint != key.fingerprint:
        raise DamagedInputError(
            f"{path}: expected the cases of set {key.fingerprint}, saw those of {annotation.fingerprint}: it "
            "was changed"
        )
    return annotation


# Sampling.

_Class = int | None


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """The numbers of groups and annotators; ``overlap`` of the groups go to every annotator.

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
    """A group as its words are shown, with its outliers by class; ``key`` identifies it and sorts it."""

    id: str
    key: str
    cluster: tuple[str, ...]
    outliers: Mapping[_Class, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A group with the outlier of its test case."""

    group: _Candidate
    outlier_class: _Class
    outlier: str


def sample_cases(groups: Iterable[Group], options: SampleOptions) -> AnnotationSet:
    """Sample one test case from each of ``options.groups`` groups and deal them to the annotators.

    Outlier classes are balanced over all cases, the overlap and each annotator's share: if every group has all
    classes, their counts differ by at most one. Positions of outliers are balanced over all cases and over each of
    these parts. UsageError if the numbers leave an annotator without a case, MissingInputError with too few groups.

    An example with six groups, two annotators and an overlap of two; O1 to O3 are outlier classes:

        chosen       a:O1  b:O2  c:O3  d:O1  e:O2  f:O3      balanced, each class in turn
        everyone     a:O1  b:O2
        annotator-1              c:O3  d:O1
        annotator-2                          e:O2  f:O3
    """
    if options.overlap > options.groups:
        raise UsageError(
            f"expected an overlap of at most {options.groups} groups, all there are, saw {options.overlap}"
        )
    alone = options.groups - options.overlap
    if not options.overlap and alone < options.annotators:
        raise UsageError(f"expected a group for each of {options.annotators} annotators, saw {alone}")
    found = {}
    for group in groups:
        cluster = tuple(dict.fromkeys(_display_text(member.surface) for member in group.cluster))
        outliers: defaultdict[_Class, dict[str, None]] = defaultdict(dict)
        for outlier in group.outliers:
            if (word := _display_text(outlier.surface)) not in cluster:
                outliers[outlier.outlier_class][word] = None
        if len(cluster) >= 2 and outliers:
            key = _key(options.seed, "group", group.id, *cluster)
            by_class = {outlier_class: tuple(words) for outlier_class, words in outliers.items()}
            found[key] = _Candidate(group.id, key, cluster, by_class)
    candidates = [found[key] for key in sorted(found)]
    if len(candidates) < options.groups:
        raise MissingInputError(
            f"expected at least {options.groups} test groups in {options.language} to sample from, saw "
            f"{len(candidates)}; --groups asks for fewer"
        )
    chosen = _choose_outliers(candidates[: options.groups], options.seed)
    # Runs of the chosen cases: the overlap, then each annotator's own share, equal in size or one apart.
    ends = [options.overlap + alone * number // options.annotators for number in range(options.annotators + 1)]
    parts = [chosen[: options.overlap], *(chosen[start:end] for start, end in pairwise(ends))]
    cases = _make_cases(parts, options.seed)
    overlap, *shares = [[cases[case.group.key].id for case in part] for part in parts]
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


def _display_text(surface: str) -> str:
    """Write a surface form for people: "New York" for "New_York"."""
    return " ".join(surface.replace("_", " ").split())


def _choose_outliers(groups: Sequence[_Candidate], seed: int) -> list[_Chosen]:
    """Choose one outlier per group, ordered by outlier classes in turn, the most frequent first: O3 O1 O2 O3 O1 O2 O3.

    Groups with the fewest classes choose first, as the others can balance them. Every run of the result is balanced;
    with another class first, it would end in O3 O3.
    """
    counts: Counter[_Class] = Counter()
    chosen = []
    for group in sorted(groups, key=lambda group: (len(group.outliers), group.key)):
        name = min(group.outliers, key=lambda name: (counts[name], _key(seed, "class", group.key, str(name))))
        counts[name] += 1
        chosen.append(_Chosen(group, name, _shuffle(group.outliers[name], seed, "outlier", group.key)[0]))
    turns: Counter[_Class] = Counter()
    ranked = []
    for case in sorted(chosen, key=lambda case: case.group.key):
        ranked.append(((turns[case.outlier_class], -counts[case.outlier_class], _class_order(case)), case))
        turns[case.outlier_class] += 1
    return [case for _, case in sorted(ranked, key=lambda pair: pair[0])]


def _class_order(chosen: _Chosen) -> int:
    return 0 if chosen.outlier_class is None else chosen.outlier_class


def _make_cases(parts: Iterable[Sequence[_Chosen]], seed: int) -> dict[str, AnnotationCase]:
    """Make the cases, by the key of their group, with words in order.

    Positions rotate within a part and a class, so the position of an outlier shows neither, and each is as frequent as
    any other among the cases of that size. Ids are numbers in an independent order.
    """
    in_turn = [case for part in parts for case in sorted(part, key=_class_order)]
    shuffled = _shuffle([case.group.key for case in in_turn], seed, "id")
    numbers = {key: number for number, key in enumerate(shuffled, start=1)}
    digits = len(str(len(numbers)))
    used: Counter[int] = Counter()
    cases = {}
    for case in in_turn:
        group = case.group
        words = _shuffle(group.cluster, seed, "word", group.key)
        size = len(words) + 1
        position = (int(_key(seed, "position", str(size)), 16) + used[size]) % size
        used[size] += 1
        words.insert(position, case.outlier)
        name = f"case-{numbers[group.key]:0{digits}}"
        cases[group.key] = AnnotationCase(name, group.id, tuple(words), position + 1, case.outlier_class)
    return cases


def _shuffle(items: Iterable[str], seed: int, *purpose: str) -> list[str]:
    return sorted(items, key=lambda item: _key(seed, *purpose, item))


def _key(seed: int, *parts: str) -> str:
    """Hash the seed and the strings to hexadecimal digits; sorting by them shuffles."""
    text = "\x1f".join([str(seed), *parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
