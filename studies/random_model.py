"""What a language model with random weights gets on groups, by each measure of lm-evaluation-harness.

Settled what ``docs/harnesses.md`` says of measures that reward length.

The model is a bigram model of bytes: the logarithm of each byte's probability after another is drawn from a normal
distribution, and then made to add up. It has learnt nothing, so a measure by which it is above chance rewards form.

python -m studies.random_model OUT... [--models 20]
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.report import table
from wikisem.datasets.word_groups import read_dataset
from wikisem.records import Group

MEASURES = ("acc", "acc_norm", "acc_bytes")
_CONTEXT = b":"  # the last byte of the question
_SPREAD = 0.5


def log_likelihoods(model: npt.NDArray[np.float64], words: Sequence[str]) -> npt.NDArray[np.float64]:
    """The logarithm of the probability of each word, after a blank, as the answer."""
    texts = [_CONTEXT + b" " + word.encode() for word in words]
    return np.array([sum(model[one, next_] for one, next_ in pairwise(text)) for text in texts])


def score(groups: Sequence[Group], seed: int) -> list[float]:
    """The accuracy of one model by each measure, in percent."""
    model = np.random.default_rng(seed).normal(0, _SPREAD, (256, 256))
    model -= np.log(np.exp(model).sum(axis=1, keepdims=True))
    right = defaultdict[str, list[bool]](list)
    for group in groups:
        for outlier in group.outliers:
            words = [*(member.surface for member in group.cluster), outlier.surface]
            found = log_likelihoods(model, words)
            lengths: tuple[Any, ...] = (1, [len(word) for word in words], [len(word.encode()) for word in words])
            for measure, length in zip(MEASURES, lengths, strict=True):
                right[measure].append(int(np.argmax(found / length)) == len(words) - 1)
    return [100 * float(np.mean(right[measure])) for measure in MEASURES]


def main() -> None:
    """Print the mean over the models of each measure, and the lowest and the highest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, nargs="+", help="output folders of builds, or files of groups")
    parser.add_argument("--models", type=int, default=20, help="how many models (default: 20)")
    arguments = parser.parse_args()
    lines = []
    for output in arguments.output:
        groups = read_dataset(output)
        chances = [1 / (1 + len(group.cluster)) for group in groups for _ in group.outliers]
        scores = zip(*(score(groups, seed) for seed in range(arguments.models)), strict=True)
        cells = [f"{np.mean(found):.1f} ({min(found):.1f} to {max(found):.1f})" for found in scores]
        lines.append([str(output), f"{100 * np.mean(chances):.1f}", *cells])
    print(table(["", "chance", *MEASURES], lines))


if __name__ == "__main__":
    main()
