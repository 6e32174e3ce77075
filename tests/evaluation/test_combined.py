"""The Combined score: the seventeen rows of table 1 of Stringham and Izbicki (2020), and the command."""

from pathlib import Path
from statistics import harmonic_mean

import pytest

from tests.rows import one, printed_rows
from wikisem.evaluation.category_scores import scored_together
from wikisem.evaluation.rows import WHOLE
from wikisem.pipeline.cli import main

# Language, OddOneOut, Topk, Combined, as printed.
TABLE_1 = """
ancient-greek 1140 8 17.86
modern-greek 300 9 19.36
latin 2748 48 96.28
old-french 1 7 3.20
middle-english 239 7 15.48
middle-high-german 9 19 13.33
old-english 0 1 1.33
old-norse 968 2 5.98
old-swedish 50 1 3.85
bengali 0 2 1.50
gujarati 0 7 1.78
hindi 263 2 5.93
marathi 342 1 3.98
punjabi 0 1 1.3
sanskrit 1530 1 3.99
telugu 50 0 1.96
hebrew 1098 6 13.91
"""
ROWS = [line.split() for line in TABLE_1.strip().splitlines()]


@pytest.mark.parametrize(("language", "oddoneout", "topk", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_their_table_is_reproduced(language: str, oddoneout: str, topk: str, printed: str) -> None:
    """Within the digits printed, which are rounded in some rows and cut off in others (Punjabi, Gujarati)."""
    digits = len(printed.partition(".")[2])
    score = scored_together("their model", language, None, [(int(oddoneout), int(topk))]).plain[WHOLE]
    assert score["combined"] == pytest.approx(float(printed), abs=10**-digits), language


def test_the_plain_harmonic_mean_reproduces_none() -> None:
    """Of all rows with both numbers above zero."""
    rows = [(int(odd), int(top), float(printed)) for _, odd, top, printed in ROWS]
    assert len(rows) == 17
    assert not any(abs(harmonic_mean([odd, top]) - printed) < 0.02 for odd, top, printed in rows)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers are those of both tasks."""
    monkeypatch.chdir(tmp_path)
    Path("v.txt").write_text("lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\nvan 0 1\nbus 0.1 1\n")
    Path("sets.txt").write_text(": cats\nlion tiger lynx puma\n: cars\ncar van bus\n")
    words = ["sets.txt", "--vectors", "v.txt", "-k", "2"]
    assert main(["evaluate", "combined", *words, "--json"]) == 0
    rows = printed_rows(capsys.readouterr().out)
    right = {task: one(rows, task).value for task in ("topk", "oddoneout")}
    for task, correct in right.items():
        assert main(["evaluate", task, *words, "--json"]) == 0
        found = printed_rows(capsys.readouterr().out)
        assert correct == sum(row.value or 0 for row in found if row.metric == "correct") > 0
    row = one(rows, "combined")
    assert row.value == pytest.approx(harmonic_mean([1 + (right["oddoneout"] or 0), 1 + (right["topk"] or 0)]))
    assert (row.model, row.dataset) == ("v.txt", "sets")
    assert main(["evaluate", "combined", *words]) == 0
    assert "v.txt" in capsys.readouterr().out
