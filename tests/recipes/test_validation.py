"""Tables into values: where a mistake is found, and what it is called there."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, field

from wikisem.errors import BadIdError, RecipeError
from wikisem.recipes.load import convert, did_you_mean, parse_recipe, require, require_ids

NUMBER = "a whole number from 2 up (or false, for off)"


@dataclass(frozen=True)
class Inner:
    """A table in a table."""

    size: Annotated[int, Meta(ge=2)] | None = 8


class Outer(Struct, frozen=True):
    """A table with a key that is a word of Python, and tables in it."""

    name: str
    class_: str = field(default="", name="class")
    inner: Inner = Inner()
    rows: tuple[Inner, ...] = ()
    many: tuple["Outer", ...] = ()


def test_tables_become_values_with_their_defaults() -> None:
    """Nested tables, lists of tables, keys that are words of Python, and ``false`` for off are all taken."""
    data = {"name": "x", "class": "Q1", "rows": [{"size": False}, {}], "many": [{"name": "y"}]}
    assert convert(data, Outer) == Outer("x", "Q1", Inner(), (Inner(None), Inner(8)), (Outer("y"),))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (5, "recipe: expected a table, saw 5"),
        ({}, "name: expected a string, saw nothing"),
        ({"name": "x", "many": [{"name": "y"}, {}]}, "many[1].name: expected a string, saw nothing"),
        ({"name": "x", "many": {}}, "many: expected tables that begin with [[many]], saw {}"),
        ({"name": "x", "many": [1]}, "many[0]: expected a table, saw 1"),
        ({"name": "x", "class_": "Q1"}, "unknown key class_; did you mean class?"),
        ({"name": "x", "inner": {"sise": 1}}, "unknown key inner.sise; did you mean inner.size?"),
        ({"name": "x", "rows": [{}, {"sise": 1}]}, "unknown key rows[1].sise; did you mean rows[1].size?"),
        ({"name": "x", "zzz": 1}, "unknown key zzz; known here: name, class, inner, rows, many"),
        (
            {"name": "x", "inner": {"size": 1}},
            "inner.size: expected a whole number from 2 up (or false, for off), saw 1",
        ),
        (
            {"name": "x", "rows": [{"size": "8"}]},
            "rows[0].size: expected a whole number from 2 up (or false, for off), saw '8'",
        ),
        (
            {"name": "x", "inner": {"size": True}},
            "inner.size: expected a whole number from 2 up (or false, for off), saw True",
        ),
    ],
)
def test_a_mistake_is_told_with_its_path(data: Any, told: str) -> None:
    """The message is exactly path, what was expected, and the value as it was written."""
    with pytest.raises(RecipeError) as caught:
        convert(data, Outer)
    assert str(caught.value) == told


def test_requirements_pass_or_name_the_path() -> None:
    """A condition that holds says nothing; one that does not is told with the value's repr."""
    require(True, 5, "a.b", "less")
    with pytest.raises(RecipeError, match=r"^a\.b: expected less, saw '5'$"):
        require(False, "5", "a.b", "less")


def test_the_largest_seed_has_64_bits() -> None:
    """2**64 - 1 is the last one."""
    assert parse_recipe({"name": "mine", "seed": 2**64 - 1}).seed == 2**64 - 1
    with pytest.raises(RecipeError, match=r"seed: expected a whole number below 2\*\*64, saw 18446744073709551616$"):
        parse_recipe({"name": "mine", "seed": 2**64})


def test_the_first_bad_id_is_told() -> None:
    """The check's own words follow the path; good ids in front of it pass."""

    def check(text: str) -> None:
        if text != "good":
            raise BadIdError(f"expected good, saw {text!r}")

    require_ids(check, ["good", "good"], "ids")
    with pytest.raises(RecipeError, match=r"^ids: expected good, saw 'bad'$"):
        require_ids(check, ["good", "bad", "worse"], "ids")


def test_only_near_words_are_suggested() -> None:
    """A slip has a suggestion, another word has none."""
    assert did_you_mean("afix", ["digits", "affix"]) == "did you mean affix?"
    assert did_you_mean("colour", ["digits", "affix"]) == ""
