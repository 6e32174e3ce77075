"""What it means that a word stands out of k others: the published readings of OddOneOut, in two equal forms.

``stands_out`` is the definition itself, for one comparison after another. ``comparison_terms`` is what counting all
combinations needs (module ``exact``): the comparison of an intruder w with a member s of S, where T is S without s,
becomes F_T(w) - swap_s(w) > F_T(s) + tolerance, with F_T(x) = base(x) + the sum over T of each_t(x).

With m = k + 1 words and their mean μ = (w + ΣS) / m (Stringham and Izbicki 2020, equations 3 to 5):

euclidean    the word farthest from the mean. m (|w - μ|² - |s - μ|²) = 2 (F_T(w) - F_T(s)) with
             F_T(x) = (m - 2)/2 |x|² - Σ_T x·t.
cosine-unit  the word with the smallest cosine to the mean of unit vectors, as gensim's doesnt_match has it. The
             projections of s and w on the mean differ by (F_T(w) - F_T(s)) / m with F_T(x) = -Σ_T x·t.
cosine-raw   the same with the mean of raw vectors. The projections differ by (F_T(w) - swap_s(w) - F_T(s)) / m with
             F_T(x) = -|x| - Σ_T x·t/|x| and swap_s(w) = w·s (1/|w| - 1/|s|).

A worked example in one dimension: S = {0, 2} and w = 9, so k = 2, m = 3 and μ = 11/3. w is the farthest from μ. Against
s = 2, T = {0}: euclidean F_T(w) = 1/2 · 81 - 9·0 = 40.5 and F_T(s) = 1/2 · 4 - 2·0 = 2, and indeed
3 (|9 - μ|² - |2 - μ|²) = 3 (28.44 - 2.78) = 77 = 2 (40.5 - 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Rows, Vector, lengths, paired_products, products, unit

Distance = Literal["euclidean", "cosine-unit", "cosine-raw"]
DISTANCES: Final[tuple[Distance, ...]] = ("euclidean", "cosine-unit", "cosine-raw")


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonTerms:
    """The parts of F for some words: ``base`` has shape ``(words,)``, ``each`` and ``swap`` ``(members, words)``."""

    base: Vector
    each: Vector
    swap: Vector | None = None


def prepare(distance: Distance, vectors: Rows) -> Rows:
    """The vectors whose mean is taken: unit vectors for ``cosine-unit``, raw ones otherwise."""
    return unit(vectors) if distance == "cosine-unit" and vectors.shape[0] else vectors


def tie_margin(distance: Distance, members: Rows) -> float:
    """The difference up to which two squared distances, or projections on the mean, are a tie, for prepared members.

    It is a share of the category's largest squared length, or length; a tie counts against the model.
    """
    largest = float(lengths(members).max())
    return TIE_TOLERANCE * (largest**2 if distance == "euclidean" else largest)


def stands_out(distance: Distance, sets: Sequence[Rows], words: Rows, tie: float) -> npt.NDArray[np.bool_]:
    """Whether each of p words stands out of its set, all prepared: k rows of shape ``(p, d)`` and ``(p, d)``.

    x·μ is a mean of products, and |x - μ|² is |x|² - 2 x·μ and what all words of a set have in common.
    """
    points = [*sets, words]
    gram = np.empty((words.shape[0], len(points), len(points)))
    for one, other in combinations_with_replacement(range(len(points)), 2):
        gram[:, one, other] = gram[:, other, one] = paired_products(points[one], points[other])
    squares, to_mean = np.diagonal(gram, axis1=1, axis2=2), gram.mean(axis=2)
    far = squares - 2 * to_mean if distance == "euclidean" else -to_mean / np.sqrt(squares)
    is_odd: npt.NDArray[np.bool_] = far[:, -1] > far[:, :-1].max(axis=1) + tie
    return is_odd


def comparison_terms(distance: Distance, members: Rows, words: Rows, k: int) -> ComparisonTerms:
    """The parts of F for words of shape ``(words, d)``, all prepared."""
    each = products(members, words)
    if distance == "euclidean":
        return ComparisonTerms((k - 1) / 2 * paired_products(words, words), -each)
    if distance == "cosine-unit":
        return ComparisonTerms(np.zeros(words.shape[0]), -each)
    long, own = lengths(words), lengths(members)
    return ComparisonTerms(-long, -each / long, each / long - each / own[:, None])


def term_tolerance(distance: Distance, members: Rows, k: int) -> float:
    """The tie of ``tie_margin`` as a difference of F."""
    return tie_margin(distance, members) * (k + 1) / (2 if distance == "euclidean" else 1)
