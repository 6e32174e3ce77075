"""The five stages as units of work: what each depends on, when an earlier result serves, what it leaves behind."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from wikisem import __version__
from wikisem.errors import MissingInputError
from wikisem.pipeline.build.inputs import Dump
from wikisem.pipeline.build.ledger import Record, Run, fingerprint, finish, reuse
from wikisem.recipes.options import GraphOptions, SurfaceOptions
from wikisem.transforms.entities.stage import EntityOptions, read_entities
from wikisem.transforms.io.files import open_binary
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.mentions.stage import count_mentions
from wikisem.transforms.surfaces.stage import resolve_surfaces
from wikisem.transforms.taxonomy import build_taxonomy
from wikisem.wikipedia.languages import label_codes

ALL = "all"  # labels of every language


def entities(run: Run, dump: Dump, options: EntityOptions) -> Record:
    """Stage 1. A finished one serves whoever asks for a subset of its labels, properties and items."""
    print_ = fingerprint(version=__version__, dump=dump.identity(), ranks=options.ranks)
    old = run.state.find("entities")
    if old is not None and old.fingerprint == print_:
        if _serves(old, options):
            return reuse(run, old)
        options = _widen(old, options)
    facts = {**_entity_facts(options), "inputs": dump.describe()}
    return finish(
        run,
        "entities",
        print_,
        facts,
        lambda place: read_entities(dump.paths, options, StageContext(place, run.runtime)),
    )


def _entity_facts(options: EntityOptions) -> dict[str, Any]:
    labels = ALL if options.labels is None else sorted(options.labels)
    return {"labels": labels, "properties": sorted(options.properties), "linked_only": options.linked_only}


def _serves(old: Record, options: EntityOptions) -> bool:
    labels = old.facts["labels"] == ALL or (
        options.labels is not None and set(options.labels) <= set(old.facts["labels"])
    )
    return (
        labels
        and set(options.properties) <= set(old.facts["properties"])
        and (options.linked_only or not old.facts["linked_only"])
    )


def _widen(old: Record, options: EntityOptions) -> EntityOptions:
    """Keep what the earlier run held, so that two languages asked for in turn do not drive each other out."""
    every = options.labels is None or old.facts["labels"] == ALL
    return EntityOptions(
        labels=None if every else tuple(sorted({*(options.labels or ()), *old.facts["labels"]})),
        properties=tuple(sorted({*options.properties, *old.facts["properties"]})),
        ranks=options.ranks,
        linked_only=options.linked_only and old.facts["linked_only"],
    )


def labels_for(languages: Sequence[str]) -> tuple[str, ...]:
    """The label codes that languages need, English among them: a class without a label has the English one."""
    return tuple(sorted({code for language in [*languages, "en"] for code in [*label_codes(language), "mul"]}))


def _check_labels(items: Record, language: str) -> None:
    held, wanted = items.facts["labels"], labels_for([language])
    if held != ALL and not set(wanted) <= set(held):
        raise MissingInputError(
            f"expected entities with labels in {language}, saw {', '.join(held)}; "
            f"run `wikisem entities --languages {language}` or `wikisem build` first"
        )


def mentions(run: Run, language: str, dump: Dump, link_trail: bool) -> Record:
    """Stage 2 in one language: the anchor dictionary."""
    unit = f"mentions/{language}"
    print_ = fingerprint(version=__version__, language=language, dump=dump.identity(), link_trail=link_trail)
    old = run.state.find(unit)
    if old is not None and old.fingerprint == print_:
        return reuse(run, old)
    facts = {"inputs": dump.describe()}
    return finish(
        run,
        unit,
        print_,
        facts,
        lambda place: count_mentions(dump.paths, language, link_trail, StageContext(place, run.runtime)),
    )


def surfaces(run: Run, language: str, options: SurfaceOptions, with_mentions: bool) -> Record:
    """Stage 3 in one language, on the entities and, if the language has any, the mentions that stand in OUT."""
    unit = f"surfaces/{language}"
    items = require(run, "entities")
    _check_labels(items, language)
    anchors = require(run, f"mentions/{language}") if with_mentions else None
    print_ = fingerprint(
        language=language,
        entities=_identity(items),
        mentions=anchors.fingerprint if anchors else None,
        options=asdict(options),
    )
    old = run.state.find(unit)
    if old is not None and old.fingerprint == print_:
        return reuse(run, old)
    folder = f"{run.output}/mentions/{language}" if with_mentions else None
    record = finish(
        run,
        unit,
        print_,
        {},
        lambda place: resolve_surfaces(
            f"{run.output}/entities", folder, language, options, StageContext(place, run.runtime)
        ),
    )
    facts = {"sources": _summary(run, unit), "mentions": anchors.fingerprint if anchors else None}
    record = Record(unit, print_, record.counts, facts)
    run.state.put(record)
    return record


def _summary(run: Run, unit: str) -> Any:
    with open_binary(f"{run.output}/{unit}/summary.json") as source:
        return orjson.loads(source.read())


def taxonomy(run: Run, options: GraphOptions) -> Record:
    """Stage 4: the pruned class graph."""
    items = require(run, "entities")
    print_ = fingerprint(entities=_identity(items), options=asdict(options))
    old = run.state.find("taxonomy")
    if old is not None and old.fingerprint == print_:
        return reuse(run, old)
    return finish(
        run,
        "taxonomy",
        print_,
        {},
        lambda place: build_taxonomy(f"{run.output}/entities", options, StageContext(place, run.runtime)),
    )


def require(run: Run, unit: str) -> Record:
    """The record of a unit that this one stands on; MissingInputError names the stage to run first."""
    record = run.state.find(unit)
    if record is None:
        stage = unit.partition("/")[0]
        raise MissingInputError(f"expected {unit} to be finished in {run.output}; run `wikisem {stage}` first")
    return record


def _identity(items: Record) -> list[Any]:
    # Labels and statements come on top of the rows: more of them leave what stands on the rows as it was.
    return [items.fingerprint, items.facts["linked_only"]]


def languages_with_mentions(run: Run, languages: Sequence[str]) -> Mapping[str, bool]:
    """For each language, whether its anchor dictionary stands in OUT."""
    return {language: run.state.find(f"mentions/{language}") is not None for language in languages}


def mentions_of(run: Run, languages: Sequence[str]) -> dict[str, Record]:
    """The mentions that the surfaces of each language were made from; a language that has none is left out.

    MissingInputError where OUT holds other mentions by now: their siteinfo is another dump's.
    """
    made_from = {language: require(run, f"surfaces/{language}").facts.get("mentions") for language in languages}
    records = {language: require(run, f"mentions/{language}") for language, known in made_from.items() if known}
    for language, record in records.items():
        if record.fingerprint != made_from[language]:
            raise MissingInputError(
                f"expected surfaces/{language} made from the mentions in {run.output}, saw surfaces made from earlier "
                f"ones; run `wikisem surfaces` first"
            )
    return records
