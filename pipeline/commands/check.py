"""Run the cluster filters over a data set of test groups and list which groups break which rule.

PATH is a file or a folder in WikiSem500 text form (cluster lines, a blank line, outlier lines) or with wikisem's JSON
lines. Every broken rule of a group is listed, not only the first. Filters look at clusters only, never at outliers;
`wikisem audit --recipe` measures both. With --taxonomy, the class graph of a run says which outliers have no
certificate, which members a contradiction, and where types are among individuals. The exit code is 1 if a rule is
broken.
"""

import argparse
from dataclasses import asdict, dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path

from rich.table import Table

from wikisem.class_names import name_class
from wikisem.datasets.files import data_set_path
from wikisem.datasets.word_groups import read_language
from wikisem.errors import MissingInputError
from wikisem.evaluation.audit.measures import broken_filters
from wikisem.heuristics.rules.proofs import STRENGTH, find_unproven
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.pipeline.command_options import DATA_SET, add, folder
from wikisem.pipeline.console.terminal import make_console, print_json
from wikisem.pipeline.runs.inputs import read_named
from wikisem.pipeline.runs.read import labels_of
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Group
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.learning import ProfileFile, read_profile_file, with_values
from wikisem.wikis import known_language


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a group breaks: ``detail`` names the words that break it.

    ``group`` is its id, a QID or the name of a text file, ``label`` the label of its class, "" in text files.
    """

    group: str
    rule: str
    detail: str
    label: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of check."""
    add(parser, "path=PATH", DATA_SET)
    text = "the language whose rules apply; JSON lines in others are skipped"
    add(parser, "--language LANG", text, required=True)
    text = "a recipe, by path or name, for its [filters], minimum and certificate (default: wikisem500)"
    add(parser, "--recipe RECIPE", text, default="wikisem500")
    text = "the output folder of a run: ask its class graph for certificates, contradictions and levels"
    add(parser, "--taxonomy OUT", text, folder)
    add(parser, "--profile LANG=FILE...", "a profile file, such as OUT/languages/LANG.toml of a build")
    add(parser, "--json", "print a JSON list of group, rule and detail, and no table")


def run(arguments: argparse.Namespace) -> int:
    """Check the groups, print what was found, and return 1 if that is anything."""
    groups = _groups(arguments.path, arguments.language)
    text = read_named(arguments.profile).get(arguments.language)
    given = None if text is None else read_profile_file(text, "--profile")
    found = _violations(groups, arguments.language, load_recipe(arguments.recipe), given, arguments.taxonomy)
    if arguments.json:
        print_json(list(map(asdict, found)), indented=True)
        return 1 if found else 0
    console = make_console()
    if found:
        table = Table("group", "rule", "detail")
        for violation in found:
            name = f"{violation.label} ({violation.group})" if violation.label else violation.group
            table.add_row(name, violation.rule, violation.detail)
        console.print(table)
    console.print(f"groups: {len(groups)} checked, {len({violation.group for violation in found})} break a rule")
    return 1 if found else 0


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
    which a build writes for each language. With ``taxonomy``, the OUT of a run, its class graph also says which
    outliers have no certificate, which members a contradiction, and where types are among individuals. Raises
    MissingInputError if there is no group in the language, no such file, or no QID to ask the class graph about. Part
    of the public API.
    """
    groups, given = _groups(path, language), None
    if profile is not None:
        try:
            given = read_profile_file(Path(profile).read_bytes(), fspath(profile))
        except (OSError, UnicodeDecodeError) as error:
            raise MissingInputError(f"expected a profile file, saw {fspath(profile)!r}: {error}") from error
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(fspath(recipe))
    return _violations(groups, language, chosen, given, None if taxonomy is None else fspath(taxonomy))


def _groups(path: str | PathLike[str], language: str) -> list[Group]:
    if not is_mixed(language):
        known_language(language)
    return read_language(data_set_path(path), language)


def _violations(
    groups: list[Group], language: str, recipe: Recipe, given: ProfileFile | None, output: str | None
) -> list[Violation]:
    """The rules that groups in one language break; their words show the script of a language without a row.

    Those of a recipe come first, then those by the class graph in ``output``.
    """
    profile = language_profile(language, sample=(member.surface for group in groups for member in group.cluster))
    broken = broken_filters(groups, with_values(profile, given.values()) if given else profile, recipe)
    found = [
        Violation(group.id, verdict.reason, verdict.detail, group.label)
        for group, verdicts in zip(groups, broken, strict=True)
        for verdict in verdicts
    ]
    if output is not None:

        @cache
        def name(qid: str) -> str:
            labels, _ = labels_of(output, [qid], "en" if is_mixed(language) else language)
            return name_class(qid, labels.get(qid, ""))

        unproven = find_unproven(groups, output, recipe.outliers.certificate or STRENGTH, name)
        found += (Violation(group.id, rule, detail, group.label) for group, rule, detail in unproven)
    return found
