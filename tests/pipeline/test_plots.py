"""Figures of scores: the path is logged, and without matplotlib the message says what to install."""

import sys
from pathlib import Path

import pytest

from wikisem.errors import MissingExtraError
from wikisem.pipeline.console.terminal import draw_plot, drawing_module


def test_the_figure_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The function is given the module that draws, and the path is said afterwards."""
    pytest.importorskip("matplotlib", reason="figures come with wikisem[figures]")
    found = []
    draw_plot(Path("a.png"), lambda plot: found.append(plot.__name__))
    assert found == ["wikisem.evaluation.plot"]
    assert "the figure is a.png" in capsys.readouterr().err


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn."""
    monkeypatch.setitem(sys.modules, "wikisem.pipeline.figure", None)
    with pytest.raises(MissingExtraError, match=r"--figure needs matplotlib: pip install 'wikisem\[figures\]'"):
        drawing_module("wikisem.pipeline.figure", "--figure")
    monkeypatch.setitem(sys.modules, "wikisem.evaluation.plot", None)
    with pytest.raises(MissingExtraError, match=r"--plot needs matplotlib: pip install 'wikisem\[figures\]'"):
        draw_plot(Path("a.png"), lambda plot: plot.draw_scores())
