"""Outlier detection: how often the outlier is the word without which its set is most compact.

The task is that of Camacho-Collados and Navigli (2016), in test groups as Blair et al. (2016), section 4, have it. W is
a cluster with one outlier, sim the cosine or any other similarity, which need not be symmetric. The outlier position OP
is the number of cluster items that stand out less than the outlier, by one of two compactnesses:

    pairs  c(w) is the mean of sim over all ordered pairs of W without w; the word with the highest stands out most
           (Camacho-Collados and Navigli 2016, equation 1)
    word   c(w) is the mean of sim(w, ·) to the other words; the word with the lowest stands out most (Gamallo 2019,
           3.1, who assumes that sim is symmetric: the order is then the same)

Equations 2 to 4 of Blair et al., read literally, sort the other way. OPP is the mean of OP / |C| over test cases,
accuracy the share with OP = |C|, both in percent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import PurePath
from statistics import fmean
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from wikisem import __version__
from wikisem.errors import DamagedInputError
from wikisem.evaluation.options import SEED, Compactness
from wikisem.evaluation.statistics import ErrorBars, FloatArray, Unit, clustered_means, effective_units
from wikisem.evaluation.vectors.lookup import Lookup, Similarity, cosine
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Vector
from wikisem.records import OUTLIER_CLASSES, Group, Outlier, class_of

Metric = Literal["opp", "accuracy"]
METRICS: Final[tuple[Metric, ...]] = ("opp", "accuracy")
UNKNOWN = "unknown"
Known = Mapping[str, Any]


# What a model scored: by test case, by group, on any part of a data set, and on all of it.


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One test case: OP as a share of the cluster, and whether the outlier was detected (OP = |C|)."""

    outlier: Outlier
    position: float
    detected: bool


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The remaining test cases of a group (empty if it was skipped), and its shares of words out of vocabulary."""

    group: Group
    cases: tuple[CaseScore, ...]
    oov_cluster: float
    oov_outliers: float

    @property
    def chance(self) -> float:
        """The share of its cases that a guess among the words in vocabulary detects."""
        return 1 / (1 + round(len(self.group.cluster) * (1 - self.oov_cluster)))


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """OPP and accuracy over some test cases.

    Error bars take the class as the unit, in all languages (``wikisem.evaluation.statistics``), and are computed when
    first asked for. ``sums`` has shape ``(classes, 3)``: the sums of OP / |C|, of detected outliers, and of what a
    guess detects, over the cases of each class; ``counts`` the number of these cases, and ``languages`` that of the
    groups that have any, both of shape ``(classes,)``.
    """

    sums: FloatArray
    counts: FloatArray
    languages: FloatArray
    seed: int = SEED
    unit: ClassVar[Unit] = "class"
    shared: ClassVar[Sequence[frozenset[str]]] = ()

    def __repr__(self) -> str:
        opp, accuracy = (None if value is None else round(value, 2) for value in (self.opp, self.accuracy))
        return f"Score(classes={self.classes}, cases={self.cases}, opp={opp}, accuracy={accuracy})"

    @property
    def cases(self) -> int:
        """The number of test cases."""
        return int(self.counts.sum())

    @property
    def groups(self) -> int:
        """The number of groups that have any cases."""
        return int(self.languages.sum())

    @property
    def worth(self) -> float:
        """How many classes of one language each are worth as much: a class of ten languages weighs more than others."""
        return effective_units(self.languages) if self.classes else 0.0

    @property
    def classes(self) -> int:
        """The number of classes: groups of one class in several languages are not independent."""
        return len(self.counts)

    @property
    def opp(self) -> float | None:
        """OPP in percent; None without test cases."""
        return self._mean(0)

    @property
    def accuracy(self) -> float | None:
        """Accuracy in percent; None without test cases."""
        return self._mean(1)

    def chance(self, metric: Metric) -> float | None:
        """The score of a guess in percent: OPP is half, accuracy one in the number of words; None without cases."""
        if not self.cases:
            return None
        return 50.0 if metric == "opp" else self._mean(2)

    @cached_property
    def error_bars(self) -> tuple[ErrorBars, ErrorBars] | None:
        """OPP and accuracy in percent, each with an interval of 95 % and a standard error; None without test cases."""
        if not self.cases:
            return None
        opp, accuracy = clustered_means(self.sums[:, :2], self.counts, self.seed, worth=self.worth)
        return opp.percent(), accuracy.percent()

    def _mean(self, column: int) -> float | None:
        return float(100 * self.sums[:, column].sum() / self.counts.sum()) if self.cases else None

    def as_json(self) -> dict[str, Any]:
        """Classes, cases, OPP and accuracy with their error bars, under the names that programs read."""
        row: dict[str, Any] = {
            "classes": self.classes,
            "cases": self.cases,
            "opp": self.opp,
            "accuracy": self.accuracy,
        }
        opp, accuracy = self.error_bars or (None, None)
        return row | error_bars_as_json("opp", opp) | error_bars_as_json("accuracy", accuracy)


def score(groups: Iterable[GroupScore], keep: Callable[[CaseScore], bool] = lambda _: True, seed: int = SEED) -> Score:
    """The score over all test cases of some groups, or over those that ``keep`` keeps."""
    kept = [(at, group, case) for at, group in enumerate(groups) for case in group.cases if keep(case)]
    shares = [(case.position, case.detected, group.chance) for _, group, case in kept]
    return tally(shares, [group.group.id for _, group, _ in kept], [at for at, *_ in kept], seed)


def tally(shares: npt.ArrayLike, classes: Sequence[str], groups: Sequence[int], seed: int = SEED) -> Score:
    """The score of cases, given by their ``shares``, ``(cases, 3)``, and the class and number of the group of each."""
    numbers = {name: at for at, name in enumerate(dict.fromkeys(classes))}
    of_case = np.array([numbers[name] for name in classes], dtype=np.int64)
    sums = np.zeros((len(numbers), 3))
    np.add.at(sums, of_case, np.reshape(shares, (-1, 3)))
    of_group = np.array([numbers[name] for name, _ in set(zip(classes, groups, strict=True))], dtype=np.int64)
    counts, languages = (np.bincount(one, minlength=len(numbers)).astype(np.float64) for one in (of_case, of_group))
    return Score(sums, counts, languages, seed)


def error_bars_as_json(name: str, bars: ErrorBars | None) -> dict[str, float | None]:
    """The ends of the interval and the standard error of a score, null where there are none."""
    values = (None, None, None) if bars is None else (bars.low, bars.high, bars.standard_error)
    return dict(zip((f"{name}_low", f"{name}_high", f"{name}_se"), values, strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """The scores of one model on the groups of a data set.

    ``name`` is the model's and ``dataset`` that of the data set, if it has one. ``notes`` are what a reader of the
    scores should know, such as that words were lowercased. ``groups`` has the score of each group. ``vocabulary_size``
    is how many words the model lists, None if it reads any text. ``seed`` decides the draws for error bars.
    """

    name: str
    notes: tuple[str, ...]
    groups: tuple[GroupScore, ...]
    seed: int = SEED
    dataset: str = ""
    vocabulary_size: int | None = None

    def __repr__(self) -> str:
        return f"Evaluation(name={self.name!r}, groups={len(self.groups)}, overall={self.overall()})"

    @property
    def skipped(self) -> int:
        """How many groups had too few words in vocabulary to give any test case."""
        return sum(not group.cases for group in self.groups)

    def overall(self) -> Score:
        """OPP and accuracy over all test cases whose words the model knows.

        A ``Score`` has ``classes``, ``groups`` and ``cases``, their numbers, ``opp`` and ``accuracy`` in percent (None
        without cases), and ``error_bars``: for each of the two a ``value`` with ``low``, ``high``, ``standard_error``
        and ``n``, the number of classes.
        """
        return score(self.groups, seed=self.seed)

    def by_outlier_class(self) -> dict[str, Score]:
        """The same for each outlier class that the data set has: "1", "2", "3", "related" or "unknown"."""

        def of_class(name: str) -> Score:
            return score(self.groups, lambda case: class_name(case.outlier.outlier_class) == name, self.seed)

        names = {class_name(outlier.outlier_class) for group in self.groups for outlier in group.group.outliers}
        return {name: of_class(name) for name in sorted(names)}

    def by_language(self) -> dict[str, Score]:
        """The same for each language, "unknown" if the data set does not say."""
        parts: dict[str, list[GroupScore]] = {}
        for group in self.groups:
            parts.setdefault(group.group.language or UNKNOWN, []).append(group)
        return {name: score(parts[name], seed=self.seed) for name in sorted(parts)}

    def oov_cluster_percent(self) -> float:
        """The mean of the groups' percentages of cluster items out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_cluster for group in self.groups)

    def oov_outlier_percent(self) -> float:
        """The mean of the groups' percentages of outliers out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_outliers for group in self.groups)

    def oov_by_language(self) -> dict[str, float]:
        """For each language the share of words out of vocabulary, from 0 to 1."""
        counts: dict[str, FloatArray] = {}
        for group in self.groups:
            cluster, outliers = len(group.group.cluster), len(group.group.outliers)
            missing = group.oov_cluster * cluster + group.oov_outliers * outliers
            seen = counts.setdefault(group.group.language or UNKNOWN, np.zeros(2))
            seen += (missing, cluster + outliers)
        return {name: float(missing / words) if words else 0.0 for name, (missing, words) in sorted(counts.items())}

    def as_json(self) -> dict[str, Any]:
        """The scores as plain values for JSON, as ``wikisem evaluate outliers --json`` prints them."""
        return {
            "model": self.name,
            "dataset": self.dataset,
            "version": __version__,
            "vocabulary_size": self.vocabulary_size,
            "groups": len(self.groups),
            "skipped_groups": self.skipped,
            **self.overall().as_json(),
            "oov_cluster_percent": self.oov_cluster_percent(),
            "oov_outlier_percent": self.oov_outlier_percent(),
            "by_outlier_class": {name: part.as_json() for name, part in self.by_outlier_class().items()},
            "by_language": {name: part.as_json() for name, part in self.by_language().items()},
            "by_group": self._groups_as_json(),
        }

    def _groups_as_json(self) -> list[dict[str, Any]]:
        names = group_ids([group.group for group in self.groups])
        return [
            {
                "group": name,
                "label": group.group.label,
                "language": group.group.language,
                "cases": part.cases,
                "opp": part.opp,
                "accuracy": part.accuracy,
                "found": {case.outlier.id or case.outlier.surface: case.detected for case in group.cases},
            }
            for name, group in zip(names, self.groups, strict=True)
            for part in [score([group])]
        ]


_TITLES: Final = {one.key: one.title for one in OUTLIER_CLASSES.values()}


def kind_of_class(key: str) -> str:
    """The title of an outlier class by its key in scores, as "O1, siblings"; other words as they are."""
    return _TITLES.get(key, key)


def class_name(outlier_class: int | None) -> str:
    """The key of an outlier class in scores."""
    return class_of(outlier_class).key


# Models on a data set.


def score_models(
    groups: Sequence[Group],
    lookups: Iterable[Lookup],
    seed: int = SEED,
    compactness: Compactness = "pairs",
) -> tuple[list[Evaluation], list[Evaluation]]:
    """Score every model on the whole data set, and several on what is in the vocabulary of all of them as well.

    The second list is empty for a single model; otherwise it has one evaluation for each, on the same test cases (Blair
    et al. 2016, section 4.1). Lookups are taken one after the other and not kept. ``seed`` is for the draws of error
    bars.
    """
    surfaces = {surface for group in groups for surface in words_of(group)}

    def evaluate(model: Model, known: Known) -> Evaluation:
        scores = tuple(score_groups(groups, known, model.similarity, compactness))
        return Evaluation(model.name, model.notes, scores, seed, vocabulary_size=model.vocabulary_size)

    return evaluate_models(surfaces, lookups, evaluate)


class Model(NamedTuple):
    """What scoring needs of a model after its vectors are released."""

    name: str
    notes: tuple[str, ...]
    known: Known
    similarity: Similarity
    vocabulary_size: int | None


E = TypeVar("E")


def evaluate_models(
    surfaces: set[str], lookups: Iterable[Lookup], evaluate: Callable[[Model, Known], E]
) -> tuple[list[E], list[E]]:
    """Evaluate every model by all surfaces that it knows, and, of several, each by those that all of them know."""
    models = _look_up(surfaces, lookups)
    whole = [evaluate(model, model.known) for model in models]
    if len(models) < 2:
        return whole, []
    shared = _shared(models)
    return whole, [evaluate(model, {surface: model.known[surface] for surface in shared}) for model in models]


def _look_up(surfaces: set[str], lookups: Iterable[Lookup]) -> list[Model]:
    def look_up(lookup: Lookup) -> Model:
        known = lookup.find(surfaces)
        return Model(lookup.name, lookup.notes, known, lookup.similarity, lookup.vocabulary_size)

    # Unlike a loop, map holds on to no lookup while the next one is opened.
    return list(map(look_up, lookups))


def _shared(models: Sequence[Model]) -> set[str]:
    return set.intersection(*(set(model.known) for model in models))


def keep_shared(groups: Sequence[Group], lookups: Iterable[Lookup]) -> list[Group]:
    """The groups with only the words that are in the vocabulary of every model; there must be at least one model.

    Blair et al. (2016, section 4.2) sampled the cases for annotators from these. A group may be left without words.
    Lookups are taken one after the other and not kept.
    """
    shared = _shared(_look_up({surface for group in groups for surface in words_of(group)}, lookups))
    return [
        replace(
            group,
            cluster=tuple(member for member in group.cluster if member.surface in shared),
            outliers=tuple(outlier for outlier in group.outliers if outlier.surface in shared),
        )
        for group in groups
    ]


def words_of(group: Group) -> list[str]:
    """All surfaces of a group, cluster first."""
    return [member.surface for member in group.members]


# A model on a group.

_FEWEST_CLUSTER_ITEMS: Final = 2


def score_groups(
    groups: Iterable[Group], known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> list[GroupScore]:
    """Score every group with the vectors of the surfaces that are in vocabulary; the others are not in ``known``.

    A cluster item out of vocabulary leaves the cluster, an outlier takes its test case away. A group with fewer than
    two cluster items or no outlier left has no cases. DamagedInputError for a similarity that is not a number.
    """
    return [score_group(group, known, similarity, compactness) for group in groups]


def score_group(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> GroupScore:
    """Score one group; every outlier line is a test case, repeated ones too."""
    cluster, outliers, gaps = group_gaps(group, known, similarity, compactness)
    positions = np.count_nonzero(gaps > TIE_TOLERANCE, axis=1).tolist()
    cases = tuple(
        CaseScore(group.outliers[outlier], position / len(cluster), position == len(cluster))
        for outlier, position in zip(outliers, positions, strict=False)
    )
    return GroupScore(group, cases, _share_missing(cluster, group.cluster), _share_missing(outliers, group.outliers))


def group_gaps(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> tuple[list[int], list[int], Vector]:
    """The places of the cluster items and of the outliers in vocabulary, and the ``outlier_gaps`` of these.

    There are no gaps where too few words are in vocabulary for a test case.
    """
    cluster = [at for at, member in enumerate(group.cluster) if member.surface in known]
    outliers = [at for at, outlier in enumerate(group.outliers) if outlier.surface in known]
    if len(cluster) < _FEWEST_CLUSTER_ITEMS or not outliers:
        return cluster, outliers, np.zeros((0, len(cluster)))
    near = partial(similarities_of, known, similarity, group.where)
    items, others = [group.cluster[at].surface for at in cluster], [group.outliers[at].surface for at in outliers]
    return cluster, outliers, outlier_gaps(near(items, items), near(others, items), near(items, others), compactness)


def _share_missing(kept: Sequence[object], all_: Sequence[object]) -> float:
    return 1 - len(kept) / len(all_) if all_ else 0.0


def similarities_of(
    known: Known, similarity: Similarity, where: str, ones: Sequence[str], others: Sequence[str]
) -> Vector:
    """The similarities of words to words, 0 from a word to itself."""
    found = similarity([known[word] for word in ones], [known[word] for word in others])
    if ones is others:
        np.fill_diagonal(found, 0)
    if not np.isfinite(found).all():
        one, other = np.argwhere(~np.isfinite(found))[0].tolist()
        raise DamagedInputError(
            f"{where}: expected a similarity of {ones[one]!r} to {others[other]!r}, saw {found[one, other]}"
        )
    return found


def outlier_gaps(within: Vector, across: Vector, back: Vector, compactness: Compactness = "pairs") -> Vector:
    """By how much each of n cluster items, at least 2, stands out less than each of m outliers, shape ``(m, n)``.

    The OP of an outlier is the number of its gaps above ``TIE_TOLERANCE``.

    ``within``, shape ``(n, n)``, has the similarities of cluster items to each other, ``across``, ``(m, n)``, those of
    outliers to cluster items, and ``back``, ``(n, m)``, those of cluster items to outliers.

    Each word's similarities are summed once (Camacho-Collados and Navigli 2016, appendix A): with p(w) the sum of
    sim(w, x) + sim(x, w) over the other words x, n(n - 1) c(w) is the sum of all similarities, the same for every w,
    less p(w). So c(w) is below c(o) by (p(w) - p(o)) / n(n - 1). That is O(n²) for the cluster and O(n) for each
    outlier.

    In the cluster {(1, 0), (1, 0), (0, 1)} with the outlier (0, 1), the pairs of W have the cosines 1, 0, 0, 0, 0, 1.
    Without the outlier, c is 1/3; without either (1, 0) it is 1/3 as well, and without the cluster's (0, 1) it is 1/3:
    all are ties, so that OP = 0. With the outlier (-1, 0) instead, c is 1/3 without it, and below that without any
    other item: OP = 3, and it is detected.

    >>> cluster, outliers = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> within, across, back = cosine(cluster, cluster), cosine(outliers, cluster), cosine(cluster, outliers)
    >>> (outlier_gaps(within, across, back) > TIE_TOLERANCE).tolist()
    [[False, False, False], [True, True, True]]
    """
    count = len(within)
    to_outlier, from_outlier, scale = back.T, across, count
    if compactness == "pairs":
        within = within + within.T
        to_outlier = from_outlier = across + back.T
        scale = count * (count - 1)
    own = within.sum(axis=1) - np.diagonal(within)
    gaps: Vector = (own + to_outlier - from_outlier.sum(axis=1, keepdims=True)) / scale
    return gaps


def closeness(near: Vector, compactness: Compactness = "pairs") -> Vector:
    """How close each word is to the others by their similarities, ``(n, n)``: the lowest stands out most."""
    both = near if compactness == "word" else (near + near.T) / 2
    return np.asarray((both.sum(axis=1) - np.diagonal(both)) / (len(near) - 1))


# Names of groups in reports.


def distinct_names(groups: Sequence[Group]) -> list[str]:
    """The shortest names, all of one form, that tell groups apart where languages or folders share an id.

    A name is the id, or the id after the language or folders, or with the place in the file; if a group comes twice,
    the later one has a number.
    """
    for naming in _namings(groups):
        names = [naming(group) for group in groups]
        if len(set(names)) == len(names):
            return names
    return list(_numbered([f"{group.id} ({group.where})" for group in groups]))


def group_ids(groups: Sequence[Group]) -> list[str]:
    """The plain ids where they differ within each language, else ``distinct_names``."""
    keys = {(group.language, group.id) for group in groups}
    return [group.id for group in groups] if len(keys) == len(groups) else distinct_names(groups)


def _namings(groups: Sequence[Group]) -> Iterator[Callable[[Group], str]]:
    yield lambda group: group.id
    yield lambda group: f"{group.language or PurePath(group.where).parent.name}/{group.id}"
    most = max((len(PurePath(group.where).parts) for group in groups), default=0)
    for depth in range(1, most):
        yield lambda group, depth=depth: "/".join([*PurePath(group.where).parts[:-1][-depth:], group.id])  # type: ignore[misc]


def _numbered(names: Sequence[str]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} #{seen[name]}"
