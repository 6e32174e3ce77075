"""Does `wikisem evaluate calibrate` recover what answers were simulated with, and do its counts of groups hold?

    python -m studies.calibration [--data-sets 40] [--save FOLDER]

Simulated: b normal, ln a normal with spread 0.4, abilities normal, 150 groups of four cases, several numbers of models.
With --save, the answers of one data set of 200 models are written for other programs: right.csv (a group a line), a.csv
and b.csv; `--peer FOLDER` compares the a and b that another program wrote there (peer_a.csv, peer_b.csv).
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from wikisem.evaluation.calibration import Answers, calibrate, differences

CASES, SPREAD = 4, 0.4


def simulate(
    models: int, groups: int, seed: int, abilities: np.ndarray | None = None, cases: int = CASES
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Answers]:
    """Abilities, discriminations, difficulties, and answers that were drawn by them."""
    generator = np.random.default_rng(seed)
    theta = generator.normal(size=models) if abilities is None else abilities
    b, a = generator.normal(size=groups), np.exp(SPREAD * generator.normal(size=groups))
    chances = 1 / (1 + np.exp(-a[:, None] * (theta - b[:, None])))
    right = generator.binomial(cases, chances).astype(float)
    names = tuple(map(str, range(groups)))
    return theta, a, b, Answers(tuple(map(str, range(models))), names, names, right, np.full_like(right, cases))


def row(true: np.ndarray, found: np.ndarray, errors: np.ndarray) -> list[float]:
    """Correlation, bias, and the share of intervals of 95 % that cover the truth."""
    return [np.corrcoef(true, found)[0, 1], (found - true).mean(), (abs(found - true) < 1.96 * errors).mean()]


def recover(models: int, data_sets: int) -> None:
    """Print how well each kind of number is recovered."""
    found = []
    for seed in range(data_sets):
        theta, a, b, answers = simulate(models, 150, seed)
        fit = calibrate(answers, discriminations=True)
        rows = [row(theta, fit.abilities, fit.errors), row(b, *fit.difficulty), row(np.log(a), *fit.log_discrimination)]
        found.append([*np.concatenate(rows), fit.spread, fit.reliability()[1]])
    mean = np.mean(found, axis=0)
    for at, name in enumerate(("ability", "difficulty", "ln discrimination")):
        r, bias, covered = mean[3 * at : 3 * at + 3]
        print(f"{models} models, {name}: r {r:.3f}, bias {bias:+.3f}, covered {covered:.3f}")
    print(f"{models} models: spread of ln a {mean[9]:.3f} ({SPREAD}), its reliability {mean[10]:.3f}", flush=True)


def power(data_sets: int) -> None:
    """Print how often two models are told apart on as many groups as smaller data sets say are needed."""
    abilities = np.array([-1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.3])

    def gap(groups: int, seed: int) -> Any:
        found = differences(calibrate(simulate(8, groups, seed, abilities)[3]))
        return next(one for one in found if {one.model, one.other} == {"3", "4"})

    groups = int(np.median([gap(100, seed).groups for seed in range(15)]))
    pairs = [gap(groups, seed) for seed in range(1000, 1000 + data_sets)]
    told = sum(one.model == "4" and one.difference > 1.96 * one.error for one in pairs)
    print(f"median of 15 sets of 100 groups: {groups} groups needed; told apart in {told} of {data_sets} of that size")


def save(folder: Path) -> None:
    """Write a data set of 200 models for other programs."""
    _, a, b, answers = simulate(200, 100, 7, cases=1)
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in (("right", answers.right), ("a", a), ("b", b)):
        np.savetxt(folder / f"{name}.csv", values, delimiter=",", fmt="%.9g")


def compare(folder: Path) -> None:
    """Print how far we and another program are from the truth, and from each other."""
    right, a, b = (np.loadtxt(folder / f"{name}.csv", delimiter=",") for name in ("right", "a", "b"))
    names = tuple(map(str, range(len(right))))
    fit = calibrate(Answers(tuple(map(str, range(right.shape[1]))), names, names, right, np.ones_like(right)))
    ours = {"a": np.exp(fit.log_discrimination[0]), "b": fit.difficulty[0]}
    for name, true in (("a", a), ("b", b)):
        peer = np.loadtxt(folder / f"peer_{name}.csv", delimiter=",")
        for who, values in (("wikisem", ours[name]), ("peer", peer)):
            error = np.sqrt(((values - true) ** 2).mean())
            print(f"{name}, {who}: r {np.corrcoef(values, true)[0, 1]:.3f}, root mean square error {error:.3f}")
        print(f"{name}: r of both {np.corrcoef(ours[name], peer)[0, 1]:.3f}")


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=40)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--peer", type=Path)
    arguments = parser.parse_args()
    if arguments.save or arguments.peer:
        (save if arguments.save else compare)(arguments.save or arguments.peer)
        return
    for models in (5, 8, 10, 20):
        recover(models, arguments.data_sets)
    power(arguments.data_sets)


if __name__ == "__main__":
    main()
