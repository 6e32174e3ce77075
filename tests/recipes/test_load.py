"""Recipes: what is taken, and what a mistake is answered with."""

import dataclasses
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from wikisem.errors import RecipeError
from wikisem.heuristics.rules.wording import require_known
from wikisem.recipes.load import load_recipe, parse_recipe, shipped_names
from wikisem.recipes.options import FilterOptions, Recipe


def test_only_the_name_is_required() -> None:
    """Everything else has the value of the faithful recipe."""
    assert parse_recipe({"name": "mine"}) == Recipe("mine")
    faithful = load_recipe("wikisem500")
    assert dataclasses.replace(faithful, name="mine") == Recipe("mine")


ROW = re.compile(r"^\| ([^|]*)\| ([^|]*)\| ([^|]*)\|", re.MULTILINE)


def _rows_of_the_page() -> Iterator[tuple[str, str, str, str]]:
    """Table, key, default and value in ``wikisem``, of each key of docs/recipes.md."""
    page = (Path(__file__).parent.parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
    table = ""
    for cell, *values in ROW.findall(page.partition("## All keys")[2]):
        if header := re.search(r"\[(\w+)\]", cell):
            table = header[1]
            continue
        keys = re.findall(r"`(\w+)`", cell)
        defaults, own = (re.findall(r"`([^`]+)`", value) for value in values)
        defaults = defaults * len(keys) if len(defaults) == 1 else defaults
        yield from ((table, *row) for row in zip(keys, defaults, own or defaults, strict=False))


def test_the_page_of_recipes_has_every_key_with_its_values() -> None:
    """A recipe that sets all keys to the defaults of the page sets none; with the third column it is ``wikisem``."""
    recipes: list[dict[str, Any]] = [{"name": "all"}, {"name": "wikisem"}]
    rows = list(_rows_of_the_page())
    for table, key, *values in rows:
        for recipe, value in zip(recipes, values, strict=True):
            (recipe.setdefault(table, {}) if table else recipe)[key] = tomllib.loads(f"value = {value}")["value"]
    assert [parse_recipe(recipe) for recipe in recipes] == [Recipe("all"), load_recipe("wikisem")]
    tables = {table: type(getattr(Recipe("all"), table)) for table, *_ in rows if table}
    known = {(table, key) for table, kind in tables.items() for key in _keys(kind)}
    assert {row[:2] for row in rows} == known | {("", key) for key in _keys(Recipe) if key not in {"name", *tables}}


def _keys(kind: Any) -> list[str]:
    """The keys of a table, as TOML has them."""
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.DataclassType | inspect.StructType)
    return [field.encode_name for field in found.fields]


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_recipes_load_under_their_name(name: str) -> None:
    """A recipe is found by the name it gives itself."""
    assert load_recipe(name).name == name


def test_every_recipe_but_the_faithful_one_asks_for_certificates() -> None:
    """An instance of a subclass is a wrong label for an outlier; only the paper's own reading keeps it."""
    strengths = {name: load_recipe(name).outliers.certificate for name in shipped_names()}
    assert strengths.pop("wikisem500") == 0
    assert all(strengths.values())


def test_strangers_are_drawn_by_items_as_in_the_paper_and_by_class_in_the_recipe_to_start_from() -> None:
    """Section 3 takes two items of a sibling and of a cousin class, but far items at random; ``draw_o3`` is apart."""
    outliers = {name: load_recipe(name).outliers for name in shipped_names()}
    draws = {name: (options.draw, options.draw_o3) for name, options in outliers.items()}
    assert draws.pop("wikisem500") == ("class", "items")
    assert draws == dict.fromkeys(("wikisem", "wikisem-near", "demo"), ("class", "class"))
    own = parse_recipe({"name": "x", "outliers": {"draw": "items", "draw_o3": "class"}}).outliers
    assert (own.draw, own.draw_o3) == ("items", "class")
    with pytest.raises(RecipeError, match=r"outliers\.draw_o3: expected one of 'class', 'items', saw 'siblings'"):
        parse_recipe({"name": "x", "outliers": {"draw_o3": "siblings"}})


def test_the_recipe_to_start_from_switches_every_rule_on() -> None:
    """What the faithful recipe leaves off is on in it, and the rules that it names exist."""
    faithful, better = load_recipe("wikisem500"), load_recipe("wikisem")
    assert (better.filters.affix, better.filters.near_duplicates) == ("surprise", 4)
    assert better.filters.extra == {"own_label": 4, "contained": 1}
    assert (faithful.graph.internal, better.graph.internal) == ((), ("Q17442446",))
    require_known(better.filters.extra)


