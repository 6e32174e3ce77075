"""Item response models: simulated answers give back what they were drawn from, and mistakes in files are named."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html

from tests.rows import printed_rows
from wikisem.errors import MissingInputError
from wikisem.evaluation import calibration
from wikisem.evaluation.calibration import (
    AdaptiveForm,
    Answers,
    Calibration,
    calibrate,
    differences,
    scores_of_answers,
    short_forms,
)
from wikisem.evaluation.statistics import FloatArray
from wikisem.pipeline.cli import main

ABILITIES = np.array([-1.5, -1.0, -0.6, -0.3, 0.0, 0.2, 0.5, 0.9, 1.3, 1.8])


def simulate(
    groups: int, spread: float, seed: int = 1, abilities: FloatArray = ABILITIES
) -> tuple[Answers, FloatArray]:
    """Answers to four cases of each group, and the true numbers: ln a in the first row, b in the second."""
    generator = np.random.default_rng(seed)
    logs, b = spread * generator.normal(size=groups), generator.normal(size=groups)
    chances = 1 / (1 + np.exp(-np.exp(logs)[:, None] * (abilities - b[:, None])))
    right = generator.binomial(4, chances).astype(np.float64)
    models = tuple(f"m{at}" for at in range(len(abilities)))
    names = tuple(f"Q{at}" for at in range(groups))
    answers = Answers(models, names, names, right, np.full_like(right, 4))
    return answers, np.array([logs, b])


@pytest.fixture(scope="module")
def simulated() -> tuple[Answers, FloatArray, Calibration]:
    """Two hundred groups of different discriminations, calibrated."""
    answers, true = simulate(200, 0.5)
    return answers, true, calibrate(answers)


def test_what_was_simulated_is_recovered(simulated: tuple[Answers, FloatArray, Calibration]) -> None:
    """Abilities and difficulties nearly, discriminations as far as ten models tell; intervals cover the truth."""
    _, (logs, b), found = simulated
    assert np.corrcoef(found.abilities, ABILITIES)[0, 1] > 0.99
    assert np.abs(found.abilities - ABILITIES).mean() < 0.15
    assert np.all(np.abs(found.abilities - ABILITIES) < 3 * found.errors)
    for true, (mean, deviation), least in ((b, found.difficulty, 0.9), (logs, found.log_discrimination, 0.6)):
        assert np.corrcoef(mean, true)[0, 1] > least
        assert abs((mean - true).mean()) < 0.1
        assert 0.9 < np.mean(np.abs(mean - true) < 1.96 * deviation) < 0.99
    assert found.spread == pytest.approx(0.5, abs=0.2)
    of_b, of_a = found.reliability()
    assert of_a is not None
    assert 0.3 < of_a < of_b < 0.95


def test_standard_errors_are_those_of_drawn_groups() -> None:
    """The sandwich agrees with refits of groups drawn with replacement, with equal discriminations."""
    answers, _ = simulate(60, 0.0, abilities=ABILITIES[::2])
    found = calibrate(answers, discriminations=False)
    generator = np.random.default_rng(2)
    drawn = [
        calibrate(answers.of(groups=generator.integers(60, size=60).tolist()), discriminations=False).abilities
        for _ in range(16)
    ]
    assert np.std(drawn, axis=0).mean() == pytest.approx(found.errors.mean(), rel=0.3)


def test_the_rasch_model_is_for_few_models() -> None:
    """Below eight models all groups have one discrimination, unless two parameters are asked for."""
    answers, _ = simulate(30, 0.0, abilities=ABILITIES[::3])
    found = calibrate(answers)
    assert found.spread == 0
    assert found.reliability()[1] is None
    assert len(np.unique(found.log_discrimination[0].round(9))) == 1
    assert calibrate(answers, discriminations=True).spread > 0
    for fewer in (answers.of(models=[0]), answers.of(groups=range(9))):
        with pytest.raises(MissingInputError, match="expected answers of 2 models to groups of 10 classes, saw"):
            calibrate(fewer)


def test_what_was_not_asked_does_not_count() -> None:
    """A model that was asked other groups has its ability from these, and a group that no one was asked is left out."""
    answers, _ = simulate(80, 0.0)
    asked, right = answers.asked.copy(), answers.right.copy()
    asked[:40, 4] = right[:40, 4] = 0
    asked[7] = right[7] = 0
    found = calibrate(replace(answers, asked=asked, right=right), discriminations=False)
    whole = calibrate(answers, discriminations=False)
    assert len(found.answers.groups) == 79
    assert abs(found.abilities[4] - whole.abilities[4]) < 2 * found.errors[4]
    assert found.errors[4] > 1.15 * whole.errors[4]


def test_the_groups_that_tell_two_models_apart(simulated: tuple[Answers, FloatArray, Calibration]) -> None:
    """n is proportional to the squared ratio of error and difference: 2.8 standard errors for 80 % of 5 %."""
    *_, found = simulated
    rows = {(one.model, one.other): one for one in differences(found)}
    pair = rows["m9", "m0"]
    assert pair.groups == pytest.approx(200 * (2.8016 * pair.error / pair.difference) ** 2, rel=1e-4)
    assert pair.groups < 20 < 200 < max(one.groups for one in rows.values())
    assert rows["m9", "m0"].p_holm < 0.001
    twins = replace(found, abilities=np.zeros(10))
    assert {one.groups for one in differences(twins)} == {math.inf}


def test_information_is_highest_where_groups_are_neither_easy_nor_hard(
    simulated: tuple[Answers, FloatArray, Calibration],
) -> None:
    """A form takes the groups first that tell most."""
    _, (logs, b), found = simulated
    assert found.information(0).sum() > 3 * found.information(4).sum()
    a = np.exp(logs)
    chances = 1 / (1 + np.exp(a * b))
    assert found.information(0).sum() == pytest.approx((a**2 * chances * (1 - chances)).sum(), rel=0.15)
    order = found.most_informative()
    assert sorted(order) == list(range(200))
    assert a[order[:50]].mean() > 1.3 * a[order[-50:]].mean()


def test_short_forms_are_measured_on_models_that_did_not_choose_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half against half for all models; chosen forms for half of them, and the same by the same seed."""
    monkeypatch.setattr("wikisem.evaluation.calibration._SPLITS", 4)
    answers, _ = simulate(40, 0.5)
    forms = short_forms(answers, seed=3)
    assert forms == short_forms(answers, seed=3)
    half, *others = forms
    assert (half.groups, half.half, half.models) == (20, True, 10)
    assert half.low <= half.rho <= half.high
    assert half.rho > 0.8
    assert {(one.groups, one.chosen, one.models) for one in others} == {
        (20, True, 5),
        (20, False, 5),
        (10, True, 5),
        (10, False, 5),
    }
    (shortest,) = (row.value for row in scores_of_answers(answers, seed=3).rows if row.metric == "shortest_form")
    assert shortest == min((one.groups for one in others if one.chosen and one.rho >= 0.95), default=None)
    assert [one.half for one in short_forms(answers.of(models=range(5)))] == [True]
    assert short_forms(answers.of(groups=range(19))) == []


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """The answers of three models to thirty groups, in lines of JSON and in CSV."""
    answers, _ = simulate(30, 0.0, abilities=np.array([-1.0, 0.0, 1.0]))
    rows: list[dict[str, object]] = [
        {"group": group, "case": f"{group}/{case}", "model": model, "right": bool(case < answers.right[at, column])}
        for at, group in enumerate(answers.groups)
        for column, model in enumerate(answers.models)
        for case in range(4)
    ]
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    lines = [",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows)]
    (tmp_path / "cases.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    return rows


@pytest.mark.usefixtures("cases")
def test_both_forms_of_answers_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and CSV give the same object; what three models cannot tell is said."""
    printed = []
    for name in ("cases.jsonl", "cases.csv"):
        assert main(["evaluate", "calibrate", name, "--json"]) == 0
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1]
    rows = printed_rows(printed[0].out)
    abilities = [row for row in rows if row.metric == "ability" and not row.less]
    assert [(row.model, row.mark) for row in abilities] == [("m2", "best"), ("m1", ""), ("m0", "")]
    assert all(row.low is not None and row.value is not None and row.low < row.value for row in abilities)
    assert [row.value for row in rows if row.metric == "discrimination_reliability"] == [None]
    assert len([row for row in rows if row.metric == "difficulty"]) == 30
    needed = {(row.model, row.less): row.value or 0 for row in rows if row.metric == "groups_needed"}
    assert needed["m2", "m0"] < needed["m2", "m1"]
    assert "Rasch model: one discrimination for all groups, which needs 8 models or more" in printed[0].err
    assert "no short form was chosen" in printed[0].err
    assert main(["evaluate", "calibrate", "cases.csv", "--by", "case", "--json"]) == 0
    assert len([row for row in printed_rows(capsys.readouterr().out) if row.metric == "difficulty"]) == 120
    assert main(["evaluate", "calibrate", "cases.csv", "--output", "report.html"]) == 0
    table = capsys.readouterr().out
    assert "ability: m2 − m1: +" in table
    assert "such groups would tell them apart" in table
    assert "difficulty_sd" not in table
    page = html.document_fromstring(Path("report.html").read_text())
    assert page.xpath("//figure/figcaption/text()") == [
        "ability: all",
        "information of all groups by ability",
    ]
    assert main(["evaluate", "calibrate", "cases.csv", "--output", "report.csv"]) == 0
    assert Path("report.csv").read_text().startswith("task,model,dataset,")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"case": "a", "model": "m0"}', "cases.jsonl:361: expected a case, a model and right (true or false), saw"),
        ('{"case": "a", "model": "m0", "right": 2}', "saw case 'a', model 'm0', right 2"),
        ('{"case": "Q0/0", "model": "m0", "right": true}', "expected one answer of m0 to case Q0/0, saw a second"),
        ("[1]", "cases.jsonl:361: expected a JSON line of an answer"),
    ],
)
@pytest.mark.usefixtures("cases")
def test_mistakes_in_answers_are_named(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With file and line, and exit code 1."""
    with Path("cases.jsonl").open("a") as file:
        file.write(line + "\n")
    assert main(["evaluate", "calibrate", "cases.jsonl"]) == 1
    assert message in capsys.readouterr().err
    assert main(["evaluate", "calibrate", "none.jsonl"]) == 1
    assert "expected a file of answers, saw none at none.jsonl" in capsys.readouterr().err


def test_evaluate_writes_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each model and case; of several models, for cases that all know; repeated outliers have numbers."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "Q1.txt").write_text("lion\ntiger\nlynx\n\ncar\ncar\nvan\n")
    vectors = "lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\n"
    (tmp_path / "one.txt").write_text(vectors + "van 1 0.1\n")
    (tmp_path / "two.txt").write_text(vectors.replace("car -0.1 1", "car 1 0.1"))
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "outliers", "set", "--vectors", "one.txt", "--cases", "cases.jsonl"]) == 0
    rows = [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]
    assert [(row["case"], row["right"]) for row in rows] == [("Q1/car", True), ("Q1/car #2", True), ("Q1/van", False)]
    assert rows[0] | {"label": ""} == {
        "model": "one.txt",
        "dataset": "set",
        "language": "",
        "group": "Q1",
        "class": "Q1",
        "label": "",
        "case": "Q1/car",
        "outlier": "car",
        "outlier_class": None,
        "position": 1.0,
        "right": True,
    }
    models = ["--vectors", "one.txt", "--vectors", "two.txt"]
    assert main(["evaluate", "outliers", "set", *models, "--cases", "cases.jsonl"]) == 0
    rows = [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]
    assert [(row["model"], row["case"]) for row in rows] == [
        (model, case) for model in ("one.txt", "two.txt") for case in ("Q1/car", "Q1/car #2")
    ]


