"""Measure every group of a run or of a released set, without a model: who its members are, how near its outliers.

OUT is the output folder of a run (with its class graph), a release, a groups .jsonl or .parquet file, or a folder of
WikiSem500 text, for which only measures of words are known. Groups come worst first.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from rich.table import Table

from wikisem.datasets.files import data_set_path
from wikisem.datasets.word_groups import name_languages, read_dataset, with_spaces
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.audit import measures as audits_of
from wikisem.evaluation.audit.baselines import COLUMNS, baseline_rows, read_frequencies
from wikisem.evaluation.audit.measures import CLUSTER, NO_BOUNDS, Audit, Values, WitnessBounds
from wikisem.evaluation.outlier_detection import UNKNOWN
from wikisem.evaluation.tables import baseline_sheets
from wikisem.files import path_of
from wikisem.graph.taxonomy import Taxonomy
from wikisem.layout import MANIFEST
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.command_options import DATA_SET, add
from wikisem.pipeline.console.reports import print_block
from wikisem.pipeline.console.terminal import make_console, make_table, number_columns, print_json, print_notes
from wikisem.pipeline.runs.read import table_metadata
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.typed_json import decode_json

_UNKNOWN: Final = "–"
# How many groups and outliers tables show.
_WORST: Final = 20
_RANKED: Final = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of audit."""
    add(parser, "dataset=OUT", DATA_SET)
    add(parser, "--compare OTHER", "another set to compare with")
    text = "a token and its frequency a line; adds a baseline that picks the word with the rarest token"
    add(parser, "--frequencies LANG=FILE...", text)
    add(parser, "--recipe RECIPE", "a recipe, by path or name: which of its [filters] clusters break")
    add(parser, "--json", "print every measure of every group as JSON, and no table")


def run(arguments: argparse.Namespace) -> int:
    """Audit one data set or two, and print what was found."""
    frequencies = {}
    for word in arguments.frequencies:
        language, _, file = word.partition("=")
        if not Path(file).is_file():
            raise UsageError(f"--frequencies: expected LANG=FILE such as en=frequencies.txt, saw {word!r}")
        frequencies[language] = file
    chosen = [path for path in (arguments.dataset, arguments.compare) if path is not None]
    audits = [audit(path, frequencies=frequencies, recipe=arguments.recipe) for path in chosen]
    for path in chosen:
        folder = data_set_path(path)
        if (folder / "groups").is_dir() and not (folder / "taxonomy").is_dir():
            print_notes([f"{path} has no class graph: distances, shared classes and hidden members need a run's OUT"])
    if arguments.json:
        print_json(audit_as_json(audits), indented=True)
    else:
        print_audit(audits)
    return 0


def audit(
    dataset: str | PathLike[str],
    *,
    frequencies: Mapping[str, str | PathLike[str]] | None = None,
    recipe: Recipe | str | PathLike[str] | None = None,
) -> Audit:
    """Measure every group of a data set without a model, as ``wikisem audit`` does; part of the public API.

    ``dataset`` is a run's OUT, a release, a file of groups or a folder of WikiSem500 text. ``frequencies`` has, by
    language, files of tokens and how often each occurs. ``recipe`` is one whose filters are measured, too. The result
    has ``groups``, worst first, each with ``measures`` and ``findings``; ``languages`` and ``baselines`` have the
    tables of each language. Raises MissingInputError if there are no groups.
    """
    path = data_set_path(dataset)
    read = {code: read_frequencies(path_of(file)) for code, file in (frequencies or {}).items()}
    if (path / "groups").is_dir() or path.suffix in {".jsonl", ".parquet"}:
        groups = read_groups(path)
    else:
        named = name_languages(read_dataset(path), path)
        groups = [with_spaces(replace(group, language=group.language or UNKNOWN)) for group in named]
    if not groups:
        raise MissingInputError(f"{path}: expected groups, saw none")
    graph = Taxonomy.load(path / "taxonomy") if (path / "taxonomy").is_dir() else None
    chosen = recipe if isinstance(recipe, Recipe | None) else load_recipe(fspath(recipe))
    # The bounds are those in the recipe of a run or a release; another data set has none.
    if (manifest := path / MANIFEST).is_file():
        own = decode_json(manifest.read_bytes(), _Manifest, str(manifest), "the manifest of a run").recipe
    else:
        tables = [path] if path.is_file() else sorted((path / "groups").glob("*.parquet"))
        about = table_metadata(next((table for table in tables if table.suffix == ".parquet"), None))
        text = about.get("wikisem.recipe", "{}")
        own = decode_json(text, _Recipe, str(path), "the recipe of a release in its metadata")
    bounds = WitnessBounds(own.cluster.coherence, own.outliers.margin) if own else NO_BOUNDS
    return audits_of.audit_groups(fspath(dataset), groups, graph, read, bounds, chosen)


