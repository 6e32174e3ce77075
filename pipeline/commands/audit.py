"""The commands that look at groups without a model: an audit measures them, a check lists the rules that they break."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from os import PathLike, fspath
from typing import Any, Final

import msgspec
from rich.table import Table

from wikisem.class_names import name_class
from wikisem.datasets.files import data_set_path
from wikisem.datasets.word_groups import name_languages, read_dataset, read_language, with_spaces
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation import audit as audits_of
from wikisem.evaluation.audit import CLUSTER, NO_BOUNDS, Audit, Values, WitnessBounds
from wikisem.evaluation.baselines import COLUMNS, baseline_rows, read_frequencies
from wikisem.evaluation.outlier_detection import UNKNOWN
from wikisem.evaluation.tables import baseline_sheets
from wikisem.files import path_of
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.proofs import STRENGTH, find_unproven
from wikisem.heuristics.selection.kept_groups import is_mixed
from wikisem.layout import MANIFEST
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import Command, folder
from wikisem.pipeline.console.reports import print_block
from wikisem.pipeline.console.terminal import make_console, make_table, number_columns, print_json, print_notes
from wikisem.pipeline.runs.inputs import read_named, read_profile_text
from wikisem.pipeline.runs.read import labels_of, table_metadata
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.typed_json import decode_json
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.learning import ProfileFile, read_profile_file, with_values
from wikisem.wikis import known_language

_UNKNOWN: Final = "–"
_WORST: Final = 20  # groups with findings in a table
_RANKED: Final = 10  # groups or outliers in a table by coherence or margin


def _run_audit(arguments: argparse.Namespace) -> int:
    """Measure every group of a run or of a released set, without a model: who its members are, how near its outliers.

    OUT is the output folder of a run (with its class graph), a release, a groups .jsonl or .parquet file, or a folder
    of WikiSem500 text, for which only measures of words are known. Groups come worst first.
    """
    frequencies = {}
    for word in arguments.frequencies:
        language, _, file = word.partition("=")
        if not path_of(file).is_file():
            raise UsageError(f"--frequencies: expected LANG=FILE such as en=frequencies.txt, saw {word!r}")
        frequencies[language] = file
    data_sets = [path for path in (arguments.dataset, arguments.compare) if path is not None]
    audits = [audit(path, frequencies=frequencies, recipe=arguments.recipe) for path in data_sets]
    for path in data_sets:
        root = data_set_path(path)
        if (root / "groups").is_dir() and not (root / "taxonomy").is_dir():
            print_notes([f"{path} has no class graph: distances, shared classes and hidden members need a run's OUT"])
    if arguments.json:
        print_json(audit_as_json(audits), indented=True)
    else:
        print_audit(audits)
    return 0


class _Recipe(msgspec.Struct):
    cluster: WitnessBounds = NO_BOUNDS
    outliers: WitnessBounds = NO_BOUNDS


class _Manifest(msgspec.Struct):
    recipe: _Recipe | None = None


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
    token_counts = {code: read_frequencies(path_of(file)) for code, file in (frequencies or {}).items()}
    if (path / "groups").is_dir() or path.suffix in {".jsonl", ".parquet"}:
        groups = read_groups(path)
    else:  # text, whose language may be unknown
        named = name_languages(read_dataset(path), path)
        groups = [with_spaces(msgspec.structs.replace(group, language=group.language or UNKNOWN)) for group in named]
    if not groups:
        raise MissingInputError(f"{path}: expected groups, saw none")
    graph = Taxonomy.load(path / "taxonomy") if (path / "taxonomy").is_dir() else None
    filters = recipe if isinstance(recipe, Recipe | None) else load_recipe(fspath(recipe))
    # The recipe's bounds on coherence and margins, from the manifest of a run or release, or the metadata of a table.
    if (manifest := path / MANIFEST).is_file():
        made_by = decode_json(manifest.read_bytes(), _Manifest, str(manifest), "the manifest of a run").recipe
    else:
        tables = [path] if path.is_file() else sorted((path / "groups").glob("*.parquet"))
        about = table_metadata(next((table for table in tables if table.suffix == ".parquet"), None))
        text = about.get("wikisem.recipe", "{}")
        made_by = decode_json(text, _Recipe, str(path), "the recipe of a release in its metadata")
    bounds = WitnessBounds(made_by.cluster.coherence, made_by.outliers.margin) if made_by else NO_BOUNDS
    return audits_of.audit_groups(fspath(dataset), groups, graph, token_counts, bounds, filters)


def print_audit(audits: Sequence[Audit]) -> None:
    """Print the measures and baselines of each language, all data sets beside each other, then the first one's groups.

    Of these: the groups with findings, those of the lowest coherence (how much their members have in common), and the
    outliers of the highest margin (how typical they are of the class). A near miss is close to the recipe's bound.
    """
    console = make_console()
    # The measures of all data sets.
    for language in sorted({language for audit in audits for language in audit.languages}):
        console.print(_measures_table(language, audits))
        for audit in audits:
            if language in audit.baselines:
                for sheet in baseline_sheets(baseline_rows({language: audit.baselines[language]}, audit.name)):
                    print_block(console, sheet)
    # Findings of the first data set.
    first = audits[0]
    worst = [audited for audited in first.groups if audited.findings]
    title = f"{first.name}: {len(worst)} of {len(first.groups)} groups have findings{', the worst first' * bool(worst)}"
    table = make_table(("group", "language", "findings"), title=title, title_justify="left")
    for audited in worst[:_WORST]:
        group = audited.measures.group
        findings = (f"{'wrong: ' if finding.wrong else ''}{finding.text}" for finding in audited.findings)
        table.add_row(group.name, group.language, "\n".join(findings))
    console.print(table if worst else title)
    # Its groups by coherence, and its outliers by margin.
    if first.by_coherence:
        title = f"{first.name}: groups, the lowest coherence first"
        if first.near_coherence is not None:
            bound = f"a coherence below {first.bounds.coherence} + {audits_of.NEAR_COHERENCE}"
            title += f"; near misses, {bound}: {first.near_coherence} of {len(first.by_coherence)}"
        table = make_table(("group", "language", "members"), ["coherence"], title=title, title_justify="left")
        for coherence, group in first.by_coherence[:_RANKED]:
            members = ", ".join(member.surface for member in group.cluster)
            table.add_row(group.name, group.language, members, f"{coherence:.3f}")
        console.print(table)
    if first.by_margin:
        title = f"{first.name}: outliers, the highest margin first"
        if first.near_margin is not None:
            bound = f"a margin above half of {first.bounds.margin}"
            title += f"; near misses, {bound}: {first.near_margin} of {len(first.by_margin)}"
        table = make_table(("outlier", "class", "group", "language"), ["margin"], title=title, title_justify="left")
        for margin, group, outlier in first.by_margin[:_RANKED]:
            table.add_row(outlier.name, COLUMNS[outlier.outlier_class], group.name, group.language, f"{margin:.3f}")
        console.print(table)


def _measures_table(language: str, audits: Sequence[Audit]) -> Table:
    """Make a row for each measure that any data set has in a language; a cell has the values of all data sets."""
    title = f"{language}: {' | '.join(audit.name for audit in audits)}"
    # Of each data set the values by column (clusters, or an outlier class) and measure.
    data_sets: list[Mapping[str, Values]] = [audit.languages.get(language, {}) for audit in audits]
    columns = list(dict.fromkeys(column for by_column in data_sets for column in by_column))
    table = Table("", *number_columns(*columns, no_wrap=True), title=title, title_justify="left")
    by_measure = [values for by_column in data_sets for values in by_column.values()]
    for measure in dict.fromkeys(measure for values in by_measure for measure in values):
        cells = [[_cell(measure, one.get(column, {}).get(measure)) for one in data_sets] for column in columns]
        if any(value != _UNKNOWN for cell in cells for value in cell):
            table.add_row(measure, *map(" | ".join, cells))
    return table


def _cell(measure: str, value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    if measure.startswith("item number"):
        return f"Q{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def audit_as_json(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """Describe each data set by its measures, under the names that the tables use; what is unknown is null."""
    objects = []
    for audit in audits:
        groups = []
        for audited in audit.groups:
            # All measures, and of the group itself only its id (in its JSON "class"), language, coherence and cluster.
            measures = msgspec.to_builtins(audited.measures)
            group = measures.pop("group")
            # By outlier class, whether some two of its outliers have a direct class in common.
            measures["from_one_class"] = {COLUMNS[kind]: same for kind, same in audited.measures.from_one_class}
            about = {"id": group["class"], "language": group["language"]}
            about |= {"coherence": audited.measures.group.coherence, "findings": list(map(asdict, audited.findings))}
            groups.append({**about, **measures, CLUSTER: group[CLUSTER]})
        coherences = [
            {"id": group.id, "language": group.language, "coherence": coherence}
            for coherence, group in audit.by_coherence
        ]
        margins = [
            {"id": group.id, "language": group.language, "outlier": item.surface, "qid": item.id, "margin": margin}
            for margin, group, item in audit.by_margin
        ]
        row: dict[str, Any] = {"name": audit.name, "languages": audit.languages}
        row["baselines"] = msgspec.to_builtins(baseline_rows(audit.baselines))
        row["near_duplicates"] = [pair._asdict() for pair in audit.near_duplicates]
        row["near_misses"] = {"coherence": audit.near_coherence, "margin": audit.near_margin}
        objects.append(row | {"by_coherence": coherences, "by_margin": margins, "groups": groups})
    return objects


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a group breaks: ``detail`` names the words that break it.

    ``group`` is its id, a QID or the name of a text file, ``label`` the label of its class, "" in text files.
    """

    group: str
    rule: str
    detail: str
    label: str = ""


