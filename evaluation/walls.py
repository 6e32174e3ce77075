"""Walls: whether a model's similarities divide sixteen words into the four hidden groups of four.

Of all partitions of a wall into groups of the right sizes, 2,627,625 for four fours, the one with the largest sum of
similarities within its groups is the model's answer. It is found exactly, and scored as the answers of language models
are (``wikisem.outputs.wall_answers``, with the definitions of Naeini et al. 2023).

As in outlier detection, a word out of vocabulary leaves its group, and a group with fewer than two words left leaves
the wall; the model then divides what is left into groups of the sizes left. A wall with fewer than two groups left is
skipped. A tie counts against the model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from math import comb, factorial, prod
from statistics import fmean
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.outlier_detection import Evaluation, Known, similarities_of
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally
from wikisem.evaluation.vectors.embeddings import Similarity, cosine
from wikisem.outputs.wall_answers import SCORES, score_partition
from wikisem.records import TIERS, Wall

IntArray = npt.NDArray[np.int64]
# Similarities are compared to this many binary digits of the largest, and sums of them are then exact.
_DIGITS: Final = 40
# More than the pairs of words in all groups together.
_PAIRS: Final = 64
_FEWEST_WORDS: Final = 2
_FEWEST_GROUPS: Final = 2


def best_partition(weights: npt.NDArray[Any], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The partition of words into groups of these sizes with the largest sum of weights within groups.

    ``weights`` is symmetric, of shape ``(n, n)`` for n words, the sum of ``sizes``; its diagonal does not count.
    Integers give exact sums. Of equal sums, the partition wins whose first groups have the earlier words.

    The list of sizes is halved again and again: four groups of four are two halves of eight words, each of two groups.
    The best sum of a set of eight words is the largest over its 35 ways to split into two fours, and that of all
    sixteen over their 6,435 ways to split into two eights. So 1,820 fours, 12,870 eights and one set are summed up.

    >>> near = np.array([[0, 1, 5, 1], [1, 0, 1, 5], [5, 1, 0, 1], [1, 5, 1, 0]])
    >>> best_partition(near, (2, 2))
    [(0, 2), (1, 3)]
    """
    count = len(weights)
    if sum(sizes) != count or min(sizes, default=0) < 1:
        raise ValueError(f"expected sizes of groups of {count} words, saw {list(sizes)}")

    @cache
    def best_sums(sizes: tuple[int, ...]) -> npt.NDArray[Any]:
        """The best sum within groups of these sizes for each set of sum(sizes) of all words, as in ``_sets``."""
        if len(sizes) == 1:  # one group: the sum over all pairs of its words
            sets, zeros = _sets(count, sizes[0]), np.zeros(comb(count, sizes[0]), int)
            pairs = combinations(range(sizes[0]), 2)
            return sum((weights[sets[:, one], sets[:, other]] for one, other in pairs), start=zeros)
        # The set is split into the words of the first half of the groups and those of the second.
        left, right = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
        left_sets, right_sets = _splits(count, sum(left), sum(right), left == right)
        return np.asarray((best_sums(left)[left_sets] + best_sums(right)[right_sets]).max(axis=1))

    def groups_of(sizes: tuple[int, ...], row: int) -> list[tuple[int, ...]]:
        """The groups of these sizes with the best sum in one set of sum(sizes) words, given by its row in ``_sets``."""
        if len(sizes) == 1:
            return [tuple(_sets(count, sizes[0])[row].tolist())]
        # The set is split as ``best_sums`` splits it, in the way whose two halves have the best sums together.
        left, right = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
        left_sets, right_sets = (sets[row] for sets in _splits(count, sum(left), sum(right), left == right))
        best = int(np.argmax(best_sums(left)[left_sets] + best_sums(right)[right_sets]))
        return groups_of(left, int(left_sets[best])) + groups_of(right, int(right_sets[best]))

    return sorted(groups_of(tuple(sorted(sizes, reverse=True)), 0))  # there is one set of all words


