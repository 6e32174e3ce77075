"""Recipes of relations between words: those that ship, and what is wrong with others."""

from pathlib import Path

import pytest

from wikisem.categories.lexeme_pairs import load_relations
from wikisem.errors import RecipeError


def test_the_shipped_relations_are_sound() -> None:
    """Each has swaps or a derivation; plural, comparative, superlative, past, participles and agentive are there."""
    names = [relation.name for relation in load_relations()]
    assert {"plural", "comparative", "superlative", "past", "past-participle", "present-participle"} <= set(names)
    assert names[-3:] == ["agentive", "adverb", "derived"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing required field `relation`"),
        ("[[relation]]\nname = 'x'", "relation x: expected either swaps or a derivation"),
        ("[[relation]]\nname = 'x'\nswaps = []", "expected either swaps or a derivation"),
        (
            "[[relation]]\nname = 'x'\nderivation = {}\nswaps = [{from = ['Q2'], to = ['Q1']}]",
            "expected either swaps or a derivation",
        ),
        ("[[relation]]\nname = 'x'\nderivation = {by = ['P31']}", "nvalid enum value 'P31'"),
        ("[[relation]]\nname = 'x'\nderivation = {by = []}", "length >= 1"),
        ("[[relation]]\nname = 'x'\nswaps = [{from = ['singular'], to = ['Q1']}]", "matching regex"),
        ("[[relation]]\nname = 'x y'\nswaps = [{from = ['Q2'], to = ['Q1']}]", "matching regex"),
        ("[[relation]]\nname = 'x'\nswap = []\nswaps = [{from = ['Q2'], to = ['Q1']}]", "unknown field `swap`"),
        ("[[relation]]\nname = 'x'\nswaps = [{from = ['Q2'], to = ['Q1']}]\n" * 2, "names that differ"),
        ("[[relation", "expected"),
    ],
)
def test_a_bad_recipe_is_named(tmp_path: Path, text: str, message: str) -> None:
    """With the file and what is wrong in it."""
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(RecipeError, match=message):
        load_relations(tmp_path / "r.toml")
    with pytest.raises(RecipeError, match="saw no file at"):
        load_relations(tmp_path / "none.toml")
