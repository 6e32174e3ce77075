"""The command ``wikisem browse``: where it writes, and what it says of files that are none."""

import json
from pathlib import Path

import pytest

from tests.outputs.release.world import write_run
from wikisem.pipeline.cli import main


def test_a_page_is_written_beside_the_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into the run by default, or where it is asked to."""
    run = write_run(tmp_path / "out", 1, ("de", "no"))
    assert main(["browse", str(run)]) == 0
    assert capsys.readouterr().out == f"open in a browser: {run / 'browse' / 'index.html'}\n"
    assert {path.name for path in (run / "browse" / "data").iterdir()} == {"index.js", "de.js", "no.js", "la.js"}
    assert main(["browse", str(run), "--output", str(tmp_path / "page")]) == 0
    assert (tmp_path / "page" / "index.html").read_bytes() == (run / "browse" / "index.html").read_bytes()


def test_files_of_scores_that_are_none_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the line; nothing is written."""
    run = write_run(tmp_path / "out", 1, ("de",))
    scores = tmp_path / "scores.jsonl"
    assert main(["browse", str(run), "--scores", str(scores)]) == 1
    assert f"expected a file of scores, saw nothing at {scores}" in capsys.readouterr().err
    scores.write_text(json.dumps({"model": "m", "by_group": []}) + "\n{}\n")
    assert main(["browse", str(run), "--scores", str(scores)]) == 1
    assert "scores.jsonl:2: expected what wikisem evaluate outliers --json prints" in capsys.readouterr().err
    for data in (b"", json.dumps({"model": "m", "by_group": [{"group": "Q9", "language": "de"}]}).encode()):
        scores.write_bytes(data)
        assert main(["browse", str(run), "--scores", str(scores)]) == 1
        assert "scores.jsonl: expected scores of groups of this run, saw none" in capsys.readouterr().err
    assert not (run / "browse").exists()


def test_scores_of_other_data_sets_are_passed_over(tmp_path: Path) -> None:
    """evaluate prints a line for each model and data set, of which only one may be the run's."""
    run = write_run(tmp_path / "out", 1, ("de",))
    scored = {"group": "Q1", "language": "de", "opp": 75.0, "accuracy": 50.0}
    lines = [{"model": "m", "by_group": [scored]}, {"model": "m", "by_group": [{**scored, "language": ""}]}]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "scores.json").write_text(json.dumps({"scores": lines}, indent=2))  # as --output writes it
    for scores in ("scores.jsonl", "scores.json"):
        assert main(["browse", str(run), "--scores", str(tmp_path / scores)]) == 0
        assert '"scores":{"m":[75.0,50.0]}' in (run / "browse" / "data" / "de.js").read_text()
