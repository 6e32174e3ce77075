"""How often the paired test calls equal models different, with ties in full and as mid-p, over sixty kinds of data.

Groups of one case or six, five to fifty of them, easy, hard or mixed, half of them or nine in ten equally hard for both
models. P-values are exact: the distribution of the sum of differences of either sign is added up group by group.

    python -m benchmarks.mid_p [SAMPLES]
"""

import sys
from itertools import product

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.statistics import FloatArray

LEVEL = 0.05
# Parameters of the beta distribution of a group's difficulty: means .7, .95 and .5.
DIFFICULTIES = ((2.8, 1.2), (19.0, 1.0), (1.0, 1.0))
SHARED, CASES, GROUPS = (0.5, 0.9), (1, 6), (5, 8, 13, 20, 50)


def sum_distribution(gaps: npt.NDArray[np.int64]) -> FloatArray:
    """The chance of each sum, from the lowest to the highest, when each difference could have either sign."""
    sizes = np.abs(gaps)
    chances = np.zeros(2 * int(sizes.sum()) + 1)
    chances[len(chances) // 2] = 1
    for size in sizes[sizes > 0]:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    return chances


def p_values(gaps: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Two-sided, with sums that tie with the one that was seen counted in full, and by half.

    >>> p_values(np.array([1, 1, 1, 1, 1]))
    (0.0625, 0.03125)
    """
    chances, seen = sum_distribution(gaps), abs(int(gaps.sum()))
    if not seen:
        return 1.0, 1.0
    middle = len(chances) // 2
    larger, equal = float(chances[middle + seen + 1 :].sum()), float(chances[middle + seen])
    return 2 * (larger + equal), 2 * (larger + equal / 2)


def false_alarms(
    difficulty: tuple[float, float], shared: float, cases: int, groups: int, samples: int
) -> npt.NDArray[np.float64]:
    """In percent, with ties in full and by half."""
    generator = np.random.default_rng(groups)
    alarms = np.zeros(2)
    for _ in range(samples):
        same = generator.random(groups) < shared
        one = generator.beta(*difficulty, groups)
        other = np.where(same, one, generator.beta(*difficulty, groups))
        gaps = generator.binomial(cases, one) - generator.binomial(cases, other)
        alarms += np.array(p_values(gaps)) <= LEVEL + 1e-12
    return 100 * alarms / samples


def main() -> None:
    """Print the lowest and highest of each test, by number of groups; 4,000 samples if the argument is missing."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print("| groups | ties in full, % | mid-p, % |\n|---:|---|---|")
    for groups in GROUPS:
        settings = product(DIFFICULTIES, SHARED, CASES)
        found = np.array([false_alarms(*setting, groups, samples) for setting in settings])
        full, half = (f"{column.min():.1f} to {column.max():.1f}" for column in found.T)
        print(f"| {groups} | {full} | {half} |", flush=True)


if __name__ == "__main__":
    main()
