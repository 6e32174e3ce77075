"""The whole method, start to end: read items, count links, name items, build the class graph, form groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wikisem.errors import UsageError
from wikisem.pipeline.build import group_stage as grouping
from wikisem.pipeline.build import stages
from wikisem.pipeline.build.inputs import Dump
from wikisem.pipeline.build.ledger import Record, Run, check_writable
from wikisem.recipes.options import Recipe
from wikisem.transforms.entities.stage import EntityOptions


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a build is made from."""

    recipe: Recipe
    seed: int
    languages: Sequence[str]
    wikidata: Dump
    wikipedia: Mapping[str, Dump]
    properties: Sequence[str]


def run_build(options: BuildOptions, run: Run) -> list[Record]:
    """Run every stage that is not finished yet, and return the records of all units in the order of the method."""
    recipe = options.recipe
    check_languages(options.languages, list(options.wikipedia), recipe)
    check_writable(run.output)

    records = [stages.entities(run, options.wikidata, _entity_options(options))]
    for language in options.languages:
        linked = language in options.wikipedia
        if linked:
            records.append(stages.mentions(run, language, options.wikipedia[language], recipe.surface.link_trail))
        records.append(stages.surfaces(run, language, recipe.surface, linked))
    records.append(stages.taxonomy(run, recipe.graph))
    records.extend(grouping.groups(run, options.languages, recipe, options.seed).values())
    run.clear()
    return records


def check_languages(languages: Sequence[str], with_links: Sequence[str], recipe: Recipe) -> None:
    """Raise UsageError for a language in which no item could have a surface form."""
    nameless = [language for language in languages if language not in with_links]
    if nameless and recipe.surface.fallback == "none":
        raise UsageError(
            f"{', '.join(nameless)}: expected a Wikipedia dump (--wikipedia {nameless[0]}=PATH) or a recipe with "
            f'surface.fallback "label" or "title", saw neither'
        )


def _entity_options(options: BuildOptions) -> EntityOptions:
    recipe = options.recipe
    return EntityOptions(
        labels=stages.labels_for(options.languages),
        properties=tuple(options.properties),
        ranks=recipe.graph.ranks,
        # An item without any sitelink can then be neither in a cluster nor an outlier.
        linked_only=recipe.surface.fallback == "none" and recipe.outliers.min_sitelinks > 0,
    )
