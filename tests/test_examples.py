"""Every worked example in a docstring gives what it shows."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("evaluation", "heuristics", "outputs", "pipeline", "queries", "transforms", "wikisem")


def _modules_with_examples() -> list[str]:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if ">>> " in path.read_text())
    paths = (path.relative_to(ROOT).with_suffix("").parts for path in files)
    return sorted({".".join(parts if parts[0] == "wikisem" else ("wikisem", *parts)) for parts in paths})


MODULES = _modules_with_examples()


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str) -> None:
    """The examples of a module use its own names alone."""
    result = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_are_found() -> None:
    """There are modules with examples, so that the test above does run some."""
    assert len(MODULES) > 40
