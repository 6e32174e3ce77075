"""The stages of the method as values: what their units are, what each is made from, and the work that makes them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike, fspath
from typing import Any, Final, TypeAlias

import msgspec

from wikisem import layout
from wikisem.errors import MissingInputError, OutputError, RecipeError, UsageError, WikisemError
from wikisem.files import absolute, read_binary
from wikisem.heuristics.rules.wording import require_known
from wikisem.heuristics.selection.kept_groups import is_mixed, mix_groups, mixed_code
from wikisem.heuristics.selection.walls import NO_CLASSES
from wikisem.layout import ENTITIES, GROUPS, MENTIONS, NAMES, SURFACES, TAXONOMY, WALLS, language_of, unit_of
from wikisem.outputs.groupfile import group_folders, read_groups
from wikisem.pipeline.cli import folder as output_folder
from wikisem.pipeline.runs import run as runner
from wikisem.pipeline.runs.inputs import FACT, Dump, Profiles, find_profiles, find_wikidata, find_wikipedias, read_named
from wikisem.pipeline.runs.ledger import ENGLISH, PLACES, UNCLEAR, Ledger, Record, fingerprint
from wikisem.pipeline.runs.run import Run, Stage, Unit, UnitResult, identity_of
from wikisem.recipes.load import load_recipe, parse_recipe
from wikisem.recipes.options import ClassOptions, GraphOptions, Recipe, SurfaceOptions
from wikisem.records import SIDE, Counts, Group, Rejection
from wikisem.transforms import entities as entity_stage
from wikisem.transforms import mentions as mention_stage
from wikisem.transforms import surfaces as surface_stage
from wikisem.transforms import taxonomy as taxonomy_stage
from wikisem.transforms import walls as wall_stage
from wikisem.transforms.groups import stage as group_stage
from wikisem.transforms.groups.shared_files import GroupFacts, write_groups
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.wikidata.entity_tables import LAYOUTS, open_tables
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES, is_wikipedia
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.learning import Evidence, find_profile, read_profile_file
from wikisem.wikipedia.variants import conversion_of, converter, lacks_conversion, variant_of
from wikisem.wikis import known_language, name_codes, wiki_of

ALL: Final = "all"  # labels of every language


def entities(dump: Dump, options: entity_stage.EntityOptions, run: Run) -> Stage:
    """The stage that reads the items of a Wikidata dump; one reading serves every run that asks for a part of it.

    Labels and properties that OUT already has, of the same dump by the same rules, are asked for again: otherwise runs
    in two languages, one after the other, would each read the dump anew.
    """
    if earlier := run.ledger.find(ENTITIES):
        facts, every_label = earlier.facts, options.labels is None or earlier.facts["labels"] == ALL
        # What this run or the earlier one asks for; taken if the identity, of the dump and the rules, stays the same.
        wider = replace(
            options,
            labels=None if every_label else tuple(sorted({*(options.labels or ()), *facts["labels"]})),
            properties=tuple(sorted({*options.properties, *facts["properties"]})),
            linked_only=options.linked_only and facts["linked_only"],
            signatures=options.signatures or facts.get("signatures", False),
            relations=options.relations or facts.get("relations", False),
            aliases=options.aliases or facts.get("aliases", False),
        )
        if identity_of(_entity_unit(dump, wider), {}) == earlier.identity:
            options = wider

    def work(_units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Read the dump, or its public tables, into the folder of the one unit, which has all languages."""
        context = context.for_unit(ENTITIES)  # finished files go to its folder
        if dump.tables:
            return {ENTITIES: _read_tables(dump, options, run, context)}
        counts, highest_item = entity_stage.read_entities(dump.paths, options, context)
        return {ENTITIES: UnitResult(counts, {"highest_item": highest_item})}

    return Stage(ENTITIES, [_entity_unit(dump, options)], work)


def _entity_unit(dump: Dump, options: entity_stage.EntityOptions) -> Unit:
    """The unit of entities: later units depend on its dump and rules, not on the extra labels and columns it has."""
    labels = ALL if options.labels is None else sorted(options.labels)
    # With other extras the entities are read again, but later units stay.
    extras: dict[str, Any] = {"labels": labels, "properties": sorted(options.properties)}
    extras |= {"signatures": options.signatures, "relations": options.relations, "aliases": options.aliases}
    unlinked = "counted" if options.linked_only else "kept"  # what becomes of items without a page and an edge to them
    rules = {"dump": dump.identity(), "ranks": options.ranks, "unlinked": unlinked}
    facts = {**extras, "linked_only": options.linked_only, "inputs": dump.describe()}
    return Unit(ENTITIES, rules, extras=extras, facts=facts, version=entity_stage.VERSION)


