"""How often intervals of 95 % include the truth, and how often equal models are called different, by simulation.

Settled the error bars of ``evaluate``: by group, expanded percentiles, mid-p-values.

Test cases come in groups of six. A group has a difficulty of its own, drawn from a beta distribution, and its cases are
right with that probability, so that they depend on each other. In a paired comparison two models have the same true
score; half of the groups are equally hard for both, the others draw a difficulty for each.

Walls have four of a number of classes each. A class has a difficulty of its own, drawn from a normal distribution, and
a wall is solved where the sum of its classes' and its own is above a bound.

    python -m studies.error_bars
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from wikisem.evaluation.statistics import FloatArray, clustered_means, sign_flip_p, wilson
from wikisem.evaluation.walls import widening

CASES, CLUSTER = 6, 8
# Beta(2.8, 1.2): a mean of .7 and a correlation of .2 between the cases of a group.
HARD, EASY = 2.8, 1.2
TRUTH = HARD / (HARD + EASY)
SIZES = (8, 20, 100, 500)


def difficulties(generator: np.random.Generator, groups: int) -> FloatArray:
    """The probability with which each group's cases are right."""
    return generator.beta(HARD, EASY, size=groups)


def covers(generator: np.random.Generator, groups: int) -> tuple[bool, bool, float, float]:
    """Of one sample: whether our interval has the truth, whether one of independent cases has it, both errors."""
    right = generator.binomial(CASES, difficulties(generator, groups)).astype(np.float64)
    bars = clustered_means(right[:, None], np.full(groups, CASES), int(generator.integers(2**32)))[0]
    low, high = wilson(bars.value, groups * CASES)
    naive = (bars.value * (1 - bars.value) / (groups * CASES)) ** 0.5
    return bars.low <= TRUTH <= bars.high, low <= TRUTH <= high, bars.standard_error or 0.0, naive


def false_alarms(generator: np.random.Generator, groups: int) -> tuple[bool, bool]:
    """Whether two models of the same true score differ at the level of 5 %, by OPP and by accuracy."""
    shared = generator.random(groups) < 0.5
    one, other = difficulties(generator, groups), difficulties(generator, groups)
    other = np.where(shared, one, other)
    seed = int(generator.integers(2**32))
    positions = [generator.binomial(CASES * CLUSTER, hard) / CLUSTER for hard in (one, other)]
    detected = [generator.binomial(CASES, hard).astype(np.float64) for hard in (one, other)]
    return sign_flip_p(positions[0] - positions[1], seed) <= 0.05, sign_flip_p(detected[0] - detected[1], seed) <= 0.05


def rows(samples: int) -> Iterator[str]:
    """A row of the table for each number of groups."""
    for groups in SIZES:
        generator = np.random.default_rng(groups)
        found = np.array([covers(generator, groups) for _ in range(samples)])
        opp, accuracy = 100 * np.mean([false_alarms(generator, groups) for _ in range(2 * samples)], axis=0)
        ours, naive = 100 * found[:, 0].mean(), 100 * found[:, 1].mean()
        ratio = 100 * (1 - found[:, 3].mean() / found[:, 2].mean())
        yield f"| {groups} | {ours:.1f} | {naive:.1f} | {ratio:.0f} | {opp:.1f} | {accuracy:.1f} |"


WALLS = 160


def wall_covers(generator: np.random.Generator, classes: int, spread: float) -> tuple[bool, bool]:
    """Of one sample of walls: whether our interval has the truth, and whether one of independent walls has it."""
    chosen = np.array([generator.choice(classes, 4, replace=False) for _ in range(WALLS)])
    levels = generator.normal(0, spread, classes)[chosen].sum(axis=1) / 2 + generator.normal(-1, 1, WALLS)
    solved = (levels > 0).astype(np.float64)[:, None]
    truth = float(ndtr(-1 / np.sqrt(1 + spread**2)))
    bars = clustered_means(solved, np.ones(WALLS), int(generator.integers(2**32)))[0]
    (times,) = widening(solved, [frozenset(map(str, own)) for own in chosen])
    low, high = (bars.value + times * (end - bars.value) for end in (bars.low, bars.high))
    return low <= truth <= high, bars.low <= truth <= bars.high


def main() -> None:
    """Print the tables; the number of samples is the first argument, 1,000 if there is none."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"| groups of {CASES} | coverage, % | cases as independent, % | SE too small by, % | ", end="")
    print("false alarms: OPP, % | accuracy, % |")
    print("|---|---|---|---|---|---|")
    for row in rows(samples):
        print(row, flush=True)
    print(
        f"\n| classes of {WALLS} walls | spread of classes | coverage, % | walls as independent, % |\n|---|---|---|---|"
    )
    for classes, spread in ((300, 0.0), (300, 1.0), (300, 2.0), (60, 1.0)):
        generator = np.random.default_rng(classes)
        ours, naive = 100 * np.mean([wall_covers(generator, classes, spread) for _ in range(samples)], axis=0)
        print(f"| {classes} | {spread} | {ours:.1f} | {naive:.1f} |", flush=True)


if __name__ == "__main__":
    main()
