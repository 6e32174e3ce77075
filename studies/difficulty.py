"""How what is known of a case before any model predicts errors, and how well it does for other models and classes.

    python -m studies.difficulty GROUPS=CASES [GROUPS=CASES ...] --fit MODEL,MODEL --test MODEL,MODEL

GROUPS is a folder or file of groups in one language, CASES what `wikisem evaluate outliers GROUPS --cases CASES` wrote.
The fit is by logistic regression with an intercept for each model, to the models of --fit and to half of the classes,
by hash; standard errors are clustered by class. It is measured on each model of --test and on the other half.
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import expit

from wikisem.datasets.word_groups import name_languages, read_dataset
from wikisem.evaluation.correlation import ranks
from wikisem.evaluation.statistics import FloatArray, bootstrap
from wikisem.heuristics.selection.difficulty import FIT, features

NAMES = list(FIT)


class Rows:
    """Features, errors, classes and models of answers."""

    def __init__(self, pairs: Sequence[str]) -> None:
        found = []
        for pair in pairs:
            groups, _, cases = pair.partition("=")
            known = {}
            for group in name_languages(read_dataset(groups), Path(groups)):
                seen: Counter[str] = Counter()
                for outlier in group.outliers:
                    seen[outlier.surface] += 1
                    again = f" #{seen[outlier.surface]}" if seen[outlier.surface] > 1 else ""
                    case = f"{group.language}/{group.id}/{outlier.surface}{again}".lstrip("/")
                    known[case] = (group.id, features(group, outlier))
            for line in Path(cases).read_text("utf-8").splitlines():
                row = json.loads(line)
                name, has = known[row["case"]]
                found.append(([has[each] for each in NAMES], not row["right"], name, row["model"], pair))
        columns = list(zip(*found, strict=True))
        self.x, self.wrong = np.array(columns[0]), np.array(columns[1], dtype=float)
        self.classes, self.models, self.sets = (np.array(column) for column in columns[2:])
        self.half = np.array([hashlib.sha256(name.encode()).digest()[-1] % 2 for name in self.classes])


def logistic(x: FloatArray, y: FloatArray, clusters: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Coefficients, and standard errors clustered by class."""
    at = np.zeros(x.shape[1])
    for _ in range(50):
        p = expit(x @ at)
        information = x.T @ (x * (p * (1 - p))[:, None])
        at = at + np.linalg.solve(information + 1e-9 * np.eye(len(at)), x.T @ (y - p))
    residuals = x * (y - expit(x @ at))[:, None]
    sums = np.array([residuals[clusters == name].sum(axis=0) for name in np.unique(clusters)])
    bread = np.linalg.inv(information)
    return at, np.sqrt(np.diagonal(bread @ (sums.T @ sums) @ bread) * len(sums) / (len(sums) - 1))


def auc(scores: FloatArray, wrong: FloatArray) -> float:
    """The chance that a wrong case has a higher score than a right one."""
    positive = wrong.sum()
    negative = len(wrong) - positive
    if not positive or not negative:
        return float("nan")
    return float(
        (np.array(ranks(scores.tolist()))[wrong == 1].sum() - positive * (positive + 1) / 2) / positive / negative
    )


def measure(rows: Rows, kept: np.ndarray, scores: FloatArray, thirds: FloatArray) -> str:
    """AUC with its interval over classes, the slope of calibration, and the errors in each third of the fit."""
    wrong, classes, scores = rows.wrong[kept], rows.classes[kept], scores[kept]
    names = np.unique(classes)
    at = [np.flatnonzero(classes == name) for name in names]

    def drawn(places: np.ndarray) -> float:
        chosen = np.concatenate([at[place] for place in places])
        return auc(scores[chosen], wrong[chosen])

    low, high = bootstrap(len(names), drawn, 500)
    slope = logistic(np.column_stack([np.ones(len(scores)), scores]), wrong, classes)
    tier = np.searchsorted(thirds, scores)
    parts = [wrong[tier == each] for each in range(3)]
    errors = ", ".join(f"{100 * part.sum() / max(1, len(part)):.0f} % of {len(part)}" for part in parts)
    ends = f"{slope[0][1] - 1.96 * slope[1][1]:.2f} to {slope[0][1] + 1.96 * slope[1][1]:.2f}"
    return f"AUC {auc(scores, wrong):.2f} ({low:.2f} to {high:.2f}), slope {slope[0][1]:.2f} ({ends}), wrong: {errors}"


def main() -> None:
    """Fit, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--fit", required=True)
    parser.add_argument("--test", required=True)
    arguments = parser.parse_args()
    rows, models = Rows(arguments.pairs), arguments.fit.split(",")
    used = (rows.half == 0) & np.isin(rows.models, models)
    own = (rows.models[used, None] == np.array(models)).astype(float)
    at, errors = logistic(np.hstack([own, rows.x[used]]), rows.wrong[used], rows.classes[used])
    weights, its = at[len(models) :], errors[len(models) :]
    spread, means = rows.x[used].std(axis=0), rows.x[used].mean(axis=0)
    for name, weight, error, scale, mean in zip(NAMES, weights, its, spread, means, strict=True):
        ends = f"{(weight - 1.96 * error) * scale:+.2f} to {(weight + 1.96 * error) * scale:+.2f}"
        print(f"{name}: weight {weight:+.4f}, mean {mean:.3f}; for a standard deviation {weight * scale:+.2f} ({ends})")
    scores = at[: len(models)].mean() + rows.x @ weights
    thirds = np.percentile(scores[used], [100 / 3, 200 / 3])
    print(f"intercept {at[: len(models)].mean():+.4f}, thirds at {np.round(expit(thirds), 3).tolist()}")
    print(f"fitted to {used.sum()} answers, {len(set(rows.classes[used]))} classes")
    for model in arguments.test.split(","):
        for pair in arguments.pairs:
            for half, name in ((1, "other classes"), (0, "classes of the fit")):
                kept = (rows.half == half) & (rows.models == model) & (rows.sets == pair)
                near = measure(rows, kept, -rows.x[:, 0] - 2 * rows.x[:, 1], thirds).split(",")[0]
                print(f"{model}, {pair}, {name}: {measure(rows, kept, scores, thirds)}; outlier class alone {near}")


if __name__ == "__main__":
    main()
