"""Walls, made from the finished groups of a language, the class graph and the signatures of items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from wikisem.errors import MissingInputError
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.layout import (
    ENTITIES,
    GROUPS,
    SURFACES,
    TAXONOMY,
    WALLS,
    unit_of,
    walls_path,
)
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.runs.stages.entities import check_columns
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Tier
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.walls import VERSION, WallSources, make_walls

# The key of a unit's facts: for each tier how many walls were tried and kept, and why others were dropped.
BY_TIER: Final = "tiers"


def walls(languages: Sequence[str], recipe: Recipe, seed: int | None = None) -> list[Stage]:
    """The stage that makes walls in some languages, if the recipe asks for any; ``seed`` draws others from the groups.

    What the second witness says of a word does not depend on it.
    """
    if not recipe.walls.number:
        return []
    drawn = recipe if seed is None else replace(recipe, seed=seed)

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        todo = [unit.removeprefix(f"{WALLS}/") for unit in units]
        surfaces = {language: folders(unit_of(SURFACES, language)) for language in todo}
        sources = WallSources(folders.run.output, folders(ENTITIES), folders(TAXONOMY), surfaces)
        found = make_walls(sources, recipe, drawn.seed, context)
        for language in todo:
            folders.run.log(f"{unit_of(WALLS, language)}: {describe(found[language])}")
        return {unit_of(WALLS, language): _result(found[language], language, recipe) for language in todo}

    def check(run: Run) -> None:
        check_columns(run.ledger.require(ENTITIES), recipe)

    return [Stage(WALLS, [_unit(language, drawn) for language in languages], work, check=check)]


def _unit(language: str, recipe: Recipe) -> Unit:
    return Unit(
        unit_of(WALLS, language),
        options={"walls": asdict(recipe.walls), "seed": recipe.seed},
        needs=(TAXONOMY, unit_of(SURFACES, language), unit_of(GROUPS, language)),
        leaves=(walls_path(language),),
        version=VERSION,
    )


def recipe_of_groups(ledger: Ledger, languages: Iterable[str] = ()) -> tuple[list[str], Recipe]:
    """The languages with finished groups, or those of them that are asked for, and the recipe of their groups.

    MissingInputError for a language without groups, and where languages were made by different recipes.
    """
    records = [record for record in ledger.records() if record.unit.startswith(f"{GROUPS}/")]
    found = {code: record for record in records if not is_mixed(code := record.unit.removeprefix(f"{GROUPS}/"))}
    chosen = sorted(set(languages) or found)
    if missing := [language for language in chosen if language not in found]:
        raise MissingInputError(
            f"expected languages with finished groups ({', '.join(sorted(found)) or 'none'}), saw "
            f"{', '.join(missing)}; run `wikisem groups` or `wikisem build` first"
        )
    if not chosen:
        raise MissingInputError("expected finished groups, saw none; run `wikisem groups` or `wikisem build` first")
    recipes = [parse_recipe(found[one].made_with["recipe"], f"the record of {GROUPS}/{one}") for one in chosen]
    rules = [replace(one, languages=(), mixed=(), name="") for one in recipes]
    if other := next((one for one, own in zip(chosen, rules, strict=True) if own != rules[0]), None):
        raise MissingInputError(
            f"expected groups by one recipe, saw that {other} has another one than {chosen[0]}; name languages of one"
        )
    return chosen, recipes[0]


def _result(tiers: Mapping[Tier, Counts], language: str, recipe: Recipe) -> UnitResult:
    every, number = sum(tiers.values(), Counts()), recipe.walls.number
    facts: dict[str, Any] = {BY_TIER: {tier: asdict(counts) for tier, counts in tiers.items()}}
    few = f"{every.kept:,} walls of {number:,} in {language} ({describe(tiers)})" if every.kept < number else ""
    return UnitResult(every, facts, few)


def describe(tiers: Mapping[Tier, Counts]) -> str:
    """How many walls of each tier there are."""
    return ", ".join(f"{tier} {counts.kept:,}" for tier, counts in tiers.items())