@lru_cache(maxsize=64)
def _sets(count: int, size: int) -> IntArray:
    """All sets of ``size`` of ``count`` words, as sorted indices in lexicographic order, shape ``(sets, size)``."""
    return np.array(list(combinations(range(count), size)), dtype=np.int64).reshape(-1, size)


@lru_cache(maxsize=64)
def _splits(count: int, left: int, right: int, alike: bool) -> tuple[IntArray, IntArray]:
    """Every way to split each set of ``left + right`` of ``count`` words into a left and a right part of these sizes.

    Return the left parts and the right parts, each of shape ``(sets, ways)``; a part is given by its row in ``_sets``.
    If the parts are ``alike``, the left one has the earliest word, so that no way comes twice.

    >>> [rows.tolist() for rows in _splits(3, 1, 1, alike=True)]  # of {0, 1}, {0, 2} and {1, 2}
    [[[0], [0], [1]], [[1], [2], [2]]]
    """
    chosen = _sets(left + right, left)  # which words of a set, by their positions in it, make the left part
    if alike:
        chosen = chosen[chosen[:, 0] == 0]
    # Each part as a number with a bit for each of its words, {0, 2} as 0b101, and then as the row with this number.
    bits = 1 << _sets(count, left + right)
    left_masks = bits[:, chosen].sum(axis=2)
    right_masks = bits.sum(axis=1, keepdims=True) - left_masks
    rows = []
    for size, masks in ((left, left_masks), (right, right_masks)):
        row_of_mask = np.zeros(1 << count, dtype=np.int64)
        row_of_mask[(1 << _sets(count, size)).sum(axis=1)] = np.arange(comb(count, size))
        rows.append(row_of_mask[masks])
    return rows[0], rows[1]


def count_partitions(sizes: Sequence[int]) -> int:
    """How many partitions there are into groups of these sizes.

    >>> count_partitions((4, 4, 4, 4))
    2627625
    """
    alike = prod(factorial(times) for times in Counter(sizes).values())
    return factorial(sum(sizes)) // prod(map(factorial, sizes)) // alike


@dataclass(frozen=True, slots=True)
class WallScore:
    """One wall: the words in vocabulary, the sizes of the groups that are left, and the answer with its scores.

    ``scores`` are None for a wall that was skipped, which has no ``found`` groups; a group has surface forms.
    """

    wall: Wall
    known: int
    sizes: tuple[int, ...]
    found: tuple[tuple[str, ...], ...] = ()
    scores: Mapping[str, float] | None = None

    def chance(self) -> dict[str, float]:
        """The expected scores of a random partition into groups of the sizes left, all partitions being as likely.

        If m groups have s of the n words, each of them is any of the C(n, s) sets, so a hidden group of s words is
        found with the probability m / C(n, s). ARI and AMI are adjusted for chance, which is 0.
        """
        groups_of_size, words = Counter(self.sizes), sum(self.sizes)
        found = fmean(groups_of_size[size] / comb(words, size) for size in self.sizes)
        return dict(zip(SCORES, (1 / count_partitions(self.sizes), found, 0.0, 0.0), strict=True))


def score_wall(wall: Wall, known: Known, similarity: Similarity = cosine) -> WallScore:
    """Score how a model divides a wall, sixteen words of four groups; ``known`` has vectors of those in vocabulary."""
    # Words out of vocabulary leave their groups, and groups that are too small leave the wall.
    group_of = {member: index for index, group in enumerate(wall.groups) for member in group.members}
    words = [word for word in wall.words if word.surface in known]
    sizes = Counter(group_of[word.id] for word in words)
    kept = [word for word in words if sizes[group_of[word.id]] >= _FEWEST_WORDS]
    sizes_left = tuple(sorted((size for size in sizes.values() if size >= _FEWEST_WORDS), reverse=True))
    if len(sizes_left) < _FEWEST_GROUPS:
        return WallScore(wall, len(words), sizes_left)
    labels = np.array([group_of[word.id] for word in kept])
    surfaces = [word.surface for word in kept]
    similarities = similarities_of(known, similarity, wall.id, surfaces, len(surfaces))
    similarities = similarities + similarities.T  # they need not be symmetric
    # Sums of whole numbers are exact. Their unit is 2⁻⁴⁰ of the largest similarity, some 10⁻¹², as for any tie.
    units = np.rint(similarities / (np.abs(similarities).max() / 2**_DIGITS or 1.0)).astype(np.int64)
    # A tie counts against the model: of partitions with equal sums the one with the fewest right pairs wins, since each
    # pair of a hidden group loses 1/64 of a unit. All of them together lose less than one unit.
    partition = best_partition(units * _PAIRS - (labels[:, None] == labels), sizes_left)
    truth = [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]
    groups = tuple(tuple(surfaces[index] for index in group) for group in partition)
    return WallScore(wall, len(words), sizes_left, groups, score_partition(partition, truth))


