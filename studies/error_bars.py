"""How often intervals of 95 % include the truth, and how often equal models are called different, by simulation.

Settled the error bars of ``evaluate``: by class, expanded percentiles, mid-p-values.

Test cases come in classes of six. A class has a difficulty of its own, drawn from a beta distribution, and its cases
are right with that probability, so that they depend on each other. In a paired comparison two models have the same true
score; half of the classes are equally hard for both, the others draw a difficulty for each.

In the sample, classes have groups in several languages. A case has the answer that its class has to it in all
languages, by a difficulty of the class, with a probability ρ, and otherwise one of its own, by a difficulty of the
group. Intervals and tests by class are compared with those that take the groups of a class as independent.

Walls have four of a number of classes each. A class has a difficulty of its own, drawn from a normal distribution, and
a wall is solved where the sum of its classes' and its own is above a bound. For two equal models all of that is drawn
twice.

    python -m studies.error_bars
"""

import sys
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.special import ndtr

from wikisem.datasets.word_groups import read_dataset
from wikisem.evaluation.calibration import Answers, calibrate, differences
from wikisem.evaluation.statistics import (
    FloatArray,
    clustered_means,
    clustered_wilson,
    compare_paired,
    effective_units,
    sign_flip_p_values,
    wilson,
)

CASES, CLUSTER = 6, 8
# Beta(2.8, 1.2): a mean of .7 and a correlation of .2 between the cases of a class.
HARD, EASY = 2.8, 1.2
TRUTH = HARD / (HARD + EASY)
SIZES = (8, 20, 100, 500)


def difficulties(generator: np.random.Generator, classes: int) -> FloatArray:
    """The probability with which each class's cases are right."""
    return generator.beta(HARD, EASY, size=classes)


def covers(generator: np.random.Generator, groups: int) -> tuple[bool, bool, bool, float, float]:
    """Of one sample: whether our intervals have the truth, whether one of independent cases has it, both errors."""
    right = generator.binomial(CASES, difficulties(generator, groups)).astype(np.float64)
    bars = clustered_means(right[:, None], np.full(groups, CASES), int(generator.integers(2**32)))[0]
    low, high = wilson(bars.value, groups * CASES)
    naive = (bars.value * (1 - bars.value) / (groups * CASES)) ** 0.5
    least, most = clustered_wilson(right, np.full(groups, CASES))
    has = (bars.low <= TRUTH <= bars.high, least <= TRUTH <= most, low <= TRUTH <= high)
    return *has, bars.standard_error or 0.0, naive


def false_alarms(generator: np.random.Generator, groups: int) -> tuple[bool, bool]:
    """Whether two models of the same true score differ at the level of 5 %, by OPP and by accuracy."""
    shared = generator.random(groups) < 0.5
    one, other = difficulties(generator, groups), difficulties(generator, groups)
    other = np.where(shared, one, other)
    seed = int(generator.integers(2**32))
    positions = [generator.binomial(CASES * CLUSTER, hard) / CLUSTER for hard in (one, other)]
    detected = [generator.binomial(CASES, hard).astype(np.float64) for hard in (one, other)]
    opp, accuracy = sign_flip_p_values(np.column_stack([positions[0] - positions[1], detected[0] - detected[1]]), seed)
    return opp <= 0.05, accuracy <= 0.05


def rows(samples: int) -> Iterator[list[str]]:
    """A row of the table for each number of classes."""
    for groups in SIZES:
        generator = np.random.default_rng(groups)
        found = np.array([covers(generator, groups) for _ in range(samples)])
        opp, accuracy = 100 * np.mean([false_alarms(generator, groups) for _ in range(2 * samples)], axis=0)
        ratio = 100 * (1 - found[:, 4].mean() / found[:, 3].mean())
        numbers = (*100 * found[:, :3].mean(axis=0), ratio, opp, accuracy)
        yield [str(groups), *(f"{number:.1f}" for number in numbers)]


# The sample: its groups of a class in several languages.

SHARES = (0.0, 0.2, 0.5, 0.8)


