"""The commands that run stages: a build, the demo, each of five stages by itself on what is in OUT, names and walls."""

import argparse
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from rich.table import Table

from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError, UsageError
from wikisem.files import absolute, create_binary, open_binary, sizes_below
from wikisem.heuristics.selection.kept_groups import is_mixed
from wikisem.ids import check_property
from wikisem.layout import GROUPS, MENTIONS, SURFACES, language_of, unit_of
from wikisem.outputs.groupfile import is_release, read_groups, read_rejections
from wikisem.pipeline import cli
from wikisem.pipeline.commands.show import group_table, languages_table
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line, progress
from wikisem.pipeline.demo import demo_options, read_classes, read_items
from wikisem.pipeline.runs import stages
from wikisem.pipeline.runs.inputs import Dump, find_profiles, find_wikidata, find_wikipedias, read_named
from wikisem.pipeline.runs.ledger import ENGLISH, PLACES, UNCLEAR, Ledger, Record
from wikisem.pipeline.runs.run import Run, Stage, make_run, run_stages, session, with_workers
from wikisem.recipes.load import load_recipe, shipped_names
from wikisem.recipes.options import Recipe
from wikisem.records import TIERS
from wikisem.transforms.io.runtime import Runtime
from wikisem.typed_json import packaged_tables
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES

_WALLS: Final = 500  # of a recipe that asks for none

_OPTIONS: Final = cli.options_of(
    cli.ENTRIES["build"]["options"].format(
        shipped=", ".join(shipped_names()), properties=",".join(DEFAULT_PROPERTIES), walls=_WALLS
    ),
    {
        **{name: {"convert": cli.folder} for name in ("output:finished", "output:counted")},
        **{name: {"convert": cli.at_least(1)} for name in ("--number", "--workers")},
        "--seed": {"convert": cli.at_least(0)},
        "--properties": {
            "convert": lambda text: [check_property(code.strip()) for code in text.split(",") if code.strip()],
            "default": DEFAULT_PROPERTIES,
        },
        "--languages:entities": {"convert": lambda text: [text] if text == stages.ALL else cli.languages_of(text)},
        "--output": {"convert": cli.folder, "required": True},
        "--output:copy": {"convert": cli.folder, "dest": "folder"},
    },
)


def _read_recipe(arguments: argparse.Namespace) -> Recipe:
    recipe = load_recipe(arguments.recipe)
    return recipe if arguments.seed is None else replace(recipe, seed=arguments.seed)


def _run(
    arguments: argparse.Namespace, make_stages: Callable[[Run], list[Stage]], *dumps: Dump, recipe: Recipe | None = None
) -> int:
    """Run stages in the OUT of the options, print what became of their inputs and what to run next; return exit code.

    The sizes of the ``dumps`` that they read decide how many processes work, unless --workers says it.
    """
    run = with_workers(make_run(arguments), arguments.workers, *dumps)
    with session(run):
        records = run_stages(make_stages(run), run, recipe)
    units = [record.unit for record in run.ledger.records()]
    return print_summary(records, run.output, next_command(units, run.output, *([arguments.recipe] if recipe else [])))


def build(arguments: argparse.Namespace) -> int:
    """From dumps to groups: items, links, surface forms, the class graph and the groups; what is finished is kept."""
    recipe = _read_recipe(arguments)
    run = make_run(arguments)
    wikipedia = find_wikipedias(arguments.wikipedia, arguments.checksum)
    languages = stages.choose_languages(arguments.languages, list(wikipedia), recipe)
    wikidata = find_wikidata(arguments.wikidata, arguments.checksum)
    given = read_named(arguments.profile)
    inputs = stages.BuildOptions(recipe, languages, wikidata, wikipedia, sorted(arguments.properties), given)
    return print_summary(stages.run_build(inputs, run, arguments.workers), run.output)


def entities(arguments: argparse.Namespace) -> int:
    """Stage 1: read a Wikidata JSON dump into OUT/entities, as Parquet with one row per item."""
    languages = None if stages.ALL in arguments.languages else arguments.languages
    recipe = load_recipe(arguments.recipe) if arguments.recipe else None
    wanted = stages.entity_options(recipe, languages, arguments.properties)
    dump = find_wikidata(arguments.wikidata, arguments.checksum)
    return _run(arguments, lambda run: [stages.entities(dump, wanted, run)], dump)


