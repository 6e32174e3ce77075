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


def answer(**more: object) -> dict[str, object]:
    """An answer of a model, as ``evaluate outliers --cases`` writes it."""
    about = {"model": "m", "language": "de", "class": "Q1", "outlier": "Q9", "position": 1.0, "right": True}
    return about | more


def test_files_of_answers_that_are_none_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the line; nothing is written."""
    run = write_run(tmp_path / "out", 1, ("de",))
    cases = tmp_path / "cases.jsonl"
    assert main(["browse", str(run), "--cases", str(cases)]) == 1
    assert f"expected a file of answers, saw nothing at {cases}" in capsys.readouterr().err
    cases.write_text(json.dumps(answer()) + "\n{}\n")
    assert main(["browse", str(run), "--cases", str(cases)]) == 1
    assert "cases.jsonl:2: expected an answer that wikisem evaluate outliers --cases" in capsys.readouterr().err
    for data in (b"", json.dumps(answer() | {"class": "Q9"}).encode()):
        cases.write_bytes(data)
        assert main(["browse", str(run), "--cases", str(cases)]) == 1
        assert "cases.jsonl: expected answers to groups of this run, saw none" in capsys.readouterr().err
    assert not (run / "browse").exists()


def test_answers_to_other_data_sets_are_passed_over(tmp_path: Path) -> None:
    """A file may have those of several sets; a group has the mean OPP and accuracy of its cases."""
    run = write_run(tmp_path / "out", 1, ("de",))
    lines = [answer(), answer(outlier="Q8", position=0.5, right=False), answer(language="", position=0.0)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["browse", str(run), "--cases", str(tmp_path / "cases.jsonl")]) == 0
    assert '"scores":{"m":[75.0,50.0,[' in (run / "browse" / "data" / "de.js").read_text()
