"""Figures that scores are drawn into, where matplotlib is installed."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wikisem.errors import UsageError
from wikisem.pipeline.console.terminal import log


def draw_plot(path: Path, draw: Callable[[Any], None]) -> None:
    """Give ``wikisem.evaluation.plot`` to a function that draws into ``path``; UsageError without matplotlib."""
    try:
        plot = importlib.import_module("wikisem.evaluation.plot")
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: install wikisem[all]") from error
    draw(plot)
    log(f"the figure is {path}")
