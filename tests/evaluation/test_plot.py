"""The figure of accuracy by outlier class, and the correlation it states."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from matplotlib.figure import Figure

from tests.rows import one, scores
from tests.word_groups import outlier_word, word_group
from wikisem.errors import OutputError, UsageError
from wikisem.evaluation import plot
from wikisem.evaluation.outlier_detection import Evaluation, GroupScore, score_models
from wikisem.evaluation.plot import draw_correlations, draw_rows
from wikisem.evaluation.statistics import correlate
from wikisem.evaluation.vectors.embeddings import WordModel, from_words
from wikisem.outputs.report import Curve

VALUES = st.lists(st.integers(0, 4), min_size=5, max_size=5)


def evaluation_of(*classes: int | None) -> Evaluation[GroupScore]:
    """Scores of a model that detects only the outliers of class 3."""
    model = WordModel("model", from_words(list("abcx"), np.asarray([(1, 0), (1, 0.2), (1, 0.1), (0, 1)], np.float32)))
    outliers = tuple(outlier_word("x" if number == 3 else "c", number) for number in classes)
    return score_models([word_group("Q1", ("a", "b", "c"), outliers, "here")], [model])[0][0]


def draw(path: Path, *evaluations: Evaluation[GroupScore]) -> None:
    """The figure of what models answered."""
    draw_rows(path, scores(*evaluations), "outlier class")


@given(VALUES, VALUES)
def test_rho_is_the_correlation_of_ranks(one: list[int], other: list[int]) -> None:
    """Ranks counted one by one, ties sharing their mean, give the same ρ; a constant sequence gives none."""

    def ranks(values: list[int]) -> list[float]:
        return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]

    rho = correlate(one, other).spearman
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert rho is None
    else:
        x, y = np.asarray(ranks(one)) - 3, np.asarray(ranks(other)) - 3
        assert rho == pytest.approx(float((x @ y) / np.sqrt((x @ x) * (y @ y))))


def test_chance_is_a_guess_among_the_words_in_vocabulary() -> None:
    """One of four words where all are known, one of three where a member is not; a guess is half way in OPP."""
    whole = evaluation_of(1, 2)
    (group,) = whole.scores
    fewer = replace(group, oov_cluster=1 / 3)
    assert one(scores(whole)).chance == 25
    both = scores(whole._replace(scores=(group, fewer)))
    assert one(both).chance == pytest.approx(100 * (1 / 4 + 1 / 3) / 2)
    assert one(both, "opp").chance == 50


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_figure_is_written(tmp_path: Path, suffix: str) -> None:
    """The suffix chooses the form of the file."""
    path = tmp_path / f"figure.{suffix}"
    draw(path, evaluation_of(1, 2, 3))
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    if suffix == "svg":
        words = ("OPP (%)", "accuracy (%)", "chance", "O1, siblings", "O3, far away")
        assert all(label in path.read_text() for label in words)


def test_rho_is_of_four_models_or_more(tmp_path: Path) -> None:
    """Over classes and models: classes 1 and 2 at 0 % and class 3 at 100 % rise together, with a ρ of √3 / 2.

    Three models have three points of each class at most, whose correlation nobody should read.
    """
    for count in (3, 4):
        draw(tmp_path / "a.svg", *(evaluation_of(1, 1, 2, 3, None)._replace(name=f"m{at}") for at in range(count)))
        drawn = (tmp_path / "a.svg").read_text()
        assert ("ρ of outlier class and OPP" in drawn) == (count == 4)
        assert ("ρ of outlier class and accuracy = 0.87" in drawn) == (count == 4)


def test_the_legend_hides_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is below both plots, once, and names every model and chance."""
    drawn: list[Figure] = []
    monkeypatch.setattr(plot, "save_figure", lambda figure, _: drawn.append(figure))
    draw(tmp_path / "a.png", *(evaluation_of(1, 2, 3)._replace(name=f"m{at}") for at in range(5)))
    (figure,) = drawn
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {"chance", "m0", "m1", "m2", "m3", "m4"}
    for axes in figure.axes:
        assert axes.get_legend() is None
        assert not legend.get_window_extent().overlaps(axes.get_window_extent())


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    """No known class, an unknown form and a missing folder each have their own error."""
    with pytest.raises(UsageError, match="unknown outlier class only"):
        draw(tmp_path / "a.png", evaluation_of(None, None))
    with pytest.raises(UsageError, match=r"a\.doc"):
        draw(tmp_path / "a.doc", evaluation_of(1, 3))
    with pytest.raises(UsageError, match="expected a figure and the suffix of one, saw ''"):
        draw(tmp_path / "a", evaluation_of(1, 3))
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="expected to write"):
        draw(tmp_path / "file" / "a.png", evaluation_of(1, 3))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_names_are_drawn_as_they_are(tmp_path: Path, suffix: str) -> None:
    """A dollar in a name begins no formula, which would end in an error; controls would make an SVG that is none."""
    names = ["$x^", "$\\frac{1}{$", "a$b$c", "\x1b[31m\x00", "$$", "_{"]
    path = tmp_path / f"a.{suffix}"
    draw_correlations(path, [Curve("$\\nope$", "\x07 $", "up", [(at, at) for at in range(6)], names)])
    assert path.stat().st_size > 1000
    draw(path, *(evaluation_of(1, 3)._replace(name=name) for name in names))
    if suffix == "svg":
        etree.parse(path)
