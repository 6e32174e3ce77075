"""The whole method, start to end: read items, count links, find surface forms, build the class graph, form groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wikisem.errors import UsageError
from wikisem.pipeline.runs.inputs import Dump, find_profiles
from wikisem.pipeline.runs.ledger import Record
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stage_runner import Stage, run_stages, session
from wikisem.pipeline.runs.stages import entities, groups, labels_for, mentions, mixed, surfaces, taxonomy, walls
from wikisem.recipes.options import Recipe
from wikisem.transforms.entities.stage import EntityOptions


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The inputs of a build; the seed is the recipe's, ``profiles`` are the texts of files that --profile names."""

    recipe: Recipe
    languages: Sequence[str]
    wikidata: Dump
    wikipedia: Mapping[str, Dump]
    properties: Sequence[str]
    profiles: Mapping[str, str] = field(default_factory=dict)


def run_build(options: BuildOptions, run: Run) -> list[Record]:
    """Run every stage that is not finished yet, and return the records of all units in the order of the method."""
    check_languages(options.languages, list(options.wikipedia), options.recipe)
    with session(run):
        return run_stages(build_stages(options, run), run, options.recipe)


def build_stages(options: BuildOptions, run: Run) -> list[Stage]:
    """The method: each stage of a build, in order."""
    recipe, languages, dumps = options.recipe, options.languages, options.wikipedia
    linked = [language for language in languages if language in dumps]
    profiles = find_profiles(run.output, languages, options.profiles)
    return [
        entities(options.wikidata, entity_options(recipe, languages, options.properties), run),
        mentions({language: dumps[language] for language in linked}, recipe.surface.link_trail, profiles),
        surfaces(languages, recipe.surface, linked),
        taxonomy(recipe.graph),
        groups(languages, recipe, profiles),
        *mixed(languages, recipe),
        *walls(languages, recipe),
    ]


def check_languages(languages: Sequence[str], with_links: Sequence[str], recipe: Recipe) -> None:
    """Raise UsageError for a language in which no item could have a surface form."""
    nameless = [language for language in languages if language not in with_links]
    if nameless and recipe.surface.fallback == "none":
        raise UsageError(
            f"{', '.join(nameless)}: expected a Wikipedia dump (--wikipedia {nameless[0]}=PATH) or a recipe with "
            f'surface.fallback "label" or "title", saw neither'
        )


def entity_options(recipe: Recipe | None, languages: Sequence[str] | None, properties: Sequence[str]) -> EntityOptions:
    """What stage 1 keeps: what groups of a recipe need, or without one what groups of any recipe may need.

    ``languages`` are those whose labels are kept, None for all.
    """
    kept = EntityOptions(None if languages is None else labels_for(languages), tuple(sorted(properties)))
    if recipe is None:
        return kept
    return replace(
        kept,
        ranks=recipe.graph.ranks,
        signatures=recipe.witness,
        relations=recipe.outliers.related > 0,
        # An item without any sitelink can then be neither in a cluster nor an outlier.
        linked_only=recipe.surface.fallback == "none" and recipe.outliers.min_sitelinks > 0,
    )
