"""Walls, made from the finished groups of a language, the class graph and the signatures of items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any, Final

from wikisem.errors import MissingInputError
from wikisem.files import list_files, open_binary
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED
from wikisem.graph.signatures import read_signatures
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.heuristics.selection.wall_fits import (
    WallClass,
    WallFits,
    WallInputs,
    leading_instances,
    nodes_and_items,
)
from wikisem.heuristics.selection.walls import Walls, draw_walls
from wikisem.layout import (
    ENTITIES,
    GROUPS,
    SURFACES,
    TAXONOMY,
    WALLS,
    profile_path,
    unit_of,
    unlinked_folder,
    walls_path,
)
from wikisem.outputs.groupfile import read_groups
from wikisem.outputs.wallfile import encode_wall
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.build.run import Run
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.build.stages.entities import check_columns
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group
from wikisem.transforms.groups.shared_files import open_graph, read_members, read_unlinked, write_lines
from wikisem.transforms.io.runtime import StageContext
from wikisem.wikipedia.languages import LanguageProfile, language_profile
from wikisem.wikipedia.learning import read_profile_file, with_values

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 2
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
        graph, output = open_graph(folders(TAXONOMY)), folders.run.output
        groups = {language: read_groups(output, language) for language in todo}
        profiles = {language: _read_profile(output, language, own) for language, own in groups.items()}
        classes = {
            language: _read_classes(own, folders(unit_of(SURFACES, language)), graph, profiles[language], recipe)
            for language, own in groups.items()
        }
        inputs = _inputs(folders, graph, list(chain.from_iterable(classes.values())), recipe)
        results: dict[str, UnitResult] = {}
        for language, own in classes.items():
            profile = profiles[language]
            found = draw_walls(own, WallFits.of(own, inputs, profile), profile, drawn)
            write_lines(f"{context.scratch.finished}/{walls_path(language)}", map(encode_wall, found.walls))
            folders.run.log(f"{unit_of(WALLS, language)}: {describe(found)}")
            results[unit_of(WALLS, language)] = _result(found, language, recipe)
        return results

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


def _read_classes(
    groups: Sequence[Group], surfaces: str, graph: ClassGraph, profile: LanguageProfile, recipe: Recipe
) -> list[WallClass]:
    """The classes of the groups of a language with their words."""
    leading = leading_instances(graph, groups, recipe)
    paths = list_files(f"{surfaces}/*.parquet")
    members = read_members(paths, graph, set(chain.from_iterable(leading.values())))
    return [
        WallClass.of(group, [members[one] for one in leading[group.qid] if one in members], profile, recipe.filters)
        for group in groups
    ]


def _inputs(folders: Folders, graph: ClassGraph, classes: Sequence[WallClass], recipe: Recipe) -> WallInputs:
    entities = folders(ENTITIES)
    unlinked = NO_UNLINKED
    if recipe.outliers.status_share:
        unlinked = read_unlinked(graph, list_files(f"{unlinked_folder(entities)}/*.parquet"))
    signatures = None
    if recipe.outliers.margin is not None:
        signatures = read_signatures(entities, graph, *nodes_and_items(graph, classes), recipe)
    return WallInputs.of(graph, recipe, classes, unlinked, signatures)


def _read_profile(output: str, language: str, groups: Sequence[Group]) -> LanguageProfile:
    """The profile by which the groups of a language were made."""
    path = f"{output}/{profile_path(language)}"
    with open_binary(path) as source:
        values = read_profile_file(source.read(), path).values()
    surfaces = (member.surface for group in groups for member in group.cluster)
    return with_values(language_profile(language, sample=surfaces), values)


def _result(found: Walls, language: str, recipe: Recipe) -> UnitResult:
    every = sum(found.counts.values(), Counts())
    facts: dict[str, Any] = {BY_TIER: {tier: asdict(counts) for tier, counts in found.counts.items()}}
    lacking = [tier for tier, counts in found.counts.items() if not counts.kept]
    warning = f"no wall of {recipe.walls.number} in {language} is {' or '.join(lacking)}" if lacking else ""
    return UnitResult(every, facts, warning)


def describe(found: Walls) -> str:
    """How many walls of each tier there are."""
    return ", ".join(f"{tier} {counts.kept:,}" for tier, counts in found.counts.items())
