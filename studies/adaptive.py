"""Does an adaptive form of a tenth of the groups rank models as the whole set does?

    python -m studies.adaptive [--data-sets 40]

Simulated as in studies.calibration: 150 groups of four cases, b normal, ln a normal with spread 0.4. Some models
calibrate the bank. Ten others, with abilities of their own, are ranked by 15 groups each: chosen one after the other
for each model, the same ones for all that tell the most of the bank's models, or drawn; and by all 150.
"""

import argparse

import numpy as np

from studies.calibration import simulate
from wikisem.evaluation.calibration import AdaptiveForm, Calibration, calibrate
from wikisem.evaluation.statistics import correlate

GROUPS, FORM, RANKED = 150, 15, 10


def ability(bank: Calibration, right: np.ndarray, asked: np.ndarray, groups: list[int]) -> float:
    """The ability of one model by its answers to some groups."""
    form = AdaptiveForm(bank)
    for group in groups:
        form.add(group, right[group], asked[group])
    return form.ability


def adaptive(bank: Calibration, right: np.ndarray, asked: np.ndarray) -> float:
    """The ability of one model by groups that are chosen one after the other."""
    form = AdaptiveForm(bank)
    for _ in range(FORM):
        group, _ = form.next_groups()[0]
        form.add(group, right[group], asked[group])
    return form.ability


def agreement(ones: list[float], others: list[float]) -> tuple[float, float, float]:
    """Spearman's ρ, whether the order is the same, and the share of pairs of models in the same order."""
    one, other = np.array(ones), np.array(others)
    upper = np.triu_indices(len(one), 1)
    same = np.sign(one[upper[0]] - one[upper[1]]) == np.sign(other[upper[0]] - other[upper[1]])
    return correlate(ones, others).spearman or 0.0, float(same.all()), float(same.mean())


def compare(calibrated: int, data_sets: int) -> None:
    """Print how well each way ranks the ten models, beside the whole set and beside the truth."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for seed in range(data_sets):
        generator = np.random.default_rng(1000 + seed)
        theta, _, _, answers = simulate(calibrated + RANKED, GROUPS, seed)
        bank = calibrate(answers.of(models=range(calibrated)), discriminations=None)
        others = answers.of(models=range(calibrated, calibrated + RANKED))
        columns = list(zip(others.right.T, others.asked.T, strict=True))
        drawn = generator.permutation(GROUPS)[:FORM].tolist()
        whole = [ability(bank, right, asked, list(range(GROUPS))) for right, asked in columns]
        truth = theta[calibrated:].tolist()
        ways = {
            "adaptive": [adaptive(bank, right, asked) for right, asked in columns],
            "most informative": [
                ability(bank, right, asked, bank.most_informative()[:FORM]) for right, asked in columns
            ],
            "drawn, ability": [ability(bank, right, asked, drawn) for right, asked in columns],
            "drawn, accuracy": [float(right[drawn].sum()) for right, _ in columns],
            "all 150": whole,
        }
        for name, scores in ways.items():
            found.setdefault(name, []).append((*agreement(scores, whole), *agreement(scores, truth)))
    for name, rows in found.items():
        rho, same, pairs, true_rho, true_same, true_pairs = np.mean(rows, axis=0)
        print(
            f"{calibrated} models calibrated, {name}: with the whole set ρ {rho:.3f}, same order {same:.2f}, pairs "
            f"{pairs:.3f}; with the truth ρ {true_rho:.3f}, same order {true_same:.2f}, pairs {true_pairs:.3f}",
            flush=True,
        )


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=40)
    for calibrated in (8, 20, 40):
        compare(calibrated, parser.parse_args().data_sets)


if __name__ == "__main__":
    main()
