"""The command ``wikisem correlate``."""

import json
from pathlib import Path

import pytest

from wikisem.pipeline.cli import main

SCORES = [("one", 50.0, 20.0), ("two", 60.0, 30.0), ("three", 70.0, 25.0), ("four", 80.0, 45.0), ("five", 90.0, 50.0)]


def common(model: str, opp: float) -> dict[str, object]:
    """The scores of a model in the vocabulary of all, in the order that is the reverse of their own."""
    return {"model": model, "dataset": "8-8-8", "opp": 100 - opp, "accuracy": 3}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scores of five models in both forms, and two other scores of four of them."""
    lines = [
        json.dumps({"model": m, "dataset": "8-8-8", "opp": opp, "accuracy": acc, "common": common(m, opp)})
        for m, opp, acc in SCORES
    ]
    (tmp_path / "scores.jsonl").write_text("\n".join(lines) + "\n")
    head = "model,dataset,vocabulary,part,name,opp,accuracy\n"
    rows = [
        f"{m},8-8-8,own,overall,,{opp},{acc}\n{m},8-8-8,own,language,en,1,1\n{m},8-8-8,common,overall,,{100 - opp},3\n"
        for m, opp, acc in SCORES
    ]
    (tmp_path / "scores.csv").write_text(head + "".join(rows))
    (tmp_path / "other.csv").write_text("system,sentiment,ner\none,1,9\ntwo,2,7\nthree,3,\nfour,4,5\nsix,9,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("scores", ["scores.jsonl", "scores.csv"])
def test_both_forms_of_scores_are_read(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every score with every other one, over the models that have both; of CSV, whole data sets alone."""
    assert main(["correlate", scores, "other.csv", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["score"], row["other"], row["models"]) for row in rows] == [
        ("8-8-8 opp", "sentiment", 4),
        ("8-8-8 opp", "ner", 3),
        ("8-8-8 accuracy", "sentiment", 4),
        ("8-8-8 accuracy", "ner", 3),
    ]
    assert (rows[0]["pearson"], rows[0]["spearman"]) == (pytest.approx(1), pytest.approx(1))
    assert rows[1]["pearson"] < -0.9
    assert rows[1]["pearson_low"] is None
    assert rows[2]["spearman"] == pytest.approx(0.8)
    assert rows[2]["spearman_low"] < 0.8 < rows[2]["spearman_high"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("scores", ["scores.jsonl", "scores.csv"])
def test_the_common_vocabulary_can_be_chosen(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --common, the scores in the vocabulary of all models that evaluate compared, and no others."""
    assert main(["correlate", scores, "other.csv", "--json", "--common"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["score"], row["other"], row["models"]) for row in rows][:2] == [
        ("8-8-8 opp", "sentiment", 4),
        ("8-8-8 opp", "ner", 3),
    ]
    assert rows[0]["pearson"] == pytest.approx(-1)
    assert rows[2]["pearson"] is None


@pytest.mark.parametrize(
    "text", ['{"model": "one", "opp": 1}\n', '{"model": "one", "opp": 1, "common": 3}\n', "model,opp\none,1\n"]
)
def test_scores_without_a_common_vocabulary_are_refused(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of models that were evaluated one by one are not compared on the same words."""
    (folder / "scores.jsonl").write_text(text)
    assert main(["correlate", "scores.jsonl", "other.csv", "--common"]) == 1
    assert "which evaluate outliers gives of several models in one run, saw none" in capsys.readouterr().err


def test_the_figure_is_drawn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the names of the models; and a table."""
    assert main(["correlate", "scores.jsonl", "other.csv", "--plot", "figure.svg"]) == 0
    assert "8-8-8 accuracy" in (folder / "figure.svg").read_text()
    printed = capsys.readouterr()
    assert "8-8-8 opp" in printed.out
    assert "the figure is figure.svg" in printed.err


def test_parts_of_analogies_and_categories_do_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of sections and of categories are beside that of all of them, which is compared."""
    for column in ("section", "category"):
        rows = [f"{m},set,{accuracy},\n{m},set,50,last\n" for m, _, accuracy in SCORES]
        (folder / "scores.csv").write_text(f"model,dataset,accuracy,{column}\n" + "".join(rows))
        assert main(["correlate", "scores.csv", "other.csv", "--json"]) == 0
        row = json.loads(capsys.readouterr().out.splitlines()[0])
        assert (row["score"], row["models"], row["spearman"]) == ("set accuracy", 4, pytest.approx(0.8))


def test_a_name_may_hold_what_other_programs_take_for_the_end_of_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JSON lines only a line feed ends one, and U+2028 is a character like others; empty lines are passed over."""
    rows = [{"model": name, "dataset": "a\u2028b", "opp": opp} for name, opp, _ in SCORES]
    (folder / "scores.jsonl").write_text("\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    assert main(["correlate", "scores.jsonl", "other.csv", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.strip().split("\n")]
    assert [(row["score"], row["models"]) for row in found] == [("a\u2028b opp", 4), ("a\u2028b opp", 3)]


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("scores.jsonl", "{broken", 1, "scores.jsonl:1: expected a JSON line of evaluate"),
        ("scores.jsonl", "a,b\n1,2\n", 1, "expected rows of evaluate with a model"),
        ("scores.jsonl", '{"model": "one", "opp": 1}\n[1]\n', 1, "scores.jsonl:2: expected a JSON line of evaluate"),
        ("scores.jsonl", '{"model": "one", "opp": "high"}', 1, "scores.jsonl:1: expected a number, saw 'high'"),
        ("scores.jsonl", '{"model": ["one"], "opp": 1}', 1, "expected rows of evaluate with a model"),
        ("scores.jsonl", "model,opp\none,high\n", 1, "scores.jsonl:2: expected a number, saw 'high'"),
        ("other.csv", "", 1, "expected a column of models and others of scores, saw no header"),
        ("other.csv", "model,x\none,1\ntwo,nan\n", 1, "other.csv:3: expected a number, saw 'nan'"),
        ("other.csv", "model,x\none,1\none,2\n", 1, "other.csv:3: expected each model once, saw 'one' again"),
        ("other.csv", "model\none\n", 1, "expected a column of models and others of scores"),
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
    assert "8-8-8 opp with sentiment, over 4 models: Pearson&#x27;s r +1.00, Spearman&#x27;s ρ +1.00" in page