def _run_check(arguments: argparse.Namespace) -> int:
    """Run the cluster filters over a data set of test groups and list which groups break which rule.

    PATH is a file or a folder in WikiSem500 text form (cluster lines, a blank line, outlier lines) or with wikisem's
    JSON lines. Every broken rule of a group is listed, not only the first. Filters look at clusters only, never at
    outliers; `wikisem audit --recipe` measures both. With --taxonomy, the class graph of a run says which outliers have
    no certificate (a proof that they are not of the class), which members a contradiction (another class, which would
    exclude this one), and where types are among individuals. The exit code is 1 if a rule is broken.
    """
    text = read_named(arguments.profile).get(arguments.language)
    profile = None if text is None else read_profile_file(text, "--profile")
    recipe = load_recipe(arguments.recipe)
    checked, violations = _violations(arguments.path, arguments.language, recipe, profile, arguments.taxonomy)
    if arguments.json:
        print_json(list(map(asdict, violations)), indented=True)
        return 1 if violations else 0
    console = make_console()
    if violations:
        table = Table("group", "rule", "detail")
        for violation in violations:
            name = f"{violation.label} ({violation.group})" if violation.label else violation.group
            table.add_row(name, violation.rule, violation.detail)
        console.print(table)
    broken = {violation.group for violation in violations}
    console.print(f"groups: {checked} checked, {len(broken)} break a rule")
    return 1 if violations else 0


