"""Stage 3: the surface form of each item in each language, and beside the method the names of all pages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from wikisem.layout import ENTITIES, MENTIONS, NAMES, SURFACES, unit_of
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.runs.stages.entities import check_labels
from wikisem.recipes.options import SurfaceOptions
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.surfaces import names as pages
from wikisem.transforms.surfaces.pages import SurfaceCounts
from wikisem.transforms.surfaces.stage import VERSION, resolve_surfaces
from wikisem.wikipedia.variants import conversion_of, converter, variant_of

# Above this share of the best linked pages, a dump that lacks them is worth a warning.
MOST_MISSING: Final = 0.001
_NAMED: Final = 10


def surfaces(languages: Sequence[str], options: SurfaceOptions, linked: Collection[str]) -> Stage:
    """The surface forms of all languages, in one pipeline; those not in ``linked`` are the fallback's alone."""

    if any(_variant(language, options) for language in languages):
        converter(options.variant)  # which says so where it needs a package that is not installed

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        todo = [language for language in languages if unit_of(SURFACES, language) in units]
        dictionaries = {language: folders(unit_of(MENTIONS, language)) for language in todo if language in linked}
        written = {language: context.folders[unit_of(SURFACES, language)] for language in todo}
        found = resolve_surfaces(folders(ENTITIES), dictionaries, options, written, context)
        return {
            unit_of(SURFACES, language): result_of(language, counts, folders if language in dictionaries else None)
            for language, counts in found.items()
        }

    def check(run: Run) -> None:
        items = run.ledger.require(ENTITIES)
        for language in languages:
            check_labels(items, language)

    return Stage(SURFACES, [_unit(language, options, language in linked) for language in languages], work, check=check)


def _variant(language: str, options: SurfaceOptions) -> dict[str, str]:
    """The variant that a language is written in, and its converter; empty without a variant."""
    variant = variant_of(options.variant, language)
    return {"variant": variant, "conversion": conversion_of(language)} if variant else {}


def _unit(language: str, options: SurfaceOptions, with_mentions: bool) -> Unit:
    needs = (ENTITIES, unit_of(MENTIONS, language)) if with_mentions else (ENTITIES,)
    others = {key: value for key, value in asdict(options).items() if key != "variant"}
    return Unit(unit_of(SURFACES, language), others | _variant(language, options), needs=needs, version=VERSION)


def result_of(language: str, counts: SurfaceCounts, folders: Folders | None) -> UnitResult:
    """What the record of a language says; with ``folders``, if it has a dump, which pages this lacks."""
    facts = dict(counts.summary)
    refused = facts.pop("refused", {})
    found = {"sources": facts, **({"refused": refused} if refused else {})}
    if folders is None:
        return UnitResult(counts.items, found)
    linked = counts.pages
    lacking = [title for _, title, missing in linked.best if missing]
    found["linked_pages"] = {
        "linked": linked.linked,
        "missing": linked.missing,
        "best_linked": len(linked.best),
        "best_missing": len(lacking),
        "best_missing_titles": lacking[:_NAMED],
    }
    warning = ""
    if len(lacking) > MOST_MISSING * len(linked.best):
        # Which export the dump is of, is in the names of its files.
        files = folders.run.ledger.require(unit_of(MENTIONS, language)).facts.get("inputs", ())
        other = "content" if any("pages-articles" in file["path"] for file in files) else "articles"
        warning = (
            f"{unit_of(SURFACES, language)}: {len(lacking):,} of the {len(linked.best):,} best linked pages are not in "
            f"the dump: {', '.join(lacking[:_NAMED])}{' …' * (len(lacking) > _NAMED)}; "
            f"`wikisem download {language} --export {other}` fetches the other export"
        )
    return UnitResult(counts.items, found, warning)


def names(languages: Sequence[str]) -> Stage:
    """The names of all pages that are linked, in tables that people load; no other stage reads them."""

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        dictionaries = {unit.partition("/")[2]: folders(unit_of(MENTIONS, unit.partition("/")[2])) for unit in units}
        written = {language: f"{context.scratch.finished}/{unit_of(NAMES, language)}" for language in dictionaries}
        found = pages.write_names(folders(ENTITIES), dictionaries, written, context)
        return {
            unit_of(NAMES, code): UnitResult(one.pairs, {"pages": one.pages, "items": one.items})
            for code, one in found.items()
        }

    units = [
        Unit(
            unit_of(NAMES, language),
            {},
            leaves=(unit_of(NAMES, language),),
            needs=(ENTITIES, unit_of(MENTIONS, language)),
            version=pages.VERSION,
        )
        for language in languages
    ]
    return Stage(NAMES, units, work)