def _read_tables(dump: Dump, options: entity_stage.EntityOptions, run: Run, context: StageContext) -> UnitResult:
    """Read public Parquet tables of Wikidata as entities; log what they have and lack, warn of missing revisions."""
    tables = open_tables(dump.tables, options)
    # How many rows each kind of table has, the languages of labels, and the wikis of links.
    rows, codes, sites = tables.rows(), tables.keys("labels"), tables.keys("links")
    listed = ", ".join(codes) if len(codes) < 10 else f"{len(codes)} languages"
    run.log(
        f"{ENTITIES}: Parquet tables of {LAYOUTS[tables.layout]}: {rows.get('claims', 0):,} statements, "
        f"{rows.get('links', 0):,} pages (wikis: {len(sites)}), "
        f"{rows.get('labels', 0):,} labels ({listed or 'none'})"
    )
    for missing in tables.lacks:
        run.log(f"warning: {ENTITIES}: the tables lack {missing}")
    counts, highest_item = entity_stage.read_entities(tables, options, context)
    # Only the table of entities has revisions; that of the release of 2026-09-28 has no items, only properties.
    readable = counts.read - sum(counts.unreadable.values())
    unknown = max(readable - rows.get("entities", readable), 0)
    warning = f"{ENTITIES}: {unknown:,} are not in the table of entities, and have no revision" if unknown else ""
    about_tables = {
        "layout": tables.layout,
        "languages": codes,
        "sites": len(sites),
        "wikipedias": sum(map(is_wikipedia, sites)),
        "rows": rows,
        "lacks": list(tables.lacks),
        "without_revision": unknown,
    }
    return UnitResult(counts, {"highest_item": highest_item, "tables": about_tables}, warning)


# The columns of entities that only some recipes ask for, and what for.
_ASKED: Final = {
    "signatures": "which cluster.coherence and outliers.margin compare",
    "relations": "which outliers.related draws from",
    "aliases": "which surface.minimum_page_share compares labels with",
}


def check_columns(run: Run, **wanted: bool) -> None:
    """Raise MissingInputError if the entities in OUT lack a column that is ``wanted``, as by ``aliases=True``."""
    facts = run.ledger.require(ENTITIES).facts
    for name in (name for name, is_wanted in wanted.items() if is_wanted and not facts.get(name, False)):
        raise MissingInputError(
            f"expected entities with {name}, {_ASKED[name]}, saw entities without; "
            "run `wikisem entities`, or `wikisem build` with this recipe, first"
        )


