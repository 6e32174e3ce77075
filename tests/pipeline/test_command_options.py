"""Options that several commands share: what their words mean."""

import argparse
from collections.abc import Sequence

import pytest

from wikisem.pipeline.command_options import add_output, choose_languages
from wikisem.recipes.load import load_recipe


def max_rejects(word: str) -> float:
    """What --max-rejects makes of a word."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_output(parser)
    rate: float = parser.parse_args(["--output", "x", "--max-rejects", word]).max_rejects
    return rate


@pytest.mark.parametrize(("word", "rate"), [("0", 0.0), ("0%", 0.0), ("1%", 0.01), ("0.5", 0.5), ("100%", 1.0)])
def test_rates_are_shares_or_percentages(word: str, rate: float) -> None:
    """None at all and all of them are rates too."""
    assert max_rejects(word) == rate


@pytest.mark.parametrize("word", ["1.1", "101%", "nan", "few"])
def test_other_words_are_no_rate(word: str) -> None:
    """The message says which words are."""
    with pytest.raises(argparse.ArgumentError, match=r"expected a rate from 0 to 1 such as 0\.01 or 1%"):
        max_rejects(word)


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
