"""Item response models over groups: how able models are and how hard groups are, on one scale, with standard errors.

A model m answers a case of group i rightly with the probability

    P = 1 / (1 + exp(-a(i) (θ(m) - b(i))))        Rasch (1960): one a for all groups; Birnbaum (1968): each its own

where θ is the ability of the model, b the difficulty of the group and a its discrimination: how steeply P rises. Cases
of a group share a and b. In this field there are few models and many groups, the opposite of an examination, so it is
the groups that are integrated out, as random draws (De Boeck 2008, "Random item IRT models", Psychometrika 73): b from
the standard normal distribution, ln a from a normal one whose mean and spread are estimated. The scale is thus that of
the difficulties: an ability of 0 solves half of the cases of a group of middling difficulty.

Abilities, mean and spread maximise the marginal likelihood, whose gradient is an expectation over the groups' posterior
distributions, as in EM (Bock and Aitkin 1981, Psychometrika 46). Weak priors keep abilities finite where a model solves
all or nothing. Their covariance is the sandwich H⁻¹ B H⁻¹ over classes (White 1982, Econometrica 50), which allows for
cases of a class, in any of its languages, that are right or wrong together for reasons that are not in the formula.
Difficulty and discrimination of a group are means of its posterior distribution, given the abilities.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec.structs import replace
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp, ndtr

from wikisem.datasets.files import csv_rows, filled_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.options import SEED
from wikisem.evaluation.rows import COVERAGE, LEVEL, Row, Scores
from wikisem.evaluation.statistics import NORMAL_QUANTILE, POWER_QUANTILE, FloatArray, IntArray, holm, ranks
from wikisem.typed_json import decode_json

# With fewer models, answers say next to nothing about a discrimination (docs/benchmarks/calibration.md).
FEWEST_FOR_2PL: Final = 8
_FEWEST_MODELS, _FEWEST_GROUPS = 2, 10
# Standard deviations of the priors of θ, of the mean of ln a, and of its spread.
_ABILITY_SD, _MEAN_SD, _SPREAD_SD = 3.0, 1.0, 0.5
# Of a further model's ability: how far it is looked for, and the least standard deviation before any answer.
_FARTHEST, _LEAST_SPREAD = 5.0, 0.5
_WIDEST: Final = 4.2  # difficulties are summed over nodes from minus this to this
# Random halves of the classes, splits of the models, and forms of each length and split.
_HALVES, _SPLITS, _RANDOM_FORMS = 1000, 20, 10
_FEWEST_TO_RANK, _FEWEST_TO_SPLIT = 3, 6  # models
KEPT: Final = 0.95
_TRUE, _FALSE = ("true", "1"), ("false", "0")
# Below this reliability, answers do not tell the single groups apart.
_UNTOLD: Final = 0.5
_FAR: Final = 4.0


@dataclass(frozen=True, slots=True)
class Answers:
    """How many of the cases of each group each model was ``asked``, and how many it had ``right``: (groups, models).

    ``classes`` has the class of each group: groups of one class, in several languages, are not independent.
    """

    models: tuple[str, ...]
    groups: tuple[str, ...]
    classes: tuple[str, ...]
    right: FloatArray
    asked: FloatArray

    def of(self, models: Sequence[int] | None = None, groups: Sequence[int] | None = None) -> "Answers":
        """The answers of some models to some groups, each given by its index; None: of all."""
        columns = list(range(len(self.models)) if models is None else models)
        rows = list(range(len(self.groups)) if groups is None else groups)
        return Answers(
            tuple(self.models[index] for index in columns),
            tuple(self.groups[index] for index in rows),
            tuple(self.classes[index] for index in rows),
            self.right[np.ix_(rows, columns)],
            self.asked[np.ix_(rows, columns)],
        )

    def class_numbers(self) -> IntArray:
        """The number of each group's class, from 0 on, in the order in which classes come first."""
        numbers = {name: index for index, name in enumerate(dict.fromkeys(self.classes))}
        return np.array([numbers[name] for name in self.classes], dtype=np.int64)