def mentions(arguments: argparse.Namespace) -> int:
    """Stage 2: count the links of Wikipedia dumps into OUT/mentions/<language>, each language's anchor dictionary."""
    dumps = find_wikipedias(arguments.wikipedia, arguments.checksum)
    named = read_named(arguments.profile)  # profiles of languages, in place of those that OUT has
    return _run(
        arguments,
        lambda run: [stages.mentions(dumps, arguments.link_trail, find_profiles(run.output, list(dumps), named))],
        *dumps.values(),
    )


def surfaces(arguments: argparse.Namespace) -> int:
    """Stage 3: the surface form of each item in each language, from OUT/mentions or the recipe's fallback."""
    recipe = _read_recipe(arguments)
    languages = stages.choose_languages(arguments.languages, [], recipe)

    def make(run: Run) -> list[Stage]:
        with_links = [language for language in languages if run.ledger.find(unit_of(MENTIONS, language))]
        stages.check_languages(languages, with_links, recipe)
        return [stages.surfaces(languages, recipe.surface, with_links)]

    return _run(arguments, make, recipe=recipe)


def taxonomy(arguments: argparse.Namespace) -> int:
    """Stage 4: the pruned class graph of the items in OUT/entities, as memory-mapped arrays."""
    recipe = _read_recipe(arguments)
    return _run(arguments, lambda _: [stages.taxonomy(recipe.graph)], recipe=recipe)


def groups(arguments: argparse.Namespace) -> int:
    """Stage 5: test groups in every language, from the surfaces and the taxonomy in OUT."""
    recipe = _read_recipe(arguments)
    languages = stages.choose_languages(arguments.languages, [], recipe)
    named = read_named(arguments.profile)  # profiles of languages, in place of those that OUT has
    mixed = stages.mixed(languages, recipe)  # groups of words in several languages, if the recipe asks for them
    return _run(
        arguments,
        lambda run: [stages.groups(languages, recipe, find_profiles(run.output, languages, named)), *mixed],
        recipe=recipe,
    )


def walls(arguments: argparse.Namespace) -> int:
    """Walls of sixteen words in four hidden groups, from the groups of a finished run: OUT/walls/<language>.jsonl."""
    if is_release(data_set_path(arguments.output)):
        advice = "which has no class graph to make walls from; run `wikisem build` first, then `wikisem walls OUT`"
        raise MissingInputError(f"{arguments.output}: expected a run, saw a release, {advice}")
    languages, recipe = stages.recipe_of_groups(Ledger(arguments.output), arguments.languages)
    number = arguments.number or recipe.walls.number or _WALLS
    recipe = replace(recipe, walls=replace(recipe.walls, number=number))
    # With a bound on margins, the statements of a word show, too, whether it fits another group than its own.
    if recipe.outliers.margin is None:
        log("note: the recipe of the groups has no bound on margins, so a word fits what the class graph says alone")
    run = with_workers(make_run(arguments), arguments.workers)
    with session(run):
        records = run_stages(stages.walls(languages, recipe, arguments.seed), run, recipe)
    # For each language and tier (how alike the classes of a wall are): walls kept, tried, and dropped, by reason.
    counted = number_columns("walls", "tried")
    table = Table("language", "tier", *counted, "dropped", title="walls", title_justify="left")
    for record in records:
        for tier in TIERS:
            counts = record.facts[stages.BY_TIER][tier]
            numbers = f"{counts['kept']:,}", f"{counts['read']:,}"
            table.add_row(language_of(record.unit), tier, *numbers, _list_reasons(counts["left_out"]))
    make_console().print(table)
    print_line(f"output: {run.output}/walls")
    return 0


