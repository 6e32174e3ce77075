"""Tables of scores: which rows they have, in which order, and how they are written in each form."""

from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from tests.browser import needs_browser, open_browser
from tests.rows import one, scores
from tests.word_groups import outlier_word, word_group
from wikisem.datasets.word_groups import read_dataset
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.rows import Row
from wikisem.evaluation.tables import blocks_of
from wikisem.evaluation.vectors.embeddings import WordModel, from_words
from wikisem.outputs.report import Intervals, Point, Sheet, report_latex, report_page
from wikisem.records import Group

ROWS = np.asarray([(1, 0), (1, 0.2), (1, 0.1), (0, 1)], np.float32)


def rows_of(groups: list[Group], *models: str) -> list[Row]:
    """The scores of models that know four words, each in another way."""
    lookups = [WordModel(name, from_words(list("abcx"), ROWS[:: (-1) ** at])) for at, name in enumerate(models)]
    whole, common = score_models(groups, lookups)
    return scores(*whole, *common, groups=True)


def groups_sheet(rows: list[Row]) -> Sheet:
    """The table of groups."""
    (sheet,) = (each for each in blocks_of(rows) if isinstance(each, Sheet) and "group" in each.header[0])
    return sheet


def names_of(groups: list[Group]) -> list[tuple[str, str]]:
    """How groups are named in it."""
    return [(row[0], row[1]) for row in groups_sheet(rows_of(groups, "model")).rows]


def test_groups_are_named_by_their_id_and_language(tmp_path: Path) -> None:
    """The language of JSON lines, or the folder of text files."""
    two = [word_group(name, ("a", "b"), (outlier_word("x"),), "f", "de") for name in ("Q1", "Q2")]
    assert names_of(two) == [("Q1", "de"), ("Q2", "de")]
    one_class = [word_group("Q1", ("a", "b"), (outlier_word("x"),), "f", language) for language in ("de", "la")]
    assert names_of(one_class) == [("Q1", "de"), ("Q1", "la")]
    for language in ("en", "ja"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "Q1.txt").write_text("a\nb\n\nx\n")
    assert [name for name, _ in names_of(read_dataset(tmp_path))] == ["en/Q1", "ja/Q1"]


def test_groups_that_models_fail_most_come_first() -> None:
    """A column for each model; the mean of their OPP; a group that no model knows is last."""
    groups = [
        word_group("easy", ("a", "b", "c"), (outlier_word("x"),), "f"),
        word_group("unknown", ("y", "z"), (outlier_word("x"),), "f"),
        word_group("hard", ("a", "b", "x"), (outlier_word("c"), outlier_word("x")), "f"),
        word_group("wrong", ("a", "x", "x"), (outlier_word("b"),), "f"),
    ]
    rows = rows_of(groups, "one", "two")
    sheet = groups_sheet(rows)
    assert sheet.rows[-1][0] == "unknown"
    common = [row for row in rows if row.vocabulary == "common"]

    def mean(group: str) -> float:
        """The mean accuracy of both models."""
        found = [one(common, model=model, part="group", name=group, vocabulary="common") for model in ("one", "two")]
        return fmean(row.value or 0 for row in found)

    means = [mean(row[0]) for row in sheet.rows[:-1]]
    assert means == sorted(means)
    assert len(set(means)) > 1
    assert list(sheet.header)[-2:] == ["one", "two"]


def test_several_models_are_in_one_table_and_the_rest_is_asked_for() -> None:
    """Beside it a sentence for every two models; in full each model, what scores cover, and every score's sentence."""
    groups = [word_group(f"Q{at}", ("a", "b", "c"), (outlier_word("x", 1 + at % 2),), "f") for at in range(4)]
    rows = [row for row in rows_of(groups, "one", "two") if row.part != "group"]
    title, table, sentence = blocks_of(rows, title="outlier detection")
    assert isinstance(table, Sheet)
    assert str(title).startswith("all models, % with intervals of 95 %, on the test cases that all models know; tied")
    assert list(table.header) == ["score", "model", "all", "O1, siblings", "O2, cousins"]
    assert str(sentence).startswith("accuracy: one − two: +")
    assert str(sentence).endswith(", p = .062: not told apart, 4 classes")
    blocks = blocks_of(rows, ["a note"], "outlier detection", full=True)
    sheets = [block for block in blocks if isinstance(block, Sheet)]
    # Both models know all words, so that the tables of the common vocabulary would say nothing new.
    assert [sheet.title for sheet in sheets[1:]] == [
        "outlier detection: one",
        "outlier detection: two",
        "what the scores cover",
    ]
    assert len({str(sheet.rows) for sheet in sheets}) == len(sheets)
    assert list(sheets[1].header)[:4] == ["part", "classes", "cases", "accuracy"]
    assert blocks[-1] == "a note"
    assert sum("points" in block for block in blocks if isinstance(block, str)) == 2
    latex = report_latex("scores\n\\input{x}", [*blocks, "a_b < 5 % | \\x{}"], "me")
    assert latex.startswith("% scores \\input{x}\n")
    assert "a\\_b $<$ 5 \\% $|$ \\textbackslash{}x\\{\\}" in latex
    assert r"accuracy & one & \textbf{100.00} (" in latex
    assert latex.count(r"\begin{tabular}") == len(sheets)


@pytest.mark.slow
@needs_browser
def test_a_report_is_printed_on_white_two_plots_a_row(tmp_path: Path) -> None:
    """Names of models and numbers of the axis are of one size, on paper and on a screen."""
    plots = [Intervals(title, [Point("m", 50, 40, 60)], chance=10) for title in ("accuracy", "OPP")]
    (tmp_path / "report.html").write_text(report_page("scores", [], plots, "me"), "utf-8")
    style = "return Array.from(document.querySelectorAll(arguments[0]), (one) => getComputedStyle(one)[arguments[1]]);"
    with open_browser(tmp_path / "profile") as driver:
        driver.get((tmp_path / "report.html").as_uri())
        assert set(driver.execute_script(style, "svg text", "fontSize")) == {"12px"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert driver.execute_script(style, "body", "backgroundColor") == ["rgb(255, 255, 255)"]
        first, second = driver.find_elements("css selector", "figure")
        assert first.location["y"] == second.location["y"]
