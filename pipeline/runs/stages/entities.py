"""Stage 1: a Wikidata dump to the items that the method reads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wikisem.errors import MissingInputError
from wikisem.layout import ENTITIES
from wikisem.pipeline.runs.inputs import Dump
from wikisem.pipeline.runs.ledger import Record
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult, identity_of
from wikisem.recipes.options import Recipe
from wikisem.transforms.entities.stage import VERSION, EntityOptions, read_entities
from wikisem.transforms.io.runtime import StageContext
from wikisem.wikidata.entity_tables import LAYOUTS, EntityTables, open_tables
from wikisem.wikidata.line_types import Fields
from wikisem.wikis import name_codes

ALL: Final = "all"  # labels of every language


def entities(dump: Dump, options: EntityOptions, run: Run) -> Stage:
    """The items of a dump; a finished unit serves every run that asks for a subset of its labels and properties.

    If OUT has the same dump with other labels, these are kept too, so that alternating languages do not displace each
    other.
    """
    earlier = run.ledger.find(ENTITIES)
    if earlier is not None:
        wider = _widen(earlier.facts, options)
        if identity_of(_unit(dump, wider), {}) == earlier.identity:
            options = wider

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del units, folders
        context = context.for_unit(ENTITIES)
        if not dump.tables:
            counts, highest = read_entities(dump.paths, options, context)
            return {ENTITIES: UnitResult(counts, {"highest_item": highest})}
        tables = open_tables(dump.tables, Fields(options.labels).label_codes)
        run.log(f"{ENTITIES}: {_in_words(tables)}")
        for missing in tables.lacks:
            run.log(f"warning: {ENTITIES}: the tables lack {missing}")
        counts, highest = read_entities(tables, options, context)
        # The table of entities of the release of 2026-09-28 has properties only.
        known = tables.rows().get("entities")
        unknown = 0 if known is None else counts.read - sum(counts.unreadable.values()) - known
        warning = (
            f"{ENTITIES}: {unknown:,} are not in the table of entities, and have no revision" if unknown > 0 else ""
        )
        facts = {"highest_item": highest, "tables": {**tables.describe(), "without_revision": max(unknown, 0)}}
        return {ENTITIES: UnitResult(counts, facts, warning)}

    return Stage(ENTITIES, [_unit(dump, options)], work)


def _in_words(tables: EntityTables) -> str:
    """The tables that are read, for people."""
    rows, languages = tables.rows(), tables.keys("labels")
    listed = ", ".join(languages) if len(languages) < 10 else f"{len(languages)} languages"
    return (
        f"Parquet tables of {LAYOUTS[tables.layout]}: {rows.get('claims', 0):,} statements, "
        f"{rows.get('links', 0):,} pages (wikis: {len(tables.keys('links'))}), "
        f"{rows.get('labels', 0):,} labels ({listed or 'none'})"
    )


def _unit(dump: Dump, options: EntityOptions) -> Unit:
    extras = {
        "labels": ALL if options.labels is None else sorted(options.labels),
        "properties": sorted(options.properties),
        "signatures": options.signatures,
        "relations": options.relations,
    }
    return Unit(
        ENTITIES,
        options={
            "dump": dump.identity(),
            "ranks": options.ranks,
            "unlinked": "counted" if options.linked_only else "kept",
        },
        extras=extras,
        facts={**extras, "linked_only": options.linked_only, "inputs": dump.describe()},
        version=VERSION,
    )


def _widen(facts: Mapping[str, Any], options: EntityOptions) -> EntityOptions:
    """The options of this run together with those of an earlier one."""
    every = options.labels is None or facts["labels"] == ALL
    return replace(
        options,
        labels=None if every else tuple(sorted({*(options.labels or ()), *facts["labels"]})),
        properties=tuple(sorted({*options.properties, *facts["properties"]})),
        linked_only=options.linked_only and facts["linked_only"],
        signatures=options.signatures or facts.get("signatures", False),
        relations=options.relations or facts.get("relations", False),
    )


def labels_for(languages: Iterable[str]) -> tuple[str, ...]:
    """The label codes that languages need, English among them: a class without a label has the English one."""
    return tuple(sorted({code for language in [*languages, "en"] for code in name_codes(language)}))


def check_labels(items: Record, language: str) -> None:
    """Raise MissingInputError when the entities were read without the labels of a language."""
    kept = items.facts["labels"]
    if kept != ALL and not set(labels_for([language])) <= set(kept):
        raise MissingInputError(
            f"expected entities with labels in {language}, saw {', '.join(kept)}; "
            f"run `wikisem entities` or `wikisem build` with {language} among the languages first"
        )


def check_columns(items: Record, recipe: Recipe) -> None:
    """Raise MissingInputError when the entities were read without the signatures or relations that the recipe needs."""
    asked = {
        "signatures, which cluster.coherence and outliers.margin compare": ("signatures", recipe.witness),
        "relations, which outliers.related draws from": ("relations", recipe.outliers.related > 0),
    }
    for expected, (name, wanted) in asked.items():
        if wanted and not items.facts.get(name, False):
            raise MissingInputError(
                f"expected entities with {expected}, saw entities without; "
                "run `wikisem entities`, or `wikisem build` with this recipe, first"
            )
