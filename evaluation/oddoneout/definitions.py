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

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Vector, unit

Distance = Literal["euclidean", "cosine-unit", "cosine-raw"]
DISTANCES: Final[tuple[Distance, ...]] = ("euclidean", "cosine-unit", "cosine-raw")


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonTerms:
    """The parts of F for some words: ``base`` has shape ``(words,)``, ``each`` and ``swap`` ``(members, words)``."""

    base: Vector
    each: Vector
    swap: Vector | None = None


def prepare(distance: Distance, vectors: Vector) -> Vector:
    """The vectors whose mean is taken: unit vectors for ``cosine-unit``, raw ones otherwise."""
    return unit(vectors) if distance == "cosine-unit" and len(vectors) else vectors


def tie_margin(distance: Distance, members: Vector) -> float:
    """The difference up to which two squared distances, or projections on the mean, are a tie, for prepared members.

    It is a share of the category's largest squared length, or length; a tie counts against the model.
    """
    largest = float(np.linalg.norm(members, axis=1).max())
    return TIE_TOLERANCE * (largest**2 if distance == "euclidean" else largest)


def stands_out(distance: Distance, sets: Vector, words: Vector, tie: float) -> npt.NDArray[np.bool_]:
    """Whether each word stands out of its set: sets of shape ``(p, k, d)``, words ``(p, d)``, all prepared."""
    points = np.concatenate([sets, words[:, None]], axis=1)
    means = points.mean(axis=1, keepdims=True)
    euclidean = distance == "euclidean"
    far = ((points - means) ** 2).sum(axis=2) if euclidean else -(unit(points) * means).sum(axis=2)
    is_odd: npt.NDArray[np.bool_] = far[:, -1] > far[:, :-1].max(axis=1) + tie
    return is_odd


def comparison_terms(distance: Distance, members: Vector, words: Vector, k: int) -> ComparisonTerms:
    """The parts of F for words of shape ``(words, d)``, all prepared."""
    products = members @ words.T
    if distance == "euclidean":
        return ComparisonTerms((k - 1) / 2 * (words**2).sum(axis=1), -products)
    if distance == "cosine-unit":
        return ComparisonTerms(np.zeros(len(words)), -products)
    lengths, own = np.linalg.norm(words, axis=1), np.linalg.norm(members, axis=1)
    return ComparisonTerms(-lengths, -products / lengths, products / lengths - products / own[:, None])


def term_tolerance(distance: Distance, members: Vector, k: int) -> float:
    """The tie of ``tie_margin`` as a difference of F."""
    return tie_margin(distance, members) * (k + 1) / (2 if distance == "euclidean" else 1)
