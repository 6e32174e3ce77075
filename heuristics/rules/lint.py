"""The cluster rules applied to existing data sets, ours or others: a linter for test groups."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from wikisem.datasets.word_groups import read_dataset, with_spaces
from wikisem.errors import MissingInputError
from wikisem.heuristics.rules.affix import count_affixes
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.extra import require_known
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Group
from wikisem.wikipedia.languages import LanguageProfile, language_profile
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


def check(
    path: str | PathLike[str],
    language: str,
    *,
    recipe: Recipe | str | PathLike[str] = "wikisem500",
    profile: str | PathLike[str] | None = None,
) -> list[Violation]:
    """List every rule of a recipe that a group of a data set breaks, in the order of the groups.

    ``path`` is a file or folder that ``read_dataset`` reads; groups in other languages are skipped. ``recipe`` is a
    Recipe, a path or a name; its ``[filters]`` and ``cluster.minimum`` are applied. ``profile`` is a profile file,
    which a build writes for each language. Raises MissingInputError if there is no group in the language, or no such
    file.
    """
    given = None
    if profile is not None:
        try:
            given = read_profile_file(Path(profile).read_bytes(), fspath(profile))
        except (OSError, UnicodeDecodeError) as error:
            raise MissingInputError(f"expected a profile file, saw {fspath(profile)!r}: {error}") from error
    return check_groups(groups_in(path, language), language, recipe, given)


def groups_in(path: str | PathLike[str], language: str) -> list[Group]:
    """The groups of a data set that are in this language or name no language; MissingInputError without any."""
    if not is_mixed(language):
        known_language(language)
    groups = read_dataset(fspath(path))
    kept = [group for group in groups if group.language in {"", language}]
    if not kept:
        others = ", ".join(sorted({group.language for group in groups}))
        raise MissingInputError(
            f"{fspath(path)}: expected groups in {language}, saw groups in {others or 'no language'}"
        )
    return kept


def check_groups(
    groups: Sequence[Group],
    language: str,
    recipe: Recipe | str | PathLike[str],
    given: ProfileFile | None = None,
) -> list[Violation]:
    """The violations of groups in one language; their surface forms show the script of a language without a row."""
    profile = language_profile(language, sample=(member.surface for group in groups for member in group.cluster))
    if given is not None:
        profile = with_values(profile, given.values())
    return find_violations(groups, profile, recipe if isinstance(recipe, Recipe) else load_recipe(fspath(recipe)))


def find_violations(groups: Iterable[Group], profile: LanguageProfile, recipe: Recipe) -> list[Violation]:
    """Every rule that any of the groups breaks, in the order of the groups and of the rules.

    ``build`` only writes the first broken rule; to repair a group you need all of them. Without a dump, only the stop
    affixes of the language are known, and only the groups' own surface forms show which affixes are a surprise.
    """
    groups, filters = list(map(with_spaces, groups)), recipe.filters
    require_known(filters.extra)
    # Each surface form counts once, because an item may be in several groups.
    surfaces = {member.surface for group in groups for member in group.members}
    affixes = count_affixes(surfaces) if filters.affix == "surprise" else None
    return [
        Violation(group.id, verdict.reason, verdict.detail, group.label)
        for group in groups
        for verdict in broken_rules(
            [member.surface for member in group.cluster], profile, filters, recipe.cluster.minimum, group.label, affixes
        )
    ]