def test_the_demo_differs_from_it_by_the_size_of_its_world() -> None:
    """Its groups are made by the same rules."""
    demo, better = load_recipe("demo"), load_recipe("wikisem")
    small = dataclasses.replace(demo, cluster=better.cluster, outliers=better.outliers)
    assert dataclasses.replace(small, name="wikisem", languages=better.languages) == better
    assert dataclasses.replace(demo.outliers, min_sitelinks=10) == better.outliers
    assert dataclasses.replace(demo.cluster, max_groups=500) == better.cluster


def test_a_recipe_takes_from_its_base_what_it_does_not_say() -> None:
    """Key by key: a table that is begun does not lose the rest, and a key that is given is taken whole."""
    own = {"base": "wikisem", "filters": {"extra": {"contained": 2}}, "surface": {"fallback": "label"}, "seed": 7}
    recipe, better = parse_recipe({"name": "small", **own}), load_recipe("wikisem")
    assert (recipe.name, recipe.seed, recipe.surface.fallback) == ("small", 7, "label")
    assert recipe.filters == dataclasses.replace(better.filters, extra={"contained": 2})
    assert (recipe.outliers, recipe.graph) == (better.outliers, better.graph)
    assert parse_recipe({"name": "again", "base": "demo"}).outliers == load_recipe("demo").outliers


@pytest.mark.parametrize("base", ["wikisen", "own.toml", 5, True, ["wikisem"]])
def test_a_base_is_the_name_of_a_recipe_that_ships(base: object) -> None:
    """Anything else is an error that lists the names; the name of the base is not inherited."""
    with pytest.raises(
        RecipeError, match=r"base: expected the name of a recipe that ships \(demo, wikisem, wikisem-near, wikisem500\)"
    ):
        parse_recipe({"name": "mine", "base": base})
    with pytest.raises(RecipeError, match="name: expected a string, saw nothing"):
        parse_recipe({"base": "wikisem"})


def test_a_path_wins_over_a_name(tmp_path: Path) -> None:
    """A recipe of one's own is read from its own folder, and the error of a bad one names the file."""
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\nseed = 7\n[filters]\naffix = false\n', encoding="utf-8")
    recipe = load_recipe(str(path))
    assert (recipe.seed, recipe.filters.affix, recipe.filters.digits) == (7, None, 3)
    path.write_text('name = "own"\n[filter]\n', encoding="utf-8")
    with pytest.raises(RecipeError, match=r"own\.toml: unknown key filter; did you mean filters\?"):
        load_recipe(str(path))


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known_ones() -> None:
    """A slip of the keyboard is wrong usage: the shipped names are listed, the nearest is suggested."""
    with pytest.raises(
        RecipeError, match=r"demo, wikisem, wikisem-near, wikisem500\), saw 'wikisem50'; did you mean wikisem500\?"
    ):
        load_recipe("wikisem50")
    assert RecipeError.exit_code == 2


def test_a_name_that_resembles_none_is_answered_with_the_list_alone(tmp_path: Path) -> None:
    """No suggestion is made up, and a missing path is quoted whole."""
    with pytest.raises(RecipeError, match=r"wikisem500\), saw '.*/zzz\.toml'$"):
        load_recipe(tmp_path / "zzz.toml")


@pytest.mark.parametrize("text", ['name = "unclosed', "name = 1 2", 'a = 1\na = 2\nname = "x"'])
def test_what_is_no_toml_is_said_to_be_none(text: str, tmp_path: Path) -> None:
    """With the file and the parser's own words."""
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError, match=r"bad\.toml: expected a TOML file, saw "):
        load_recipe(str(path))


