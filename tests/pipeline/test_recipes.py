"""``wikisem recipes``: what ships, and each of it as a file."""

from pathlib import Path

import pytest

from wikisem.pipeline.cli import main
from wikisem.recipes.load import load_recipe, shipped_names


def test_every_recipe_that_ships_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of builds and those of category sets; a sentence ends at its end, not at an abbreviation."""
    assert main(["recipes"]) == 0
    out = capsys.readouterr().out
    assert [name for name in [*shipped_names(), "google-semantic", "emoji"] if f"│ {name} " not in out] == []
    assert "The faithful recipe: the method of Blair, Merhav and Barry (2016)" in out
    assert "Mikolov et al. 2013" in out


def test_a_recipe_is_printed_to_start_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is a recipe file that loads to the same recipe."""
    assert main(["recipes", "wikisem"]) == 0
    (tmp_path / "mine.toml").write_text(capsys.readouterr().out)
    assert load_recipe(tmp_path / "mine.toml") == load_recipe("wikisem")
    assert main(["recipes", "emoji"]) == 0
    assert 'name = "emoji"' in capsys.readouterr().out
    assert main(["recipes", "emojis"]) == 2
    told = capsys.readouterr().err
    assert "a recipe that ships (demo, emoji, " in told
    assert "saw 'emojis'; did you mean emoji?" in told
