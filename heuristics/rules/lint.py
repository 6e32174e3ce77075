"""The cluster filters over data sets that stand already, ours or others: a linter for test groups."""

from collections.abc import Iterable
from dataclasses import dataclass

from wikisem.datasets.groups import WordGroup
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.recipes.options import Recipe
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a group breaks, and what in the group breaks it."""

    group: str
    rule: str
    detail: str


def find_violations(groups: Iterable[WordGroup], profile: LanguageProfile, recipe: Recipe) -> list[Violation]:
    """Every rule that any of the groups breaks, in the order of the groups and of the rules.

    ``build`` writes the first broken rule alone; someone who mends a group wants to know them all. Only the stop
    affixes of the language are known here: there is no dump to tell more.
    """
    return [
        Violation(group.id, verdict.reason, verdict.detail)
        for group in groups
        for verdict in broken_rules(surfaces(group), profile, recipe.filters, recipe.cluster.minimum)
    ]


def surfaces(group: WordGroup) -> list[str]:
    """The cluster's surface forms as they would stand in running text, with a space for ``_``."""
    return [surface.replace("_", " ") for surface in group.cluster]
