"""Consistency across languages: is a model right and wrong on the same cases in one language as in another?

A case is the same in two languages if its class and its outlier are: cases are joined by QID. A model can be right in
both languages by chance, and where it is wrong in both it can choose the same word by chance, so each share comes with
the one to expect if the answers had nothing to do with each other:

    both right   p q, where p and q are the accuracies in the two languages
    kappa        (o - e) / (1 - e), where o is the share of cases that are right in both or wrong in both, and
                 e = p q + (1 - p)(1 - q): the error consistency of Geirhos, Meding and Wichmann (2020), "Beyond
                 accuracy", arXiv 2006.16736, which is Cohen's kappa (1960)
    same word    of the cases that are wrong in both, the share where the item that is taken for the outlier is the
                 same; by chance, the shared items over the items of one cluster times those of the other
    RankC        the weighted overlap of both orders of the words, the first places counting most (Qi, Fernández and
                 Bisazza 2023, "Cross-lingual consistency of factual knowledge", arXiv 2310.10378)
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

import numpy as np
from msgspec.structs import replace

from wikisem.errors import MissingInputError
from wikisem.evaluation import statistics
from wikisem.evaluation.options import SEED, Compactness
from wikisem.evaluation.outlier_detection import UNKNOWN, Known, group_gaps, words_of
from wikisem.evaluation.rows import Row, with_bars
from wikisem.evaluation.vectors.embeddings import TIE_TOLERANCE, EmbeddingModel, Similarity, cosine
from wikisem.records import Group

# Above this, kappa divides by zero.
_CERTAIN: Final = 1 - 1e-12
# What is added up over the cases of a class.
_RIGHT, _OTHER, _BOTH_RIGHT, _BOTH_WRONG, _SAME, _SAME_CHANCE, _RANKC, _RANKC_CHANCE = range(8)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a model orders the items of a case, given by QID: the one that it takes for the outlier comes first."""

    outlier: str
    order: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the outlier was detected."""
        return self.order[0] == self.outlier


Case = tuple[str, str]  # by the QIDs of its class and its outlier
Answers = Mapping[Case, Answer]


def cases_of(groups: Iterable[Group]) -> dict[str, set[Case]]:
    """The cases of each language whose outliers have QIDs."""
    by_language = defaultdict[str, set[Case]](set)
    for group in groups:
        by_language[group.language or UNKNOWN] |= {(group.id, outlier.id) for outlier in group.outliers if outlier.id}
    return by_language


def check_parallel(cases: Mapping[str, Collection[Case]], name: str) -> None:
    """Raise MissingInputError unless two languages have a case in common."""
    if max(Counter(chain.from_iterable(cases.values())).values(), default=0) < 2:
        languages = ", ".join(sorted(cases)) or "any"
        raise MissingInputError(
            f"{name}: expected cases of the same class and outlier, by QID, in two languages, as `shared` in a recipe "
            f"makes, saw none in {languages}; what a harness logged gets QIDs with --set RELEASE"
        )


def measure_consistency(
    groups: Sequence[Group],
    model: EmbeddingModel,
    dataset: str = "",
    compactness: Compactness = "pairs",
    seed: int = SEED,
) -> list[Row]:
    """Compare what a model answers in every two languages of a data set, on the words that it knows."""
    known = model.find({word for group in groups for word in words_of(group)})
    by_language = defaultdict[str, dict[Case, Answer]](dict)
    for group in groups:
        by_language[group.language or UNKNOWN] |= answers(group, known, model.similarity, compactness)
    return compare_languages(by_language, model.name, dataset, seed)


def compare_languages(answers: Mapping[str, Answers], model: str, dataset: str, seed: int = SEED) -> list[Row]:
    """The rows of a model's answers in every two languages that have cases in common.

    Accuracy is that of the first language, "accuracy_other" that of the second. The rows of "same_word" have as cases
    those that are wrong in both, and no value without any; "kappa" has none where its definition divides by zero: every
    case is right in both languages, or wrong in both.
    """
    rows = list[Row]()
    for (language, first), (other_language, second) in combinations(sorted(answers.items()), 2):
        shared = sorted(first.keys() & second.keys())
        if not shared:
            continue
        cases = []  # with the columns _RIGHT to _RANKC_CHANCE
        for one, other in ((first[key], second[key]) for key in shared):
            both_wrong = not one.right and not other.right
            # How often two wrong words that are picked at random are the same.
            common = set(one.order) & set(other.order) - {one.outlier}
            chance = len(common) / ((len(one.order) - 1) * (len(other.order) - 1))
            same_word = both_wrong and one.order[0] == other.order[0]
            right = one.right, other.right, one.right and other.right
            cases.append((*right, both_wrong, same_word, chance * both_wrong, *rankc(one.order, other.order)))
        _, sums, sizes = statistics.sum_by_unit([class_id for class_id, _ in shared], np.array(cases, dtype=np.float64))
        means = (sums.sum(axis=0) / len(shared)).tolist()
        both_right, overlap = statistics.clustered_means(sums[:, [_BOTH_RIGHT, _RANKC]], sizes, seed)
        wrong = sums[:, _BOTH_WRONG]
        same, same_by_chance = None, None
        if wrong.any():
            (same,) = statistics.clustered_means(sums[:, [_SAME]], wrong, seed)
            same_by_chance = 100 * float(sums[:, _SAME_CHANCE].sum() / wrong.sum())
        head = Row(task="consistency", model=model, dataset=dataset, metric="", n=len(sizes), cases=len(shared))
        head = replace(head, part="languages", name=f"{language}, {other_language}")
        rows += [
            with_bars(replace(head, metric="both_right", chance=100 * means[_RIGHT] * means[_OTHER]), both_right, 100),
            with_bars(replace(head, metric="kappa", chance=0.0), _kappa(sums, sizes, seed)),
            with_bars(replace(head, metric="same_word", chance=same_by_chance, cases=int(wrong.sum())), same, 100),
            with_bars(replace(head, metric="rankc", chance=means[_RANKC_CHANCE]), overlap),
            replace(head, metric="accuracy", value=100 * means[_RIGHT]),
            replace(head, metric="accuracy_other", value=100 * means[_OTHER]),
        ]
    return rows


def answers(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> dict[Case, Answer]:
    """The answers to the cases of a group, as far as its items have QIDs and are in vocabulary.

    Items that stand out alike, within ``TIE_TOLERANCE``, are in the order of the cluster, and the outlier comes last of
    them: a tie counts against the model.
    """
    cluster, outliers, gaps = group_gaps(group, known, similarity, compactness)
    qids = [group.cluster[index].id for index in cluster]
    by_case: dict[Case, Answer] = {}
    for index, row in zip(outliers, gaps, strict=False):
        outlier = group.outliers[index].id
        if outlier and all(qids):
            items = np.array([*qids, outlier])
            gaps_of_all = np.array([*row, 0.0])
            # How many items stand out more than each: rounding must not decide between those that are tied.
            before = np.searchsorted(np.sort(gaps_of_all), gaps_of_all - TIE_TOLERANCE)
            order = np.argsort(before, kind="stable")
            by_case.setdefault((group.id, outlier), Answer(outlier, tuple(items[order].tolist())))
    return by_case


def _kappa(sums: statistics.FloatArray, sizes: statistics.FloatArray, seed: int) -> statistics.ErrorBars | None:
    """Cohen's kappa with its interval, from the sums over the cases of each class; None where it divides by zero."""
    counted = sums[:, : _BOTH_WRONG + 1]
    # The means of all cases, and those of each draw.
    means = np.vstack([counted.sum(axis=0) / sizes.sum(), statistics.draw_means(counted, sizes, seed)]).T
    one, other = means[_RIGHT], means[_OTHER]
    observed, by_chance = means[_BOTH_RIGHT] + means[_BOTH_WRONG], one * other + (1 - one) * (1 - other)
    if by_chance[0] > _CERTAIN:
        return None
    defined = by_chance <= _CERTAIN
    kappas = 1 - (1 - observed[defined]) / (1 - by_chance[defined])
    value, drawn = float(kappas[0]), kappas[1:]
    if np.ptp(drawn) > statistics.ROUNDING:
        low, high = statistics.percentile_interval(drawn, len(sizes))
    else:
        # As where both languages agree on every case: Wilson's interval of o, e being as it is.
        ends = statistics.wilson(float(observed[0]), len(sizes))
        low, high = (float(1 - (1 - end) / (1 - by_chance[0])) for end in ends)
    return statistics.ErrorBars(value, low, high, standard_error=None, n=len(sizes))


def rankc(one: Sequence[str], other: Sequence[str]) -> tuple[float, float]:
    """RankC of two orders, over the items that both have, and what it is on average for random orders.

    With N items, P@j is the share of the first j of one order that are among the first j of the other, and its weight
    is exp(N - j) over the sum of these (Qi et al. 2023, equations 1 to 3). Of random orders, P@j is j / N on average.

    Of three items, the weights are .665, .245 and .090. In the orders abc and acb the first and all three agree, of the
    first two one: .665 + .245 / 2 + .090 = .878.

    >>> [round(value, 3) for value in rankc("abc", "acb")]
    [0.878, 0.475]
    """
    both = set(one) & set(other)
    first, second = ([item for item in order if item in both] for order in (one, other))
    places = {item: place for place, item in enumerate(second)}
    # The pair of an item is among the first j of both orders once both of its places are.
    later = np.array([max(place, places[item]) for place, item in enumerate(first)])
    numbers = np.arange(1, len(both) + 1)
    shares = np.searchsorted(np.sort(later), numbers, side="left") / numbers
    weights = np.exp(1.0 - numbers)
    weights /= weights.sum()
    return float(weights @ shares), float(weights @ numbers / len(both))
