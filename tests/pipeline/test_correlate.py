"""The command ``wikisem correlate``."""

import csv
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wikisem.pipeline.cli import main

SCORES = [("one", 50.0, 20.0), ("two", 60.0, 30.0), ("three", 70.0, 25.0), ("four", 80.0, 45.0), ("five", 90.0, 50.0)]


def row(model: str, metric: str, value: object, **more: object) -> dict[str, object]:
    """A score as evaluate prints it, with an interval."""
    return {"task": "outliers", "model": model, "dataset": "8-8-8", "metric": metric, "value": value, "low": 1} | more


def rows() -> Iterator[dict[str, object]]:
    """The scores of five models, those in the vocabulary of all in the reverse order, and scores that are no whole."""
    for model, opp, accuracy in SCORES:
        yield row(model, "opp", opp)
        yield row(model, "accuracy", accuracy)
        yield row(model, "opp", 100 - opp, vocabulary="common")
        yield row(model, "accuracy", 3, vocabulary="common")
        yield row(model, "opp", 1, part="language", name="en")
        yield row(model, "opp", 1, less="one")
        yield row(model, "groups", 2, part="coverage", low=None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scores of five models in both forms, and two other scores of four of them."""
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows()))
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, dict.fromkeys(key for each in rows() for key in each))
        writer.writeheader()
        writer.writerows(rows())
    (tmp_path / "other.csv").write_text("system,sentiment,ner\none,1,9\ntwo,2,7\nthree,3,\nfour,4,5\nsix,9,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("scores", ["scores.jsonl", "scores.csv"])
def test_both_forms_of_scores_are_read(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every score with every other one, over the models that have both; of CSV, whole data sets alone."""
    assert main(["correlate", scores, "other.csv", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["score"], one["other"], one["models"]) for one in found] == [
        ("8-8-8 opp", "sentiment", 4),
        ("8-8-8 opp", "ner", 3),
        ("8-8-8 accuracy", "sentiment", 4),
        ("8-8-8 accuracy", "ner", 3),
    ]
    assert (found[0]["pearson"], found[0]["spearman"]) == (pytest.approx(1), pytest.approx(1))
    assert found[1]["pearson"] < -0.9
    assert found[1]["pearson_low"] is None
    assert found[2]["spearman"] == pytest.approx(0.8)
    assert found[2]["spearman_low"] < 0.8 < found[2]["spearman_high"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("scores", ["scores.jsonl", "scores.csv"])
def test_the_common_vocabulary_can_be_chosen(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --common, the scores in the vocabulary of all models that evaluate compared, and no others."""
    assert main(["correlate", scores, "other.csv", "--json", "--common"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["score"], one["other"], one["models"]) for one in found][:2] == [
        ("8-8-8 opp", "sentiment", 4),
        ("8-8-8 opp", "ner", 3),
    ]
    assert found[0]["pearson"] == pytest.approx(-1)
    assert found[2]["pearson"] is None


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.csv"])
def test_scores_without_a_common_vocabulary_are_refused(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of models that were evaluated one by one are not compared on the same words."""
    lines = (folder / name).read_text().splitlines(keepends=True)
    (folder / name).write_text("".join(line for line in lines if "common" not in line))
    assert main(["correlate", name, "other.csv", "--common"]) == 1
    assert "which evaluate outliers gives of several models in one run, saw none" in capsys.readouterr().err


def test_the_figure_is_drawn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the names of the models; and a table."""
    assert main(["correlate", "scores.jsonl", "other.csv", "--plot", "figure.svg"]) == 0
    assert "8-8-8 accuracy" in (folder / "figure.svg").read_text()
    printed = capsys.readouterr()
    assert "8-8-8 opp" in printed.out
    assert "the figure is figure.svg" in printed.err


def test_a_name_may_hold_what_other_programs_take_for_the_end_of_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JSON lines only a line feed ends one, and U+2028 is a character like others; empty lines are passed over."""
    named = [row(name, "opp", opp, dataset="a\u2028b") for name, opp, _ in SCORES]
    (folder / "scores.jsonl").write_text("\n\n".join(json.dumps(each, ensure_ascii=False) for each in named))
    assert main(["correlate", "scores.jsonl", "other.csv", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.strip().split("\n")]
    assert [(one["score"], one["models"]) for one in found] == [("a\u2028b opp", 4), ("a\u2028b opp", 3)]


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("scores.jsonl", "{broken", 1, "scores.jsonl:1: expected a row that wikisem evaluate prints with --json"),
        ("scores.jsonl", "a,b\n1,2\n", 1, "scores.jsonl:2: expected a row of wikisem evaluate --csv"),
        ("scores.jsonl", "a,b\n", 1, "scores.jsonl: expected scores of whole data sets, saw none"),
        ("scores.jsonl", json.dumps(row("one", "opp", 1)) + "\n[1]\n", 1, "scores.jsonl:2: expected a row"),
        ("scores.jsonl", json.dumps(row("one", "opp", "high")), 1, "scores.jsonl:1: expected a row"),
        ("scores.jsonl", json.dumps(row("one", "opp", 1, part="group")), 1, "expected scores of whole data sets"),
        ("scores.jsonl", "task,model,metric,value\na,one,opp,high\n", 1, "scores.jsonl:2: expected a row of wikisem"),
        ("other.csv", "", 1, "expected a column of models and others of scores, saw no header"),
        ("other.csv", "model,x\none,1\ntwo,nan\n", 1, "other.csv:3: expected a number, saw 'nan'"),
        ("other.csv", "model,x\none,1\none,2\n", 1, "other.csv:3: expected each model once, saw 'one' again"),
        ("other.csv", "model\none\n", 1, "expected a column of models and others of scores"),
        ("other.csv", "one,-0.5\ntwo,1\n", 1, "a column of models and others of scores, saw no header but one, -0.5"),
        ("other.csv", "model,x\none,high\n", 1, "other.csv:2: expected a number, saw 'high'"),
        ("other.csv", "model,x\nnine,1\n", 1, "saw none of them there"),
    ],
)
def test_mistakes_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, code: int, message: str
) -> None:
    """With file and line."""
    (folder / name).write_text(text)
    assert main(["correlate", "scores.jsonl", "other.csv"]) == code
    assert message in capsys.readouterr().err
    (folder / name).unlink()
    assert main(["correlate", "scores.jsonl", "other.csv"]) == 1
    assert "saw no file at" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_models_that_one_file_alone_has_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Below the table and beside JSON; two points are on a line, so fewer than three models have no correlation."""
    Path("two.csv").write_text("system,sentiment\none,1\ntwo,2\nsix,3\n")
    assert main(["correlate", "scores.jsonl", "two.csv"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"8-8-8 opp +│ sentiment │ +2 │ +– │ +– │ +– │ +– │", printed)
    notes = [
        "left out, since only scores.jsonl has them: five, four, three",
        "left out, since only two.csv has them: six",
        "8-8-8 opp with sentiment: expected three models or more for a correlation, saw 2",
        "8-8-8 accuracy with sentiment: expected three models or more for a correlation, saw 2",
    ]
    assert printed.splitlines()[-4:] == notes
    assert main(["correlate", "scores.jsonl", "two.csv", "--json"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"note: {note}" for note in notes]


@pytest.mark.parametrize("suffix", ["md", "html", "tex"])
def test_a_report_for_people_is_no_scores(folder: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says which files of --output are."""
    (folder / f"report.{suffix}").write_text("# outlier detection\n")
    assert main(["correlate", f"report.{suffix}", "other.csv"]) == 1
    assert f"or writes with --output FILE.json or FILE.csv, saw .{suffix}" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_the_file_of_output_is_read_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON that evaluate writes to --output is read as its lines are; each plot says what it correlates."""
    lines = Path("scores.jsonl").read_text().splitlines()
    Path("scores.json").write_text(json.dumps({"scores": [json.loads(line) for line in lines]}, indent=2))
    printed = []
    for scores in ("scores.json", "scores.jsonl"):
        assert main(["correlate", scores, "other.csv", "--json", "--output", "report.html"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    page = Path("report.html").read_text()
    assert "8-8-8 opp with sentiment, over 4 models: Pearson's r +1.00, Spearman's ρ +1.00" in html.unescape(page)
