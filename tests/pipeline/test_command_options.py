"""Options that several commands share."""

from collections.abc import Sequence

import pytest

from wikisem.pipeline.command_options import choose_languages
from wikisem.recipes.load import load_recipe


@pytest.mark.parametrize(
    ("asked", "with_dumps", "chosen"),
    [(["fr", "de"], ["en"], ["de", "fr"]), (None, ["ja", "en"], ["en", "ja"]), ([], ["en"], ["en"])],
)
def test_languages_are_those_asked_for_else_those_with_dumps(
    asked: Sequence[str] | None, with_dumps: Sequence[str], chosen: list[str]
) -> None:
    """Sorted, whatever the order in which they were named; the recipe's come last."""
    recipe = load_recipe("wikisem500")
    assert choose_languages(asked, with_dumps, recipe) == chosen
    assert choose_languages(None, [], recipe) == sorted(recipe.languages)