def names(arguments: argparse.Namespace) -> int:
    """The anchor dictionary as tables for other programs: what each page is called, what each name means, how often.

    A row for each pair of a page and an anchor of the links to it: P(anchor | page), P(page | anchor), the counts
    of both, and the page's QID, in OUT/names/<language>/*.parquet. It takes the mentions and entities in OUT.
    """
    run = with_workers(make_run(arguments), arguments.workers)
    with session(run):
        units = [record.unit for record in run.ledger.records() if record.unit.startswith(f"{MENTIONS}/")]
        languages = arguments.languages or list(map(language_of, units))
        if not languages:
            raise MissingInputError(f"expected mentions in {run.output}, saw none; run `wikisem mentions` first")
        records = run_stages([stages.names(languages)], run)
        if target := arguments.folder:  # gets a copy for other programs: OUT keeps its own
            paths = [path for record in records for path in record.parts]  # names/<language>/*.parquet
            for folder in sorted({path.rpartition("/")[0] for path in paths}):
                # A reader of names/de/*.parquet would take tables of another set for part of this.
                there = [f"{folder}/{name}" for name in sizes_below(f"{target}/{folder}")]
                if others := sorted(path for path in there if path.endswith(".parquet") and path not in paths):
                    advice = f"expected no other tables in {folder}, saw {others[0]}; remove them first"
                    raise UsageError(f"{target}: {advice}")
            for path in paths:
                with open_binary(f"{run.output}/{path}") as source, create_binary(f"{target}/{path}") as sink:
                    shutil.copyfileobj(source, sink)
    return print_summary(records, run.output)


# Comune of Italy: names that readers know, with outliers of all three classes.
_SHOWN: Final = ("en", "Q747074")


def demo(arguments: argparse.Namespace) -> int:
    """A sample world that ships with wikisem, start to end, offline: from dumps in six languages to test groups.

    The dumps are written first, with real facts, made-up sentences and one broken record in the middle of each; then
    the same build runs that reads real dumps.
    """
    output = arguments.output or tempfile.mkdtemp(prefix="wikisem-demo-")
    Path(output, "dumps").mkdir(parents=True, exist_ok=True)
    run = Run(absolute(output), Runtime(arguments.beam_options, progress), log=log)
    with session(run):
        inputs = demo_options(f"{output}/dumps")
        records = run_stages(stages.build_stages(inputs, run), run, inputs.recipe)
    made = {language: read_groups(output, language) for language in inputs.languages}
    rejections = {language: read_rejections(output, language) for language in inputs.languages}
    labels = {row.qid: row.labels["en"] for row in read_classes()}
    labels |= {item.qid: item.names["en"].surface for item in read_items() if "en" in item.names}
    console = make_console()
    console.print(languages_table(made, rejections))
    language, qid = _SHOWN
    console.print(*(group_table(group, labels) for group in made[language] if group.qid == qid))
    unread, dumps = sum(sum(record.counts.unreadable.values()) for record in records), 1 + len(inputs.wikipedia)
    broken = f"{unread} records in {dumps} dumps could not be read (one in each is broken on purpose)"
    print_line(f"{broken}; they are in {output}/unreadable")
    print_line(f"next: {shlex.join(['wikisem', 'browse', output])}")
    print_line(f"output: {output}")
    return 0