class _Recipe(msgspec.Struct):
    cluster: WitnessBounds = NO_BOUNDS
    outliers: WitnessBounds = NO_BOUNDS


class _Manifest(msgspec.Struct):
    recipe: _Recipe | None = None


def print_audit(audits: Sequence[Audit]) -> None:
    """Print the measures and baselines of each language, all data sets beside each other, then the first one's groups.

    Of these: the groups with findings, those of the lowest coherence, and the outliers of the highest margin.
    """
    console = make_console()
    for language in sorted({language for audit in audits for language in audit.languages}):
        title = f"{language}: {' | '.join(audit.name for audit in audits)}"
        # Of each data set the values by column and measure; a cell has those of all sets.
        data_sets: list[Mapping[str, Values]] = [audit.languages.get(language, {}) for audit in audits]
        columns = list(dict.fromkeys(column for by_column in data_sets for column in by_column))
        table = Table("", *number_columns(*columns, no_wrap=True), title=title, title_justify="left")
        values = [values for by_column in data_sets for values in by_column.values()]
        for measure in dict.fromkeys(measure for by_measure in values for measure in by_measure):
            cells = [
                [_cell(measure, by_column.get(column, {}).get(measure)) for by_column in data_sets]
                for column in columns
            ]
            if any(value != _UNKNOWN for cell in cells for value in cell):
                table.add_row(measure, *map(" | ".join, cells))
        console.print(table)
        for audit in audits:
            if language in audit.baselines:
                for sheet in baseline_sheets(baseline_rows({language: audit.baselines[language]}, audit.name)):
                    print_block(console, sheet)
    first = audits[0]
    worst = [audited for audited in first.groups if audited.findings]
    title = f"{first.name}: {len(worst)} of {len(first.groups)} groups have findings, the worst first"
    table = make_table(("group", "language", "findings"), title=title, title_justify="left")
    for audited in worst[:_WORST]:
        group = audited.measures.group
        findings = (f"{'wrong: ' if finding.wrong else ''}{finding.text}" for finding in audited.findings)
        table.add_row(group.name, group.language, "\n".join(findings))
    console.print(table)
    if first.by_coherence:
        bound = f"a coherence below {first.bounds.coherence} + {audits_of.NEAR_COHERENCE}"
        groups = [
            (group.name, group.language, ", ".join(item.surface for item in group.cluster), coherence)
            for coherence, group in first.by_coherence
        ]
        words = ("group", "language", "members", "coherence")
        title = f"{first.name}: groups, the lowest coherence first"
        console.print(_ranked(title, words, groups, bound, first.near_coherence))
    if first.by_margin:
        bound = f"a margin above half of {first.bounds.margin}"
        outliers = [
            (outlier.name, COLUMNS[outlier.outlier_class], group.name, group.language, margin)
            for margin, group, outlier in first.by_margin
        ]
        title = f"{first.name}: outliers, the highest margin first"
        console.print(
            _ranked(title, ("outlier", "class", "group", "language", "margin"), outliers, bound, first.near_margin)
        )


def _ranked(title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]], bound: str, near: int | None) -> Table:
    """Make a table of the first rows, each of which ends with a number; how many are near misses if that is known."""
    if near is not None:
        title += f"; near misses, {bound}: {near} of {len(rows)}"
    table = make_table(columns[:-1], columns[-1:], title=title, title_justify="left")
    for *cells, value in rows[:_RANKED]:
        table.add_row(*cells, f"{value:.3f}")
    return table


def _cell(measure: str, value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    if measure.startswith("item number"):
        return f"Q{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def audit_as_json(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """All data sets under the names that the tables use; what is unknown is null."""
    found = []
    for audit in audits:
        groups = []
        for one in audit.groups:
            measures = msgspec.to_builtins(one.measures)
            group = measures.pop("group")
            from_one_class: Mapping[int, bool] = dict(one.measures.from_one_class)
            groups.append(
                {
                    "id": group["class"],
                    "language": group["language"],
                    "coherence": one.measures.group.coherence,
                    "findings": [asdict(finding) for finding in one.findings],
                    **measures,
                    "from_one_class": {COLUMNS[number]: same for number, same in from_one_class.items()},
                    CLUSTER: group[CLUSTER],
                }
            )
        found.append(
            {
                "name": audit.name,
                "languages": audit.languages,
                "baselines": msgspec.to_builtins(baseline_rows(audit.baselines)),
                "near_duplicates": [pair._asdict() for pair in audit.near_duplicates],
                "near_misses": {"coherence": audit.near_coherence, "margin": audit.near_margin},
                "by_coherence": [
                    {"id": group.id, "language": group.language, "coherence": coherence}
                    for coherence, group in audit.by_coherence
                ],
                "by_margin": [
                    {"id": own.id, "language": own.language, "outlier": one.surface, "qid": one.id, "margin": margin}
                    for margin, own, one in audit.by_margin
                ],
                "groups": groups,
            }
        )
    return found