class Sample:
    """The groups of the sample: how many cases each has, and the number of its class."""

    def __init__(self) -> None:
        groups = read_dataset("sample")
        numbers = {name: at for at, name in enumerate(dict.fromkeys(group.id for group in groups))}
        self.names = tuple(f"{group.language}/{group.id}" for group in groups)
        self.class_of = np.array([numbers[group.id] for group in groups])
        self.sizes = np.array([len(group.outliers) for group in groups])
        self.classes = len(numbers)

    def answer(self, generator: np.random.Generator, share: float) -> FloatArray:
        """How many cases of each group a model has right, of which a share is common to a class."""
        shape = (len(self.sizes), int(self.sizes.max()))
        own = generator.random(shape) < difficulties(generator, shape[0])[:, None]
        by_class = generator.random((self.classes, shape[1])) < difficulties(generator, self.classes)[:, None]
        right = np.where(generator.random(shape) < share, by_class[self.class_of], own)
        return np.asarray((right & (np.arange(shape[1]) < self.sizes[:, None])).sum(axis=1), dtype=np.float64)

    def by_class(self, of_groups: FloatArray) -> FloatArray:
        """The sums over the groups of each class."""
        return np.bincount(self.class_of, of_groups).astype(np.float64)

    def covers(self, generator: np.random.Generator, share: float) -> tuple[bool, ...]:
        """Of one model: which interval has the truth; of two equal ones: which test tells them apart."""
        seed = int(generator.integers(2**32))
        one, other = self.answer(generator, share), self.answer(generator, share)
        units = [(one, other, self.sizes), tuple(map(self.by_class, (one, other, self.sizes)))]
        worth = (None, effective_units(np.bincount(self.class_of)))
        bars = [
            clustered_means(right[:, None], sizes, seed, worth=each)[0]
            for (right, _, sizes), each in zip(units, worth, strict=True)
        ]
        apart = [sign_flip_p_values((right - wrong)[:, None], seed)[0] <= 0.05 for right, wrong, _ in units]
        return (*(each.low <= TRUTH <= each.high for each in bars), *apart)

    def calibrated_apart(self, generator: np.random.Generator, share: float) -> tuple[bool, bool]:
        """Whether calibration tells two equal models apart, with groups as independent and by class."""
        right = np.column_stack([self.answer(generator, share) for _ in range(2)])
        asked = np.column_stack([self.sizes] * 2).astype(np.float64)
        classes = (self.names, tuple(map(str, self.class_of)))
        found = [calibrate(Answers(("one", "other"), self.names, own, right, asked)) for own in classes]
        groups, ours = (differences(one)[0].p_holm <= 0.05 for one in found)
        return groups, ours


WALLS = 160


def wall_covers(generator: np.random.Generator, classes: int, spread: float) -> tuple[bool, ...]:
    """Of one sample of walls: whether our interval has the truth, and whether two equal models are told apart.

    Each is followed by the same with walls as independent.
    """
    chosen = np.array([generator.choice(classes, 4, replace=False) for _ in range(WALLS)])
    shared, seed = [frozenset(map(str, own)) for own in chosen], int(generator.integers(2**32))
    levels = generator.normal(0, spread, (2, classes))[:, chosen].sum(axis=2) / 2 + generator.normal(-1, 1, (2, WALLS))
    one, other = (levels > 0).astype(np.float64)
    truth = float(ndtr(-1 / np.sqrt(1 + spread**2)))
    bars = [clustered_means(one[:, None], np.ones(WALLS), seed, each)[0] for each in (shared, ())]
    pairs = [compare_paired(one, other, np.ones(WALLS), seed, each) for each in (shared, ())]
    return (
        *(each.low <= truth <= each.high for each in bars),
        *(pair is not None and pair.p <= 0.05 for pair in pairs),
    )


def main() -> None:
    """Print the tables; the number of samples is the first argument, 1,000 if there is none."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print_table(
        [
            f"classes of {CASES}",
            "covered",
            "Wilson (baselines)",
            "cases as independent",
            "SE too small by",
            "false alarms: OPP",
            "accuracy",
        ],
        rows(samples),
    )
    sample = Sample()
    heads = ["covered: groups", "classes", "false alarms: groups", "classes"]
    heads += ["calibrate, false alarms: groups", "classes"]
    print_table([f"the sample, {sample.classes} classes, ρ", *heads], sample_rows(sample, samples))
    heads = ["covered", "walls as independent", "false alarms", "walls as independent"]
    print_table([f"classes of {WALLS} walls, spread", *heads], wall_rows(samples))


def sample_rows(sample: Sample, samples: int) -> Iterator[list[str]]:
    """A row for each share of common answers."""
    for share in SHARES:
        generator = np.random.default_rng(int(10 * share))
        found = [sample.covers(generator, share) for _ in range(samples)]
        calibrated = [sample.calibrated_apart(generator, share) for _ in range(samples // 4)]
        yield [str(share), *percents(found), *percents(calibrated)]


def wall_rows(samples: int) -> Iterator[list[str]]:
    """A row for each number of classes and spread of their difficulties."""
    for classes, spread in ((300, 0.0), (300, 1.0), (300, 2.0), (60, 1.0)):
        generator = np.random.default_rng(classes)
        yield [f"{classes}, {spread}", *percents([wall_covers(generator, classes, spread) for _ in range(samples)])]


def percents(found: Sequence[tuple[bool, ...]]) -> list[str]:
    """How often each is true."""
    return [f"{share:.1f}" for share in 100 * np.mean(found, axis=0)]


def print_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Print a table, each row as soon as it is known; all numbers are in percent."""
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for line in lines:
        print(f"| {' | '.join(line)} |", flush=True)


if __name__ == "__main__":
    main()
