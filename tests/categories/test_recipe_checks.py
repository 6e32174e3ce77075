"""Category recipes: what is accepted, and what each mistake is told."""

from pathlib import Path

import pytest

from wikisem.categories.recipe import (
    PACKAGE,
    Category,
    Condition,
    PropertyPath,
    Relation,
    load_category_recipe,
    parse_category_recipe,
    parse_condition,
)
from wikisem.errors import RecipeError
from wikisem.recipes.load import shipped_names


def _two(**more: object) -> dict[str, object]:
    return {"name": "set", "category": [{"name": "a", "class": "Q1"}, {"name": "b", "class": "Q2"}], **more}


def test_one_category_may_stand_at_the_top() -> None:
    """A recipe without [[category]] is one category, options and all."""
    recipe = parse_category_recipe({"name": "big", "class": "Q515", "subclasses": True, "limit": 5})
    assert recipe.name == "big"
    assert recipe.categories == (Category("big", class_="Q515", subclasses=True, limit=5),)


def test_categories_and_relations_keep_their_order() -> None:
    """A set of categories and relations comes out as it was written, with its seed."""
    recipe = parse_category_recipe(_two(seed=7, relation=[{"name": "r", "subjects": "b", "property": "P36"}]))
    assert [category.name for category in recipe.categories] == ["a", "b"]
    assert recipe.relations == (Relation("r", "b", "P36"),)
    assert recipe.seed == 7


def test_relations_need_no_categories() -> None:
    """A relation without subjects is about the items that have its property."""
    recipe = parse_category_recipe({"name": "s", "relation": [{"name": "r", "property": "P361+", "limit": 9}]})
    assert recipe.categories == ()
    assert recipe.relations[0].category() == Category("r", having="P361", limit=9)


def test_statements_are_paths_to_items() -> None:
    """A plus after the property means any number of steps."""
    assert parse_condition("P17 Q30") == Condition(PropertyPath("P17"), "Q30")
    assert parse_condition("P131+ Q99") == Condition(PropertyPath("P131", repeated=True), "Q99")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"class": "Q1"}, "name: expected a string, saw nothing"),
        (
            {"category": [{"name": "x", "class": "Q1"}]},
            "name: expected a name of the whole recipe above its tables, saw",
        ),
        ({"name": "x"}, "exactly one of class, having, pattern, emoji"),
        ({"name": "x", "having": "P361+"}, "having: expected a property id"),
        ({"name": "x", "having": "P361", "subclasses": True}, "subclasses: expected no such option beside having"),
        ({"name": "x", "class": "Q1", "pattern": "?item ?p ?o"}, "exactly one of"),
        ({"name": "x", "class": "Q1 } DROP"}, "expected an item id"),
        ({"name": "x", "class": "Q1", "exclude": ["Q01"]}, "exclude: expected an item id"),
        ({"name": "x", "class": "Q1", "linked_by": ["P31/wdt:P1"]}, "linked_by: expected a property id"),
        ({"name": "x", "class": "Q1", "linked_by": []}, "at least one property"),
        ({"name": "x", "class": "Q1", "statements": ["P17 Q30 ."]}, "statements: expected a statement such as"),
        ({"name": "x", "class": "Q1", "named_by": "P31>"}, "named_by: expected a property id"),
        ({"name": "x", "class": "Q1", "limit": -1}, "limit: expected a whole number from 0 up"),
        ({"name": "x", "class": "Q1", "subclass": True}, "did you mean subclasses?"),
        ({"name": "x", "pattern": "?city wdt:P31 wd:Q5"}, "a SPARQL pattern with ?item"),
        (
            {"name": "x", "pattern": "?item wdt:P31 wd:Q5", "exclude": ["Q6"]},
            "exclude: expected no such option beside pattern",
        ),
        ({"name": "x", "emoji": "Flags", "min_sitelinks": 3}, "no such option beside emoji"),
        ({"name": "x\n: y", "class": "Q1"}, "a string of one line"),
        (_two(colour="red"), "unknown key colour; known here: name, category, relation, seed"),
        (_two(seed=-1), "seed: expected a whole number"),
        (_two(seed=2**64), "seed: expected a whole number"),
        ({"name": "s", "category": []}, "category: expected at least one table"),
        ({"name": "s", "category": {"name": "a"}}, "tables that begin with [[category]]"),
        ({"name": "s", "category": [{"name": "a", "class": "Q1"}] * 2}, "a name that no other has"),
        ({"name": "s", "category": [{"name": "a", "class": "Q1"}, {"class": "Q2"}]}, "category[1].name: expected"),
        (
            _two(relation=[{"name": "r", "subjects": "c", "property": "P36"}]),
            "subjects: expected the name of a category",
        ),
        (_two(relation=[{"name": "r", "subjects": "a", "property": "36"}]), "property: expected a property such as"),
        (_two(relation=[{"name": "r", "subjects": "a"}]), "property: expected a property such as"),
        (
            _two(relation=[{"name": "r", "subjects": "a", "property": "P1", "limit": 3}]),
            "no such option beside subjects",
        ),
        (_two(relation=[{"name": "r", "subjects": "a", "property": "P1", "order": "x"}]), "relation[0].order"),
        (_two(relation=[{"name": "r", "subjects": "a", "property": "P1", "questions": -1}]), "relation[0].questions"),
        (_two(relation=[{"name": "r", "subjects": "a", "property": "P1", "values": "c"}]), "values: expected the name"),
    ],
)
def test_a_mistake_is_named(data: dict[str, object], told: str) -> None:
    """Whatever is invalid ends in a RecipeError that says where it is and what was expected there."""
    with pytest.raises(RecipeError, match=r"my\.toml: ") as caught:
        parse_category_recipe(data, where="my.toml")
    assert told in str(caught.value)


def test_the_shipped_recipes_are_sound() -> None:
    """Every category recipe that ships can be read by its name, and is called so."""
    names = shipped_names(PACKAGE)
    assert names == ["emoji", "google-semantic", "multilingual-content", "wordrep"]
    assert [load_category_recipe(name).name for name in names] == names


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known_ones() -> None:
    """What is neither a file nor a shipped recipe is wrong usage; the nearest of those that ship is suggested."""
    with pytest.raises(
        RecipeError, match=r"emoji, google-semantic, multilingual-content, wordrep\).*; did you mean emoji\?"
    ) as told:
        load_category_recipe("emojis")
    assert told.value.exit_code == 2


def test_a_path_is_read_before_a_name(tmp_path: Path) -> None:
    """A file wins, and mistakes in it carry its path."""
    path = tmp_path / "emoji"
    path.write_text('name = "mine"\nclass = "Q5"\n', encoding="utf-8")
    assert load_category_recipe(str(path)).categories == (Category("mine", class_="Q5"),)