def test_bytes_that_are_no_text_are_said_to_be_none(tmp_path: Path) -> None:
    """TOML is UTF-8; anything else ends in the same kind of message."""
    path = tmp_path / "latin1.toml"
    path.write_bytes('name = "Tümpel"'.encode("latin-1"))
    with pytest.raises(RecipeError, match=r"latin1\.toml: expected a TOML file"):
        load_recipe(str(path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "name: expected a string, saw nothing"),
        ({"name": " "}, "name: expected a string of one line that is not empty, saw ' '"),
        ({"name": "a\x1bb"}, r"name: expected a string of one line that is not empty, saw 'a\x1bb'"),
        ({"name": 5}, "name: expected a string, saw 5"),
        ({"name": "x", "sed": 1}, "unknown key sed; did you mean seed?"),
        ({"name": "x", "zzz": 1}, "unknown key zzz; known here: name, seed, languages"),
        ({"name": "x", "surface": {"min_sitelinks": 0}}, "surface.min_sitelinks; did you mean outliers.min_sitelinks?"),
        ({"name": "x", "cluster": {"minimun": 7}}, "unknown key cluster.minimun; did you mean cluster.minimum?"),
        ({"name": "x", "filters": {"bogus": 7}}, "unknown key filters.bogus; known here: filters."),
        ({"name": "x", "cluster": 7}, "cluster: expected a table, saw 7"),
        ({"name": "x", "cluster": {"size": "8"}}, "cluster.size: expected a whole number from 2 up, saw '8'"),
        ({"name": "x", "cluster": {"size": True}}, "cluster.size: expected a whole number from 2 up, saw True"),
        ({"name": "x", "cluster": {"size": 7.5}}, "cluster.size: expected a whole number from 2 up, saw 7.5"),
        ({"name": "x", "cluster": {"size": 1}}, "cluster.size: expected a whole number from 2 up, saw 1"),
        ({"name": "x", "cluster": {"minimum": 9}}, "cluster.minimum: expected at most cluster.size (8), saw 9"),
        ({"name": "x", "outliers": {"minimum": 7}}, "outliers.minimum: expected at most 6"),
        ({"name": "x", "outliers": {"shared": 1}}, "outliers.shared: expected true or false, saw 1"),
        ({"name": "x", "outliers": {"distance": 0}}, "outliers.distance: expected a whole number from 1 up, saw 0"),
        (
            {"name": "x", "outliers": {"draw": "all"}},
            "draw: expected one of 'class', 'items', saw 'all'",
        ),
        (
            {"name": "x", "filters": {"affix": True}},
            "filters.affix: expected a whole number from 1 up or 'surprise' (or false, for off), saw True",
        ),
        ({"name": "x", "filters": {"affix": 0}}, "filters.affix: expected a whole number from 1"),
        (
            {"name": "x", "filters": {"near_duplicates": 0}},
            "near_duplicates: expected a whole number from 1 up (or false",
        ),
        (
            {"name": "x", "filters": {"extra": {"own_label": 0}}},
            "filters.extra: expected a table in which each value is a whole number from 1 up, saw {'own_label': 0}",
        ),
        ({"name": "x", "filters": {"extra": ["own_label"]}}, "filters.extra: expected a table in which each value"),
        ({"name": "x", "filters": {"stop_affix": 4}}, "filters.stop_affix: expected true or false, saw 4"),
        ({"name": "x", "items": {"from": "2024-10"}}, "items.from: expected an item id such as Q28640, saw '2024-10'"),
        ({"name": "x", "items": {"to": "P31"}}, "items.to: expected an item id"),
        ({"name": "x", "items": {"from": "Q10", "to": "Q9"}}, "items.to: expected no item before Q10, saw 'Q9'"),
        ({"name": "x", "items": {"from_": "Q10"}}, "unknown key items.from_; did you mean items.from?"),
        ({"name": "x", "items": {"apply": "all"}}, "items.apply: expected one of 'both', 'clusters', 'outliers'"),
        ({"name": "x", "mixed": ["en"]}, "mixed: expected at least two different languages, saw ['en']"),
        ({"name": "x", "mixed": ["en", "../de"]}, "mixed: expected a language code"),
        ({"name": "x", "mixed": ["en", "de"]}, "outliers.shared: expected true with mixed"),
        ({"name": "x", "seed": -1}, "seed: expected a whole number from 0 up, saw -1"),
        ({"name": "x", "seed": 2**64}, "seed: expected a whole number below 2**64"),
        ({"name": "x", "languages": "en"}, "languages: expected a list of strings, saw 'en'"),
        ({"name": "x", "languages": ["en", 5]}, "languages[1]: expected a string, saw 5"),
        ({"name": "x", "languages": ["../en"]}, "languages: expected a language code"),
        ({"name": "x", "graph": {"root": "entity"}}, "graph.root: expected an item id"),
        ({"name": "x", "graph": {"disambiguation": ["Q0"]}}, "graph.disambiguation: expected an item id"),
        ({"name": "x", "graph": {"internal": ["P31"]}}, "graph.internal: expected an item id"),
        ({"name": "x", "outliers": {"kin_properties": ["P463"]}}, "unknown key outliers.kin_properties; "),
    ],
)
def test_a_mistake_names_the_key_what_was_expected_and_what_was_seen(data: Mapping[str, Any], message: str) -> None:
    """Each is one line, with its recipe."""
    with pytest.raises(RecipeError) as caught:
        parse_recipe(data, where="mine.toml")
    assert str(caught.value).startswith("mine.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_range_of_items_is_read_and_written_under_its_own_words() -> None:
    """``from`` is a word of Python, and is a key of the recipe and of the manifest all the same."""
    recipe = parse_recipe({"name": "x", "items": {"from": "Q9", "to": "Q10", "apply": "clusters"}})
    assert (recipe.items.from_, recipe.items.to, recipe.items.apply) == ("Q9", "Q10", "clusters")
    assert recipe.to_dict()["items"] == {"from": "Q9", "to": "Q10", "apply": "clusters"}


def test_an_empty_root_prunes_nothing() -> None:
    """It is the one QID that may be missing."""
    assert parse_recipe({"name": "x", "graph": {"root": ""}}).graph.root == ""


# Filters that have no number: ``false`` stays ``false``.
SWITCHES = {"replace", "stop_affix", "outlier_stop_affix", "initial_capital"}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "digits": st.integers(1, 9) | st.just(False),
            "affix": st.integers(1, 9) | st.sampled_from(["surprise", False]),
            "length_one": st.integers(1, 9) | st.just(False),
            "stop_affix": st.booleans(),
            "replace": st.booleans(),
            "near_duplicates": st.integers(1, 9) | st.just(False),
            "extra": st.dictionaries(st.text(max_size=3), st.integers(1, 9), max_size=2),
        },
    )
)
def test_filters_are_taken_as_given_and_false_switches_off(filters: dict[str, Any]) -> None:
    """`false` becomes None where there is otherwise a number; what is not given keeps its default."""
    parsed = parse_recipe({"name": "x", "filters": filters}).filters
    for name in (field.name for field in dataclasses.fields(FilterOptions)):
        wanted = filters.get(name, getattr(FilterOptions(), name))
        assert getattr(parsed, name) == (None if wanted is False and name not in SWITCHES else wanted)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(st.text(max_size=4), PLAIN, max_size=2)
