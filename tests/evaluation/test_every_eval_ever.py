"""Scores in the schema of Every Eval Ever: a log for each model, with what its schema asks for."""

import json
from pathlib import Path

import pytest

from wikisem.evaluation.rows import SCHEMA_VERSION, Row, logs_of
from wikisem.pipeline.cli import main

SCORE = Row(
    task="outliers", model="maker__model", dataset="set", metric="accuracy", value=50.0, low=40.0, high=60.0, se=5.0,
    n=9, cases=30, chance=11.1, mark="best",
)  # fmt: skip


def test_a_score_has_its_interval() -> None:
    """In percent of 0 to 100, with the standard error by class; every detail is a string."""
    log = logs_of([SCORE], 1_700_000_000)["maker__model"]
    assert log["schema_version"] == SCHEMA_VERSION
    assert log["evaluation_id"] == "wikisem/maker__model/1700000000"
    assert log["model_info"] == {"name": "maker__model", "id": "maker/model"}
    (result,) = log["evaluation_results"]
    assert result["evaluation_result_id"] == "outliers/set/own/all/accuracy"
    assert (result["metric_config"]["min_score"], result["metric_config"]["max_score"]) == (0, 100)
    score = result["score_details"]
    assert score["score"] == 50
    assert score["uncertainty"]["standard_error"] == {"value": 5.0, "method": "clustered by class"}
    assert (score["uncertainty"]["confidence_interval"]["lower"], score["uncertainty"]["num_samples"]) == (40.0, 30)
    assert score["details"] == {"unit": "class", "units": "9", "chance": "11.1", "vocabulary": "own", "mark": "best"}


def test_what_is_no_score_of_a_model_is_left_out() -> None:
    """Differences, baselines, and numbers without an interval."""
    others = [
        Row(task="outliers", model="a", less="b", metric="accuracy", value=1.0, low=0.0, high=2.0),
        Row(task="baseline", model="longest", metric="accuracy", value=1.0, low=0.0, high=2.0),
        Row(task="outliers", model="a", part="coverage", metric="groups", value=3.0),
    ]
    assert logs_of(others, 0) == {}


def test_the_command_writes_a_log_of_each_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside what it prints, in files whose names no model's name can break; the same twice at a given time."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    words = ["evaluate", "outliers", "sample", "--languages", "fr", "--every-eval-ever", str(tmp_path / "logs")]
    assert main([*words, "--vectors", "a b=characters:3", "characters:2"]) == 0
    assert "the logs are" in capsys.readouterr().err
    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["1-a_b.json", "2-characters_2.json"]
    first = files[0].read_bytes()
    log = json.loads(first)
    assert {result["score_details"]["score"] >= 0 for result in log["evaluation_results"]} == {True}
    ids = [result["evaluation_result_id"] for result in log["evaluation_results"]]
    assert len(set(ids)) == len(ids)
    assert main([*words, "--vectors", "a b=characters:3", "characters:2"]) == 0
    assert files[0].read_bytes() == first