@dataclass(frozen=True)
class Calibration:
    """The estimates: abilities with their ``covariance``, and difficulty and ln of discrimination of each group.

    ``posterior``, shape ``(groups, nodes)``, has the probability of each pair of ``node_b`` and ``node_a`` for a group.
    ``mean`` and ``spread`` are those of ln a; the spread is 0 for the Rasch model. ``errors`` are those of abilities;
    each group's ``difficulty`` and ``log_discrimination`` have a mean and a standard deviation.
    """

    answers: Answers
    abilities: FloatArray
    covariance: FloatArray
    mean: float
    spread: float
    node_a: FloatArray
    node_b: FloatArray
    posterior: FloatArray
    errors: FloatArray
    difficulty: tuple[FloatArray, FloatArray]
    log_discrimination: tuple[FloatArray, FloatArray]

    def reliability(self) -> tuple[float, float | None]:
        """The reliability of difficulties, and of discriminations (None for the Rasch model): 1 - error / variance.

        Near 0, the estimates of single groups are no more than the mean of all.
        """
        (_, b_errors), (_, ln_a_errors) = self.difficulty, self.log_discrimination
        of_b = 1 - float((b_errors**2).mean())  # difficulties have a variance of 1
        return of_b, 1 - float((ln_a_errors**2).mean()) / self.spread**2 if self.spread else None

    def information(self, ability: float) -> FloatArray:
        """What a case of each group tells of an ability: the expectation of a² P (1 - P)."""
        chances = expit(self.node_a * (ability - self.node_b))
        return np.asarray(self.posterior @ (self.node_a**2 * chances * (1 - chances)))

    def most_informative(self) -> list[int]:
        """The places of the groups, those first that tell the most of the abilities of the models together."""
        cases = self.answers.asked.max(axis=1)
        worth = cases * np.sum([self.information(ability) for ability in self.abilities.tolist()], axis=0)
        return np.argsort(-worth, kind="stable").tolist()