KEYS = st.sampled_from([field.name for field in dataclasses.fields(Recipe)])


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_no_value_ends_in_anything_but_a_recipe_or_a_recipe_error(data: dict[str, Any]) -> None:
    """Whatever is under a known key, the answer is a Recipe or one RecipeError."""
    try:
        recipe = parse_recipe(data)
    except RecipeError as error:
        assert str(error).startswith("recipe: ")
    else:
        assert recipe.name == data["name"]


def test_a_recipe_is_plain_values_for_the_manifest() -> None:
    """Its tables are those of the TOML, with None for off."""
    plain = parse_recipe({"name": "x", "filters": {"digits": False}}).to_dict()
    filters = {
        "replace": False,
        "digits": None,
        "affix": 4,
        "length_one": 2,
        "stop_affix": True,
        "near_duplicates": None,
    }
    assert plain["filters"] == filters | {"outlier_stop_affix": False, "initial_capital": False, "extra": {}}
    assert plain["cluster"]["size"] == 8


# The least value of every number in a recipe; ``false`` switches off what is in [filters].
LEAST = {
    "seed": 0,
    "graph.root_distance": 0,
    "cluster.size": 2,
    "cluster.minimum": 2,
    "cluster.max_groups": 0,
    "outliers.per_class": 0,
    "outliers.minimum": 1,
    "outliers.certificate": 0,
    "outliers.near": 0,
    "outliers.min_sitelinks": 0,
    "outliers.distance": 1,
    "outliers.related": 0,
    "surface.minimum_count": 1,
    "surface.minimum_total": 0,
    "filters.digits": 1,
    "filters.affix": 1,
    "filters.length_one": 1,
    "walls.number": 0,
    "walls.uses": 1,
}


def with_value(path: str, value: int) -> dict[str, Any]:
    """A recipe with one number, and what it needs: the minimum of a cluster goes down with its size."""
    table, _, key = path.rpartition(".")
    # Near outliers may be all that a group has.
    more = {"cluster.size": {"minimum": 2}, "outliers.per_class": {"certificate": 8, "near": 2}}.get(path, {})
    return {"name": "x", table: {key: value, **more}} if table else {"name": "x", key: value}


