"""Stage 5: groups in the languages that need them, and the files that people load."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import msgspec

from wikisem.files import open_binary
from wikisem.heuristics.rules.extra import require_known
from wikisem.layout import ENTITIES, GROUPS, MENTIONS, SURFACES, TAXONOMY, group_leaves, profile_path, unit_of
from wikisem.outputs.groupfile import group_folders
from wikisem.pipeline.runs.inputs import FACT, Profiles
from wikisem.pipeline.runs.ledger import ENGLISH, PLACES, fingerprint
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.runs.stages.entities import check_columns
from wikisem.recipes.options import ClassOptions, Recipe
from wikisem.records import Counts
from wikisem.transforms.groups.shared_files import read_facts
from wikisem.transforms.groups.stage import VERSION, build_groups
from wikisem.transforms.io.runtime import StageContext


def groups(languages: Sequence[str], recipe: Recipe, profiles: Profiles | None = None) -> Stage:
    """The groups of all languages, in one pipeline: the outlier sets do not depend on the language.

    Shared outliers are chosen over all languages at once: then none of them can be made alone. RecipeError for a rule
    that is not there, before anything runs.
    """
    require_known(recipe.filters.extra)
    shared, given = recipe.outliers.shared, profiles or Profiles()

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        todo = [unit.removeprefix(f"{GROUPS}/") for unit in units]
        counts = build_groups(
            folders(ENTITIES),
            folders(TAXONOMY),
            {language: folders(unit_of(SURFACES, language)) for language in todo},
            _mentions(folders, todo),
            recipe,
            context,
            given.texts,
        )

        def result(language: str) -> UnitResult:
            found = read_facts(context.scratch, language)
            facts = {"cases": found.cases, FACT: _learned(context, language, given)}
            facts |= {ENGLISH: found.english} if found.english else {}
            facts |= {PLACES: found.places} if recipe.outliers.places else {}
            nothing = nothing_to_try(folders.counts(unit_of(SURFACES, language)), recipe)
            warning = no_groups(folders.run.output, language, counts[language], nothing)
            return UnitResult(counts[language], facts, warning)

        return {unit_of(GROUPS, language): result(language) for language in todo}

    def check(run: Run) -> None:
        check_columns(run.ledger.require(ENTITIES), recipe)

    units = [
        _unit(language, sorted(languages) if shared else [language], recipe, given.digest(language))
        for language in languages
    ]
    return Stage(GROUPS, units, work, together=shared, check=check)


def _unit(language: str, needed: Sequence[str], recipe: Recipe, profile: str) -> Unit:
    return Unit(
        unit_of(GROUPS, language),
        options={
            "cluster": asdict(recipe.cluster),
            "outliers": asdict(recipe.outliers),
            "filters": asdict(recipe.filters),
            "items": msgspec.to_builtins(recipe.items),
            "seed": recipe.seed,
            **({"classes": asdict(recipe.classes)} if recipe.classes != ClassOptions() else {}),
            **({"profile": profile} if profile else {}),
        },
        needs=(TAXONOMY, *(unit_of(SURFACES, code) for code in needed)),
        leaves=(*group_leaves(language), *group_folders(language), profile_path(language)),
        version=VERSION,
    )


def _learned(context: StageContext, language: str, given: Profiles) -> dict[str, str]:
    """The fingerprint of the profile that was learned, to tell an edited one from it; empty if it was given."""
    if language in given.texts:
        return {}
    with open_binary(f"{context.scratch.finished}/{profile_path(language)}") as source:
        return {"learned": fingerprint(text=source.read().decode())}


def _mentions(folders: Folders, languages: Sequence[str]) -> dict[str, str]:
    """The folder of each language whose surfaces were made from links."""
    return {
        language: folders(unit_of(MENTIONS, language))
        for language in languages
        if unit_of(MENTIONS, language) in folders.needs(unit_of(SURFACES, language))
    }


def no_groups(output: str, language: str, counts: Counts, nothing: str) -> str:
    """The warning of a language without groups, empty if it has some; ``nothing`` says why no class was tried.

    >>> no_groups("out", "la", Counts(12, 0, {"affix": 3, "few-outliers": 9}), "no class has 7 instances")
    'no group in la: all 12 classes were rejected (few-outliers 9, affix 3); out/rejected/la.jsonl lists them'
    """
    if counts.kept:
        return ""
    if not counts.read:
        return f"no group in {language}: {nothing}"
    ordered = sorted(counts.left_out.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in ordered)
    return (
        f"no group in {language}: all {counts.read:,} classes were rejected ({reasons}); "
        f"{output}/rejected/{language}.jsonl lists them"
    )


def nothing_to_try(items: Counts, recipe: Recipe) -> str:
    """Why no class was tried in a language, from the counts of its surfaces."""
    without = "no item has a page or a label there"
    if items.read:
        without = f"{items.read - items.kept:,} of {items.read:,} items have none"
    return f"no class has {recipe.cluster.minimum} instances with a surface form; {without}"
