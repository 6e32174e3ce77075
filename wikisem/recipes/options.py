"""Recipes: TOML in, a validated frozen value out, or an error that says what was expected, what was seen and where."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from wikisem.errors import BadIdError, MissingInputError, RecipeError
from wikisem.ids import check_language, check_qid
from wikisem.recipes.tables import expect, read_toml, to_dataclass


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What leaves the class graph before anything else, and which statements are edges."""

    disambiguation: tuple[str, ...] = ("Q4167410",)
    root: str = "Q35120"
    root_distance: int = 3
    ranks: Literal["best", "not-deprecated"] = "best"


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How large a cluster is, and which of the groups that passed are kept."""

    size: int = 8
    minimum: int = 7
    max_groups: int = 500
    class_order: Literal["sample", "prominence"] = "sample"


@dataclass(frozen=True, slots=True)
class OutlierOptions:
    """How outliers are drawn; ``distance`` is the paper's μ."""

    per_class: int = 2
    minimum: int = 2
    min_sitelinks: int = 10
    distance: int = 7
    grandparents: Literal["any", "strict"] = "any"
    exclude: Literal["instances", "closure"] = "instances"
    shared: bool = False


@dataclass(frozen=True, slots=True)
class SurfaceOptions:
    """Where surface forms come from."""

    fallback: Literal["none", "label", "title"] = "none"
    link_trail: bool = False
    minimum_count: int = 1


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The smallest numbers that reject a cluster, each rule off with ``false`` (then ``None`` here)."""

    digits: int | None = 3
    affix: int | None = 4
    length_one: int | None = 2
    stop_affix: bool = True


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which groups come out, besides the dumps themselves."""

    name: str
    seed: int = 500
    languages: tuple[str, ...] = ("en", "es", "de", "ja", "zh")
    graph: GraphOptions = field(default_factory=GraphOptions)
    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    outliers: OutlierOptions = field(default_factory=OutlierOptions)
    surface: SurfaceOptions = field(default_factory=SurfaceOptions)
    filters: FilterOptions = field(default_factory=FilterOptions)

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values, for the manifest and for fingerprints."""
        return dataclasses.asdict(self)


# The lowest value of each number; what is not listed may be any integer.
_LOWEST: Mapping[str, int] = {
    "seed": 0,
    "graph.root_distance": 0,
    "cluster.size": 2,
    "cluster.minimum": 2,
    "cluster.max_groups": 0,
    "outliers.per_class": 1,
    "outliers.minimum": 1,
    "outliers.min_sitelinks": 0,
    "outliers.distance": 1,
    "surface.minimum_count": 1,
    "filters.digits": 1,
    "filters.affix": 1,
    "filters.length_one": 1,
}


def load_recipe(name_or_path: str) -> Recipe:
    """Read a recipe from a path, or one that ships with wikisem by its name.

    Raises MissingInputError when there is neither, RecipeError when the recipe cannot be meant.
    """
    path = Path(name_or_path)
    if not path.is_file():
        path = _shipped(name_or_path)
    return parse_recipe(read_toml(path), where=str(path))


def shipped_recipes() -> list[str]:
    """The names of the recipes that ship with wikisem."""
    folder = resources.files("wikisem.recipes")
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _shipped(name: str) -> Path:
    names = shipped_recipes()
    if name not in names:
        raise MissingInputError(
            f"expected a recipe file or the name of a shipped recipe ({', '.join(names)}), saw {name!r}"
        )
    return Path(str(resources.files("wikisem.recipes") / f"{name}.toml"))


def parse_recipe(data: Mapping[str, Any], where: str = "recipe") -> Recipe:
    """Validate the tables of a recipe; RecipeError names the key's path, what was expected and what was seen."""
    try:
        if "name" not in data:
            raise RecipeError("name: expected a text, saw nothing")
        recipe: Recipe = to_dataclass(Recipe, data, _LOWEST)
        _check(recipe)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _check(recipe: Recipe) -> None:
    _each(check_language, recipe.languages, "languages")
    _each(check_qid, recipe.graph.disambiguation, "graph.disambiguation")
    _each(check_qid, [recipe.graph.root] if recipe.graph.root else [], "graph.root")
    expect(recipe.name.strip() != "", recipe.name, "name", "a text that is not empty")
    expect(recipe.seed < 2**64, recipe.seed, "seed", "a whole number below 2**64")
    size = recipe.cluster.size
    expect(recipe.cluster.minimum <= size, recipe.cluster.minimum, "cluster.minimum", f"at most cluster.size ({size})")
    most = 3 * recipe.outliers.per_class
    expect(
        recipe.outliers.minimum <= most,
        recipe.outliers.minimum,
        "outliers.minimum",
        f"at most {most}, three times outliers.per_class",
    )


def _each(check: Callable[[str], str], values: "tuple[str, ...] | list[str]", path: str) -> None:
    for value in values:
        try:
            check(value)
        except BadIdError as error:
            raise RecipeError(f"{path}: {error}") from error
