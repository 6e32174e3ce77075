"""How often a cutoff is found, how often its interval has it, and how often one is seen where there is none.

Settled the test and the interval of ``evaluate cutoff``. Classes have six cases. A model without a cutoff is right with
a probability of its class, .7 on average; where accuracy falls slowly, .2 higher for the oldest item and .2 lower for
the newest. A model with a cutoff is right in 30 % of the cases with a newer member.

    python -m studies.cutoff
"""

import sys
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.cutoff import find_step
from wikisem.evaluation.rows import LEVEL
from wikisem.evaluation.statistics import FloatArray

Ints = npt.NDArray[np.int64]
CASES: Final = 6
ITEMS: Final = 10**8
CUTOFF: Final = 4 * 10**7
MODELS: Final = ("none", "none, falls slowly", "cutoff")
# Beta(2.8, 1.2): a mean of .7 and a correlation of .2 between the cases of a class.
HARD, EASY = 2.8, 1.2


def sample(generator: np.random.Generator, groups: int, model: str) -> tuple[Ints, FloatArray, Ints]:
    """The numbers, answers and classes of the cases of some classes, in order of the numbers."""
    newest = np.sort((ITEMS * generator.beta(1.5, 1.5, size=groups)).astype(np.int64))
    classes = np.repeat(np.arange(groups), CASES)
    numbers = newest[classes]
    chance = generator.beta(HARD, EASY, size=groups)[classes]
    if model == "none, falls slowly":
        chance = np.clip(chance + 0.2 - 0.4 * numbers / ITEMS, 0, 1)
    if model == "cutoff":
        chance = np.where(numbers > CUTOFF, 0.3, chance)
    return numbers, (generator.random(len(classes)) < chance).astype(np.float64), classes


def row(groups: int, samples: int) -> str:
    """A row of the table: how often a change is seen in each model, and how often its interval has the cutoff."""
    generator = np.random.default_rng(groups)
    seen, covered, widths = dict.fromkeys(MODELS, 0), 0, list[float]()
    for model in MODELS:
        for _ in range(samples):
            numbers, right, classes = sample(generator, groups, model)
            step = find_step(numbers, right, classes, int(generator.integers(2**32)))
            if step is not None and step.p <= LEVEL:
                seen[model] += 1
                if model == "cutoff":
                    covered += bool(numbers[step.low - 1] <= CUTOFF < numbers[step.high])
                    widths.append(float(numbers[step.high] - numbers[step.low - 1]) / ITEMS)
    shares = (f"{100 * seen[model] / samples:.1f}" for model in MODELS)
    interval = (f"{100 * covered / len(widths):.1f}", f"{100 * np.median(widths):.0f}") if widths else ("–", "–")
    return f"| {groups} | {' | '.join([*shares, *interval])} |"


def main() -> None:
    """Print the table; the number of samples is the first argument, 500 if there is none."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    heads = [f"classes of {CASES}", *(f"{model}: seen, %" for model in MODELS), "interval has it, %", "its width, %"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for groups in (20, 50, 100, 300):
        print(row(groups, samples), flush=True)


if __name__ == "__main__":
    main()
