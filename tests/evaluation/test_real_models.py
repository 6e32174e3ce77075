"""The table of real models: a row for each part of a set, a cell for each model that knows the language."""

import sys
from pathlib import Path

import pytest

from benchmarks import real_models

VECTORS = "rome 1 0\nparis 1 0.1\noslo 1 0.2\nlyon 0.9 0.1\ndesert 0 1\n"
SHUFFLED = "rome 1 0\nparis 0 1\noslo -1 0.2\nlyon 0.9 0.1\ndesert 0.9 0\n"
GROUP = "rome\nparis\noslo\nlyon\n\ndesert\n"


def test_a_model_is_scored_in_its_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A source for one language has no cell in another; the best is bold; without walls there are no rows of them."""
    for language in ("en", "de"):
        (tmp_path / "set" / language).mkdir(parents=True)
        (tmp_path / "set" / language / "Q1.txt").write_text(GROUP)
    for name, text in (("one", VECTORS), ("two", SHUFFLED), ("three", SHUFFLED)):
        (tmp_path / name).write_text(text)
    sources = [f"--vectors={prefix}{tmp_path / name}" for prefix, name in (("", "one"), ("", "two"), ("en=", "three"))]
    monkeypatch.setattr(sys, "argv", ["real_models", str(tmp_path / "set"), "--languages", "en,de", *sources])
    real_models.main()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["language", "set", "n", "one", "two", "three", "chance"]
    english, german = (line for line in lines[2:] if line[1] == "outliers, all")
    assert (english[:3], german[:3]) == (["en", "outliers, all", "1"], ["de", "outliers, all", "1"])
    assert english[3].startswith("**100.0** (")
    assert english[4] == english[5]
    assert english[4].startswith("0.0 ")
    assert german[5] == ""
    assert {line[1] for line in lines[2:] if line[1].startswith("walls")} == set()