def calibrate(answers: Answers, *, discriminations: bool | None = None, errors: bool = True) -> Calibration:
    """Fit an item response model: the ability of each model, the difficulty and discrimination of each group.

    Without ``discriminations`` that is the Rasch model; None takes it for fewer than eight models. Without ``errors``
    there is no covariance of the abilities, which takes most of the time. MissingInputError for fewer than two models,
    or fewer than ten classes that some model was asked.
    """
    answers = answers.of(groups=np.flatnonzero(answers.asked.sum(axis=1) > 0).tolist())
    models, classes = len(answers.models), len(set(answers.classes))
    if models < _FEWEST_MODELS or classes < _FEWEST_GROUPS:
        expected = f"answers of {_FEWEST_MODELS} models to groups of {_FEWEST_GROUPS} classes"
        raise MissingInputError(f"expected {expected}, saw {models} models and {classes} classes")
    if discriminations is None:
        discriminations = models >= FEWEST_FOR_2PL
    likelihood = _Likelihood(answers, discriminations)
    shares = (answers.right.sum(axis=0) + 0.5) / (answers.asked.sum(axis=0) + 1)
    # Parameters are the abilities, then the mean and the logarithm of the spread of ln a over the groups. Abilities
    # start at 1.4 times the log-odds of the shares of right answers, which vary less, as difficulties are spread.
    start = np.array([*(1.4 * np.log(shares / (1 - shares))), 0.0, math.log(0.3)])
    parameters = minimize(likelihood, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    posterior, _ = likelihood.posterior(parameters)
    covariance = likelihood.covariance(parameters, posterior) if errors else np.zeros((models, models))
    node_a, _ = likelihood.curves(parameters)
    moments = []  # mean and standard deviation, over each group's posterior, of its difficulty b and of ln a
    for values in (likelihood.node_b, np.log(node_a)):
        average = posterior @ values
        moments.append((average, np.sqrt(np.maximum(0.0, posterior @ values**2 - average**2))))
    return Calibration(
        answers,
        abilities=parameters[:-2],
        covariance=covariance,
        mean=float(parameters[-2]),
        spread=math.exp(parameters[-1]) if discriminations else 0.0,
        node_a=node_a,
        node_b=likelihood.node_b,
        posterior=posterior,
        errors=np.sqrt(np.diagonal(covariance)),
        difficulty=moments[0],
        log_discrimination=moments[1],
    )


class _Likelihood:
    """Minus the logarithm of the marginal likelihood with its priors, and the gradient of this.

    The vector ``parameters`` has the abilities, the mean of ln a, and the logarithm of the spread of ln a. The integral
    over groups is a sum over nodes, pairs of a difficulty and an ln a; groups have shape ``(groups, nodes)``.
    """

    def __init__(self, answers: Answers, discriminations: bool) -> None:
        """Lay out the nodes, points (b, ln a) whose weighted sum replaces the integral over the groups' parameters."""
        self._classes, self._discriminations = answers.class_numbers(), discriminations
        self._right, self._wrong, self._asked = answers.right, answers.asked - answers.right, answers.asked
        # The trapezoid rule is exact for curves that are wider than its steps. After n answers, the curve of a group's
        # difficulty is some 2/√n wide, and narrower at a high discrimination: with wider steps than these it falls
        # between them, and standard errors double.
        step = min(0.06, 0.5 / math.sqrt(answers.asked.sum(axis=1).max()))
        nodes = np.linspace(-_WIDEST, _WIDEST, 2 * math.ceil(_WIDEST / step) + 1)
        # The Rasch model has one discrimination for all groups, so a single node of ln a.
        logs = np.linspace(-3, 3, 11) if discriminations else np.zeros(1)
        # Of each node b, ln a in standard deviations from its mean, and the logarithm of its prior probability.
        self.node_b, self._z = (grid.ravel() for grid in np.meshgrid(nodes, logs))
        self._prior = -(self.node_b**2 + self._z**2) / 2
        self._prior -= logsumexp(self._prior)

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Minus the log of likelihood times priors, and the gradient of this, shape ``(models + 2,)``, to minimise."""
        abilities, mean, spread = parameters[:-2], parameters[-2], math.exp(parameters[-1])
        posterior, log_likelihoods = self.posterior(parameters)
        gradient = self.gradients(parameters, posterior).sum(axis=0)
        # The priors are normal, and half a normal one for the spread; this is minus their logarithm.
        penalty = (abilities @ abilities / _ABILITY_SD**2 + mean**2 / _MEAN_SD**2 + spread**2 / _SPREAD_SD**2) / 2
        slopes = [*abilities / _ABILITY_SD**2, mean / _MEAN_SD**2, spread**2 / _SPREAD_SD**2]  # of the penalty
        return float(penalty - log_likelihoods.sum()), np.asarray(np.array(slopes) - gradient)

    def covariance(self, parameters: FloatArray, posterior: FloatArray) -> FloatArray:
        """The covariance of the abilities, shape ``(models, models)``: the sandwich H⁻¹ B H⁻¹, clustered by class.

        H are the second derivatives of the objective, B the products of the gradients that each class adds, since
        groups of one class depend on each other; n classes are corrected by n / (n - 1).
        """
        # The estimated parameters: abilities, mean of ln a, and its spread, which the Rasch model does not have.
        models, classes = len(parameters) - 2, int(self._classes.max()) + 1
        free = models + 1 + self._discriminations
        # H⁻¹, the bread: second derivatives are central differences of gradients.
        width = 1e-4
        steps = width * np.eye(len(parameters))
        up, down = ([self(parameters + sign * step)[1] for step in steps] for sign in (1, -1))
        hessian = (np.array(up) - np.array(down)) / (2 * width)
        bread = np.linalg.pinv(((hessian + hessian.T) / 2)[:free, :free])
        # B, the meat: the gradients of whole classes, about their mean.
        by_class = np.zeros((classes, free))
        np.add.at(by_class, self._classes, self.gradients(parameters, posterior)[:, :free])
        meat = (by_class - by_class.mean(axis=0)).T @ by_class * classes / (classes - 1)
        return np.asarray((bread @ meat @ bread)[:models, :models])

    def curves(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The discrimination of each node, and the logits of each model there."""
        a = np.exp(parameters[-2] + math.exp(parameters[-1]) * self._z)
        return a, np.asarray(a[:, None] * (parameters[None, :-2] - self.node_b[:, None]))

    def posterior(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each group's probability of each node, ``(groups, nodes)``, and its marginal log-likelihood."""
        _, logits = self.curves(parameters)
        joint = self._prior + self._right @ log_expit(logits).T + self._wrong @ log_expit(-logits).T
        log_likelihoods = logsumexp(joint, axis=1)
        return np.exp(joint - log_likelihoods[:, None]), np.asarray(log_likelihoods)

    def gradients(self, parameters: FloatArray, posterior: FloatArray) -> FloatArray:
        """The gradient of each group's log-likelihood, shape ``(groups, models + 2)``: abilities, mean, ln spread."""
        a, logits = self.curves(parameters)  # logits a (ability - b), shape (nodes, models)
        chances = expit(logits)
        deviations = math.exp(parameters[-1]) * self._z  # of ln a from its mean
        # At a node, the gradient of a model's answers is (right - asked · chance) times a slope, the derivative of the
        # logit by the model's ability, by the mean of ln a or by ln spread. A group's is its posterior mean over nodes.
        slopes = np.broadcast_to(a[:, None], logits.shape), logits, logits * deviations[:, None]
        by_ability, by_mean, by_spread = (
            self._right * (posterior @ slope) - self._asked * (posterior @ (slope * chances)) for slope in slopes
        )
        return np.column_stack([by_ability, by_mean.sum(axis=1), by_spread.sum(axis=1)])


@dataclass(frozen=True, slots=True)
class Difference:
    """The ability of a model less that of another, and how many groups of this kind tell the two apart.

    ``groups`` gives a power of 80 % at a level of 5 %, two-sided; infinite for equal abilities.
    """

    model: str
    other: str
    difference: float
    error: float
    p_holm: float
    groups: float


def differences(found: Calibration) -> list[Difference]:
    """The difference in ability of every two models, the abler first: Holm's p-value, and how many groups show it."""
    order = np.argsort(-found.abilities, kind="stable").tolist()
    names, abilities, cov = found.answers.models, found.abilities, found.covariance
    pairs = list(combinations(order, 2))
    gaps = [float(abilities[one] - abilities[other]) for one, other in pairs]
    # The standard error of a difference, whose variance is that of both less twice their covariance.
    errors = [math.sqrt(max(1e-12, cov[one, one] + cov[other, other] - 2 * cov[one, other])) for one, other in pairs]
    p_values = holm([float(2 * ndtr(-gap / error)) for gap, error in zip(gaps, errors, strict=True)])
    rows = []
    for (one, other), gap, error, p in zip(pairs, gaps, errors, p_values, strict=True):
        # The ratio of this error to the one that shows the gap with a power of 80 %; errors fall with √groups.
        ratio = (NORMAL_QUANTILE + POWER_QUANTILE) * error / gap if gap else math.inf
        rows.append(Difference(names[one], names[other], gap, error, p, len(found.answers.groups) * ratio**2))
    return rows


@dataclass(frozen=True, slots=True)
class Form:
    """How well ``groups`` groups rank models: mean Spearman's ρ with the whole set, and the range of 95 % of the draws.

    ``half``: half of the classes with the other half instead. ``chosen`` says whether the groups were chosen by their
    information, on other models than the ``models`` that are ranked, or drawn.
    """

    groups: int
    chosen: bool
    models: int
    rho: float
    low: float
    high: float
    half: bool = False


def short_forms(answers: Answers, seed: int = SEED) -> list[Form]:
    """How well forms, subsets of the groups, rank models as all groups do: Spearman's ρ over random draws.

    First half of the classes is compared with the other half, for all models. Then forms of a half, a quarter and so on
    down to ten groups are compared with the whole set: random groups, and those that tell most by a calibration of a
    random half of the models, to rank the other half. Fewer than six models are not split.
    """
    # Take only groups of which every model was asked all cases.
    whole = (answers.asked == answers.asked.max(axis=1, keepdims=True)).all(axis=1) & (answers.asked[:, 0] > 0)
    answers = answers.of(groups=np.flatnonzero(whole).tolist())
    count, models = answers.right.shape
    generator = np.random.default_rng(seed)
    if count < 2 * _FEWEST_GROUPS or models < _FEWEST_TO_RANK:
        return []
    # Halves of the classes against each other.
    class_of = answers.class_numbers()
    classes = int(class_of.max()) + 1
    firsts = (np.isin(class_of, generator.permutation(classes)[: classes // 2]) for _ in range(_HALVES))
    rhos = [_agreement(answers, np.flatnonzero(is_first), np.flatnonzero(~is_first)) for is_first in firsts]
    # The ρ of each draw, by number of groups, whether they were chosen, and whether against the other half.
    rhos_of = defaultdict(list, {(count // 2, False, True): rhos})
    # Shorter forms against the whole set. Half of the models choose the groups, and the other half are ranked.
    everything = np.arange(count)
    lengths = [count // 2**part for part in range(1, 12) if count // 2**part >= _FEWEST_GROUPS]
    for _ in range(_SPLITS if models >= _FEWEST_TO_SPLIT else 0):
        order = generator.permutation(models).tolist()
        best = calibrate(answers.of(order[: models // 2]), errors=False).most_informative()
        others = answers.of(order[models // 2 :])
        for length in lengths:
            rhos_of[length, True, False].append(_agreement(others, np.array(best[:length]), everything))
            random = (generator.permutation(count)[:length] for _ in range(_RANDOM_FORMS))
            rhos_of[length, False, False] += [_agreement(others, groups, everything) for groups in random]
    forms = []
    for (length, chosen, half), rhos in rhos_of.items():
        if known := [rho for rho in rhos if not math.isnan(rho)]:
            low, high = np.percentile(known, [2.5, 97.5]).tolist()
            ranked = models if half else models - models // 2
            forms.append(Form(length, chosen, ranked, float(np.mean(known)), low, high, half))
    return forms


def _agreement(answers: Answers, form: IntArray, other: IntArray) -> float:
    """Spearman's ρ of the scores of models on some groups with those on others; NaN where all score the same."""
    scores = [ranks(answers.right[places].sum(axis=0).tolist()) for places in (form, other)]
    if any(len(set(score)) < 2 for score in scores):
        return math.nan
    return float(np.corrcoef(scores[0], scores[1])[0, 1])


class AdaptiveForm:
    """The ability of a model that was not calibrated, from its answers to some groups of a calibrated bank.

    ``ability`` and ``error`` are mean and standard deviation of its posterior distribution, from a normal one with mean
    and spread of the bank's abilities (Bock and Mislevy 1982, Applied Psychological Measurement 6); difficulties and
    discriminations are integrated out. The group to ask next is the one with the most Fisher information there (Lord
    1980, "Applications of item response theory", chapter 10).
    """

    def __init__(self, bank: Calibration) -> None:
        """Begin with no answers: the prior density of the ability, normal with the bank's mean and spread."""
        self.bank = bank
        self.asked: set[int] = set()
        self._abilities = np.linspace(-_FARTHEST, _FARTHEST, 101)  # a grid
        # The log-probabilities of a right and a wrong answer to a group at each node (a, b), shape (nodes, abilities).
        logits = bank.node_a[:, None] * (self._abilities - bank.node_b[:, None])
        self._right, self._wrong = log_expit(logits), log_expit(-logits)
        spread = max(float(bank.abilities.std()), _LEAST_SPREAD)
        self._log_density = -(((self._abilities - bank.abilities.mean()) / spread) ** 2) / 2
        self._estimate()

    def add(self, group: int, right: float, cases: float) -> None:
        """Take in how many cases of a group, given by its place in the bank, were answered rightly."""
        self.asked.add(group)
        nodes = np.log(np.maximum(self.bank.posterior[group], 1e-300))[:, None]
        self._log_density += logsumexp(nodes + right * self._right + (cases - right) * self._wrong, axis=0)
        self._estimate()

    def next_groups(self) -> list[tuple[int, float]]:
        """The groups that were not asked with what their cases tell at this ability, the most informative first."""
        worth = self.bank.answers.asked.max(axis=1) * self.bank.information(self.ability)
        order: list[int] = np.argsort(-worth, kind="stable").tolist()
        return [(group, float(worth[group])) for group in order if group not in self.asked]

    def _estimate(self) -> None:
        """Set the ability and its error, the mean and the standard deviation of the density."""
        density = np.exp(self._log_density - logsumexp(self._log_density))
        self.ability = float(density @ self._abilities)
        self.error = math.sqrt(float(density @ (self._abilities - self.ability) ** 2))


def rows_of_next(bank: Calibration, so_far: Answers | None, most: int = 10) -> tuple[list[Row], list[str]]:
    """Rows with the ability of each model, from its answers ``so_far``, and the ``most`` best groups to ask it next.

    ``bank`` has the calibrated groups, from which an adaptive test chooses. Without answers, the groups are those to
    ask a new model first. The notes say how many answers were to groups that the bank does not have.
    """
    place_in_bank = {name: index for index, name in enumerate(bank.answers.groups)}
    rows, notes = list[Row](), list[str]()
    if so_far is None:
        so_far = Answers(("a new model",), (), (), right=np.zeros((0, 1)), asked=np.zeros((0, 1)))
    for column, model in enumerate(so_far.models):
        form, unknown = AdaptiveForm(bank), 0
        for group, right, cases in zip(so_far.groups, so_far.right[:, column], so_far.asked[:, column], strict=True):
            if cases and group in place_in_bank:
                form.add(place_in_bank[group], right, cases)
            unknown += bool(cases) and group not in place_in_bank
        all_cases = int(so_far.asked[:, column].sum())
        head = Row(task="calibrate", model=model, part="so far", metric="ability", cases=all_cases)
        rows.append(replace(head, **_bars(form.ability, form.error)))
        rows += [
            replace(head, part="next", name=bank.answers.groups[group], metric="information", value=worth, cases=0)
            for group, worth in form.next_groups()[:most]
        ]
        notes += [f"{model}: {unknown} groups that are not in the bank are left out"] if unknown else []
    return rows, notes


def read_answers(paths: Sequence[Path], *, by_case: bool = False) -> Answers:
    """Count the right answers of each model to the cases of each group in files of ``evaluate --cases`` or alike.

    Lines are JSON, or CSV in a file that ends in .csv: ``case``, ``model``, ``right`` (true or false), and perhaps the
    ``group`` of the case and the ``class`` of the group. A case without a group is a group of its own, a group without
    a class a class of its own. With ``by_case`` each case is a group, but its class stays that of the group it names.
    DamagedInputError with file and line for what is no answer, or for a second one of a model to a case.
    """
    counts: dict[str, dict[str, list[int]]] = {}  # of each group and model: cases right, cases asked
    classes, seen = dict[str, str](), set[tuple[str, str]]()
    for path in paths:
        if not path.is_file():
            raise MissingInputError(f"expected a file of answers, saw none at {path}")
        rows: Iterable[tuple[str, Mapping[str, Any]]]  # with the place of each
        if path.suffix == ".csv":
            rows = ((f"{path}:{number}", row) for number, row in csv_rows(read_utf8(path), str(path))[1])
        else:
            lines, expected = filled_lines(read_utf8(path), path), "a JSON line of an answer"
            rows = ((where, decode_json(line, dict[str, Any], where, expected)) for where, line in lines)
        for where, row in rows:
            case, model, answer = row.get("case"), row.get("model"), str(row.get("right")).lower()
            if not case or not model or answer not in (*_TRUE, *_FALSE):
                given = ", ".join(f"{name} {row.get(name)!r}" for name in ("case", "model", "right"))
                raise DamagedInputError(f"{where}: expected a case, a model and right (true or false), saw {given}")
            if (case, model) in seen:
                raise DamagedInputError(f"{where}: expected one answer of {model} to case {case}, saw a second")
            seen.add((case, model))
            named_group = row.get("group") or case
            group = str(case if by_case else named_group)
            classes[group] = str(row.get("class") or named_group)
            right_and_asked = counts.setdefault(group, {}).setdefault(model, [0, 0])
            right_and_asked[0] += answer in _TRUE
            right_and_asked[1] += 1
    if not counts:
        raise MissingInputError(f"{', '.join(map(str, paths))}: expected answers, saw none")
    models = list(dict.fromkeys(model for group in counts.values() for model in group))
    numbers = np.array([[group.get(model, [0, 0]) for model in models] for group in counts.values()], dtype=np.float64)
    return Answers(tuple(models), tuple(counts), tuple(classes.values()), right=numbers[..., 0], asked=numbers[..., 1])


def scores_of_answers(answers: Answers, discriminations: bool | None = None, seed: int = SEED) -> Scores:
    """Calibrate models and groups, and return the estimates as rows of a report, with notes.

    "ability" has the interval and the mark of each model, "difficulty" and "log_discrimination" of a group have the
    standard deviation of their posterior distribution as ``se``. "rho" says how well forms, subsets of the groups, rank
    the models, with the range of its draws. Groups are in the order in which a form takes them, most informative first.
    """
    found = calibrate(answers, discriminations=discriminations)
    forms = short_forms(answers, seed)
    head = Row(task="calibrate", model="", metric="", n=len(set(found.answers.classes)))
    difficulty_reliability, discrimination_reliability = found.reliability()
    # The number of groups of the shortest chosen form that ranks models well enough, if one does.
    shortest = min((form.groups for form in forms if form.chosen and form.rho >= KEPT), default=None)
    # The models, then the whole set.
    coverage = {
        "groups": len(found.answers.groups),
        "classes": head.n,
        "difficulty_reliability": difficulty_reliability,
        "discrimination_reliability": discrimination_reliability,
        "log_discrimination_mean": found.mean,
        "log_discrimination_spread": found.spread,
        "shortest_form": shortest,
    }
    rows = list(_rows_of_models(found, head))
    rows += [replace(head, part=COVERAGE, metric=name, value=value, n=0) for name, value in coverage.items()]
    # How well forms rank the models.
    for form in forms:
        against = "the other half" if form.half else "the whole set"
        name = f"{form.groups} {'most informative' if form.chosen else 'random'} groups with {against}"
        estimate = {"value": form.rho, "low": form.low, "high": form.high}  # cases: of models
        rows.append(replace(head, part="form", name=name, metric="rho", n=0, cases=form.models, **estimate))
    # The groups, then the information of the whole set along the scale of abilities.
    for metric, estimates in {"difficulty": found.difficulty, "log_discrimination": found.log_discrimination}.items():
        means, deviations = (numbers.tolist() for numbers in estimates)
        for group in found.most_informative():
            of_group = replace(head, part="group", metric=metric, name=found.answers.groups[group])
            rows.append(replace(of_group, value=means[group], se=deviations[group]))
    for ability in np.arange(-16, 17) / 4:
        # One over its root is the standard error of an ability if cases are independent.
        information = float(found.information(ability) @ found.answers.asked.max(axis=1))
        rows.append(replace(head, part="information", name=f"{ability:+.2f}", metric="information", value=information))
    return Scores(rows, list(_warnings(found, forms, shortest)))


def _rows_of_models(found: Calibration, head: Row) -> Iterator[Row]:
    """Yield rows of each model, the ablest first: its ability and accuracy; then of the difference of every two models.

    The differences of models next to each other in the ranking come first. ``head`` has what all rows share.
    """
    names, gaps = found.answers.models, differences(found)
    order: list[int] = np.argsort(-found.abilities, kind="stable").tolist()
    best, *_ = ranking = [names[index] for index in order]
    p_of_best = {gap.other: gap.p_holm for gap in gaps if gap.model == best}
    for index in order:
        name, cases = names[index], int(found.answers.asked[:, index].sum())
        # Models that a test does not tell from the best are tied with it.
        mark = "best" if name == best else ("tied" if p_of_best[name] >= LEVEL else "")
        of_model = replace(head, model=name, cases=cases)
        bars = _bars(float(found.abilities[index]), float(found.errors[index]))
        yield replace(of_model, metric="ability", mark=mark, **bars)
        yield replace(of_model, metric="accuracy", value=100 * float(found.answers.right[:, index].sum()) / cases)
    neighbours = set(pairwise(ranking))
    for gap in sorted(gaps, key=lambda gap: (gap.model, gap.other) not in neighbours):
        of_pair = replace(head, model=gap.model, less=gap.other)
        yield replace(of_pair, metric="ability", p_holm=gap.p_holm, **_bars(gap.difference, gap.error))
        needed = None if math.isinf(gap.groups) else math.ceil(gap.groups)
        yield replace(of_pair, metric="groups_needed", value=needed)


def _bars(value: float, error: float) -> dict[str, float]:
    """The fields of a row for an estimate, with its interval by the normal distribution."""
    half = NORMAL_QUANTILE * error
    return {"value": value, "low": value - half, "high": value + half, "se": error}


def _warnings(found: Calibration, forms: Sequence[Form], shortest: int | None) -> Iterator[str]:
    """Yield sentences about what the answers are too few to tell."""
    models = len(found.answers.models)
    difficulty_reliability, reliability = found.reliability()  # of difficulties and discriminations
    if reliability is None:
        why = f", which needs {FEWEST_FOR_2PL} models or more" if models < FEWEST_FOR_2PL else ""
        yield f"Rasch model: one discrimination for all groups{why}"
    elif reliability < _UNTOLD:
        untold = f"{models} models do not tell discriminations of single groups (reliability {reliability:.2f})"
        yield f"warning: {untold}: use their spread, not their values"
    if difficulty_reliability < _UNTOLD:
        yield f"warning: {models} models do not tell which groups are hard (reliability {difficulty_reliability:.2f})"
    if shortest:
        yield f"the shortest form with a mean ρ of {KEPT} has the first {shortest} groups of --full and --json"
    elif any(form.chosen for form in forms):
        yield f"no form has a mean ρ of {KEPT}"
    else:
        yield "no short form was chosen: that takes six models and twenty groups that all models were asked"
    estimates = zip(found.answers.models, found.abilities.tolist(), found.errors.tolist(), strict=True)
    extreme = [name for name, ability, error in estimates if error > 1 or abs(ability) > _FAR]
    if extreme:
        yield f"warning: too hard or too easy for {', '.join(extreme)}: the ability is what the prior says"