def _declare(words: str, parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(max_unreadable=cli.MAX_UNREADABLE, seed=None)
    cli.declare(parser, words, _OPTIONS)


_INTO: Final = "--output --workers --break-lock --quiet"
_DUMPS: Final = f"{_INTO} --max-unreadable"
_WORDS: Final[Mapping[Callable[[argparse.Namespace], int], str]] = {
    build: f"recipe --seed --wikidata! --properties --wikipedia --languages:build {_DUMPS} --profile --checksum",
    entities: f"--wikidata! --properties --languages:entities --recipe {_DUMPS} --checksum",
    mentions: f"--wikipedia! --link-trail {_DUMPS} --profile --checksum",
    surfaces: f"recipe --languages:recipe {_INTO}",
    taxonomy: f"recipe {_INTO}",
    groups: f"recipe --seed --languages:recipe {_INTO} --profile",
    walls: "output:finished --languages:walls --number --seed --workers --break-lock --quiet",
    names: "output:counted --languages:names --output:copy --workers --break-lock --quiet",
}
COMMANDS: Final[Mapping[str, cli.Command]] = {
    **{run.__name__: (partial(_declare, words), run) for run, words in _WORDS.items()},
    "demo": ({"--output": {"convert": cli.local_output}}, demo),
}

FIRST_RECIPE: Final = "wikisem"  # to start from after a command that took none
# Reasons of wikisem.dumps for a bad region of a file; all other reasons are those of one record.
BAD_REGIONS: Final = frozenset({"checksum", "garbage", "truncated", "undecodable"})

# What a column counts.
_LEGEND: Final = {
    "kept": "goes on to the next stage; of groups, the classes that gave one",
    "left out": "sound, and not what the stage looks for, such as redirects and items without a name",
    "rejected": "classes that a rule of the recipe refuses; {output}/rejected has each with its reason",
    "unreadable": "damaged; {output}/unreadable says where",
}


def print_summary(records: Sequence[Record], output: str, following: str = "") -> int:
    """Print what became of the inputs of each unit (a stage in a language), then the ``following`` command and OUT.

    Returns the exit code: 1, as with gzip, if a part of a dump could not be decoded, or if its end is missing, for then
    an unknown number of records is lost. A single unreadable record is only left out.
    """
    # A row for each unit: how many it read, kept, left out, rejected and could not read, and why.
    table = Table("stage", *number_columns("in", *_LEGEND), "of these", title="what became of it", title_justify="left")
    console, outcomes = make_console(), [_outcomes(record) for record in records]
    for record, outcome in zip(records, outcomes, strict=True):
        numbers = [f"{count:,}" if count else "" for count, _ in outcome.values()]
        details = "\n".join(f"{name}: {reasons}" for name, (_, reasons) in outcome.items() if reasons)
        table.add_row(record.unit, f"{record.counts.read:,}", *numbers, details)
    console.print(table)
    # What the columns mean, and what helps languages without groups.
    for name, text in _LEGEND.items():
        if any(count for count, _ in (outcome[name] for outcome in outcomes)):
            console.print(f"{name}: {text.format(output=output)}", soft_wrap=True)
    of_groups = [record for record in records if record.unit.startswith(f"{GROUPS}/")]
    for record in of_groups:
        if not record.counts.kept:
            links, names = (
                Ledger(output).find(unit_of(name, language_of(record.unit))) for name in (MENTIONS, SURFACES)
            )
            print_line(remedy(record, has_links=links is not None, named=names.counts.kept if names else None))
    # Warnings of what could not be read: single records, or regions of a dump with any number of them.
    damaged = []
    for record in records:
        if unreadable := record.counts.unreadable:
            log(f"warning: {record.unit}: {_list_reasons(unreadable)} could not be read; see {output}/unreadable")
            damaged += [record.unit] if BAD_REGIONS & set(unreadable) else []
    if damaged:
        log(
            f"wikisem: {', '.join(damaged)}: expected whole dumps, saw damaged ones; what was whole is used, "
            f"and {output}/unreadable says where something is lost"
        )
    # The next command, by default to look at the groups, and OUT.
    if not following and any(record.counts.kept for record in of_groups):
        following = shlex.join(["wikisem", "browse", output])
    if following and not output.startswith("memory://"):  # which no other process has
        print_line(f"next: {following}")
    print_line(f"output: {output}")
    return 1 if damaged else 0


def _outcomes(record: Record) -> dict[str, tuple[int, str]]:
    """Sum up what a unit did with its inputs: by column of the closing table, how many, and "reason count, ...".

    The inputs of groups are classes, and a class is left out because a rule rejects it.
    """
    counts, is_rejected = record.counts, record.unit.startswith("groups/")
    # Remarks on what is kept, from facts of some stages: sources of surface forms, outliers that met or missed their
    # places, class labels in English for lack of others, unclear names, and well linked pages that the dump lacks.
    places = {f"places {how}": count for how, count in record.facts.get(PLACES, {}).items()}
    english = {"class labels in English": len(record.facts.get(ENGLISH, ()))}
    unclear = {"names that mean another item": record.facts.get(UNCLEAR, 0)}
    lacking = {"best linked pages missing": record.facts.get("linked_pages", {}).get("best_missing", 0)}
    kept = filter(None, map(_list_reasons, (record.facts.get("sources", {}), places, english, unclear, lacking)))
    left_out, nothing = (sum(counts.left_out.values()), _list_reasons(counts.left_out)), (0, "")
    return {
        "kept": (counts.kept, ", ".join(kept)),
        "left out": nothing if is_rejected else left_out,
        "rejected": left_out if is_rejected else nothing,
        "unreadable": (sum(counts.unreadable.values()), _list_reasons(counts.unreadable)),
    }


REMEDIES: Final = packaged_tables("wikisem.pipeline", "remedies.toml")
# With fewer named items in a language, classes lack outliers, or instances, because the language lacks names.
_FEW_NAMED: Final = 100


def remedy(record: Record, *, has_links: bool, named: int | None = None) -> str:
    """Say why a language has no groups, and what helps with its recipe.

    ``has_links``: the links of its Wikipedia were counted. ``named``: how many items have a name there, if known.
    """
    counts, language, recipe = record.counts, language_of(record.unit), record.made_with.get("recipe", {})
    cluster, names = recipe.get("cluster", {}), REMEDIES["names"]
    helps = [phrase.format(language=language) for phrase in names["links" if has_links else "no-links"]]
    if counts.read:  # there were classes to judge: what helps is about the most frequent reason
        reason, count = min(counts.left_out.items(), key=lambda item: (-item[1], item[0]))
        why = f"{count:,} of {counts.read:,} class{'es' if counts.read > 1 else ''} rejected as {reason}"
        if reason in {"few-outliers", "status", "too-few"} and named is not None and named < _FEW_NAMED:
            why += f", where few items have a name ({named:,})"
        else:  # a reason that is not in the list is a filter of the user's own
            own = f"filters.extra.{reason.replace('-', '_')} decides it"
            helps = REMEDIES["reasons"].get(reason, [own])
    elif is_mixed(language):
        return f"no group in {language}: no class has a group in any of its languages"
    elif (fame := cluster.get("fame", "all")) != "all":
        # No class has enough instances with a surface form in that third of them (head, torso or tail).
        why, helps = f"no class has {cluster['minimum']} named instances in its {fame}", names["fame"]
    else:
        why = "too few items have a name there" + ("" if named is None else f" ({named:,})")
    # Without keys that go no further, such as a bound that is 0 already.
    ends = [(table, key, end) for table, keys in REMEDIES["ends"].items() for key, end in keys.items()]
    done = {f"{table}.{key}" for table, key, end in ends if recipe.get(table, {}).get(key) == end}
    return f"no group in {language}: {why}; {', or '.join(one for one in helps if done.isdisjoint(one.split()))}"


def _list_reasons(counts: Mapping[str, int]) -> str:
    by_frequency = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in by_frequency if count)