def test_no_model_is_ranked_by_a_form_that_it_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models of a calibration and those that its form ranks are different ones, and together all."""
    answers, _ = simulate(20, 0.0)
    calls: list[tuple[str, frozenset[str]]] = []

    def watched(name: str) -> None:
        found = getattr(calibration, name)

        def call(of: Answers, *rest: Any, **named: Any) -> Any:
            calls.append((name, frozenset(of.models)))
            return found(of, *rest, **named)

        monkeypatch.setattr(calibration, name, call)

    for name in ("calibrate", "_agreement"):
        watched(name)
    monkeypatch.setattr(calibration, "_SPLITS", 3)
    monkeypatch.setattr(calibration, "_HALVES", 1)
    short_forms(answers)
    fitted = [at for at, (what, _) in enumerate(calls) if what == "calibrate"]
    assert len(fitted) == 3
    for at in fitted:
        assert not calls[at][1] & calls[at + 1][1]
        assert calls[at][1] | calls[at + 1][1] == set(answers.models)


def test_groups_are_asked_by_what_they_tell(simulated: tuple[Answers, FloatArray, Calibration]) -> None:
    """The first is the most informative at the bank's mean; each one asked lowers the error, and is not asked again."""
    _, _, bank = simulated
    form = AdaptiveForm(bank)
    assert form.ability == pytest.approx(bank.abilities.mean(), abs=0.01)
    assert form.error == pytest.approx(bank.abilities.std(), abs=0.01)
    seen, errors = set[int](), [form.error]
    for _ in range(12):
        (group, worth), *rest = form.next_groups()
        assert worth == pytest.approx(4 * bank.information(form.ability)[group])
        assert all(worth >= other for _, other in rest)
        assert group not in seen
        seen.add(group)
        form.add(group, 4, 4)
        errors.append(form.error)
    assert form.ability > bank.abilities.mean() + 1
    assert errors[-1] < errors[0]
    # A model that solves all is asked ever harder groups.
    hard = bank.difficulty[0][[group for group, _ in form.next_groups()[:5]]].mean()
    assert hard > bank.difficulty[0].mean() + 0.5