def mentions(dumps: Mapping[str, Dump], link_trail: bool, profiles: Profiles) -> Stage:
    """The stage that counts by which words links lead to each page; a unit for each language, from its Wikipedia dump.

    With ``link_trail``, letters right after ``]]``, as in [[dog]]s, belong to a link if the language's profile says so,
    given or learned. A dump of another wiki, or whose titles cannot be converted between scripts, gives a warning.
    """

    def work(units: Sequence[str], _run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Count the links of the dumps of units such as "mentions/de"; check their wikis, and learn their trails."""
        folders = {language_of(unit): context.folders[unit] for unit in units}
        dump_paths = {language: dumps[language].paths for language in folders}
        # The profiles that a person gave; of other languages they are learned from the links.
        texts = {language: text for language, text in profiles.texts.items() if language in folders}
        given = {language: read_profile_file(text, layout.profile_path(language)) for language, text in texts.items()}
        counts = mention_stage.count_mentions(dump_paths, link_trail, folders, context, given)
        results = {}
        for language, folder in folders.items():
            # Warnings: the head of the dump names its wiki, such as "dewiki", which may be another language's.
            unit, path, warnings = unit_of(MENTIONS, language), layout.siteinfo_path(folder), list[str]()
            wiki = SiteInfo.from_json(read_binary(path), path).dbname
            if wiki and wiki != (own := wiki_of(language)):
                warnings += [f"expected a dump of {own or 'no wiki'}, saw one of {wiki}, which is taken for {language}"]
            if lacks_conversion(language):
                cause = "without opencc, links in the other script do not count for the page"
                warnings.append(f"{cause}: pip install 'wikisem[chinese]'")
            warning = f"{unit}: {'; '.join(warnings)}" if warnings else ""
            facts = {"wiki": wiki, "warning": warning} if warning else {"wiki": wiki}
            # The trail that the letters after links suggest: profiles with the same one need no new count.
            if link_trail and language not in profiles.trails:
                evidence = Evidence(mention_stage.read_link_letters(folder))
                facts["learned_trail"] = find_profile(language, evidence=evidence).profile.link_trail
            results[unit] = UnitResult(counts[language], facts, warning)
        return results

    units = []
    for language, dump in dumps.items():
        # True is the trail that is learned from the dump; a profile may give another one.
        options = {"dump": dump.identity(), "link_trail": link_trail and profiles.trails.get(language, True)}
        if conversion := conversion_of(language):
            options["conversion"] = conversion
        facts = {"inputs": dump.describe()}
        units.append(Unit(unit_of(MENTIONS, language), options, facts=facts, version=mention_stage.VERSION))
    return Stage(MENTIONS, units, work)


# Above this share of the best linked pages, a dump that lacks them is worth a warning.
MOST_MISSING: Final = 0.001
_NAMED: Final = 10


def surfaces(languages: Sequence[str], options: SurfaceOptions, linked: Collection[str]) -> Stage:
    """The stage that chooses what each item is called, its surface form, in all languages by one pipeline.

    In a language of ``linked``, whose Wikipedia links are counted, that is the best anchor (the words of links to its
    page), else the fallback: a label or a title.
    """
    units = []
    for language in languages:
        # Only units of languages that have the script variant, such as zh-hans, depend on it.
        own_options = {key: value for key, value in asdict(options).items() if key != "variant"}
        if variant := variant_of(options.variant, language):
            converter(options.variant)  # raises here, and not during the work, if OpenCC is not installed
            own_options |= {"variant": variant, "conversion": conversion_of(language)}
        needs = (ENTITIES, unit_of(MENTIONS, language)) if language in linked else (ENTITIES,)
        units.append(Unit(unit_of(SURFACES, language), own_options, needs=needs, version=surface_stage.VERSION))

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Write the surface forms of units such as "surfaces/de", from the entities and, if any, counted links."""
        folders = {language_of(unit): context.folders[unit] for unit in units}
        with_links = {code: run.folder(unit_of(MENTIONS, code)) for code in folders if code in linked}
        counts_of = surface_stage.resolve_surfaces(run.folder(ENTITIES), with_links, options, folders, context)
        return {
            unit_of(SURFACES, language): result_of(language, counts, run if language in with_links else None)
            for language, counts in counts_of.items()
        }

    def check(run: Run) -> None:
        """Raise MissingInputError if the entities lack labels by which a language or the fallback names items."""
        kept = run.ledger.require(ENTITIES).facts["labels"]
        for language in languages:
            wanted = dict.fromkeys((*name_codes(language), *name_codes("en")))
            if kept != ALL and (lacking := [code for code in wanted if code not in kept]):
                raise MissingInputError(
                    f"expected entities with labels in {', '.join(lacking)}, saw them only in {', '.join(kept)}; "
                    f"run `wikisem entities` or `wikisem build` with {language} among the languages first"
                )
        check_columns(run, aliases=options.asks_aliases)

    return Stage(SURFACES, units, work, check=check)


def result_of(language: str, counts: surface_stage.SurfaceCounts, run: Run | None) -> UnitResult:
    """The result of surface forms in a language: how many came from each source, and anchors that each rule refused.

    With ``run``, for a language with a dump, also how many linked pages the dump lacks, and a warning to take the other
    kind of export if it lacks too many of the pages with most links.
    """
    sources = dict(counts.summary)
    refused = sources.pop("refused", {})
    facts = {"sources": sources, **({"refused": refused} if refused else {})}
    if run is None:
        return UnitResult(counts.items, facts)
    pages, warning = counts.pages, ""
    lacking = [title for _links, title, is_missing in pages.best if is_missing]
    missing = {"missing": pages.missing, "best_missing": len(lacking), "best_missing_titles": lacking[:_NAMED]}
    facts["linked_pages"] = {"linked": pages.linked, "best_linked": len(pages.best), **missing}
    if len(lacking) > MOST_MISSING * len(pages.best):
        # Which export the dump is of, is in the names of its files.
        files = run.ledger.require(unit_of(MENTIONS, language)).facts.get("inputs", ())
        other = "content" if any("pages-articles" in file["path"] for file in files) else "articles"
        warning = (
            f"{unit_of(SURFACES, language)}: {len(lacking):,} of the {len(pages.best):,} best linked pages are not in "
            f"the dump: {', '.join(lacking[:_NAMED])}{' …' * (len(lacking) > _NAMED)}; "
            f"`wikisem download {language} --export {other}` fetches the other export"
        )
    return UnitResult(counts.items, facts, warning)


def names(languages: Sequence[str]) -> Stage:
    """The stage that writes tables of all linked pages with their anchors, the words of links, for people to load."""

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Write the tables of units such as "names/de" from the counted links; counts are pairs of page and anchor."""
        link_folders = {code: run.folder(unit_of(MENTIONS, code)) for code in map(language_of, units)}
        folders = {language: f"{context.scratch.finished}/{unit_of(NAMES, language)}" for language in link_folders}
        counts_of = surface_stage.write_names(run.folder(ENTITIES), link_folders, folders, context)
        return {
            unit_of(NAMES, code): UnitResult(counts.pairs, {"pages": counts.pages, "items": counts.items})
            for code, counts in counts_of.items()
        }

    units, version = [], surface_stage.NAMES_VERSION
    for language in languages:  # the tables of a language are in OUT/names/LANG, and no recipe changes them
        unit, needs = unit_of(NAMES, language), (ENTITIES, unit_of(MENTIONS, language))
        units.append(Unit(unit, options={}, leaves=(unit,), needs=needs, version=version))
    return Stage(NAMES, units, work)


def taxonomy(options: GraphOptions) -> Stage:
    """The stage that makes the graph of classes (P31 and P279) of all items, without what the recipe prunes."""
    unit = Unit(TAXONOMY, asdict(options), needs=(ENTITIES,), version=taxonomy_stage.VERSION)
    make = taxonomy_stage.build_taxonomy  # returns the counts of its items
    return Stage(
        TAXONOMY,
        [unit],
        lambda _, run, context: {TAXONOMY: UnitResult(make(run.folder(ENTITIES), options, context.for_unit(TAXONOMY)))},
    )


def groups(languages: Sequence[str], recipe: Recipe, profiles: Profiles) -> Stage:
    """The stage that builds the test groups; a unit for each language, made all together if they share outliers."""
    require_known(recipe.filters.extra)  # RecipeError for the name of no rule
    shared = recipe.outliers.shared

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Build the groups of units such as "groups/de" from surface forms, and the links those were made from."""
        surface_folders = {code: run.folder(unit_of(SURFACES, code)) for code in map(language_of, units)}
        link_folders = {}  # of the languages with a Wikipedia dump
        for language in surface_folders:
            mentions_unit = unit_of(MENTIONS, language)
            if mentions_unit in run.ledger.require(unit_of(SURFACES, language)).needs:
                link_folders[language] = run.folder(mentions_unit)
        items, graph = run.folder(ENTITIES), run.folder(TAXONOMY)
        counts = group_stage.build_groups(items, graph, surface_folders, link_folders, recipe, context, profiles.texts)
        results = {}
        for language in surface_folders:  # what the record of each says beside its counts
            counted, learned = read_json(context.scratch.group_facts(language), GroupFacts), {}
            if language not in profiles.texts:  # by this digest a later run sees whether the profile was edited since
                text = read_binary(f"{context.scratch.finished}/{layout.profile_path(language)}").decode()
                learned = {"learned": fingerprint(text=text)}
            # Classes with an English label alone, how many names are unclear, and how many outliers take their places.
            facts = {"cases": counted.cases, FACT: learned}
            facts |= {ENGLISH: counted.english} if counted.english else {}
            facts |= {UNCLEAR: counted.unclear} if counted.unclear else {}
            facts |= {PLACES: counted.places} if recipe.outliers.places else {}
            results[unit_of(GROUPS, language)] = UnitResult(counts[language], facts)
        return results

    options: dict[str, Any] = {"items": msgspec.to_builtins(recipe.items), "seed": recipe.seed}
    options |= {name: asdict(getattr(recipe, name)) for name in ("cluster", "outliers", "filters")}
    if recipe.classes != ClassOptions():
        options["classes"] = asdict(recipe.classes)
    units = []
    for language in languages:
        profile = {"profile": fingerprint(text=profiles.texts[language])} if language in profiles.texts else {}
        needs = TAXONOMY, *(unit_of(SURFACES, code) for code in (sorted(languages) if shared else [language]))
        leaves = *layout.group_leaves(language), *group_folders(language), layout.profile_path(language)
        units.append(Unit(unit_of(GROUPS, language), options | profile, leaves, needs, version=group_stage.VERSION))
    asked = {"signatures": recipe.witness, "relations": recipe.outliers.related > 0}
    return Stage(GROUPS, units, work, shared, lambda run: check_columns(run, **asked))


MIXED_VERSION: Final = 10  # of the stage's output; raise it when that changes


def mixed(languages: Sequence[str], recipe: Recipe) -> list[Stage]:
    """The stage that mixes groups of a class in several languages, the recipe's ``mixed``, if it names any."""
    if not recipe.mixed:
        return []
    if missing := [language for language in recipe.mixed if language not in languages]:
        raise RecipeError(f"mixed: expected languages of the run ({', '.join(languages)}), saw {', '.join(missing)}")
    code = mixed_code(recipe.mixed)

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Mix the finished groups of each class; write those that are kept, and the classes rejected with reasons."""
        of_languages = {language: read_groups(run.output, language) for language in recipe.mixed}
        judged = list(mix_groups(of_languages, recipe))
        kept = [verdict for verdict in judged if isinstance(verdict, Group)]
        rejected = [verdict for verdict in judged if isinstance(verdict, Rejection)]
        write_groups(context.scratch.finished, code, kept, rejected)
        reasons = Counter(rejection.reason for rejection in rejected)
        counts = Counts(read=len(judged), kept=len(kept), left_out=dict(sorted(reasons.items())))
        cases = sum(len(group.outliers) for group in kept)  # a test case for each outlier
        return {units[0]: UnitResult(counts, {"cases": cases})}

    options = {"mixed": list(recipe.mixed), "seed": recipe.seed}
    needs = tuple(unit_of(GROUPS, language) for language in recipe.mixed)
    leaves = *layout.group_leaves(code), *group_folders(code)
    unit = Unit(unit_of(GROUPS, code), options, leaves=leaves, needs=needs, version=MIXED_VERSION)
    return [Stage("mixed", [unit], work)]


# The key of a unit's facts: for each tier how many walls were tried and kept, and why others were dropped.
BY_TIER: Final = "tiers"


def walls(languages: Sequence[str], recipe: Recipe, seed: int | None = None) -> list[Stage]:
    """The stage that makes walls, sixteen words of four groups to be found, if the recipe asks for any.

    A unit for each language; another ``seed`` than the recipe's draws other walls from the same groups.
    """
    number = recipe.walls.number
    if not number:
        return []
    wall_seed = recipe.seed if seed is None else seed

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        """Draw the walls of units such as "walls/de"; warn where fewer than the recipe's ``number`` could be made."""
        surface_folders = {code: run.folder(unit_of(SURFACES, code)) for code in map(language_of, units)}
        sources = wall_stage.WallSources(run.output, run.folder(ENTITIES), run.folder(TAXONOMY), surface_folders)
        results = {}
        # Each tier has counts of its own: "far" or "sibling" classes, or "herring" words that fit a second class.
        for language, tiers in wall_stage.make_walls(sources, recipe, wall_seed, context).items():
            by_tier = ", ".join(f"{tier} {counts.kept:,}" for tier, counts in tiers.items())
            run.log(f"{unit_of(WALLS, language)}: {by_tier}")
            total = sum(tiers.values(), Counts())
            warning = f"{total.kept:,} walls of {number:,} in {language} ({by_tier})" if total.kept < number else ""
            if lacking := [tier for tier, counts in tiers.items() if NO_CLASSES in counts.left_out] if warning else []:
                made = run.ledger.require(unit_of(GROUPS, language)).counts.kept
                # Keys that can still give walls of the same words, more words or more groups.
                helps = ["higher walls.uses"] * (total.kept > 0)
                helps += ["lower outliers.min_sitelinks"] * (recipe.outliers.min_sitelinks > 0)
                helps += ["lower cluster.minimum"] * (recipe.cluster.minimum > SIDE)
                warning += (
                    f"; {NO_CLASSES} in {', '.join(lacking)}: no four of {made:,} groups that may be in one wall have "
                    f"four fitting words each; what may help: {', '.join([*helps, 'more items'])}"
                )
            facts = {BY_TIER: {tier: asdict(counts) for tier, counts in tiers.items()}}
            results[unit_of(WALLS, language)] = UnitResult(total, facts, warning)
        return results

    units, options = [], {"walls": asdict(recipe.walls), "seed": wall_seed}
    for language in languages:
        needs = TAXONOMY, unit_of(SURFACES, language), unit_of(GROUPS, language)
        leaves = (layout.walls_path(language),)
        units.append(Unit(unit_of(WALLS, language), options, leaves, needs, version=wall_stage.VERSION))
    asked = {"signatures": recipe.witness, "relations": recipe.outliers.related > 0}
    return [Stage(WALLS, units, work, check=lambda run: check_columns(run, **asked))]


def recipe_of_groups(ledger: Ledger, languages: Iterable[str] = ()) -> tuple[list[str], Recipe]:
    """The languages with finished groups, or those asked for, and their one recipe; MissingInputError otherwise."""
    records = {language_of(record.unit): record for record in ledger.records() if record.unit.startswith(f"{GROUPS}/")}
    finished = sorted(code for code in records if not is_mixed(code))
    chosen = sorted(set(languages) or finished)
    missing = [language for language in chosen if language not in finished]
    if missing or not chosen:
        wanted = f"languages with finished groups ({', '.join(finished) or 'none'})" if missing else "finished groups"
        seen = ", ".join(missing) or "none"
        raise MissingInputError(f"expected {wanted}, saw {seen}; run `wikisem groups` or `wikisem build` first")
    recipes = [parse_recipe(records[code].made_with["recipe"], f"the record of {GROUPS}/{code}") for code in chosen]
    # The rules alone: neither the languages that a recipe names nor its own name make groups different.
    rules = [replace(recipe, languages=(), mixed=(), name="") for recipe in recipes]
    if other := next((code for code, rule in zip(chosen, rules, strict=True) if rule != rules[0]), None):
        raise MissingInputError(
            f"expected groups by one recipe, saw that {other} has another one than {chosen[0]}; name languages of one"
        )
    return chosen, recipes[0]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The inputs of a build; the seed is the recipe's, ``profiles`` are the texts of files that --profile names."""

    recipe: Recipe
    languages: Sequence[str]
    wikidata: Dump
    wikipedia: Mapping[str, Dump]
    properties: Sequence[str]
    profiles: Mapping[str, str] = field(default_factory=dict)


def run_build(options: BuildOptions, run: Run, workers: int | None) -> list[Record]:
    """Run every stage that is not finished yet, and return the records of all units in the order of the method."""
    run = runner.with_workers(run, workers, options.wikidata, *options.wikipedia.values())
    check_languages(options.languages, list(options.wikipedia), options.recipe)
    with runner.session(run):
        return runner.run_stages(build_stages(options, run), run, options.recipe)


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


def choose_languages(asked: Sequence[str] | None, with_dumps: Sequence[str], recipe: Recipe) -> list[str]:
    """The languages of a run, sorted: those asked for, else those with dumps, else the recipe's."""
    return sorted(set(asked or with_dumps or recipe.languages))


def check_languages(languages: Sequence[str], with_dumps: Sequence[str], recipe: Recipe) -> None:
    """Raise UsageError for a language in which no item could be named: neither by links of a dump nor by a fallback."""
    nameless = [language for language in languages if language not in with_dumps]
    if nameless and recipe.surface.fallback == "none":
        raise UsageError(
            f"{', '.join(nameless)}: expected a Wikipedia dump (--wikipedia {nameless[0]}=PATH) or a recipe with "
            f'surface.fallback "label" or "title", saw neither'
        )


def entity_options(
    recipe: Recipe | None, languages: Sequence[str] | None, properties: Iterable[str]
) -> entity_stage.EntityOptions:
    """Which items and fields of them the groups of a recipe need; without a recipe, those that any could need.

    Labels are kept in ``languages`` and in English, in which a class without a label is named; in all if that is None.
    """
    labels = None
    if languages is not None:
        labels = tuple(sorted({code for language in (*languages, "en") for code in name_codes(language)}))
    of_any_recipe = entity_stage.EntityOptions(labels, tuple(sorted(properties)), aliases=True)
    if recipe is None:
        return of_any_recipe
    # An item without a page in any wiki can then be neither in a cluster nor an outlier.
    linked_only = recipe.surface.fallback == "none" and recipe.outliers.min_sitelinks > 0
    return replace(
        of_any_recipe,
        ranks=recipe.graph.ranks,
        signatures=recipe.witness,
        relations=recipe.outliers.related > 0,
        aliases=recipe.surface.asks_aliases,
        linked_only=linked_only,
    )


_Path: TypeAlias = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """The results in one language: how many groups, test cases, and classes without a group, these by reason."""

    groups: int
    cases: int
    rejected: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The results of a build.

    ``output`` is its folder or URL. ``languages`` has, by code, the numbers of ``groups`` and test ``cases``, and of
    the classes ``rejected``, by reason. ``units`` has the record of each unit of work, such as "entities" or
    "mentions/de", with its ``counts``: records read, kept, left out and unreadable.
    """

    output: str
    recipe: Recipe
    languages: Mapping[str, LanguageResult]
    units: Mapping[str, Record]


def build(
    recipe: Recipe | _Path,
    *,
    wikidata: _Path | Sequence[_Path],
    wikipedia: Mapping[str, _Path | Sequence[_Path]],
    output: _Path,
    languages: Sequence[str] | None = None,
    profiles: Mapping[str, _Path] | None = None,
    workers: int | None = None,
    beam_options: Sequence[str] = (),
    break_lock: bool = False,
) -> BuildResult:
    """Make test groups from dumps, as ``wikisem build`` does: run the stages that are not finished, write the manifest.

    ``recipe`` is a Recipe, a path, or the name of a recipe that ships with wikisem. ``wikidata`` is a dump, and
    ``wikipedia`` has one for each language: a file, a glob or a URL, or a list of them for a dump in parts. In place of
    its dump, ``wikidata`` can be folders of public Parquet tables.
    ``languages`` are by default those of ``wikipedia``, or else the recipe's. ``profiles`` are profile files by
    language. ``workers`` is the number of local processes, by default one for each core, and one for dumps of less than
    64 MiB. ``beam_options`` are options of Apache Beam, such as "--runner=DataflowRunner". ``break_lock`` starts even
    though another run seems to be at work in ``output``.

    Raises errors of ``wikisem.errors``, among them TooManyUnreadableError, StageError and LockError.
    """
    loaded = recipe if isinstance(recipe, Recipe) else load_recipe(fspath(recipe))
    target = absolute(output_folder(fspath(output)))
    if workers is not None and workers < 1:
        raise UsageError(f"workers: expected a whole number from 1 up, saw {workers}")
    runtime = Runtime(runner.absolute_setup_file(beam_options))
    runtime.configure_file_systems()
    if isinstance(languages, str):
        raise UsageError(f"languages: expected a list such as ['en', 'de'], saw {languages!r}")
    # Each dump is one path or several.
    paths_of = {code: [paths] if isinstance(paths, str | PathLike) else paths for code, paths in wikipedia.items()}
    words = [f"{code}={fspath(path)}" for code, paths in paths_of.items() for path in paths]
    wikipedias = find_wikipedias(words, checksum=False)
    chosen = choose_languages(languages, list(wikipedias), loaded)
    for code in chosen:
        known_language(code)
    wikidata_paths = [wikidata] if isinstance(wikidata, str | PathLike) else wikidata
    dump = find_wikidata([fspath(path) for path in wikidata_paths], checksum=False)
    given = read_named([f"{code}={fspath(path)}" for code, path in sorted((profiles or {}).items())])
    inputs = BuildOptions(loaded, chosen, dump, wikipedias, DEFAULT_PROPERTIES, given)
    run = Run(target, runtime, break_lock=break_lock)
    try:
        units = {record.unit: record for record in run_build(inputs, run, workers)}
    except WikisemError:
        raise
    except OSError as error:
        raise OutputError(f"expected to read and write files, saw {error}") from error
    results = {}
    for code in chosen:
        record = units[unit_of(GROUPS, code)]
        counts, cases = record.counts, int(record.facts["cases"])
        results[code] = LanguageResult(groups=counts.kept, cases=cases, rejected=dict(counts.left_out))
    return BuildResult(run.output, loaded, results, units)