def next_command(units: Iterable[str], output: str, recipe: str = FIRST_RECIPE) -> str:
    """Compose the command that makes what ``output`` lacks after ``units`` are finished; DUMP is to be filled in.

    >>> next_command(["entities", "mentions/de", "mentions/ja", "surfaces/ja"], "out")
    'wikisem surfaces wikisem --languages de --output out'
    >>> next_command(["mentions/de"], "out")
    'wikisem entities --wikidata DUMP --languages en,de --output out'
    """
    finished = set(units)
    mentions, surfaces, groups = (
        sorted(language_of(unit) for unit in finished if unit.startswith(f"{stage}/"))
        for stage in (MENTIONS, SURFACES, GROUPS)
    )
    if "entities" not in finished:
        labelled = ["en", *(code for code in mentions if code != "en")]
        words = ["entities", "--wikidata", "DUMP", "--languages", ",".join(labelled)]
    elif not mentions and not surfaces:
        words = ["mentions", "--wikipedia", "LANG=DUMP"]
    elif without := [code for code in mentions if code not in surfaces]:
        words = ["surfaces", recipe, "--languages", ",".join(without)]
    elif "taxonomy" not in finished:
        words = ["taxonomy", recipe]
    elif without := [code for code in surfaces if code not in groups]:
        words = ["groups", recipe, "--languages", ",".join(without)]
    else:
        return shlex.join(["wikisem", "browse", output])
    return shlex.join(["wikisem", *words, "--output", output])
