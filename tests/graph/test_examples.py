"""The worked examples in the docstrings of the class graph, of the rules and of surface forms."""

import doctest
import importlib
import pkgutil

import pytest

import wikisem.graph
import wikisem.heuristics
import wikisem.surfaces

MODULES = [
    module.name
    for package in (wikisem.graph, wikisem.heuristics, wikisem.surfaces)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]
WITH_EXAMPLES = 12


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str) -> None:
    """Every example runs and prints what the docstring says."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_are_found() -> None:
    """The modules with clever pieces have examples, so that the test above does run some."""
    finder = doctest.DocTestFinder()
    modules = map(importlib.import_module, MODULES)
    assert sum(any(test.examples for test in finder.find(module)) for module in modules) >= WITH_EXAMPLES