@pytest.mark.parametrize(("path", "least"), LEAST.items())
def test_the_least_value_of_every_number_is_taken_and_the_one_below_is_not(path: str, least: int) -> None:
    """The bound itself is valid; one less is answered with the bound and the value."""
    table, _, key = path.rpartition(".")
    recipe = parse_recipe(with_value(path, least))
    assert getattr(getattr(recipe, table) if table else recipe, key) == least
    with pytest.raises(RecipeError, match=rf"{path}: expected a whole number from {least} up.*, saw {least - 1}$"):
        parse_recipe(with_value(path, least - 1))


def test_every_number_of_a_recipe_has_a_least_value() -> None:
    """A key that is added without a bound, or without a row above, is noticed."""
    defaults = Recipe("x").to_dict()
    tables = {name: table for name, table in defaults.items() if isinstance(table, dict)}
    numbers = {f"{name}.{key}" for name, table in tables.items() for key, value in table.items() if type(value) is int}
    assert numbers | {"seed"} == set(LEAST)


@pytest.mark.parametrize("key", ["minimum_share", "minimum_page_share"])
def test_shares_are_from_zero_to_one(key: str) -> None:
    """Both bounds are valid, whole numbers too; what is beyond them, or no number, is answered with the bounds."""
    assert [getattr(parse_recipe({"name": "x", "surface": {key: n}}).surface, key) for n in (0, 0.5, 1)] == [0, 0.5, 1]
    for wrong in (-0.1, 1.1, "half"):
        with pytest.raises(RecipeError, match=rf"surface\.{key}: expected a number from 0 to 1, saw {wrong!r}"):
            parse_recipe({"name": "x", "surface": {key: wrong}})


def test_related_outliers_need_the_witness_of_their_kind() -> None:
    """Without a bound on margins nothing but P31 would say that they are none of the members' kind."""
    assert parse_recipe({"name": "x", "outliers": {"related": 2, "margin": 0.05}}).outliers.related == 2
    with pytest.raises(RecipeError, match=r"outliers\.related: expected 0 without outliers\.margin"):
        parse_recipe({"name": "x", "outliers": {"related": 2}})


def test_a_level_needs_certificates() -> None:
    """Without them groups mix levels. A third of a class needs nothing; what is neither is answered with what is."""
    asked = parse_recipe({"name": "x", "cluster": {"level": "concepts"}, "outliers": {"certificate": 1}})
    assert asked.cluster.level == "concepts"
    with pytest.raises(RecipeError, match=r"cluster\.level: expected 'both' without outliers\.certificate"):
        parse_recipe({"name": "x", "cluster": {"level": "concepts"}})
    with pytest.raises(RecipeError, match=r"cluster\.fame: expected one of 'all', 'head', .*, saw 'obscure'"):
        parse_recipe({"name": "x", "cluster": {"fame": "obscure"}})


@pytest.mark.parametrize(("table", "key"), [("cluster", "coherence"), ("outliers", "margin")])
def test_either_bound_on_signatures_asks_for_them(table: str, key: str) -> None:
    """``false`` is off, and zero is a bound like any other; a number beyond the bounds is answered with them."""
    recipes = {n: parse_recipe({"name": "x", table: {key: n}}) for n in (0, 0.25, 1)}
    assert {n: getattr(getattr(one, table), key) for n, one in recipes.items()} == {n: n for n in recipes}
    assert all(one.witness for one in recipes.values())
    off = parse_recipe({"name": "x", table: {key: False}})
    assert (off, off.witness) == (Recipe("x"), False)
    for wrong in (-0.1, 1.1, float("nan"), "half", True):
        message = rf"{table}\.{key}: expected a number from 0 to 1 \(or false, for off\), saw {wrong!r}"
        with pytest.raises(RecipeError, match=message):
            parse_recipe({"name": "x", table: {key: wrong}})


def test_minimums_may_equal_what_bounds_them() -> None:
    """A cluster may have to be full, and every outlier class too; one more is refused."""
    full = parse_recipe({"name": "x", "cluster": {"size": 5, "minimum": 5}, "outliers": {"per_class": 1, "minimum": 3}})
    assert (full.cluster.minimum, full.outliers.minimum) == (5, 3)
    with pytest.raises(RecipeError, match=r"cluster\.minimum: expected at most cluster\.size \(5\), saw 6"):
        parse_recipe({"name": "x", "cluster": {"size": 5, "minimum": 6}})
    with pytest.raises(RecipeError, match=r"outliers\.minimum: expected at most 3, 3 × .*, saw 4"):
        parse_recipe({"name": "x", "outliers": {"per_class": 1, "minimum": 4}})
