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
from msgspec.structs import replace

from wikisem.evaluation.outlier_detection import Evaluation, Known, evaluate_models, similarities_of
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, Similarity, cosine
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

    The sizes are halved again and again. For each set of words as large as the groups of one half together, the best
    sum is the largest over all ways to divide it between the two quarters. So four fours take the sums of 1,820 fours,
    the 35 ways to halve each of 12,870 eights, and the 6,435 ways to halve all sixteen words.

    >>> near = np.array([[0, 1, 5, 1], [1, 0, 1, 5], [5, 1, 0, 1], [1, 5, 1, 0]])
    >>> best_partition(near, (2, 2))
    [(0, 2), (1, 3)]
    """
    count = len(weights)
    if sum(sizes) != count or min(sizes, default=0) < 1:
        raise ValueError(f"expected sizes of groups of {count} words, saw {list(sizes)}")

    @cache
    def best_sums(sizes: tuple[int, ...]) -> npt.NDArray[Any]:
        """For each set of sum(sizes) words, in the order of ``_sets``, the best sum within groups of these sizes."""
        if len(sizes) == 1:
            sets, zeros = _sets(count, sizes[0]), np.zeros(comb(count, sizes[0]), int)
            pairs = combinations(range(sizes[0]), 2)
            return sum((weights[sets[:, one], sets[:, other]] for one, other in pairs), start=zeros)
        one, other = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
        ones, others = _splits(count, sum(one), sum(other), one == other)
        return np.asarray((best_sums(one)[ones] + best_sums(other)[others]).max(axis=1))

    def groups_of(sizes: tuple[int, ...], number: int) -> list[tuple[int, ...]]:
        """The groups of these sizes with the best sum in one set of words, given by its number."""
        if len(sizes) == 1:
            return [tuple(_sets(count, sizes[0])[number].tolist())]
        one, other = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
        ones, others = (parts[number] for parts in _splits(count, sum(one), sum(other), one == other))
        split = int(np.argmax(best_sums(one)[ones] + best_sums(other)[others]))
        return groups_of(one, int(ones[split])) + groups_of(other, int(others[split]))

    return sorted(groups_of(tuple(sorted(sizes, reverse=True)), 0))  # there is one set of all words


@lru_cache(maxsize=64)
def _sets(count: int, size: int) -> IntArray:
    """All sets of ``size`` of ``count`` words in lexicographic order, shape ``(sets, size)``: the rows number them."""
    return np.array(list(combinations(range(count), size)), dtype=np.int64).reshape(-1, size)


@lru_cache(maxsize=64)
def _splits(count: int, one: int, other: int, alike: bool) -> tuple[IntArray, IntArray]:
    """Every way to split each set of ``one + other`` words into a part of ``one`` word or more and one of ``other``.

    Returned are the numbers of the first and of the second parts, each of shape ``(sets, ways)``: a part's number is
    its place in ``_sets`` of its size. If the parts are ``alike``, the first has the earliest word, so that no way
    comes twice.
    """
    chosen = _sets(one + other, one)  # which words of a set, by their places, make the first part
    if alike:
        chosen = chosen[chosen[:, 0] == 0]
    bits = 1 << _sets(count, one + other)  # a set of words is the sum of their bits, its mask
    first_parts = bits[:, chosen].sum(axis=2)
    second_parts = bits.sum(axis=1, keepdims=True) - first_parts
    numbers = []
    for size, masks in ((one, first_parts), (other, second_parts)):
        number_by_mask = np.zeros(1 << count, dtype=np.int64)
        number_by_mask[(1 << _sets(count, size)).sum(axis=1)] = np.arange(comb(count, size))
        numbers.append(number_by_mask[masks])
    return numbers[0], numbers[1]


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
        """The expected scores of a random partition into groups of the sizes left.

        Each of the partitions is as likely as any other, and a group of s of n words is one of theirs as often as one
        of the m groups of this size is one of the C(n, s) sets. The other two scores are adjusted for chance.
        """
        alike, words = Counter(self.sizes), sum(self.sizes)
        found = fmean(alike[size] / comb(words, size) for size in self.sizes)
        return dict(zip(SCORES, (1 / count_partitions(self.sizes), found, 0.0, 0.0), strict=True))


def score_wall(wall: Wall, known: Known, similarity: Similarity = cosine) -> WallScore:
    """Score a wall with the vectors of its surface forms; those out of vocabulary are not in ``known``.

    DamagedInputError for a similarity that is not a number.
    """
    group_of = {member: index for index, group in enumerate(wall.groups) for member in group.members}
    words = [word for word in wall.words if word.surface in known]
    sizes = Counter(group_of[word.id] for word in words)
    kept = [word for word in words if sizes[group_of[word.id]] >= _FEWEST_WORDS]
    sizes_left = tuple(sorted((size for size in sizes.values() if size >= _FEWEST_WORDS), reverse=True))
    if len(sizes_left) < _FEWEST_GROUPS:
        return WallScore(wall, len(words), sizes_left)
    labels = np.array([group_of[word.id] for word in kept])
    surfaces = [word.surface for word in kept]
    near = similarities_of(known, similarity, wall.id, surfaces, len(surfaces))
    near = near + near.T
    # Whole numbers, from which equal sums are told exactly: the unit is 2⁻⁴⁰ of the largest similarity, 10⁻¹², as for
    # all ties. One 64th of it is taken from each pair of words of one hidden group, so that ties count against the
    # model: of partitions with equal sums, that with the fewest right pairs is the answer.
    exact = np.rint(near / (np.abs(near).max() / 2**_DIGITS or 1.0)).astype(np.int64)
    partition = best_partition(exact * _PAIRS - (labels[:, None] == labels), sizes_left)
    truth = [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]
    groups = tuple(tuple(surfaces[place] for place in group) for group in partition)
    return WallScore(wall, len(words), sizes_left, groups, score_partition(partition, truth))


def scored(evaluation: Evaluation[WallScore]) -> Scored:
    """The tally of all walls, and of each tier and language; walls that have a class in common depend.

    Of each part ``words`` is the mean number of words that the model divided: with fewer, chance is higher.
    """
    walls_of: dict[Part, list[WallScore]] = {}
    languages = sorted({one.wall.language for one in evaluation.scores})
    for code in ("", *(languages if len(languages) > 1 else [])):
        own = [one for one in evaluation.scores if code in {"", one.wall.language}]
        walls_of[Part("language", code, code) if code else WHOLE] = own
        for tier in TIERS:
            if of_tier := [one for one in own if one.wall.tier == tier]:
                walls_of[Part("tier", tier, code)] = of_tier
    parts: dict[Part, Tally] = {}
    plain: dict[Part, Mapping[str, float | None]] = {}
    for part, walls in walls_of.items():
        answered = [(one, one.scores) for one in walls if one.scores is not None]
        sums = np.array([[scores[name] for name in SCORES] for _, scores in answered]).reshape(-1, len(SCORES))
        chances = [one.chance() for one, _ in answered]
        mean = tuple(100 * fmean(one[name] for one in chances) if chances else None for name in SCORES)
        classes = [frozenset(group.qid for group in one.wall.groups) for one, _ in answered]
        asked = [one.wall.id for one, _ in answered]
        parts[part] = Tally(SCORES, sums, np.ones(len(sums)), asked, "wall", mean, classes)
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


def score_models_on_walls(
    walls: Sequence[Wall], models: Iterable[EmbeddingModel], dataset: str = "", by_qid: bool = False
) -> tuple[list[Evaluation[WallScore]], list[Evaluation[WallScore]]]:
    """Score every model on all walls, as ``score_models`` on groups; ``by_qid`` looks words up by their items."""
    if by_qid:
        walls = [replace(wall, words=tuple(replace(word, surface=word.id) for word in wall.words)) for wall in walls]
    surfaces = {word.surface for wall in walls for word in wall.words}
    return evaluate_models(surfaces, models, {dataset: walls}, score_wall)