def test_an_adaptive_form_finds_the_ability(simulated: tuple[Answers, FloatArray, Calibration]) -> None:
    """With a tenth of the groups, further models come out near the truth, and intervals cover it."""
    _, (logs, b), bank = simulated
    generator = np.random.default_rng(5)
    abilities = np.linspace(-1.5, 1.5, 20)
    found = []
    for ability in abilities:
        form = AdaptiveForm(bank)
        for _ in range(20):
            group = form.next_groups()[0][0]
            chance = 1 / (1 + np.exp(-np.exp(logs[group]) * (ability - b[group])))
            form.add(group, generator.binomial(4, chance), 4)
        found.append((form.ability, form.error))
    means, errors = np.array(found).T
    assert np.corrcoef(means, abilities)[0, 1] > 0.95
    assert np.mean(np.abs(means - abilities) < 1.96 * errors) >= 0.85


def test_the_command_says_what_to_ask_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From an empty file on; answers to groups that the bank does not have are left out, and counted."""
    answers, _ = simulate(40, 0.4)
    lines = [
        {"case": f"{group}/{case}", "group": group, "model": model, "right": bool(case < answers.right[row, column])}
        for row, group in enumerate(answers.groups)
        for column, model in enumerate(answers.models)
        for case in range(4)
    ]
    bank, so_far = tmp_path / "cases.jsonl", tmp_path / "so-far.jsonl"
    bank.write_text("".join(json.dumps(line) + "\n" for line in lines))
    so_far.write_text("")
    words = ["evaluate", "calibrate", str(bank), "--next", str(so_far)]
    assert main([*words, "--json"]) == 0
    first, *groups = printed_rows(capsys.readouterr().out)
    assert (first.model, first.part, first.metric, first.cases) == ("a new model", "so far", "ability", 0)
    assert len(groups) == 10
    worth = [row.value or 0.0 for row in groups]
    assert worth == sorted(worth, reverse=True)
    asked = [
        {"case": f"{groups[0].name}/{case}", "group": groups[0].name, "model": "new", "right": True}
        for case in range(4)
    ]
    other = {"case": "other/1", "group": "other", "model": "new", "right": True}
    so_far.write_text("".join(json.dumps(line) + "\n" for line in [*asked, other]))
    assert main([*words, "--json"]) == 0
    printed = capsys.readouterr()
    then, *left = printed_rows(printed.out)
    assert (then.value or 0) > (first.value or 0)
    assert (then.se or 0) < (first.se or 0)
    assert groups[0].name not in {row.name for row in left}
    assert "new: 1 groups that are not in the bank are left out" in printed.err
    assert main(words) == 0
    assert "so far" in capsys.readouterr().out
