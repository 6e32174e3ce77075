"""Figures, where matplotlib is installed."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from wikisem.errors import UsageError
from wikisem.pipeline.console.terminal import log


def drawing_module(name: str, option: str) -> ModuleType:
    """A module that draws with matplotlib; UsageError, which names the option that needs it, where that is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"{option} needs matplotlib: install wikisem[all]") from error


def draw_plot(path: Path, draw: Callable[[Any], None]) -> None:
    """Give ``wikisem.evaluation.plot`` to a function that draws into ``path``; UsageError without matplotlib."""
    draw(drawing_module("wikisem.evaluation.plot", "--plot"))
    log(f"the figure is {path}")