def scored(evaluation: Evaluation[WallScore]) -> Scored:
    """The sums of scores of all walls, and of those of each tier and language, from which error bars are made.

    Walls that have a class in common are not independent. Of each part ``words`` is the mean number of words that the
    model divided: with fewer, chance is higher.
    """
    # The walls of each part: all, those of each language if there are several, and those of each tier within these.
    walls_of: dict[Part, list[WallScore]] = {}
    languages = sorted({one.wall.language for one in evaluation.scores})
    for language in ("", *(languages if len(languages) > 1 else [])):
        in_language = [one for one in evaluation.scores if language in {"", one.wall.language}]
        walls_of[Part("language", language, language) if language else WHOLE] = in_language
        for tier in TIERS:
            if of_tier := [one for one in in_language if one.wall.tier == tier]:
                walls_of[Part("tier", tier, language)] = of_tier
    # The scores of each part, and plain numbers beside them. A wall without scores was skipped.
    parts: dict[Part, Tally] = {}
    plain: dict[Part, Mapping[str, float | None]] = {}
    for part, walls in walls_of.items():
        answered = [(one, one.scores) for one in walls if one.scores is not None]
        sums = np.array([[scores[name] for name in SCORES] for _, scores in answered]).reshape(-1, len(SCORES))
        guesses = [one.chance() for one, _ in answered]
        chances = tuple(100 * fmean(guess[name] for guess in guesses) if guesses else None for name in SCORES)
        classes = [frozenset(group.qid for group in one.wall.groups) for one, _ in answered]
        asked = [one.wall.id for one, _ in answered]
        parts[part] = Tally(SCORES, sums, np.ones(len(sums)), asked, unit="wall", chances=chances, shared=classes)
        plain[part] = {
            "cases": len(answered),
            "classes": len(frozenset().union(*classes)),
            "words": fmean(sum(one.sizes) for one, _ in answered) if answered else None,
        }
    plain[Part(COVERAGE)] = {
        "walls": len(evaluation.scores),
        "skipped_walls": sum(one.scores is None for one in evaluation.scores),
        "whole_walls": sum(one.known == len(one.wall.words) for one in evaluation.scores),
        "oov_words": 100 * fmean(1 - one.known / len(one.wall.words) for one in evaluation.scores),
        "vocabulary_size": evaluation.vocabulary_size,
    }
    return Scored(evaluation.name, evaluation.dataset, evaluation.vocabulary, parts, plain)


def answers_of(evaluations: Iterable[Evaluation[WallScore]]) -> Iterator[dict[str, Any]]:
    """The answer of each model to each wall that it can divide: the groups, and their scores in percent."""
    for evaluation in evaluations:
        for one in evaluation.scores:
            if one.scores is not None:
                yield {
                    "model": evaluation.name,
                    "dataset": evaluation.dataset,
                    "language": one.wall.language,
                    "tier": one.wall.tier,
                    "case": one.wall.id,
                    "words": sum(one.sizes),
                    "found": one.found,
                    "right": one.scores["solved"] == 1,
                    **{name: 100 * one.scores[name] for name in SCORES[1:]},
                }