def check(
    path: str | PathLike[str],
    language: str,
    *,
    recipe: Recipe | str | PathLike[str] = "wikisem500",
    profile: str | PathLike[str] | None = None,
    taxonomy: str | PathLike[str] | None = None,
) -> list[Violation]:
    """List every rule of a recipe that a group of a data set breaks, in the order of the groups.

    ``path`` is a file or folder that ``read_dataset`` reads; groups in other languages are skipped. ``recipe`` is a
    Recipe, a path or a name; its ``[filters]`` and ``cluster.minimum`` are applied. ``profile`` is a profile file,
    which a build writes for each language. With ``taxonomy``, the OUT of a run, there are also the rules that its class
    graph shows, as for ``find_unproven``: "certificate" for an outlier that is not proven to be outside the class, and
    "contradiction", "levels" and "no-instance". Raises MissingInputError if there is no group in the language, no such
    file, or no QID to ask the class graph about. Part of the public API.
    """
    profile_file = None if profile is None else read_profile_file(read_profile_text(fspath(profile)), fspath(profile))
    filters = recipe if isinstance(recipe, Recipe) else load_recipe(fspath(recipe))
    _, violations = _violations(path, language, filters, profile_file, None if taxonomy is None else fspath(taxonomy))
    return violations


def _violations(
    path: str | PathLike[str], language: str, recipe: Recipe, profile: ProfileFile | None, output: str | None
) -> tuple[int, list[Violation]]:
    """Count the groups of a data set in one language, and list the rules that they break.

    First those of the recipe's filters, which look at words, then those of ``find_unproven``, which looks at the class
    graph of the run in ``output``. ``profile`` says how the language is written, in place of what is known of it and
    what the clusters show.
    """
    if not is_mixed(language):  # "mixed-...", the language of groups with words of several
        known_language(language)
    groups = read_language(data_set_path(path), language)
    known = language_profile(language, sample=(member.surface for group in groups for member in group.cluster))
    broken = audits_of.broken_filters(groups, with_values(known, profile.values()) if profile else known, recipe)
    violations = list[Violation]()
    for group, verdicts in zip(groups, broken, strict=True):
        violations += (Violation(group.id, verdict.reason, verdict.detail, group.label) for verdict in verdicts)
    if output is not None:
        label_language = "en" if is_mixed(language) else language
        # Labels of classes are read one by one, since only those of broken rules are named.
        name = cache(lambda qid: name_class(qid, labels_of(output, [qid], label_language)[0].get(qid, "")))
        strength = recipe.outliers.certificate or STRENGTH  # how many instances a certificate takes
        unproven = find_unproven(groups, output, strength, name)
        violations += (Violation(group.id, rule, detail, group.label) for group, rule, detail in unproven)
    return len(groups), violations


COMMANDS: Final[Mapping[str, Command]] = {
    "audit": ({}, _run_audit),
    "check": ({"--language": {}, "--recipe": {"default": "wikisem500"}, "--taxonomy": {"convert": folder}}, _run_check),
}
