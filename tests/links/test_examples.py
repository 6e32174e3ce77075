"""The worked examples in docstrings are true."""

import doctest
from importlib import import_module

import pytest

MODULES = [f"links.{name}" for name in ("positions", "pages", "skipped", "brackets", "contents", "mentions")]
MODULES += ["surfaces.anchors", "wikipedia.languages"]


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples(name: str) -> None:
    """Each module has at least one example, and it gives what it says."""
    module = import_module(f"wikisem.{name}")
    names = {
        key: value
        for source in ("positions", "pages", "brackets", "contents")
        for key, value in vars(import_module(f"wikisem.links.{source}")).items()
        if not key.startswith("_")
    }
    result = doctest.testmod(
        module, extraglobs={**names, "SiteInfo": import_module("wikisem.wikipedia.siteinfo").SiteInfo}
    )
    assert result.attempted
    assert result.failed == 0
